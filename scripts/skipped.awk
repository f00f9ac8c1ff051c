# Names each skipped test of JUnit XML reports with its reason.
function attribute(line, name,    start, rest) {
  start = index(line, " " name "=\"")
  if (start == 0) {
    return ""
  }
  rest = substr(line, start + length(name) + 3)
  return substr(rest, 1, index(rest, "\"") - 1)
}

function plain(text) {
  gsub(/&#10;/, " ", text)
  gsub(/&quot;/, "\"", text)
  gsub(/&apos;/, "'", text)
  gsub(/&lt;/, "<", text)
  gsub(/&gt;/, ">", text)
  gsub(/&amp;/, "\\&", text)
  return text
}

/<testcase / {
  test = attribute($0, "classname") "." attribute($0, "name")
}

/<skipped/ {
  reason = attribute($0, "message")
  if (reason == "" && match($0, /CDATA\[/)) {
    reason = substr($0, RSTART + 6)
    sub(/\]\]>.*/, "", reason)
  }
  print "==> skipped: " plain(test) ": " (reason == "" ? "no reason given" : plain(reason))
}
