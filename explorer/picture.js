// A picture's model and where its parts are: everything of a picture but the painting.
//
// The model is that of the operation picture(layout, format="json"): panels of cells, kept in
// columns, row after row, with rulers beside them. arrange() gives each panel its place:
//
//        label
//                      0           1         2:8    header: digits of nested modes, and numbers;
//                   0     1     0     1      2:1    after it, extent and stride of each digit
//    gutter   0   +------------------------+
//             1   |  the grid, whose       |        cells alone grow and shrink with the zoom:
//             2   |  corner is (x, y)      |        texts keep the size that eyes need
//             3   +------------------------+
//            4:2
//
//   const arranged = arrange(model, {cell: naturalCell(model), room: 900});
//   const hit = hitTest(arranged, x, y);        // {place, row, column, cell} or null
//   coordinateOf(model.panels[0], 1, 2)         // "(1,(0,1))"

/** The width of a character of the monospaced type, as a share of its size. */
export const characterWidth = 0.605;
export const cellType = 13;
export const rulerType = 11;
export const lineHeight = 17;
/** Texts smaller than this cannot be read. */
export const leastType = 7;
const greatestType = 22;
const minCellWidth = 26;
const gapWidth = 20;
const panelGap = 26;
const labelHeight = 22;
export const sideGap = 8;

/** The width of a text of a size, in pixels. */
export function textWidth(text, size) {
  return String(text).length * size * characterWidth;
}

// Rulers.

/** The number of positions of a ruler that are shown. */
export function shownCount(ruler) {
  return ruler.length - (ruler.gap ? ruler.gap[1] - ruler.gap[0] : 0);
}

/** The position with the number `shown` among those shown. */
export function shownPosition(ruler, shown) {
  return ruler.gap && shown >= ruler.gap[0] ? shown + ruler.gap[1] - ruler.gap[0] : shown;
}

/** The name, the coordinate in a nested mode, or the number of a position shown. */
export function positionText(ruler, shown) {
  return ruler.names?.[shown] ?? String(shownPosition(ruler, shown));
}

/** The level of the line before a position: how many block lengths divide it; 1 for groups. */
export function boundaryLevel(ruler, position) {
  if (ruler.groups?.some((group) => group.begin === position)) return 1;
  return (ruler.blocks ?? []).filter((block) => position % block === 0).length;
}

/** The value of a digit at a position. */
export function digitAt(digit, position) {
  return Math.floor(position / digit.block) % digit.extent;
}

/** Runs [begin, end) of shown positions from `first` to `last` in which a digit stays the same. */
export function runsOf(ruler, digit, first, last) {
  const runs = [];
  for (let shown = first; shown < last;) {
    const position = shownPosition(ruler, shown);
    let end = shown + digit.block - (position % digit.block);
    if (ruler.gap && shown < ruler.gap[0]) end = Math.min(end, ruler.gap[0]);
    end = Math.min(end, last);
    runs.push({begin: shown, end, value: digitAt(digit, position)});
    shown = end;
  }
  return runs;
}

const isNested = (ruler) => (ruler.digits?.length ?? 0) > 1;
const widestPosition = (ruler) =>
  (ruler.names ?? []).reduce((most, name) => Math.max(most, name.length),
                             String(ruler.length - 1).length);

// Cells.

/** The coordinate of a cell in the shape of its layout, `(1,(0,1),2)`, as the panel writes it. */
export function coordinateOf(panel, row, column) {
  const sides = [[panel.rows, row], [panel.columns, column]].filter(([ruler]) => ruler.is_mode);
  const texts = sides.map(([ruler, shown]) =>
    ruler.coordinates?.[shown] ?? positionText(ruler, shown));
  let next = 0;
  return panel.pattern.replace(/_/g, (blank) => texts[next++] ?? blank);
}

/** The facts of a cell as pairs of a name and a text; without facts what rulers and cell say. */
export function factsOf(panel, cell) {
  const {facts, text, note} = panel.cells;
  if (facts && facts.length > 0) {
    return panel.fact_names.map((name, i) => [name, String(facts[i][cell])])
      .filter(([, value]) => value !== "");
  }
  const columns = shownCount(panel.columns);
  const at = coordinateOf(panel, Math.floor(cell / columns), cell % columns);
  const shown = [["coordinate", at], ["shows", String(text[cell])]];
  return note?.[cell] ? [...shown, ["note", note[cell]]] : shown;
}

/** The size at which every text of the model's cells can be read. */
export function naturalCell(model) {
  let characters = 1;
  let noteCharacters = 0;
  for (const {cells, columns} of model.panels) {
    for (const text of cells.text) {
      const length = typeof text === "number" ? numberLength(text) : text.length;
      if (length > characters) characters = length;
    }
    for (const note of cells.note ?? []) noteCharacters = Math.max(noteCharacters, note.length);
    characters = Math.max(characters, columns.is_mode ? widestPosition(columns) : 1);
  }
  const width = Math.max(characters * cellType, noteCharacters * cellType * 0.8);
  return {
    width: Math.max(minCellWidth, Math.ceil(width * characterWidth) + 10),
    height: noteCharacters > 0 ? 36 : 24,
  };
}

function numberLength(number) {
  let length = number < 0 ? 2 : 1;
  for (let rest = Math.abs(number); rest >= 10; rest /= 10) ++length;
  return length;
}

/** The size of the texts of cells at a zoom; 0 if they could not be read. */
export function typeAt(cell, natural) {
  const scale = Math.min(cell.width / natural.width, cell.height / natural.height);
  const size = Math.min(cellType * scale, greatestType);
  return size < leastType ? 0 : size;
}

// Places.

/**
 * The panels at their places, for cells of a size and a room of a width: {cell, width, height,
 * places: [{index, panel, begin, end, x, y, width, height, gutter, header, …}]}. A long panel of
 * one row is cut into bands of columns [begin, end), `band` of them if it is given.
 */
export function arrange(model, {cell, room, band}) {
  const havePlaces = model.panels.length > 0 && model.panels.every((panel) => panel.place);
  const places = model.panels.flatMap((panel, index) =>
    bandsOf(panel, index, cell, havePlaces ? 0 : band));
  const rows = havePlaces ? rowsByPlace(places) : rowsByFlow(places, room);
  return {cell, places, ...align(rows)};
}

/** The columns of a band of a picture in a room, at cells of the size they have there. */
export function bandLength(model, cell, room) {
  const longest = Math.max(...model.panels.map((panel) => shownCount(panel.columns)), 1);
  const fitting = Math.max(1, Math.floor((room - 60) / cell.width));
  if (longest <= fitting) return longest;
  const power = 2 ** Math.floor(Math.log2(fitting));
  return Math.max(power, 2 ** Math.ceil(Math.log2(longest / 128)));
}

function bandsOf(panel, index, cell, band) {
  const columns = shownCount(panel.columns);
  const length = shownCount(panel.rows) === 1 && band ? band : columns;
  const places = [];
  for (let begin = 0; begin < columns; begin += length) {
    places.push(measure({panel, index, begin, end: Math.min(begin + length, columns)}, cell));
  }
  return places;
}

function measure(place, cell) {
  const {panel, begin, end} = place;
  const {rows, columns} = panel;
  const label = begin === 0 ? panel.label : "";
  const groupLines = columns.groups?.length ? 1 : 0;
  const lines = columns.is_mode ? 1 + (isNested(columns) ? columns.digits.length : groupLines) : 0;
  const digitLabels = (ruler) => Math.max(0, ...(ruler.digits ?? [])
    .map((digit) => textWidth(digit.label, rulerType)));
  const rowDigits = rows.is_mode ? rowLines(rows) : [];
  return {
    ...place, label, cell, rowDigits,
    header: (label ? labelHeight : 4) + lines * lineHeight,
    labelHeight: label ? labelHeight : 4,
    gutter: rowDigits.reduce((sum, line) => sum + line.width, 0),
    after: columns.is_mode ? digitLabels(columns) + sideGap : sideGap,
    below: rows.is_mode && rows.digits?.length ? lineHeight + 2 : 2,
    width: alongSide(columns, end - 1, cell.width, begin) + cell.width,
    height: alongSide(rows, shownCount(rows) - 1, cell.height, 0) + cell.height,
  };
}

/** The lines of texts left of the rows, from the grid outwards: numbers, then digits or groups. */
function rowLines(rows) {
  const lines = [{kind: "numbers", width: textWidth("0".repeat(widestPosition(rows)), rulerType)}];
  if (isNested(rows)) {
    for (const digit of rows.digits) {
      const widest = Math.max(digit.label.length, String(digit.extent - 1).length + 1);
      lines.push({kind: "digit", digit, width: textWidth("0".repeat(widest), rulerType)});
    }
  } else if (rows.groups?.length) {
    const widest = Math.max(...rows.groups.map((group) => group.name.length));
    lines.push({kind: "groups", width: textWidth("0".repeat(widest), rulerType) + 4});
  } else if (rows.digits?.length) {
    lines[0].width = Math.max(lines[0].width, textWidth(rows.digits[0].label, rulerType));
  }
  return lines.map((line) => ({...line, width: Math.ceil(line.width) + sideGap}));
}

function rowsByPlace(places) {
  const rows = [];
  for (const place of places) {
    const [row, column] = place.panel.place;
    (rows[row] ??= [])[column] = place;
  }
  return Array.from(rows, (row) => Array.from(row ?? [], (place) => place ?? null));
}

function rowsByFlow(places, room) {
  const rows = [[]];
  let used = 0;
  for (const place of places) {
    const width = place.gutter + place.width + place.after + panelGap;
    const isBand = place.begin > 0;
    if (rows.at(-1).length > 0 && (isBand || used + width > room)) {
      rows.push([]);
      used = 0;
    }
    rows.at(-1).push(place);
    used += width;
  }
  return rows;
}

/** Gives panels their corners: those of one column begin at one x, those of one row at one y. */
function align(rows) {
  const columnCount = Math.max(0, ...rows.map((row) => row.length));
  let left = 0;
  for (let column = 0; column < columnCount; ++column) {
    const inColumn = rows.map((row) => row[column]).filter(Boolean);
    const gutter = Math.max(...inColumn.map((place) => place.gutter));
    for (const place of inColumn) place.x = left + gutter;
    left += gutter + Math.max(...inColumn.map((place) => place.width + place.after)) + panelGap;
  }
  let top = 0;
  for (const row of rows) {
    const inRow = row.filter(Boolean);
    if (inRow.length === 0) continue;
    const header = Math.max(...inRow.map((place) => place.header));
    for (const place of inRow) place.y = top + header;
    const isBand = inRow.length === 1 && inRow[0].end < shownCount(inRow[0].panel.columns);
    top += header + Math.max(...inRow.map((place) => place.height + place.below));
    top += isBand ? 2 : panelGap;
  }
  return {width: Math.max(0, left - panelGap), height: Math.max(0, top - panelGap)};
}

// Along a side: where positions are, and which one is somewhere.

function alongSide(ruler, shown, size, begin) {
  const isBehindGap = ruler.gap && shown >= ruler.gap[0] && begin < ruler.gap[0];
  return (shown - begin) * size + (isBehindGap ? gapWidth : 0);
}

/** The left edge of a column of a placed panel, from the corner of its grid. */
export function columnX(place, column) {
  return alongSide(place.panel.columns, column, place.cell.width, place.begin);
}

/** The upper edge of a row. */
export function rowY(place, row) {
  return alongSide(place.panel.rows, row, place.cell.height, 0);
}

/** The strip of a side that stands for what is left out: {at, width}, or null. */
export function gapOf(place, side) {
  const ruler = place.panel[side];
  const size = side === "columns" ? place.cell.width : place.cell.height;
  const begin = side === "columns" ? place.begin : 0;
  if (!ruler.gap || begin >= ruler.gap[0]) return null;
  return {at: (ruler.gap[0] - begin) * size, width: gapWidth};
}

/** The shown position at a distance from the grid's corner, or null in the gap and outside. */
function positionAt(place, side, distance) {
  const isColumns = side === "columns";
  const size = isColumns ? place.cell.width : place.cell.height;
  const begin = isColumns ? place.begin : 0;
  const end = isColumns ? place.end : shownCount(place.panel.rows);
  const gap = gapOf(place, side);
  let inCells = distance;
  if (gap && distance >= gap.at) {
    if (distance < gap.at + gap.width) return null;
    inCells -= gap.width;
  }
  const shown = begin + Math.floor(inCells / size);
  return inCells >= 0 && shown < end ? shown : null;
}

/** Positions [first, last) of a side that reach into a stretch of pixels from the grid's corner. */
export function visibleRange(place, side, from, to) {
  const isColumns = side === "columns";
  const size = isColumns ? place.cell.width : place.cell.height;
  const begin = isColumns ? place.begin : 0;
  const end = isColumns ? place.end : shownCount(place.panel.rows);
  const gap = gapOf(place, side);
  const before = (distance) => {
    if (!gap || distance <= gap.at) return distance;
    return Math.max(gap.at, distance - gap.width);
  };
  const first = begin + Math.floor(before(from) / size);
  const last = begin + Math.ceil(before(to) / size);
  const within = (value) => Math.min(Math.max(value, begin), end);
  return [within(first), within(last)];
}

/** The cell of an arranged picture at a point: {place, row, column, cell}, or null. */
export function hitTest(arranged, x, y) {
  for (const [number, place] of arranged.places.entries()) {
    const isInside = x >= place.x && y >= place.y &&
      x < place.x + place.width && y < place.y + place.height;
    if (!isInside) continue;
    const row = positionAt(place, "rows", y - place.y);
    const column = positionAt(place, "columns", x - place.x);
    if (row === null || column === null) return null;
    const cell = row * shownCount(place.panel.columns) + column;
    return {place: number, index: place.index, row, column, cell};
  }
  return null;
}

/** Where a cell is in the place with a number: {place, row, column, cell, x, y}, or null. */
export function whereIn(arranged, number, cell) {
  const place = arranged.places[number];
  const columns = shownCount(place.panel.columns);
  const row = Math.floor(cell / columns);
  const column = cell % columns;
  if (column < place.begin || column >= place.end) return null;
  const x = place.x + columnX(place, column);
  return {place: number, index: place.index, row, column, cell, x, y: place.y + rowY(place, row)};
}

/** Where a cell of the panel with an index is in an arranged picture. */
export function whereIs(arranged, index, cell) {
  for (const [number, place] of arranged.places.entries()) {
    const found = place.index === index ? whereIn(arranged, number, cell) : null;
    if (found) return found;
  }
  return null;
}

/** The cell beside another one: a step in rows and in columns, on to the next panel at an end. */
export function stepFrom(arranged, at, rows, columns) {
  const place = arranged.places[at.place];
  const row = at.row + rows;
  const column = at.column + columns;
  const isInside = row >= 0 && row < shownCount(place.panel.rows) &&
    column >= place.begin && column < place.end;
  if (isInside) {
    const cell = row * shownCount(place.panel.columns) + column;
    return {...at, row, column, cell};
  }
  const next = arranged.places[at.place + Math.sign(rows + columns)];
  if (!next) return at;
  const isForward = rows + columns > 0;
  const nextRow = columns !== 0 ? Math.min(at.row, shownCount(next.panel.rows) - 1)
    : isForward ? 0 : shownCount(next.panel.rows) - 1;
  const inNext = next.begin + at.column - place.begin;
  const nextColumn = rows !== 0 ? Math.min(inNext, next.end - 1)
    : isForward ? next.begin : next.end - 1;
  return {
    place: at.place + Math.sign(rows + columns), index: next.index, row: nextRow,
    column: nextColumn, cell: nextRow * shownCount(next.panel.columns) + nextColumn,
  };
}
