// Small repeatable random numbers, and models of pictures made of them.

/** A function next(limit): integers from 0 to limit - 1. */
export function randomSource(seed) {
  let value = seed;
  return (limit) => {
    value = (Math.imul(value, 1664525) + 1013904223) >>> 0;
    return Math.floor((value / 2 ** 32) * limit);
  };
}

const noRuler = {gap: null, blocks: [], digits: [], coordinates: [], names: [], groups: []};

/** A ruler of a mode; nested ones have digits whose extents multiply to the length. */
export function rulerOf(extents, gap = null) {
  const length = extents.reduce((product, extent) => product * extent, 1);
  const blocks = extents.slice(0, -1).map((_, i) =>
    extents.slice(0, i + 1).reduce((product, extent) => product * extent, 1));
  const digits = extents.map((extent, i) =>
    ({extent, block: i === 0 ? 1 : blocks[i - 1], label: `${extent}:${i}`}));
  return {...noRuler, length, gap, blocks, digits, is_mode: true};
}

/** The model of a panel of rows by columns; cell i shows the text i and the element i. */
export function panelOf(rows, columns, more = {}) {
  const shown = (ruler) => ruler.length - (ruler.gap ? ruler.gap[1] - ruler.gap[0] : 0);
  const count = shown(rows) * shown(columns);
  const numbers = Array.from({length: count}, (_, i) => i);
  return {
    label: "", pattern: "(_,_)", rows, columns, fact_names: [], place: null, ...more,
    cells: {text: numbers, note: null, color: numbers.map((i) => i % 4), elements: numbers,
      facts: null, ...more.cells},
  };
}

export function modelOf(...panels) {
  const swatches = Array.from({length: 4}, () => ({background: "#bce1f7", ink: "#000000"}));
  return {title: "", legend: "index mod 4", colors: 4, swatches, panels, notes: []};
}

/** A model of one to four panels, some with nested modes, gaps, labels, or one row. */
export function randomModel(next) {
  const randomRuler = () => {
    const ruler = rulerOf(Array.from({length: 1 + next(3)}, () => 1 + next(5)));
    const hasGap = ruler.length > 3 && next(3) === 0;
    return hasGap ? {...ruler, gap: [1, ruler.length - 1]} : ruler;
  };
  const row = {...noRuler, length: 1, is_mode: false};
  const panels = Array.from({length: 1 + next(4)}, () =>
    panelOf(next(4) ? randomRuler() : row, randomRuler(), {label: next(2) ? "A = 4:1" : ""}));
  if (next(3) === 0) panels.forEach((panel, i) => Object.assign(panel, {place: [i >> 1, i % 2]}));
  return modelOf(...panels);
}
