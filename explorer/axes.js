// What cells of a picture can be told apart by: the digits of its rulers and its facts.
//
//   axesOf(model)                      // [{key: "rows:0", title: "row digit 2:1"},
//                                      //  {key: "thread", title: "thread"}, …]
//   const {values, names} = valuesOf(model, "thread");
//   names[values[0][3]]                // "5": cell 3 of panel 0 is held by thread 5
//   colorsOf(model, "thread")          // {colors: [one array for each panel], legend}
//
// A fact that names numbers, as `register=1, lane=3` does, makes an axis of each of its names.

import {digitAt, shownCount, shownPosition} from "heddle/picture.js";

const plain = -1;
const sides = {rows: "row", columns: "column"};
const namedNumbers = /(\w+)\s*=\s*(-?\d+)/g;
const isNamed = /^[^=]*\w+\s*=\s*-?\d+/;

const knownAxes = new WeakMap();

/** The axes of a model: {key, title} each. */
export function axesOf(model) {
  if (!knownAxes.has(model)) knownAxes.set(model, findAxes(model));
  return knownAxes.get(model);
}

function findAxes(model) {
  const found = new Map();
  for (const panel of model.panels) {
    for (const [side, word] of Object.entries(sides)) {
      const digits = panel[side].digits ?? [];
      digits.forEach((digit, i) => {
        const which = digits.length > 1 ? `${word} digit ${digit.label}` : word;
        found.set(`${side}:${i}`, which);
      });
      if (digits.length === 0 && panel[side].is_mode && panel[side].length > 1) {
        found.set(side, word);
      }
    }
    for (const name of factAxes(panel)) found.set(name, name);
  }
  return [...found].map(([key, title]) => ({key, title}));
}

function factAxes(panel) {
  const {facts} = panel.cells;
  if (!facts || facts.length === 0) return [];
  const threads = hasThreads(panel) ? ["thread"] : [];
  const named = panel.fact_names.flatMap((name, i) => {
    const first = String(facts[i].find((fact) => fact !== "") ?? "");
    if (first === "") return [];
    return isNamed.test(first) ? Array.from(first.matchAll(namedNumbers), (one) => one[1]) : [name];
  });
  return [...threads, ...named];
}

// Threads are lanes of warps (of blocks), which facts name one by one.
const partsOfThreads = ["lane", "warp", "block"];

const hasThreads = (panel) => ["lane", "warp"].every((name) => panel.fact_names.includes(name)) &&
  !panel.fact_names.includes("thread");

function threadsOf(panel) {
  const columns = partsOfThreads.filter((name) => panel.fact_names.includes(name))
    .map((name) => panel.cells.facts[panel.fact_names.indexOf(name)]);
  const counts = columns.map((column) => column.reduce((most, one) => Math.max(most, one), 0) + 1);
  return columns[0].map((_, cell) => columns.reduceRight((thread, column, i) =>
    thread * counts[i] + Number(column[cell]), 0));
}

const known = new WeakMap();

/**
 * What each cell has on an axis: `values` has an array for each panel, with a number into `names`
 * or -1 for each cell. Names are in the order of their numbers, texts in that of their appearance.
 */
export function valuesOf(model, key) {
  if (!known.has(model)) known.set(model, new Map());
  const ofModel = known.get(model);
  if (!ofModel.has(key)) ofModel.set(key, computeValues(model, key));
  return ofModel.get(key);
}

function computeValues(model, key) {
  const texts = model.panels.map((panel) => textsOf(panel, key));
  const distinct = new Set();
  for (const ofPanel of texts) {
    for (const text of ofPanel ?? []) if (text !== null) distinct.add(text);
  }
  const names = [...distinct];
  if (names.every((name) => /^-?\d+$/.test(name))) names.sort((a, b) => a - b);
  const numbers = new Map(names.map((name, i) => [name, i]));
  const values = model.panels.map((panel, i) =>
    Int32Array.from({length: panel.cells.text.length}, (_, cell) =>
      numbers.get(texts[i]?.[cell] ?? null) ?? plain));
  return {names: names.map(String), values};
}

function textsOf(panel, key) {
  const [side, digit] = key.split(":");
  if (side in sides) return digitsOf(panel, side, digit);
  const named = panel.fact_names?.indexOf(key) ?? -1;
  const {facts} = panel.cells;
  if (!facts || facts.length === 0) return null;
  if (key === "thread" && named < 0 && hasThreads(panel)) return threadsOf(panel);
  if (named >= 0) return facts[named].map((fact) => (fact === "" ? null : String(fact)));
  const pattern = new RegExp(`\\b${key.replace(/\W/g, "")}\\s*=\\s*(-?\\d+)`);
  const column = facts.find((one) => pattern.test(one.find((fact) => fact !== "") ?? ""));
  return column ? column.map((fact) => pattern.exec(fact)?.[1] ?? null) : null;
}

function digitsOf(panel, side, digit) {
  const ruler = panel[side];
  const part = digit === undefined ? {extent: ruler.length, block: 1} : ruler.digits?.[digit];
  if (!part) return null;
  const columns = shownCount(panel.columns);
  return Array.from({length: panel.cells.text.length}, (_, cell) => {
    const shown = side === "rows" ? Math.floor(cell / columns) : cell % columns;
    return digitAt(part, shownPosition(ruler, shown));
  });
}

/**
 * The colours of the cells, {colors: an array for each panel, legend, swatches}: those of the model,
 * or those of an axis, in swatches that several views may share. Cells that show nothing stay as
 * they are.
 */
export function colorsOf(model, key = null, swatches = model.swatches) {
  const own = model.panels.map((panel) => panel.cells.color);
  const axis = axesOf(model).find((one) => one.key === key);
  const count = swatches.length;
  if (!axis || count === 0) return {colors: own, legend: model.legend, swatches: model.swatches};
  const {names, values} = valuesOf(model, key);
  const areNumbers = names.every((name) => /^-?\d+$/.test(name));
  const colorOf = names.map((name, i) => {
    const number = areNumbers ? Number(name) : i;
    return ((number % count) + count) % count;
  });
  const colors = values.map((ofPanel, i) =>
    ofPanel.map((value, cell) => (value < 0 ? Math.min(own[i][cell], plain) : colorOf[value])));
  const isCut = names.length > count || !areNumbers;
  return {colors, legend: isCut ? `${axis.title} mod ${count}` : axis.title, swatches};
}
