// Which elements of a layout are meant: those that are held, that belong to one owner, or that
// someone asked for.
//
//   heldElements({coordinate: "(1,(0,1))"}, model, links)      // [9]
//   elementsAt("(3,5)", shown)                                 // {elements: [29]}
//   elementsAt("lane=3 reg=1", shown)                          // {elements: [13]}
//   elementsAt("99", shown)                                    // {why: "the last element is 31"}
//
// `shown` are pictures of one layout: [{model, links}].

import {axesOf, valuesOf} from "heddle/axes.js";
import {coordinateOf, factsOf, shownCount, shownPosition} from "heddle/picture.js";

// Cells of one owner belong together, if there are owners.
const owners = ["thread", "device", "devices", "lane"];

/**
 * The elements that a state holds: those of a number, or of the coordinate that a witness names,
 * `{coordinate: "(1,(0,1))"}`.
 */
export function heldElements(held, model, links) {
  if (typeof held === "number") return [held];
  if (Array.isArray(held)) return held.filter(Number.isInteger);
  if (!held?.coordinate || !model) return [];
  const flat = /^(\d+) = /.exec(held.coordinate)?.[1] ?? null;
  if (flat !== null) return [Number(flat)];
  const found = elementsAtCoordinate(held.coordinate, model, links);
  if (found) return found;
  return /^\d+$/.test(held.coordinate.trim()) ? [Number(held.coordinate)] : [];
}

function elementsAtCoordinate(coordinate, model, links) {
  const wanted = coordinate.replaceAll(" ", "");
  for (const [index, panel] of model.panels.entries()) {
    const cell = cellAtCoordinate(panel, wanted);
    if (cell !== null) return links.elementsOf(index, cell);
  }
  return null;
}

/** What a position shown may be called: its coordinate in a nested mode, its name, its number. */
function namesOf(ruler, shown) {
  return [ruler.coordinates?.[shown], ruler.names?.[shown], String(shownPosition(ruler, shown))]
    .filter((name) => name !== undefined);
}

/** The ways to write a coordinate, with blanks for rows and columns: `row=_,col=_` and `(_,_)`. */
function patternsOf({pattern}) {
  const written = pattern.replaceAll(" ", "");
  if (!/^\w+=/.test(written)) return [written];
  const parts = written.split(",").map((part) => part.split("=").at(-1));
  return [written, parts.length === 1 ? parts[0] : `(${parts.join(",")})`];
}

function cellAtCoordinate(panel, wanted) {
  for (const pattern of patternsOf(panel)) {
    const cell = cellAtPattern(panel, pattern, wanted);
    if (cell !== null) return cell;
  }
  return null;
}

function cellAtPattern({rows, columns}, pattern, wanted) {
  const [head, ...tails] = pattern.split("_");
  const sides = [rows, columns].filter((ruler) => ruler.is_mode);
  if (tails.length !== sides.length) return null;
  // The positions of the sides, one after the other, that together spell what is wanted.
  const spell = (begun, number) => {
    if (number === sides.length) return begun === wanted ? [] : null;
    for (let shown = 0; shown < shownCount(sides[number]); ++shown) {
      for (const name of namesOf(sides[number], shown)) {
        const next = begun + name + tails[number];
        const rest = wanted.startsWith(next) ? spell(next, number + 1) : null;
        if (rest) return [shown, ...rest];
      }
    }
    return null;
  };
  const found = spell(head, 0);
  if (!found) return null;
  const row = rows.is_mode ? found.shift() : 0;
  const column = columns.is_mode ? found.shift() : 0;
  return row * shownCount(columns) + column;
}

/** The cells, a list for each panel, that have a value of an axis. */
export function cellsWith(model, key, value) {
  const {values} = valuesOf(model, key);
  return values.map((ofPanel) => {
    const cells = [];
    ofPanel.forEach((one, cell) => {
      if (one === value) cells.push(cell);
    });
    return cells;
  });
}

/** The elements in cells, a list for each panel. */
export function elementsIn({links}, cells) {
  const elements = new Set();
  cells.forEach((ofPanel, panel) => {
    for (const cell of ofPanel) {
      for (const element of links.elementsOf(panel, cell)) elements.add(element);
    }
  });
  return elements;
}

export const hasAxis = ({model}, key) => axesOf(model).some((axis) => axis.key === key);

/** Panel and cell of the first of some elements in a picture, or null. */
export function firstCellOf({links}, elements) {
  const cells = links.cellsOf(elements);
  const index = cells.findIndex((list) => list.length > 0);
  return index < 0 ? null : {index, cell: cells[index][0]};
}

/** The elements that belong to the same owner as some, or have the same value of an axis `by`. */
export function fellowsOf(elements, shown, by) {
  const [first] = elements;
  if (first === undefined) return new Set();
  for (const key of by ? [by, ...owners] : owners) {
    for (const one of shown.filter((picture) => hasAxis(picture, key))) {
      const at = firstCellOf(one, [first]);
      if (!at) continue;
      const value = valuesOf(one.model, key).values[at.index][at.cell];
      return value < 0 ? new Set() : elementsIn(one, cellsWith(one.model, key, value));
    }
  }
  return new Set();
}

/** The pairs of the facts line: those of the view pointed at, then what the others add. */
export function factPairs(shown, pointed, elements) {
  const pairs = new Map();
  const add = ({model}, {index, cell}) => {
    for (const [name, text] of factsOf(model.panels[index], cell)) {
      if (!pairs.has(name)) pairs.set(name, text);
    }
  };
  if (pointed) add(shown[pointed.view], pointed.hit);
  for (const [number, one] of shown.entries()) {
    const at = number === pointed?.view ? null : firstCellOf(one, elements);
    if (at) add(one, at);
  }
  return [...pairs];
}

// What someone asks for.

/** The elements at a coordinate, of a flat number or of an owner: {elements}, or {why} not. */
export function elementsAt(text, shown) {
  const asked = text.trim();
  if (shown.length === 0) return {why: "nothing is drawn"};
  if (/^\d+$/.test(asked)) return numbered(Number(asked), shown[0]);
  const {model, links} = shown[0];
  const elements = elementsAtCoordinate(asked, model, links);
  if (elements?.length > 0) return {elements};
  if (elements) return {why: `${asked} holds no element`};
  if (/^(?:\w+\s*=\s*-?\d+[\s,]*)+$/.test(asked)) return owned(asked, shown);
  const ends = model.panels.map((panel) => {
    const last = shownCount(panel.columns) - 1;
    return [coordinateOf(panel, 0, 0), coordinateOf(panel, shownCount(panel.rows) - 1, last)];
  });
  return {why: `${asked} is not a coordinate here; they are from ${ends[0][0]} to ${ends.at(-1)[1]}`};
}

function numbered(element, {model, links}) {
  if (links.cellsOf([element]).some((list) => list.length > 0)) return {elements: [element]};
  let last = -1;
  for (const {cells} of model.panels) {
    for (const one of cells.elements ?? []) last = Math.max(last, ...[one].flat());
  }
  return {why: element > last ? `the last element is ${last}`
    : `element ${element} is not drawn: the picture has the corners of the layout alone`};
}

function owned(asked, shown) {
  let elements = null;
  for (const [, name, number] of asked.matchAll(/(\w+)\s*=\s*(-?\d+)/g)) {
    const found = ownedBy(name, number, shown);
    if (found.why) return found;
    elements = elements === null ? found : new Set([...elements].filter((one) => found.has(one)));
  }
  return elements.size > 0 ? {elements: [...elements]} : {why: `no element has ${asked}`};
}

/** The elements that have a number on the axis whose name begins so. */
function ownedBy(name, number, shown) {
  const keys = shown.flatMap(({model}) => axesOf(model).map(({key}) => key));
  const key = keys.includes(name) ? name : keys.find((one) => one.startsWith(name));
  if (!key) {
    const known = [...new Set(keys.filter((one) => /^\w+$/.test(one)))].join(", ");
    return {why: `nothing here is called ${name}${known && `; there are ${known}`}`};
  }
  const one = shown.find((picture) => hasAxis(picture, key));
  const {names} = valuesOf(one.model, key);
  const value = names.indexOf(String(Number(number)));
  if (value < 0) return {why: `${key} is from ${names[0]} to ${names.at(-1)}`};
  return elementsIn(one, cellsWith(one.model, key, value));
}
