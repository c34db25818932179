// The texts beside a grid: numbers of positions, digits of nested modes with brackets, groups.
//
//                0           1       4:8
//             0     1     0     1    2:2     a digit over the middle of what is seen of its run
//             0     1     2     3            numbers, every 2nd or 4th … where there is little room
//
// Rulers stay at the edge of the view while their grid is moved past it.

import {
  columnX, lineHeight, positionText, rowY, rulerType, runsOf, sideGap, textWidth,
} from "heddle/picture.js";

export const font = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace";

/** Every how many positions a number is written so that they do not touch. */
export function stepOfNumbers(size, widest) {
  let step = 1;
  while (step * size < widest) step *= 2;
  return step;
}

/** Paints what stands above the columns of a range. */
export function paintColumns(context, scene, place, range) {
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
  context.font = `${rulerType}px ${font}`;
  context.fillStyle = scene.css.label;
  const baseline = (line) => top + header - 5 - line * lineHeight;
  paintColumnNumbers(context, place, {range, x, y: baseline(0)});
  if (columns.groups?.length) {
    for (const run of columns.groups) {
      paintOver(context, scene, {x, place, run, range, text: run.name, y: baseline(1)});
    }
  } else if (columns.digits?.length > 1) {
    columns.digits.forEach((digit, i) => {
      for (const run of runsOf(columns, digit, ...range.columns)) {
        paintOver(context, scene, {x, place, run, range, text: `${run.value}`, y: baseline(i + 1)});
      }
    });
  }
  context.textAlign = "left";
  const nested = columns.digits?.length > 1 ? 1 : 0;
  (columns.digits ?? []).forEach((digit, i) =>
    context.fillText(digit.label, x + place.width + sideGap, baseline(i + nested)));
}

function paintColumnNumbers(context, place, {range, x, y}) {
  const {columns} = place.panel;
  const [first, last] = range.columns;
  const widest = Math.max(...[first, Math.max(first, last - 1)]
    .map((shown) => textWidth(positionText(columns, shown), rulerType)));
  const hasNames = columns.names?.length > 0;
  if (hasNames && place.cell.width < widest) return;
  const step = hasNames ? 1 : stepOfNumbers(place.cell.width, widest + 4);
  for (let at = Math.ceil(first / step) * step; at < last; at += step) {
    const middle = x + columnX(place, at) + place.cell.width / 2;
    context.fillText(positionText(columns, at), middle, y);
  }
}

/** The upper edge of the texts above the columns, not above the view, and their height. */
export function columnRuler(scene, place) {
  const {y} = scene.corner(place);
  const header = place.header - place.labelHeight;
  const most = y + place.height - header - place.cell.height;
  return {top: Math.max(y - header, Math.min(0, most)), header};
}

/** The right edge of the texts beside the rows, which stay in the view. */
export function rowRuler(scene, place) {
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

/** Marks the numbers of lit rows and columns: {rows, columns}, sets of positions. */
export function markNumbers(context, scene, place, lit) {
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
function paintOver(context, scene, {x, place, run, range, text, y}) {
  if (run.end <= range.columns[0] || run.begin >= range.columns[1]) return;
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

/** Paints what stands beside the rows of a range. */
export function paintRows(context, scene, place, range) {
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
