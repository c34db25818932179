// Cells belong together if they show the same elements, and axes tell cells apart.
import assert from "node:assert/strict";
import test from "node:test";

import {axesOf, colorsOf, valuesOf} from "../../explorer/axes.js";
import {linksOf} from "../../explorer/links.js";
import {cellsWith, elementsAt, factPairs, heldElements} from "../../explorer/elements.js";
import {modelOf, panelOf, randomSource, rulerOf} from "./models.mjs";

// A layout and its memory: element e lies in place of[e]; some places hold several, some none.
function linkedModels(next) {
  const count = 2 + next(30);
  const of = Array.from({length: count}, () => next(20));
  const elements = Array.from({length: 20}, (_, place) =>
    of.flatMap((at, element) => (at === place ? [element] : [])));
  return {
    of,
    logical: modelOf(panelOf(rulerOf([1]), rulerOf([count]))),
    memory: modelOf(panelOf(rulerOf([1]), rulerOf([20]), {cells: {elements}})),
  };
}

test("what belongs to a cell of one view are the cells of the other that hold its elements", () => {
  const next = randomSource(5);
  for (let i = 0; i < 300; ++i) {
    const {of, logical, memory} = linkedModels(next);
    const [there, here] = [linksOf(logical), linksOf(memory)];
    of.forEach((place, element) => {
      assert.deepEqual(here.cellsOf(there.elementsOf(0, element)), [[place]]);
      assert.ok(there.cellsOf(here.elementsOf(0, place))[0].includes(element));
    });
    for (let place = 0; place < 20; ++place) {
      const held = of.flatMap((at, element) => (at === place ? [element] : []));
      assert.deepEqual(there.cellsOf(here.elementsOf(0, place)), [held]);
    }
  }
});

test("cells without elements, and elements that no cell shows, belong to nothing", () => {
  const panel = panelOf(rulerOf([1]), rulerOf([3]), {cells: {elements: [2, -1, []]}});
  const unlinked = panelOf(rulerOf([1]), rulerOf([2]), {cells: {elements: null}});
  const links = linksOf(modelOf(panel, unlinked));
  assert.deepEqual(links.elementsOf(0, 1), []);
  assert.deepEqual(links.elementsOf(0, 2), []);
  assert.deepEqual(links.elementsOf(1, 0), []);
  assert.deepEqual(links.cellsOf([2, 0, 99, -1, 1.5]), [[0], []]);
  assert.equal(links.count, 3);
});

test("replicas light up together", () => {
  const elements = [[0, 1], [2], [0, 1], [2]];
  const links = linksOf(modelOf(panelOf(rulerOf([2]), rulerOf([2]), {cells: {elements}})));
  assert.deepEqual(links.cellsOf([0]), [[0, 2]]);
});

const factModel = () => {
  const cells = {
    facts: [["(0,0)", "(0,1)", "(1,0)", "(1,1)"], [0, 1, 0, 1], [0, 0, 1, 1],
      ["vec=1, phase=0", "vec=1, phase=2", "vec=0, phase=0", ""]],
  };
  const fact_names = ["coordinate", "lane", "warp", "swizzle"];
  return modelOf(panelOf(rulerOf([2]), rulerOf([2]), {fact_names, cells}));
};

test("axes are digits of rulers, facts, numbers that facts name, and threads", () => {
  const keys = axesOf(factModel()).map((axis) => axis.key);
  assert.deepEqual(keys, ["rows:0", "columns:0", "thread", "coordinate", "lane", "warp", "vec",
    "phase"]);
});

test("the values of an axis are what its facts say", () => {
  const model = factModel();
  const texts = (key) => {
    const {names, values} = valuesOf(model, key);
    return Array.from(values[0], (value) => names[value] ?? null);
  };
  assert.deepEqual(texts("thread"), ["0", "1", "2", "3"]);
  assert.deepEqual(texts("phase"), ["0", "2", "0", null]);
  assert.deepEqual(texts("rows:0"), ["0", "0", "1", "1"]);
  assert.deepEqual(texts("coordinate"), ["(0,0)", "(0,1)", "(1,0)", "(1,1)"]);
  assert.deepEqual(cellsWith(model, "warp", 1), [[2, 3]]);
});

test("cells have one colour if, up to the number of colours, they have one value", () => {
  const model = factModel();
  const {colors, legend} = colorsOf(model, "thread");
  assert.equal(new Set(colors[0]).size, 4);
  assert.equal(legend, "thread");
  assert.deepEqual(colorsOf(model, null).colors[0], model.panels[0].cells.color);
  assert.equal(colorsOf(model, "no such axis").legend, "index mod 4");
  assert.equal(colorsOf(model, "phase").colors[0][3], -1);
});

test("what is held is a number, numbers, or the coordinate of a witness", () => {
  const model = factModel();
  const links = linksOf(model);
  assert.deepEqual(heldElements(3, model, links), [3]);
  assert.deepEqual(heldElements([1, 2, "x"], model, links), [1, 2]);
  assert.deepEqual(heldElements({coordinate: "(1,0)"}, model, links), [2]);
  assert.deepEqual(heldElements({coordinate: "16 = (0,4)"}, model, links), [16]);
  assert.deepEqual(heldElements({coordinate: "4"}, model, links), [4]);
  assert.deepEqual(heldElements({coordinate: "(9,9)"}, model, links), []);
  assert.deepEqual(heldElements(null, model, links), []);
});

test("the facts line has what is pointed at first, and what the other views add", () => {
  const logical = factModel();
  const memory = modelOf(panelOf(rulerOf([1]), rulerOf([4]),
    {fact_names: ["lane", "place"], cells: {facts: [[9, 9, 9, 9], [0, 1, 2, 3]]}}));
  const shown = [logical, memory].map((model) => ({model, links: linksOf(model)}));
  const pairs = factPairs(shown, {view: 0, hit: {index: 0, cell: 2}}, new Set([2]));
  assert.deepEqual(pairs.map(([name]) => name), ["coordinate", "lane", "warp", "swizzle", "place"]);
  assert.deepEqual(pairs.find(([name]) => name === "lane"), ["lane", "0"]);
  assert.deepEqual(pairs.at(-1), ["place", "2"]);
});

const shownOf = (model) => [{model, links: linksOf(model)}];

test("an element is found by its coordinate in any form, by its number and by its owner", () => {
  const rows = {...rulerOf([2, 2]), coordinates: ["(0,0)", "(1,0)", "(0,1)", "(1,1)"]};
  const shown = shownOf(modelOf(panelOf(rows, rulerOf([8]))));
  for (const text of ["((1,1),5)", "(3,5)", " ( 3 , 5 ) ", "29"]) {
    assert.deepEqual(elementsAt(text, shown), {elements: [29]}, text);
  }
  const named = shownOf(modelOf(panelOf(rulerOf([4]), rulerOf([8]), {pattern: "row=_, col=_"})));
  for (const text of ["row=3, col=5", "row=3,col=5", "(3,5)"]) {
    assert.deepEqual(elementsAt(text, named), {elements: [29]}, text);
  }
  const owned = shownOf(factModel());
  assert.deepEqual(elementsAt("lane=1 warp=1", owned), {elements: [3]});
  assert.deepEqual(elementsAt("vec=1", owned), {elements: [0, 1]});
  assert.deepEqual(elementsAt("wa=0, ph=2", owned), {elements: [1]});
});

test("every coordinate of random pictures leads to its cell", () => {
  const next = randomSource(9);
  for (let i = 0; i < 200; ++i) {
    const [rows, columns] = [1 + next(12), 1 + next(12)];
    const shown = shownOf(modelOf(panelOf(rulerOf([rows]), rulerOf([columns]))));
    const [row, column] = [next(rows), next(columns)];
    assert.deepEqual(elementsAt(`(${row},${column})`, shown), {elements: [row * columns + column]});
  }
});

test("what is asked for and not there is refused in words", () => {
  const why = (text, model = factModel()) => elementsAt(text, shownOf(model)).why;
  assert.equal(why("4"), "the last element is 3");
  assert.equal(why("(2,0)"), "(2,0) is not a coordinate here; they are from (0,0) to (1,1)");
  assert.equal(why("lane=7"), "lane is from 0 to 1");
  assert.match(why("cluster=0"), /nothing here is called cluster; there are .*lane, warp/);
  assert.match(why("vec=0 phase=2"), /no element has/);
  const corners = panelOf(rulerOf([4], [1, 3]), rulerOf([2]), {cells: {elements: [0, 1, 6, 7]}});
  assert.match(why("3", modelOf(corners)), /element 3 is not drawn/);
  assert.equal(elementsAt("1", []).why, "nothing is drawn");
});
