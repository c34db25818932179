// The geometry of pictures: where cells are, and which cell is somewhere.
import assert from "node:assert/strict";
import test from "node:test";

import {
  arrange, bandLength, boundaryLevel, columnX, coordinateOf, digitAt, factsOf, hitTest, naturalCell,
  rowY, runsOf, shownCount, shownPosition, stepFrom, textWidth, typeAt, visibleRange,
  whereIs,
} from "../../explorer/picture.js";
import {stepOfNumbers} from "../../explorer/rulers.js";
import {modelOf, panelOf, randomModel, randomSource, rulerOf} from "./models.mjs";

function forArrangedModels(count, visit) {
  const next = randomSource(7);
  for (let i = 0; i < count; ++i) {
    const model = randomModel(next);
    const natural = naturalCell(model);
    const zoom = [0.02, 0.3, 1, 2.5][next(4)];
    const cell = {width: natural.width * zoom, height: natural.height * zoom};
    const room = 200 + next(1200);
    const band = next(2) ? bandLength(model, natural, room) : 0;
    visit(model, arrange(model, {cell, room, band}), next);
  }
}

const cellsIn = (panel) => shownCount(panel.rows) * shownCount(panel.columns);

test("the cell at the middle of a cell is that cell, at every zoom", () => {
  forArrangedModels(300, (model, arranged) => {
    const {width, height} = arranged.cell;
    model.panels.forEach((panel, index) => {
      for (let cell = 0; cell < cellsIn(panel); ++cell) {
        const at = whereIs(arranged, index, cell);
        const hit = hitTest(arranged, at.x + width / 2, at.y + height / 2);
        assert.equal(hit.index, index);
        assert.equal(hit.cell, cell);
        assert.equal(hit.row * shownCount(panel.columns) + hit.column, cell);
      }
    });
  });
});

test("grids and what stands beside them do not overlap, and are within the picture", () => {
  forArrangedModels(300, (_, {places, width, height}) => {
    const boxes = places.map((place) => ({
      left: place.x - place.gutter, right: place.x + place.width + place.after,
      top: place.y - place.header, bottom: place.y + place.height + place.below,
    }));
    boxes.forEach((a, i) => {
      assert.ok(a.left >= -1e-6 && a.right <= width + 1e-6, "inside, across");
      assert.ok(a.top >= -1e-6 && a.bottom <= height + 1e-6, "inside, down");
      for (const b of boxes.slice(i + 1)) {
        const isApart = a.right <= b.left + 1e-6 || b.right <= a.left + 1e-6 ||
          a.bottom <= b.top + 1e-6 || b.bottom <= a.top + 1e-6;
        assert.ok(isApart);
      }
    });
  });
});

test("bands have every column of a row once, in order", () => {
  const model = modelOf(panelOf({...rulerOf([1]), is_mode: false}, rulerOf([1000])));
  const cell = naturalCell(model);
  const band = bandLength(model, cell, 600);
  const {places} = arrange(model, {cell, room: 600, band});
  assert.ok(places.length > 1);
  let next = 0;
  for (const {begin, end} of places) {
    assert.equal(begin, next);
    assert.ok(end > begin);
    next = end;
  }
  assert.equal(next, 1000);
});

test("the visible range has every position that reaches into a stretch, and none that is far", () => {
  forArrangedModels(200, (_, {places}, next) => {
    const place = places[next(places.length)];
    for (const side of ["rows", "columns"]) {
      const [size, begin, end, at] = side === "columns"
        ? [place.cell.width, place.begin, place.end, (i) => columnX(place, i)]
        : [place.cell.height, 0, shownCount(place.panel.rows), (i) => rowY(place, i)];
      const from = next(400) - 100;
      const to = from + 1 + next(300);
      const [first, last] = visibleRange(place, side, from, to);
      assert.ok(begin <= first && last <= end);
      for (let i = begin; i < end; ++i) {
        const isSeen = at(i) + size > from + 1e-6 && at(i) < to - 1e-6;
        const isNear = at(i) + size > from - size - 30 && at(i) < to + size + 30;
        const isIn = first <= i && i < last;
        assert.ok(isIn || !isSeen, `${side} ${i} is seen, not in [${first},${last})`);
        assert.ok(!isIn || isNear, `${side} ${i} is far, in [${first},${last})`);
      }
    }
  });
});

test("runs of a digit have every shown position once, and its value in all of a run", () => {
  const next = randomSource(3);
  for (let i = 0; i < 200; ++i) {
    const ruler = rulerOf(Array.from({length: 1 + next(3)}, () => 2 + next(4)));
    if (next(2) && ruler.length > 4) ruler.gap = [2, ruler.length - 1];
    for (const digit of ruler.digits) {
      let at = 0;
      for (const {begin, end, value} of runsOf(ruler, digit, 0, shownCount(ruler))) {
        assert.equal(begin, at);
        for (; at < end; ++at) assert.equal(digitAt(digit, shownPosition(ruler, at)), value);
      }
      assert.equal(at, shownCount(ruler));
    }
  }
});

test("a position is the sum of its digits times their blocks", () => {
  const {length, digits} = rulerOf([2, 3, 4]);
  for (let position = 0; position < length; ++position) {
    const sum = digits.reduce((total, one) => total + digitAt(one, position) * one.block, 0);
    assert.equal(sum, position);
  }
});

test("lines are heavier before larger blocks", () => {
  const ruler = rulerOf([2, 2, 2]);
  assert.deepEqual([0, 1, 2, 3, 4, 5, 6, 7].map((at) => boundaryLevel(ruler, at)),
                   [2, 0, 1, 0, 2, 0, 1, 0]);
  const grouped = {...ruler, blocks: [], groups: [{begin: 3, end: 8, name: "b"}]};
  assert.equal(boundaryLevel(grouped, 3), 1);
});

test("a coordinate is written as its panel's pattern says", () => {
  const rows = {...rulerOf([2, 2]), coordinates: ["(0,0)", "(1,0)", "(0,1)", "(1,1)"]};
  const panel = panelOf(rows, rulerOf([3]), {pattern: "(_,_,7)"});
  assert.equal(coordinateOf(panel, 3, 2), "((1,1),2,7)");
  const row = panelOf({...rulerOf([1]), is_mode: false}, rulerOf([9]), {pattern: "_"});
  assert.equal(coordinateOf(row, 0, 8), "8");
});

test("facts are those of the model, or what the rulers and the cell say", () => {
  const plain = panelOf(rulerOf([2]), rulerOf([2]));
  assert.deepEqual(factsOf(plain, 3), [["coordinate", "(1,1)"], ["shows", "3"]]);
  const cells = {facts: [[5, 6, 7, 8], ["", "", "", "w0"]]};
  const rich = panelOf(rulerOf([2]), rulerOf([2]), {fact_names: ["index", "warp"], cells});
  assert.deepEqual(factsOf(rich, 0), [["index", "5"]]);
  assert.deepEqual(factsOf(rich, 3), [["index", "8"], ["warp", "w0"]]);
});

test("steps lead to cells, and a step inside a panel is undone by the step back", () => {
  forArrangedModels(200, (model, arranged, next) => {
    let at = {place: 0, index: 0, row: 0, column: 0, cell: 0};
    for (let i = 0; i < 60; ++i) {
      const [rows, columns] = [[1, 0], [-1, 0], [0, 1], [0, -1]][next(4)];
      const to = stepFrom(arranged, at, rows, columns);
      const place = arranged.places[to.place];
      assert.equal(place.index, to.index);
      assert.ok(to.row >= 0 && to.row < shownCount(place.panel.rows));
      assert.ok(to.column >= place.begin && to.column < place.end);
      assert.equal(to.cell, to.row * shownCount(place.panel.columns) + to.column);
      if (to.place === at.place && to.cell !== at.cell) {
        assert.deepEqual(stepFrom(arranged, to, -rows, -columns), at);
      }
      at = to;
    }
  });
});

test("texts of cells fit into cells, and are left out where they could not be read", () => {
  const model = modelOf(panelOf(rulerOf([40]), rulerOf([40])));
  const natural = naturalCell(model);
  for (const scale of [0.1, 0.3, 0.55, 0.8, 1, 3, 8]) {
    const cell = {width: natural.width * scale, height: natural.height * scale};
    const type = typeAt(cell, natural);
    assert.ok(type === 0 || type >= 7);
    if (type > 0) assert.ok(textWidth(1599, type) <= cell.width && type <= cell.height);
  }
  assert.equal(typeAt({width: 1, height: 1}, natural), 0);
});

test("numbers along a side do not touch", () => {
  for (let size = 0.001; size < 100; size *= 1.7) {
    for (const widest of [4, 20, 55]) {
      const step = stepOfNumbers(size, widest);
      assert.ok(step * size >= widest);
      assert.ok(step === 1 || (step / 2) * size < widest);
    }
  }
});

test("a picture of 10^6 cells is arranged without visiting its cells", () => {
  const ruler = rulerOf([1000]);
  const panel = {...panelOf(rulerOf([1]), rulerOf([1])), rows: ruler, columns: ruler};
  const arranged = arrange(modelOf(panel), {cell: {width: 0.5, height: 0.5}, room: 900});
  const [{x, y}] = arranged.places;
  assert.equal(hitTest(arranged, x + 499.9, y + 0.1).cell, 999);
});
