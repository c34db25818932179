// Which cells of which pictures belong together: those that show the same elements.
//
//   const links = linksOf(model);
//   links.elementsOf(0, 5)         // [5]: the elements that cell 5 of panel 0 shows
//   links.cellsOf([5, 6])          // [[5, 6], [], …]: for each panel, the cells that show them
//
// Elements are the flat numbers of the points of a layout, in its own order. The picture of a
// layout has one element a cell, that of its memory the elements of each place, none or several.

/** The links of a model; their memory is two numbers for each element that a cell shows. */
export function linksOf(model) {
  const panels = model.panels.map((panel) => panel.cells.elements ?? null);
  const {numberOf, starts, cells} = cellsByElement(panels);

  const elementsOf = (panel, cell) => asList(panels[panel]?.[cell]);
  const cellsOf = (elements) => {
    const found = model.panels.map(() => []);
    for (const element of elements) {
      const number = numberOf(element);
      if (!(number >= 0 && number + 1 < starts.length)) continue;
      for (let i = starts[number]; i < starts[number + 1]; ++i) {
        found[cells.panel[i]].push(cells.cell[i]);
      }
    }
    return found;
  };
  return {elementsOf, cellsOf, count: Math.max(0, starts.length - 1)};
}

const asList = (value) =>
  typeof value === "number" ? (value < 0 ? [] : [value]) : value ?? [];

function forEachLink(panels, visit) {
  panels.forEach((ofPanel, panel) => {
    if (!ofPanel) return;
    for (let cell = 0; cell < ofPanel.length; ++cell) {
      const value = ofPanel[cell];
      if (typeof value === "number") {
        if (value >= 0) visit(value, panel, cell);
      } else {
        for (const element of value ?? []) visit(element, panel, cell);
      }
    }
  });
}

// Elements by their own numbers if most are shown; the corners of a large layout have few of them,
// which are counted as they come.
function numbering(panels, count, largest) {
  if (largest < 4 * count) return {numberOf: (element) => element, length: largest + 1};
  const numbers = new Map();
  forEachLink(panels, (element) => {
    if (!numbers.has(element)) numbers.set(element, numbers.size);
  });
  return {numberOf: (element) => numbers.get(element), length: numbers.size};
}

// A counting sort: `starts[n]` is where the cells of element number n begin.
function cellsByElement(panels) {
  let count = 0;
  let largest = -1;
  forEachLink(panels, (element) => {
    ++count;
    largest = Math.max(largest, element);
  });
  const {numberOf, length} = numbering(panels, count, largest);
  const starts = new Int32Array(length + 1);
  forEachLink(panels, (element) => ++starts[numberOf(element) + 1]);
  for (let i = 1; i < starts.length; ++i) starts[i] += starts[i - 1];
  const next = starts.slice(0, -1);
  const cells = {panel: new Int32Array(count), cell: new Int32Array(count)};
  forEachLink(panels, (element, panel, cell) => {
    const at = next[numberOf(element)]++;
    cells.panel[at] = panel;
    cells.cell[at] = cell;
  });
  return {numberOf, starts, cells};
}
