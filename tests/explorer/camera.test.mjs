// What is seen of a picture when it is moved and enlarged.
import assert from "node:assert/strict";
import test from "node:test";

import {createCamera} from "../../explorer/camera.js";
import {shownCount, typeAt, whereIs} from "../../explorer/picture.js";
import {modelOf, panelOf, randomModel, randomSource, rulerOf} from "./models.mjs";

function forCameras(count, visit) {
  const next = randomSource(11);
  for (let i = 0; i < count; ++i) {
    const model = randomModel(next);
    const most = {width: 300 + next(1200), height: 200 + next(500)};
    visit(model, createCamera(model, most), next, most);
  }
}

const middleOf = (camera, index, cell) => {
  const {arranged, offset} = camera.now();
  const {x, y} = whereIs(arranged, index, cell);
  const {width, height} = arranged.cell;
  return {x: x + offset.x + width / 2, y: y + offset.y + height / 2};
};

test("a cell is hit where it is seen, however the picture was moved and enlarged", () => {
  forCameras(200, (model, camera, next) => {
    for (let i = 0; i < 8; ++i) {
      if (next(2)) camera.zoomBy([0.5, 0.8, 1.3, 3][next(4)], {x: next(400), y: next(300)});
      else camera.moveBy(next(400) - 200, next(400) - 200);
      const index = next(model.panels.length);
      const cell = next(model.panels[index].cells.text.length);
      const hit = camera.hitAt(middleOf(camera, index, cell));
      assert.deepEqual([hit.index, hit.cell], [index, cell]);
    }
  });
});

test("a revealed cell is seen whole, where the view has room for it and its rulers", () => {
  forCameras(300, (model, camera, next) => {
    camera.zoomBy([0.7, 1.5, 2.5][next(3)]);
    camera.moveBy(next(2000) - 1000, next(2000) - 1000);
    const index = next(model.panels.length);
    const cell = next(model.panels[index].cells.text.length);
    camera.reveal(index, cell);
    const {arranged, size} = camera.now();
    const {x, y} = middleOf(camera, index, cell);
    const {width, height} = arranged.cell;
    const place = arranged.places[whereIs(arranged, index, cell).place];
    if (place.gutter + width + 40 < size.width) {
      assert.ok(x - width / 2 >= -1e-6 && x + width / 2 <= size.width + 1e-6, `x ${x}`);
    }
    if (place.header + height + 40 < size.height) {
      assert.ok(y - height / 2 >= -1e-6 && y + height / 2 <= size.height + 1e-6, `y ${y}`);
    }
  });
});

test("the point of a grid that is enlarged stays where it is, away from the edges", () => {
  const model = modelOf(panelOf(rulerOf([100]), rulerOf([100])));
  const camera = createCamera(model, {width: 800, height: 500});
  for (const factor of [2, 1.5, 1.2, 0.9]) {
    const at = {x: 420, y: 260};
    const before = camera.hitAt(at);
    camera.zoomBy(factor, at);
    assert.deepEqual(camera.hitAt(at).cell, before.cell);
  }
});

test("a picture that fits is seen whole at no more than its own size", () => {
  forCameras(300, (model, camera, next, most) => {
    const {arranged, size, zoom} = camera.now();
    assert.ok(zoom <= 1);
    assert.ok(size.width <= most.width && size.height <= most.height);
    if (zoom === 1) return;
    // What does not fit is either too small to be read otherwise, or much longer than wide.
    const isWhole = arranged.width <= size.width && arranged.height <= size.height;
    const isLegible = typeAt(arranged.cell, camera.natural) > 0;
    const isLong = Math.max(arranged.width / size.width, arranged.height / size.height) > 2;
    assert.ok(isWhole || isLegible || isLong);
  });
});

test("a picture cannot be lost: some of it is in the view however far it is moved", () => {
  forCameras(200, (model, camera, next) => {
    camera.moveBy((next(3) - 1) * 1e6, (next(3) - 1) * 1e6);
    const {arranged, offset, size} = camera.now();
    assert.ok(offset.x < size.width && offset.x + arranged.width > 0);
    assert.ok(offset.y < size.height && offset.y + arranged.height > 0);
    assert.equal(camera.moveBy(0, 0), false);
  });
});

test("a long and narrow picture is not shrunk to a thread", () => {
  const model = modelOf(panelOf(rulerOf([60000]), rulerOf([4])));
  const {arranged} = createCamera(model, {width: 900, height: 500}).now();
  assert.equal(shownCount(model.panels[0].rows), 60000);
  assert.ok(arranged.places[0].width > 100);
});

test("panels above each other fit together, and are not taken for one long picture", () => {
  const panel = (place) => panelOf(rulerOf([10]), rulerOf([16]), {place});
  const model = modelOf(panel([0, 0]), panel([1, 0]), panel([2, 0]));
  const {arranged, size} = createCamera(model, {width: 1000, height: 620}).now();
  assert.ok(arranged.height <= size.height, `${arranged.height} of ${size.height}`);
  assert.ok(arranged.height > 0.8 * size.height, "and fill the view");
});
