// How a picture is painted: cells, texts, lines, what is lit.
//
//   paintScene(context, scene);                          // the picture
//   paintLit(context, scene, {cells, fellows, isHeld});  // what is lit, on a canvas over it
//
// A scene says what is painted where: {arranged, natural, css, colors, swatches, width, height,
// offset, corner(place), images(index), hasHatched(index), cursor}. Only what is in the view is
// visited. The colours of a panel are an image of a pixel a cell, of which the visible part is
// enlarged: 10^6 cells cost as much as a hundred. Texts are written where they can be read.

import {
  boundaryLevel, cellType, columnX, gapOf, rowY, rulerType, shownCount, shownPosition, typeAt,
  visibleRange, whereIn,
} from "heddle/picture.js";
import {columnRuler, font, markNumbers, paintColumns, paintRows, rowRuler} from
  "heddle/rulers.js";

export const hatched = -2;
const mostMarked = 64;
// The least distance of lines between cells, in pixels.
const leastLined = 5;
// Chromium draws no image of more pixels a side.
const imageSide = 8192;

/** The colours of the page's style, by name. */
export function cssColors(element) {
  const style = getComputedStyle(element);
  const get = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    page: get("page"), ink: get("ink"), label: get("label"), line: get("line"),
    accent: get("accent"),
  };
}

/** A colour, `#rrggbb`, as one number of four bytes, in the order of an image's. */
function pixelOf(hex) {
  const parts = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  return new Uint32Array(Uint8Array.of(...parts, 255).buffer)[0];
}

/** An image of a part of a panel's cells, a pixel each. */
function imageOf(colors, parts, columns, {left, top, width, height}) {
  const image = new ImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  let at = 0;
  for (let row = top; row < top + height; ++row) {
    for (let column = left; column < left + width; ++column) {
      pixels[at++] = parts[colors[row * columns + column]] ?? 0;
    }
  }
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  canvas.getContext("2d").putImageData(image, 0, 0);
  return canvas;
}

/** The colours of a panel's cells as images of a pixel a cell, in parts that browsers can draw. */
export function imagesOf(panel, colors, swatches) {
  const columns = shownCount(panel.columns);
  const rows = shownCount(panel.rows);
  const parts = swatches.map(({background}) => pixelOf(background));
  const images = [];
  for (let top = 0; top < rows; top += imageSide) {
    for (let left = 0; left < columns; left += imageSide) {
      const width = Math.min(imageSide, columns - left);
      const height = Math.min(imageSide, rows - top);
      const canvas = imageOf(colors, parts, columns, {left, top, width, height});
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

const sharp = (value) => Math.round(value) + 0.5;

/** Where the lines before the positions of a range are, by their level. */
function linesOf(place, side, [first, last]) {
  const isColumn = side === "columns";
  const ruler = place.panel[side];
  const size = isColumn ? place.cell.width : place.cell.height;
  const byLevel = new Map();
  const step = leastBlock(ruler, size);
  const begin = isColumn ? place.begin : 0;
  for (let shown = alignedTo(first, step); shown < last; shown += step) {
    if (shown <= begin || shown < first) continue;
    const level = boundaryLevel(ruler, shownPosition(ruler, shown));
    if (level === 0 && size < leastLined) continue;
    if (!byLevel.has(level)) byLevel.set(level, []);
    byLevel.get(level).push(isColumn ? columnX(place, shown) : rowY(place, shown));
  }
  return byLevel;
}

/** Lines between cells, heavier ones around blocks, and the frame. */
function paintLines(context, scene, place, range) {
  const {x, y} = scene.corner(place);
  context.strokeStyle = scene.css.line;
  for (const side of ["rows", "columns"]) {
    for (const [level, places] of linesOf(place, side, range[side])) {
      context.beginPath();
      for (const at of places) {
        if (side === "columns") strokeLine(context, true, sharp(x + at), y, y + place.height);
        else strokeLine(context, false, sharp(y + at), x, x + place.width);
      }
      context.globalAlpha = level === 0 ? 0.22 : 1;
      context.lineWidth = level === 0 ? 1 : 0.5 + level * 0.75;
      context.stroke();
    }
  }
  context.globalAlpha = 1;
  context.lineWidth = 1.5;
  context.strokeRect(sharp(x), sharp(y), Math.round(place.width), Math.round(place.height));
}

// Of cells too small for lines of their own only blocks that are large enough have lines.
function leastBlock(ruler, size) {
  if (ruler.gap || ruler.groups?.length) return 1;
  if (size >= leastLined) return 1;
  return ruler.blocks?.find((block) => block * size >= leastLined) ?? Infinity;
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
export function paintScene(context, scene) {
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

/** Paints what is lit: the rest is veiled if it is held. */
export function paintLit(context, scene, light) {
  context.clearRect(0, 0, scene.width, scene.height);
  for (const place of scene.arranged.places) {
    const range = rangeOf(scene, place);
    if (isEmpty(range)) continue;
    const cells = light.cells[place.index] ?? [];
    const fellows = light.fellows?.[place.index] ?? [];
    context.save();
    clipToGrid(context, scene, place);
    if (light.isHeld) paintVeil(context, scene, place, range, [fellows, cells]);
    outline(context, scene, place, range, fellows, {color: scene.css.ink, width: 1});
    outline(context, scene, place, range, cells, {color: scene.css.page, width: 4});
    outline(context, scene, place, range, cells, {color: scene.css.accent, width: 2.25});
    context.restore();
    const lit = positionsOf(place, range, cells);
    if (lit.rows.size * lit.columns.size <= mostMarked) markNumbers(context, scene, place, lit);
  }
  pointOutside(context, scene, light.cells);
  if (scene.cursor) paintCursor(context, scene);
}

function paintVeil(context, scene, place, range, lists) {
  const {x, y} = scene.corner(place);
  context.globalAlpha = 0.78;
  context.fillStyle = scene.css.page;
  context.fillRect(x + 1, y + 1, place.width - 1, place.height - 1);
  context.globalAlpha = 1;
  for (const list of lists) {
    visibleCells(place, range, list, (cell, atX, atY) =>
      repaintCell(context, scene, place, cell, x + atX, y + atY));
  }
}

function positionsOf(place, range, cells) {
  const lit = {rows: new Set(), columns: new Set()};
  visibleCells(place, range, cells, (cell, x, y, row, column) => {
    lit.rows.add(row);
    lit.columns.add(column);
  });
  return lit;
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

function outline(context, scene, place, range, cells, {color, width}) {
  const {x, y} = scene.corner(place);
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
