// What is wrong with the texts of the drawing, nothing if all is well. Run by a test in the page.
const LEAST_CONTRAST = 4.5;
const drawing = document.querySelector("#topology svg");
const probe = document.createElement("div");
probe.style.backgroundColor = "Canvas";
document.body.append(probe);
const canvas = getComputedStyle(probe).backgroundColor;
probe.remove();

function luminance(colour) {
  const [red, green, blue] = colour.match(/[0-9.]+/g).map(Number).map(value => value / 255)
    .map(value => value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one, other) {
  const [dark, bright] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
}

function behind(text) {
  const box = text.closest("g")?.querySelector("rect") ?? (text.matches(".numa-name") ? drawing.querySelector(".numa") : null);
  return box ? getComputedStyle(box).fill : canvas;
}

const within = (inner, outer) => inner.left >= outer.left && inner.right <= outer.right
  && inner.top >= outer.top && inner.bottom <= outer.bottom;
const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

const faults = [];
const texts = [...drawing.querySelectorAll("text")];
const places = texts.map(text => text.getBoundingClientRect());
texts.forEach((text, index) => {
  const box = text.closest("g")?.querySelector("rect") ?? drawing;
  if (!within(places[index], box.getBoundingClientRect())) faults.push(`${text.textContent} leaves its box`);
  const ratio = contrast(getComputedStyle(text).fill, behind(text));
  if (ratio < LEAST_CONTRAST) faults.push(`${text.textContent} has a contrast of ${ratio}`);
  for (let other = index + 1; other < texts.length; other++) {
    if (meet(places[index], places[other])) faults.push(`${text.textContent} covers ${texts[other].textContent}`);
  }
});
for (const cell of document.querySelectorAll("#distances td")) {
  const ratio = contrast(getComputedStyle(cell).color, canvas);
  if (ratio < LEAST_CONTRAST) faults.push(`the cell ${cell.textContent} has a contrast of ${ratio}`);
}
return faults;
