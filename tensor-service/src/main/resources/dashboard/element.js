// Text is only ever set as text, whoever wrote it.
export function element(name, text, ...classes) {
  const made = document.createElement(name);
  if (text !== undefined && text !== null) made.textContent = text;
  made.classList.add(...classes.filter(Boolean));
  return made;
}
