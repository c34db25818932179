// A picture on a canvas that one can move, enlarge and point at.
//
//   const view = createView(element, {name: "logical", onPoint, onHold, onRelease});
//   view.show(model, colorsOf(model));
//   view.light({cells: [[5], []], fellows: [[4, 6], []], isHeld: false});
//
// Two canvases lie on each other: the picture, and what is lit, so that pointing repaints little.
// The colours of a panel are kept as an image of a pixel a cell, and only the visible part of it is
// enlarged: 10^6 cells cost as much as a hundred. Texts are written where they can be read.

import {h, put} from "heddle/dom.js";
import {
  arrange, bandLength, boundaryLevel, cellType, columnX, gapOf, hitTest, lineHeight,
  naturalCell, positionText, rowY, rulerType, runsOf, shownCount, shownPosition, sideGap, stepFrom,
  textWidth, visibleRange, whereIn, whereIs,
} from "heddle/picture.js";

const margin = 12;
const leastType = 7;
const greatestType = 22;
const greatestZoom = 8;
const tableLimit = {rows: 32, columns: 32};
const font = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace";
const hatched = -2;
const mostMarked = 64;
const longRatio = 6;
// Chromium draws no image of more pixels a side.
const imageSide = 8192;

function cssColors(element) {
  const style = getComputedStyle(element);
  const get = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    page: get("page"), ink: get("ink"), label: get("label"), line: get("line"),
    accent: get("accent"), empty: get("empty"),
  };
}

const nothing = [0, 0, 0];
const partsOf = (hex) => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));

/** A picture of `columns` by `rows` pixels: the colours of a panel's cells, in parts that fit. */
function imagesOf(panel, colors, swatches) {
  const columns = shownCount(panel.columns);
  const rows = shownCount(panel.rows);
  const parts = swatches.map(({background}) => partsOf(background));
  const images = [];
  for (let top = 0; top < rows; top += imageSide) {
    for (let left = 0; left < columns; left += imageSide) {
      const width = Math.min(imageSide, columns - left);
      const height = Math.min(imageSide, rows - top);
      const image = new ImageData(width, height);
      for (let y = 0; y < height; ++y) {
        for (let x = 0; x < width; ++x) {
          const color = colors[(top + y) * columns + left + x];
          const [red, green, blue] = parts[color] ?? nothing;
          const at = 4 * (y * width + x);
          image.data[at] = red;
          image.data[at + 1] = green;
          image.data[at + 2] = blue;
          image.data[at + 3] = color >= 0 ? 255 : 0;
        }
      }
      const canvas = document.createElement("canvas");
      canvas.width = width;
      canvas.height = height;
      canvas.getContext("2d").putImageData(image, 0, 0);
      images.push({canvas, left, top, width, height});
    }
  }
  return images;
}

// Painting. All of it is in pixels of the page, from the corner of the view.

/** Stretches of positions without the gap between them. */
function stretches(place, side, [first, last]) {
  const {gap} = place.panel[side];
  if (!gap || first >= gap[0] || last <= gap[0]) return first < last ? [[first, last]] : [];
  return [[first, gap[0]], [gap[0], last]];
}

function paintCells(context, scene, place, range) {
  const {x, y} = scene.corner(place);
  context.imageSmoothingEnabled = place.cell.width < 1 || place.cell.height < 1;
  for (const image of scene.images(place.index)) {
    for (const [top, bottom] of stretches(place, "rows", range.rows)) {
      for (const [left, right] of stretches(place, "columns", range.columns)) {
        const from = {
          left: Math.max(left, image.left), right: Math.min(right, image.left + image.width),
          top: Math.max(top, image.top), bottom: Math.min(bottom, image.top + image.height),
        };
        const width = from.right - from.left;
        const height = from.bottom - from.top;
        if (width <= 0 || height <= 0) continue;
        context.drawImage(image.canvas, from.left - image.left, from.top - image.top, width, height,
          x + columnX(place, from.left), y + rowY(place, from.top),
          width * place.cell.width, height * place.cell.height);
      }
    }
  }
}

function forEachCell(place, range, visit) {
  const columns = shownCount(place.panel.columns);
  for (let row = range.rows[0]; row < range.rows[1]; ++row) {
    for (let column = range.columns[0]; column < range.columns[1]; ++column) {
      visit(row * columns + column, columnX(place, column), rowY(place, row));
    }
  }
}

function hatchCell(context, x, y, {width, height}, color) {
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.beginPath();
  for (let at = -height; at < width; at += 5) {
    context.moveTo(x + at, y + height);
    context.lineTo(x + at + height, y);
  }
  context.strokeStyle = color;
  context.lineWidth = 0.75;
  context.globalAlpha = 0.55;
  context.stroke();
  context.restore();
}

function paintHatched(context, scene, place, range) {
  if (!scene.hasHatched(place.index) || place.cell.width < 4) return;
  const {x, y} = scene.corner(place);
  const colors = scene.colors[place.index];
  forEachCell(place, range, (cell, atX, atY) => {
    if (colors[cell] === hatched) {
      hatchCell(context, x + atX, y + atY, place.cell, scene.css.label);
    }
  });
}

/** The size of the texts of cells at a zoom; 0 if they could not be read. */
export function typeAt(cell, natural) {
  const scale = Math.min(cell.width / natural.width, cell.height / natural.height);
  const size = Math.min(cellType * scale, greatestType);
  return size < leastType ? 0 : size;
}

function paintText(context, scene, place, cell, x, y, type) {
  const {text, note} = place.panel.cells;
  const color = scene.colors[place.index][cell];
  context.fillStyle = scene.swatches[color]?.ink ?? scene.css.ink;
  const middle = x + place.cell.width / 2;
  const second = note?.[cell];
  const center = y + place.cell.height / 2;
  context.font = `${type}px ${font}`;
  context.fillText(text[cell], middle, second ? center - type * 0.55 : center);
  if (!second) return;
  context.font = `${type * 0.8}px ${font}`;
  context.fillText(second, middle, center + type * 0.65);
}

function paintTexts(context, scene, place, range) {
  const type = typeAt(place.cell, scene.natural);
  if (type === 0) return;
  const {x, y} = scene.corner(place);
  context.textAlign = "center";
  context.textBaseline = "middle";
  forEachCell(place, range, (cell, atX, atY) =>
    paintText(context, scene, place, cell, x + atX, y + atY, type));
}

function strokeLine(context, isColumn, at, from, to) {
  if (isColumn) {
    context.moveTo(at, from);
    context.lineTo(at, to);
  } else {
    context.moveTo(from, at);
    context.lineTo(to, at);
  }
}

/** Lines between cells, heavier ones around blocks, and the frame. */
function paintLines(context, scene, place, range) {
  const {x, y} = scene.corner(place);
  const sharp = (value) => Math.round(value) + 0.5;
  for (const side of ["rows", "columns"]) {
    const isColumn = side === "columns";
    const ruler = place.panel[side];
    const size = isColumn ? place.cell.width : place.cell.height;
    const [first, last] = range[side];
    const byLevel = new Map();
    const smallest = leastBlock(ruler, size);
    for (let shown = alignedTo(first, smallest); shown < last; shown += smallest) {
      const isFirst = shown === (isColumn ? place.begin : 0);
      if (isFirst || shown < first) continue;
      const level = boundaryLevel(ruler, shownPosition(ruler, shown));
      if (level === 0 && size < 5) continue;
      if (!byLevel.has(level)) byLevel.set(level, []);
      byLevel.get(level).push(isColumn ? x + columnX(place, shown) : y + rowY(place, shown));
    }
    for (const [level, places] of byLevel) {
      context.beginPath();
      const [from, to] = isColumn ? [y, y + place.height] : [x, x + place.width];
      for (const at of places) strokeLine(context, isColumn, sharp(at), from, to);
      context.strokeStyle = scene.css.line;
      context.globalAlpha = level === 0 ? 0.22 : 1;
      context.lineWidth = level === 0 ? 1 : 0.5 + level * 0.75;
      context.stroke();
    }
  }
  context.globalAlpha = 1;
  context.strokeStyle = scene.css.line;
  context.lineWidth = 1.5;
  context.strokeRect(sharp(x), sharp(y), Math.round(place.width), Math.round(place.height));
}

// Of cells too small for lines of their own only blocks of at least 5 pixels have lines.
function leastBlock(ruler, size) {
  if (ruler.gap || ruler.groups?.length) return 1;
  return size >= 5 ? 1 : ruler.blocks?.find((block) => block * size >= 5) ?? Infinity;
}
const alignedTo = (value, step) =>
  (step === Infinity ? Infinity : Math.floor(value / step) * step);

function paintGaps(context, scene, place) {
  const {x, y} = scene.corner(place);
  for (const side of ["rows", "columns"]) {
    const gap = gapOf(place, side);
    if (!gap) continue;
    const isColumn = side === "columns";
    const strip = isColumn ? [x + gap.at, y - 1, gap.width, place.height + 3]
      : [x - 1, y + gap.at, place.width + 3, gap.width];
    context.fillStyle = scene.css.page;
    context.fillRect(...strip);
    context.fillStyle = scene.css.label;
    context.font = `${cellType}px ${font}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(isColumn ? "⋯" : "⋮", strip[0] + strip[2] / 2, strip[1] + strip[3] / 2);
  }
}

// Rulers stay at the edge of the view while their grid is moved past it.

/** Every how many positions a number is written so that they do not touch. */
export function stepOfNumbers(size, widest) {
  let step = 1;
  while (step * size < widest) step *= 2;
  return step;
}

function paintColumns(context, scene, place, range) {
  const {columns} = place.panel;
  if (!columns.is_mode) return;
  const {x, y} = scene.corner(place);
  const {top, header} = columnRuler(scene, place);
  if (top > y - header) {
    context.fillStyle = scene.css.page;
    context.fillRect(x - 1, top, place.width + place.after, header);
  }
  context.textBaseline = "alphabetic";
  context.textAlign = "center";
  const [first, last] = range.columns;
  const baseline = (line) => top + header - 5 - line * lineHeight;
  const middle = (from, to) =>
    x + (columnX(place, from) + columnX(place, to - 1) + place.cell.width) / 2;
  context.font = `${rulerType}px ${font}`;
  context.fillStyle = scene.css.label;
  const widest = Math.max(...[first, Math.max(first, last - 1)]
    .map((shown) => textWidth(positionText(columns, shown), rulerType))) + 4;
  const step = columns.names?.length ? 1 : stepOfNumbers(place.cell.width, widest);
  const fits = !columns.names?.length || place.cell.width >= widest - 4;
  for (let at = Math.ceil(first / step) * step; fits && at < last; at += step) {
    context.fillText(positionText(columns, at), middle(at, at + 1), baseline(0));
  }
  if (columns.groups?.length) {
    for (const group of columns.groups) {
      if (group.end <= first || group.begin >= last) continue;
      paintOver(context, scene, {x, place, run: group, text: group.name, y: baseline(1)});
    }
  } else if (columns.digits?.length > 1) {
    columns.digits.forEach((digit, i) => {
      for (const run of runsOf(columns, digit, first, last)) {
        paintOver(context, scene, {x, place, run, text: String(run.value), y: baseline(i + 1)});
      }
    });
  }
  context.textAlign = "left";
  const nested = columns.digits?.length > 1 ? 1 : 0;
  (columns.digits ?? []).forEach((digit, i) =>
    context.fillText(digit.label, x + place.width + sideGap, baseline(i + nested)));
}

/** The upper edge of the texts above the columns, not above the view, and their height. */
function columnRuler(scene, place) {
  const {y} = scene.corner(place);
  const header = place.header - place.labelHeight;
  const most = y + place.height - header - place.cell.height;
  return {top: Math.max(y - header, Math.min(0, most)), header};
}

/** The right edge of the texts beside the rows, which stay in the view. */
function rowRuler(scene, place) {
  const {x} = scene.corner(place);
  return Math.max(x, Math.min(place.gutter, x + place.width - place.cell.width));
}

/** The number of a lit position, in ink and underlined. */
function markNumber(context, scene, text, x, y) {
  const width = textWidth(text, rulerType);
  context.fillStyle = scene.css.page;
  context.fillRect(x - width / 2 - 2, y - rulerType / 2 - 2, width + 4, rulerType + 4);
  context.fillStyle = scene.css.accent;
  context.fillRect(x - width / 2, y + rulerType / 2 + 1, width, 1.5);
  context.fillStyle = scene.css.ink;
  context.fillText(text, x, y);
}

function markNumbers(context, scene, place, lit) {
  const {x, y} = scene.corner(place);
  const {rows, columns} = place.panel;
  context.font = `${rulerType}px ${font}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  const {top, header} = columnRuler(scene, place);
  for (const column of columns.is_mode ? lit.columns : []) {
    const text = positionText(columns, column);
    const middle = x + columnX(place, column) + place.cell.width / 2;
    markNumber(context, scene, text, middle, top + header - 9);
  }
  for (const row of rows.is_mode ? lit.rows : []) {
    const text = positionText(rows, row);
    const middle = rowRuler(scene, place) - 6 - textWidth(text, rulerType) / 2;
    markNumber(context, scene, text, middle, y + rowY(place, row) + place.cell.height / 2);
  }
}

/** A text over a run of columns, in the middle of what is seen of it, with a bracket. */
function paintOver(context, scene, {x, place, run, text, y}) {
  const from = Math.max(x + columnX(place, run.begin), 0);
  const to = Math.min(x + columnX(place, run.end - 1) + place.cell.width, scene.width);
  if (to - from < textWidth(text, rulerType)) return;
  context.fillText(text, (from + to) / 2, y);
  if (run.end - run.begin < 2) return;
  context.strokeStyle = scene.css.line;
  context.globalAlpha = 0.5;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(Math.round(from) + 3.5, y + 6.5);
  context.lineTo(Math.round(from) + 3.5, y + 3.5);
  context.lineTo(Math.round(to) - 2.5, y + 3.5);
  context.lineTo(Math.round(to) - 2.5, y + 6.5);
  context.stroke();
  context.globalAlpha = 1;
}

function paintRows(context, scene, place, range) {
  const {rows} = place.panel;
  if (!rows.is_mode) return;
  const {x, y} = scene.corner(place);
  const right = rowRuler(scene, place);
  const {top, header} = columnRuler(scene, place);
  context.save();
  context.beginPath();
  context.rect(right - place.gutter, top + header - 8, place.gutter + 1, scene.height);
  context.clip();
  if (right > x) {
    context.fillStyle = scene.css.page;
    context.fillRect(right - place.gutter, y - 1, place.gutter, place.height + 2);
  }
  context.textBaseline = "middle";
  context.font = `${rulerType}px ${font}`;
  let edge = right - 4;
  for (const line of place.rowDigits) {
    context.textAlign = line.kind === "digit" ? "center" : "right";
    const at = line.kind === "digit" ? edge - line.width / 2 + 2 : edge - 2;
    if (line.kind === "numbers") paintNumbers(context, scene, place, {range, x: at, y});
    if (line.kind === "groups") paintRuns(context, scene, place, {runs: rows.groups, x: at, y,
      text: (run) => run.name, range});
    if (line.kind === "digit") {
      paintRuns(context, scene, place, {runs: runsOf(rows, line.digit, ...range.rows), x: at, y,
        text: (run) => String(run.value), range});
    }
    const label = line.digit?.label ?? (line.kind === "numbers" && place.rowDigits.length === 1
      ? rows.digits?.[0]?.label : null);
    if (label) {
      context.fillStyle = scene.css.label;
      context.fillText(label, at, y + place.height + lineHeight * 0.7);
    }
    edge -= line.width;
  }
  context.restore();
}

function paintNumbers(context, scene, place, {range, x, y}) {
  const {rows} = place.panel;
  const step = rows.names?.length ? 1 : stepOfNumbers(place.cell.height, rulerType + 2);
  if (rows.names?.length && place.cell.height < rulerType) return;
  const [first, last] = range.rows;
  context.fillStyle = scene.css.label;
  for (let row = Math.ceil(first / step) * step; row < last; row += step) {
    const middle = y + rowY(place, row) + place.cell.height / 2;
    context.fillText(positionText(rows, row), x, middle);
  }
}

function paintRuns(context, scene, place, {runs, x, y, text, range}) {
  context.fillStyle = scene.css.label;
  for (const run of runs) {
    if (run.end <= range.rows[0] || run.begin >= range.rows[1]) continue;
    const from = Math.max(y + rowY(place, run.begin), 0);
    const to = Math.min(y + rowY(place, run.end - 1) + place.cell.height, scene.height);
    if (to - from < rulerType) continue;
    context.fillText(text(run), x, (from + to) / 2);
  }
}

function paintLabel(context, scene, place) {
  if (!place.label) return;
  const {x, y} = scene.corner(place);
  context.font = `600 ${rulerType + 1}px ${font}`;
  context.fillStyle = scene.css.ink;
  context.textAlign = "left";
  context.textBaseline = "alphabetic";
  context.fillText(place.label, x - place.gutter + 2, y - place.header + 14);
}

function rangeOf(scene, place) {
  const {x, y} = scene.corner(place);
  return {
    rows: visibleRange(place, "rows", -y, scene.height - y),
    columns: visibleRange(place, "columns", -x, scene.width - x),
  };
}

const isEmpty = ({rows, columns}) => rows[0] >= rows[1] || columns[0] >= columns[1];

/** Paints all visible parts of a scene. */
function paintScene(context, scene) {
  context.clearRect(0, 0, scene.width, scene.height);
  for (const place of scene.arranged.places) {
    const range = rangeOf(scene, place);
    if (!isNear(scene, place)) continue;
    if (!isEmpty(range)) {
      paintCells(context, scene, place, range);
      paintHatched(context, scene, place, range);
      paintTexts(context, scene, place, range);
      paintLines(context, scene, place, range);
      paintGaps(context, scene, place);
    }
    paintColumns(context, scene, place, range);
    paintRows(context, scene, place, range);
    paintLabel(context, scene, place);
  }
}

function isNear(scene, place) {
  const {x, y} = scene.corner(place);
  return x - place.gutter < scene.width && y - place.header < scene.height &&
    x + place.width + place.after > 0 && y + place.height + place.below > 0;
}

// What is lit.

function visibleCells(place, range, cells, visit) {
  const columns = shownCount(place.panel.columns);
  for (const cell of cells) {
    const row = Math.floor(cell / columns);
    const column = cell % columns;
    const isSeen = row >= range.rows[0] && row < range.rows[1] &&
      column >= range.columns[0] && column < range.columns[1];
    if (isSeen) visit(cell, columnX(place, column), rowY(place, row), row, column);
  }
}

function repaintCell(context, scene, place, cell, x, y) {
  const color = scene.colors[place.index][cell];
  context.fillStyle = scene.swatches[color]?.background ?? scene.css.page;
  context.fillRect(x, y, place.cell.width, place.cell.height);
  const type = typeAt(place.cell, scene.natural);
  if (type === 0) return;
  context.textAlign = "center";
  context.textBaseline = "middle";
  paintText(context, scene, place, cell, x, y, type);
}

function paintLit(context, scene, light) {
  context.clearRect(0, 0, scene.width, scene.height);
  for (const place of scene.arranged.places) {
    const range = rangeOf(scene, place);
    if (isEmpty(range)) continue;
    const {x, y} = scene.corner(place);
    const cells = light.cells[place.index] ?? [];
    const fellows = light.fellows?.[place.index] ?? [];
    context.save();
    clipToGrid(context, scene, place);
    if (light.isHeld) {
      context.globalAlpha = 0.78;
      context.fillStyle = scene.css.page;
      context.fillRect(x + 1, y + 1, place.width - 1, place.height - 1);
      context.globalAlpha = 1;
      for (const list of [fellows, cells]) {
        visibleCells(place, range, list, (cell, atX, atY) =>
          repaintCell(context, scene, place, cell, x + atX, y + atY));
      }
    }
    outline(context, place, range, fellows, {x, y, color: scene.css.ink, width: 1});
    const lit = {rows: new Set(), columns: new Set()};
    visibleCells(place, range, cells, (cell, atX, atY, row, column) => {
      lit.rows.add(row);
      lit.columns.add(column);
    });
    outline(context, place, range, cells, {x, y, color: scene.css.page, width: 4});
    outline(context, place, range, cells, {x, y, color: scene.css.accent, width: 2.25});
    context.restore();
    if (lit.rows.size * lit.columns.size <= mostMarked) markNumbers(context, scene, place, lit);
  }
  pointOutside(context, scene, light.cells);
  if (scene.cursor) paintCursor(context, scene);
}

/** Keeps what is lit off the rulers, which lie over the grid where it is moved past them. */
function clipToGrid(context, scene, place) {
  const {x, y} = scene.corner(place);
  const {top, header} = columnRuler(scene, place);
  const left = Math.max(x, rowRuler(scene, place)) - 3;
  const upper = Math.max(y, top + header) - 3;
  context.beginPath();
  context.rect(left, upper, x + place.width + 3 - left, y + place.height + 3 - upper);
  context.clip();
}

function outline(context, place, range, cells, {x, y, color, width}) {
  context.beginPath();
  const {cell: {width: cellWidth, height}} = place;
  visibleCells(place, range, cells, (_, atX, atY) =>
    context.rect(x + atX, y + atY, Math.max(cellWidth, 2), Math.max(height, 2)));
  context.strokeStyle = color;
  context.lineWidth = width;
  context.stroke();
}

/** Small triangles at the edges of the view, towards lit cells that are outside. */
function pointOutside(context, scene, cells) {
  const sides = new Set();
  scene.arranged.places.forEach((place, number) => {
    for (const cell of (cells[place.index] ?? []).slice(0, mostMarked)) {
      const at = whereIn(scene.arranged, number, cell);
      if (!at) continue;
      const x = at.x + scene.offset.x + place.cell.width / 2;
      const y = at.y + scene.offset.y + place.cell.height / 2;
      if (y < 0) sides.add("up");
      else if (y > scene.height) sides.add("down");
      else if (x < 0) sides.add("left");
      else if (x > scene.width) sides.add("right");
    }
  });
  const {width, height} = scene;
  const points = {
    up: [[width / 2 - 8, 10], [width / 2 + 8, 10], [width / 2, 2]],
    down: [[width / 2 - 8, height - 10], [width / 2 + 8, height - 10], [width / 2, height - 2]],
    left: [[10, height / 2 - 8], [10, height / 2 + 8], [2, height / 2]],
    right: [[width - 10, height / 2 - 8], [width - 10, height / 2 + 8], [width - 2, height / 2]],
  };
  context.fillStyle = scene.css.accent;
  for (const side of sides) {
    context.beginPath();
    for (const point of points[side]) context.lineTo(...point);
    context.fill();
  }
}

function paintCursor(context, scene) {
  const {place: number, row, column} = scene.cursor;
  const place = scene.arranged.places[number];
  if (!place) return;
  const {x, y} = scene.corner(place);
  context.strokeStyle = scene.css.ink;
  context.setLineDash([3, 2]);
  context.lineWidth = 2;
  context.strokeRect(x + columnX(place, column) + 1, y + rowY(place, row) + 1,
    place.cell.width - 2, place.cell.height - 2);
  context.setLineDash([]);
}

/** The cells as a table for those who do not see the canvas: the first 32 rows and columns. */
function tableOf(model) {
  const panel = model.panels[0];
  if (!panel) return h("p", {}, "Nothing is drawn.");
  const rows = Math.min(shownCount(panel.rows), tableLimit.rows);
  const columns = Math.min(shownCount(panel.columns), tableLimit.columns);
  const all = shownCount(panel.columns);
  const cellText = (cell) => {
    const note = panel.cells.note?.[cell];
    return `${panel.cells.text[cell]}${note ? ` ${note}` : ""}` || "empty";
  };
  const upTo = (count) => Array.from({length: count}, (_, i) => i);
  return h("table", {},
    h("caption", {}, `${model.title || "Picture"}: ${rows} of ${shownCount(panel.rows)} rows, ` +
      `${columns} of ${all} columns`),
    h("thead", {}, h("tr", {}, h("td", {}), upTo(columns).map((column) =>
      h("th", {scope: "col"}, positionText(panel.columns, column))))),
    h("tbody", {}, upTo(rows).map((row) => h("tr", {},
      h("th", {scope: "row"}, positionText(panel.rows, row)),
      upTo(columns).map((column) => h("td", {}, cellText(row * all + column)))))));
}

/**
 * A view of pictures in an element. `onPoint(hit or null)` hears what is pointed at, by pointer or
 * by keys, `onHold(hit)` what is clicked or entered, and `onRelease()` that nothing is held.
 */
export function createView(element, {name, onPoint, onHold, onRelease}) {
  let model = null;
  let arranged = null;
  let natural = null;
  let zoom = 1;
  let offset = {x: 0, y: 0};
  let size = {width: 0, height: 0};
  let band = 0;
  let coloring = null;
  let images = new Map();
  let light = {cells: [], fellows: [], isHeld: false};
  let cursor = null;
  let hasFocus = false;
  let css = null;
  let frame = 0;
  let isDirty = false;

  const tree = h("div", {class: "view"},
    h("canvas", {class: "cells", "aria-hidden": "true"}),
    h("canvas", {class: "light", tabindex: "0", role: "application", "aria-label": name,
      "aria-roledescription": "picture of a layout"}),
    h("div", {class: "zoom"},
      h("button", {type: "button", "aria-label": `Enlarge ${name}`, title: "Enlarge (+)",
        onclick: () => zoomBy(1.5)}, "+"),
      h("button", {type: "button", "aria-label": `Make ${name} smaller`, title: "Smaller (−)",
        onclick: () => zoomBy(1 / 1.5)}, "−"),
      h("button", {type: "button", "aria-label": `Fit ${name}`, title: "Fit (0)",
        onclick: () => fit()}, "fit")),
    h("div", {class: "unseen table"}));
  put(element, tree);
  const [cells, lights] = element.querySelectorAll("canvas");
  const table = element.querySelector(".table");

  const scene = () => ({
    arranged, natural, css, cursor: hasFocus ? cursor : null,
    colors: coloring.colors, swatches: coloring.swatches,
    width: size.width, height: size.height, offset,
    corner: (place) => ({x: place.x + offset.x, y: place.y + offset.y}),
    images: (index) => {
      if (!images.has(index)) {
        const {colors, swatches} = coloring;
        images.set(index, imagesOf(model.panels[index], colors[index], swatches));
      }
      return images.get(index);
    },
    hasHatched: (index) => {
      const key = `hatched ${index}`;
      if (!images.has(key)) images.set(key, coloring.colors[index].includes(hatched));
      return images.get(key);
    },
  });

  function paint() {
    frame = 0;
    if (!model) return;
    if (isDirty) paintScene(contextOf(cells), scene());
    isDirty = false;
    paintLit(contextOf(lights), scene(), light);
  }

  function repaint(isAll) {
    isDirty ||= isAll;
    if (frame === 0) frame = requestAnimationFrame(paint);
  }

  function contextOf(canvas) {
    const ratio = devicePixelRatio;
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    return context;
  }

  const cellAt = (scale) => ({width: natural.width * scale, height: natural.height * scale});

  function setZoom(scale) {
    zoom = scale;
    const room = Math.max(size.width - 2 * margin, 200);
    arranged = arrange(model, {cell: cellAt(zoom), room, band});
  }

  function resize() {
    const width = element.clientWidth;
    if (!model || width === 0) return;
    size.width = width;
    natural = naturalCell(model);
    band = bandLength(model, natural, width - 2 * margin);
    fit();
  }

  /** The greatest zoom, at most 1, at which everything is seen, or its numbers can be read. */
  function fit() {
    const share = element.closest(".stacked") ? 0.46 : 0.62;
    const most = Math.max(200, Math.min(innerHeight * share, 760));
    const fits = {
      width: scaleThatFits("width", size.width - 2 * margin),
      height: scaleThatFits("height", most - 2 * margin),
    };
    const [smaller, larger] = [fits.width, fits.height].sort((a, b) => a - b);
    // What is much longer than wide would be a thread: it fits by its short side.
    let scale = larger > smaller * longRatio ? larger : smaller;
    // Numbers that cannot be read help less than a picture that is moved.
    const legible = (leastType + 0.05) / cellType;
    const isSmall = model.panels.reduce((sum, one) => sum + one.cells.text.length, 0) <= 4096;
    if (scale < legible && isSmall) scale = legible;
    setZoom(scale);
    size.height = Math.ceil(Math.min(arranged.height + 2 * margin, most));
    offset = {x: Math.max(margin, Math.floor((size.width - arranged.width) / 2)), y: margin};
    const ratio = devicePixelRatio;
    for (const canvas of [cells, lights]) {
      canvas.width = Math.round(size.width * ratio);
      canvas.height = Math.round(size.height * ratio);
      canvas.style.width = `${size.width}px`;
      canvas.style.height = `${size.height}px`;
    }
    element.firstChild.style.height = `${size.height}px`;
    repaint(true);
  }

  /** The greatest zoom, at most 1, at which a side fits. Only grids shrink, not their rulers. */
  function scaleThatFits(side, room) {
    let scale = 1;
    for (let step = 0; step < 8; ++step) {
      setZoom(scale);
      const needed = arranged[side];
      if (needed <= room) break;
      const grids = Math.max(...arranged.places.map((place) => place[side]));
      const fixed = Math.min(needed - grids, room * 0.8);
      scale = Math.max(scale * Math.max((room - fixed) / (needed - fixed), 0.02), 0.0005);
    }
    return scale;
  }

  function clampOffset() {
    const clampSide = (value, length, room) => {
      const least = Math.min(room - length - margin, (room - length) / 2, margin);
      const most = Math.max(margin, (room - length) / 2);
      return Math.min(Math.max(value, least), most);
    };
    offset = {
      x: clampSide(offset.x, arranged.width, size.width),
      y: clampSide(offset.y, arranged.height, size.height),
    };
  }

  function moveBy(x, y) {
    const before = offset;
    offset = {x: offset.x + x, y: offset.y + y};
    clampOffset();
    repaint(true);
    return offset.x !== before.x || offset.y !== before.y;
  }

  /** Zooms so that the point of a grid under (x, y) stays where it is. */
  function zoomBy(factor, at = {x: size.width / 2, y: size.height / 2}) {
    if (!model) return;
    const number = nearest(at);
    const before = arranged.places[number];
    const inCells = {
      x: (at.x - offset.x - before.x) / before.width,
      y: (at.y - offset.y - before.y) / before.height,
    };
    setZoom(Math.min(Math.max(zoom * factor, 0.0005), greatestZoom));
    const after = arranged.places[number];
    offset = {
      x: at.x - after.x - inCells.x * after.width,
      y: at.y - after.y - inCells.y * after.height,
    };
    clampOffset();
    repaint(true);
  }

  function nearest(at) {
    const distance = (place) => {
      const x = at.x - offset.x - place.x;
      const y = at.y - offset.y - place.y;
      return Math.hypot(Math.max(-x, 0, x - place.width), Math.max(-y, 0, y - place.height));
    };
    let best = 0;
    arranged.places.forEach((place, i) => {
      if (distance(place) < distance(arranged.places[best])) best = i;
    });
    return best;
  }

  function pointOf(event) {
    const box = lights.getBoundingClientRect();
    return {x: event.clientX - box.left, y: event.clientY - box.top};
  }

  const hitAt = ({x, y}) => (model ? hitTest(arranged, x - offset.x, y - offset.y) : null);

  // Pointers: one moves, two enlarge, and one that did not move holds what it is over.

  const pointers = new Map();
  let hasMoved = false;

  lights.addEventListener("pointerdown", (event) => {
    pointers.set(event.pointerId, pointOf(event));
    lights.setPointerCapture(event.pointerId);
    hasMoved = false;
  });
  lights.addEventListener("pointermove", (event) => {
    const at = pointOf(event);
    const before = pointers.get(event.pointerId);
    if (!before) return onPoint(hitAt(at));
    if (pointers.size === 2) return pinch(event.pointerId, at);
    if (!hasMoved && Math.hypot(at.x - before.x, at.y - before.y) < 5) return undefined;
    hasMoved = true;
    pointers.set(event.pointerId, at);
    return moveBy(at.x - before.x, at.y - before.y);
  });
  const endPointer = (event) => {
    const isClick = event.type === "pointerup" && pointers.size === 1 && !hasMoved;
    pointers.delete(event.pointerId);
    if (!isClick) return;
    const hit = hitAt(pointOf(event));
    if (!hit) return onRelease();
    cursor = hit;
    onPoint(hit);
    onHold(hit);
  };
  lights.addEventListener("pointerup", endPointer);
  lights.addEventListener("pointercancel", endPointer);
  lights.addEventListener("pointerleave", () => onPoint(null));

  function pinch(id, at) {
    const other = [...pointers].find(([key]) => key !== id)[1];
    const before = pointers.get(id);
    const distance = (a, b) => Math.max(1, Math.hypot(a.x - b.x, a.y - b.y));
    hasMoved = true;
    pointers.set(id, at);
    zoomBy(distance(at, other) / distance(before, other),
      {x: (at.x + other.x) / 2, y: (at.y + other.y) / 2});
  }

  lights.addEventListener("wheel", (event) => {
    if (!model) return;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      zoomBy(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.004)), pointOf(event));
      return;
    }
    const unit = event.deltaMode === 1 ? 18 : 1;
    const [x, y] = event.shiftKey ? [event.deltaY, 0] : [event.deltaX, event.deltaY];
    if (moveBy(-x * unit, -y * unit)) event.preventDefault();
  }, {passive: false});
  lights.addEventListener("dblclick", (event) => zoomBy(2, pointOf(event)));

  // Keys.

  const steps = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]};
  const keys = {
    "+": () => zoomBy(1.5), "=": () => zoomBy(1.5), "-": () => zoomBy(1 / 1.5), "0": () => fit(),
    Escape: () => onRelease(),
    Enter: () => cursor && onHold(cursor),
    " ": () => cursor && onHold(cursor),
  };
  lights.addEventListener("keydown", (event) => {
    if (!model || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in steps) {
      const far = event.shiftKey ? 8 : 1;
      const [rows, columns] = steps[event.key];
      for (let i = 0; i < far; ++i) {
        cursor = cursor ? stepFrom(arranged, cursor, rows, columns) : firstCell();
      }
      reveal(cursor.index, cursor.cell);
      onPoint(cursor);
    } else if (event.key in keys) {
      keys[event.key]();
    } else {
      return;
    }
    event.preventDefault();
  });
  const firstCell = () => ({
    place: 0, index: 0, row: 0, column: arranged.places[0].begin, cell: arranged.places[0].begin,
  });
  lights.addEventListener("focus", () => {
    hasFocus = lights.matches(":focus-visible");
    cursor ??= model ? firstCell() : null;
    if (hasFocus && cursor) onPoint(cursor);
    repaint(false);
  });
  lights.addEventListener("blur", () => {
    hasFocus = false;
    repaint(false);
  });

  /** Moves the picture so that a cell is seen. */
  function reveal(index, cell) {
    const at = whereIs(arranged, index, cell);
    const {width, height} = arranged.cell;
    const place = arranged.places[at.place];
    const left = place.gutter + 4;
    const top = place.header + 4;
    const x = at.x + offset.x;
    const y = at.y + offset.y;
    const move = (value, length, least, room) =>
      (value < least ? least - value : Math.min(0, room - margin - value - length));
    moveBy(move(x, width, left, size.width), move(y, height, top, size.height));
  }

  new ResizeObserver(() => {
    if (element.clientWidth !== size.width) resize();
  }).observe(element);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    css = cssColors(element);
    repaint(true);
  });

  return {
    /** Draws a model in colours as of colorsOf(). */
    show(next, colors) {
      model = next;
      coloring = colors;
      images = new Map();
      cursor = null;
      css = cssColors(element);
      light = {cells: [], fellows: [], isHeld: false};
      lights.setAttribute("aria-label", `${name}: ${model.title}`);
      resize();
      paint();
      setTimeout(() => put(table, model ? tableOf(model) : []), 200);
    },
    /** Other colours of the same model. */
    color(colors) {
      coloring = colors;
      images = new Map();
      repaint(true);
    },
    /** What is lit: cells and their fellows, a list of cells for each panel. */
    light(next) {
      light = next;
      repaint(false);
    },
    reveal,
    /** The picture as it would be on paper, at a zoom of 1, for a file of pixels. */
    snapshot: () => snapshot({model, natural, css, coloring, band, scene}),
    /** Where things are, for tests and for those who draw beside it. */
    geometry: () => ({arranged, offset, zoom, size, natural, band}),
    focus: () => lights.focus(),
  };
}

const greatestSnapshot = 16384;

function snapshot({model, natural, css, coloring, band, scene}) {
  let cell = natural;
  let arranged = arrange(model, {cell, room: 1400, band});
  const longest = Math.max(arranged.width, arranged.height) * 2;
  if (longest > greatestSnapshot) {
    const scale = greatestSnapshot / longest * 0.95;
    cell = {width: natural.width * scale, height: natural.height * scale};
    arranged = arrange(model, {cell, room: 1400, band});
  }
  const canvas = document.createElement("canvas");
  const width = arranged.width + 2 * margin;
  const height = arranged.height + 2 * margin;
  canvas.width = Math.min(width * 2, greatestSnapshot);
  canvas.height = Math.min(height * 2, greatestSnapshot);
  const context = canvas.getContext("2d");
  context.setTransform(2, 0, 0, 2, 0, 0);
  paintScene(context, {
    ...scene(), model, arranged, natural, css, coloring, width, height,
    corner: (place) => ({x: place.x + margin, y: place.y + margin}),
  });
  context.globalCompositeOperation = "destination-over";
  context.fillStyle = css.page;
  context.fillRect(0, 0, width, height);
  return canvas;
}
