#include "heddle/draw/formats.h"

#include <string_view>

#include "draw/svg_element.h"

namespace heddle::draw {
namespace {

constexpr std::string_view kStyle = R"css(
:root { color-scheme: light dark; --page: #fff; --ink: #1a1a1a; --label: #444; --line: #222; }
@media (prefers-color-scheme: dark) {
  :root { --page: #16181d; --ink: #e8e8e8; --label: #b8bcc4; --line: #7c828c; }
}
body { margin: 0; background: var(--page); color: var(--ink);
  font: 14px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; }
main { overflow-x: auto; padding-bottom: 5em; }
svg .page, svg .plain { fill: var(--page); }
svg.ink, svg text.ink { fill: var(--ink); }
svg .label, svg .digit { fill: var(--label); }
svg .lines > * { stroke: var(--line); }
svg .cells rect, svg .legend rect { cursor: pointer; }
svg .cells rect:hover, svg .held { stroke: var(--ink); stroke-width: 3; }
#facts { position: fixed; left: 0; right: 0; bottom: 0; padding: 8px 16px; min-height: 2.6em;
  background: var(--page); border-top: 1px solid var(--line); }
#facts span { display: inline-block; margin-right: 1.6em; white-space: pre-wrap; }
#facts b { font-weight: normal; color: var(--label); }
)css";

constexpr std::string_view kScript = R"js(
const box = document.getElementById('facts');
const pick = document.getElementById('pick');
const usual = box.innerHTML;
let held = null;
function show(cell) {
  box.textContent = '';
  const names = cell.parentNode.dataset.n.split('|');
  cell.dataset.f.split('|').forEach((fact, i) => {
    if (fact === '') return;
    const name = document.createElement('b');
    name.textContent = names[i] + ' ';
    const line = document.createElement('span');
    line.append(name, fact);
    box.append(line);
  });
}
function release() {
  if (held) held.classList.remove('held');
  held = null;
  pick.textContent = '';
  box.innerHTML = usual;
}
function hold(part) {
  release();
  held = part;
  part.classList.add('held');
  const color = part.dataset.c;
  if (color !== undefined)
    pick.textContent = `svg [data-c]:not([data-c="${color}"]) { opacity: 0.15; }`;
  if (part.dataset.f) show(part);
}
document.addEventListener('mouseover', event => {
  if (!held && event.target.dataset && event.target.dataset.f) show(event.target);
});
document.addEventListener('click', event => {
  const part = event.target.closest('rect[data-f], rect[data-c]');
  if (part && part !== held) hold(part); else release();
});
document.addEventListener('keydown', event => { if (event.key === 'Escape') release(); });
)js";

}  // namespace

std::string to_html(const Picture& picture) {
  std::string page =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>";
  page += escape_xml(picture.title);
  page += "</title>\n<style>";
  page += kStyle;
  page += "</style>\n<style id=\"pick\"></style>\n</head>\n<body>\n<main>\n";
  page += svg_element(picture, CellData::kFacts);
  page +=
      "</main>\n<div id=\"facts\">Point at a cell, or click it to hold it and see the cells of its "
      "colour.</div>\n<script>";
  page += kScript;
  page += "</script>\n</body>\n</html>\n";
  return page;
}

}  // namespace heddle::draw
