// A picture on a canvas that one can move, enlarge and point at.
//
//   const view = createView(element, {name: "layout", onPoint, onHold, onRelease});
//   view.show(model, colorsOf(model));
//   view.light({cells: [[5], []], fellows: [[4, 6], []], isHeld: false});
//
// Two canvases lie on each other: the picture, and what is lit, so that pointing repaints little.

import {createCamera, margin} from "heddle/camera.js";
import {h, put} from "heddle/dom.js";
import {followGestures} from "heddle/gestures.js";
import {cssColors, hatched, imagesOf, paintLit, paintScene} from "heddle/paint.js";
import {arrange, positionText, shownCount, stepFrom} from "heddle/picture.js";

const tableLimit = {rows: 32, columns: 32};
const noLight = {cells: [], fellows: [], isHeld: false};
const farStep = 8;

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

const steps = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]};

function skeleton(name, {zoomBy, fit}) {
  const button = (text, label, title, onclick) =>
    h("button", {type: "button", "aria-label": `${label} ${name}`, title, onclick}, text);
  return h("div", {class: "view"},
    h("canvas", {class: "cells", "aria-hidden": "true"}),
    h("canvas", {class: "light", tabindex: "0", role: "application", "aria-label": name,
      "aria-roledescription": "picture of a layout"}),
    h("div", {class: "zoom"},
      button("+", "Enlarge", "Enlarge (+)", () => zoomBy(1.5)),
      button("−", "Make smaller", "Smaller (−)", () => zoomBy(1 / 1.5)),
      button("fit", "Fit", "Fit (0)", fit)),
    h("div", {class: "unseen table"}));
}

/** The images of a model's panels in colours, made when they are first painted. */
function imageStore(model, {colors, swatches}) {
  const made = new Map();
  const remembered = (key, make) => {
    if (!made.has(key)) made.set(key, make());
    return made.get(key);
  };
  return {
    images: (index) => remembered(index, () =>
      imagesOf(model.panels[index], colors[index], swatches)),
    hasHatched: (index) => remembered(`hatched ${index}`, () => colors[index].includes(hatched)),
  };
}

function contextOf(canvas) {
  const context = canvas.getContext("2d");
  context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  return context;
}

function resizeCanvas(canvas, {width, height}) {
  canvas.width = Math.round(width * devicePixelRatio);
  canvas.height = Math.round(height * devicePixelRatio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
}

/**
 * A view of pictures in an element. `onPoint(hit or null)` hears what is pointed at, by pointer or
 * by keys, `onHold(hit)` what is clicked or entered, and `onRelease()` that nothing is held.
 */
export function createView(element, {name, onPoint, onHold, onRelease}) {
  let model = null;
  let camera = null;
  let coloring = null;
  let store = null;
  let light = noLight;
  let cursor = null;
  let hasFocus = false;
  let width = 0;
  let frame = 0;
  let isDirty = false;

  const zoomBy = (factor, at) => {
    camera?.zoomBy(factor, at);
    repaint(true);
  };
  const moveBy = (x, y) => {
    const hasMoved = camera?.moveBy(x, y) ?? false;
    if (hasMoved) repaint(true);
    return hasMoved;
  };
  const fit = () => {
    if (!camera) return;
    camera.fit();
    const {size} = camera.now();
    resizeCanvas(cells, size);
    resizeCanvas(lights, size);
    element.firstChild.style.height = `${size.height}px`;
    repaint(true);
  };

  put(element, skeleton(name, {zoomBy, fit}));
  const [cells, lights] = element.querySelectorAll("canvas");
  const table = element.querySelector(".table");

  function scene() {
    const {arranged, offset, size} = camera.now();
    return {
      arranged, offset, ...size, ...store, ...coloring,
      natural: camera.natural, css: cssColors(element), cursor: hasFocus ? cursor : null,
      corner: (place) => ({x: place.x + offset.x, y: place.y + offset.y}),
    };
  }

  function paint() {
    frame = 0;
    if (!camera) return;
    const painted = scene();
    if (isDirty) paintScene(contextOf(cells), painted);
    isDirty = false;
    paintLit(contextOf(lights), painted, light);
  }

  function repaint(isAll) {
    isDirty ||= isAll;
    if (frame === 0) frame = requestAnimationFrame(paint);
  }

  function resize() {
    width = element.clientWidth;
    if (!model || width === 0) return;
    const share = element.closest(".stacked") ? 0.46 : 0.62;
    const height = Math.max(200, Math.min(innerHeight * share, 760));
    camera = createCamera(model, {width, height});
    fit();
  }

  function click(at) {
    const hit = camera?.hitAt(at);
    if (!hit) return onRelease();
    cursor = hit;
    onPoint(hit);
    return onHold(hit);
  }

  const firstCell = () => {
    const {begin, index} = camera.now().arranged.places[0];
    return {place: 0, index, row: 0, column: begin, cell: begin};
  };

  function stepBy([rows, columns], count) {
    const {arranged} = camera.now();
    for (let i = 0; i < count; ++i) {
      cursor = cursor ? stepFrom(arranged, cursor, rows, columns) : firstCell();
    }
    if (camera.reveal(cursor.index, cursor.cell)) repaint(true);
    onPoint(cursor);
  }

  const keys = {
    "+": () => zoomBy(1.5), "=": () => zoomBy(1.5), "-": () => zoomBy(1 / 1.5), "0": fit,
    Escape: onRelease, Enter: () => cursor && onHold(cursor), " ": () => cursor && onHold(cursor),
  };

  function key(pressed, isFar) {
    if (!camera) return false;
    if (pressed in steps) stepBy(steps[pressed], isFar ? farStep : 1);
    else if (pressed in keys) keys[pressed]();
    else return false;
    return true;
  }

  followGestures(lights, {
    point: (at) => onPoint(camera?.hitAt(at) ?? null),
    leave: () => onPoint(null),
    click, move: moveBy, zoom: zoomBy, key,
  });
  lights.addEventListener("dblclick", ({offsetX: x, offsetY: y}) => zoomBy(2, {x, y}));
  lights.addEventListener("focus", () => {
    hasFocus = lights.matches(":focus-visible");
    cursor ??= camera ? firstCell() : null;
    if (hasFocus && cursor) onPoint(cursor);
    repaint(false);
  });
  lights.addEventListener("blur", () => {
    hasFocus = false;
    repaint(false);
  });
  new ResizeObserver(() => element.clientWidth !== width && resize()).observe(element);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => repaint(true));

  const color = (colors) => {
    coloring = colors;
    store = imageStore(model, coloring);
    repaint(true);
  };

  return {
    /** Draws a model in colours as of colorsOf(). */
    show(next, colors) {
      model = next;
      cursor = null;
      light = noLight;
      color(colors);
      lights.setAttribute("aria-label", `${name}: ${model.title}`);
      resize();
      paint();
      setTimeout(() => put(table, tableOf(model)), 200);
    },
    /** Other colours of the same model. */
    color,
    /** What is lit: cells and their fellows, a list of cells for each panel. */
    light(next) {
      light = next;
      repaint(false);
    },
    /** Moves the picture so that a cell of a panel is seen. */
    reveal: (index, cell) => camera?.reveal(index, cell) && repaint(true),
    /** The picture as it would be on paper, at a zoom of 1, for a file of pixels. */
    snapshot: () => snapshot(model, camera, scene()),
    /** Where things are, for tests and for those who draw beside it. */
    geometry: () => ({...camera.now(), natural: camera.natural, band: camera.band}),
    focus: () => lights.focus(),
  };
}

const snapshotRoom = 1400;
const snapshotScale = 2;
const greatestSnapshot = 16384;

function snapshot(model, {natural, band}, scene) {
  const arrangedAt = (scale) => arrange(model, {
    cell: {width: natural.width * scale, height: natural.height * scale},
    room: snapshotRoom, band,
  });
  let arranged = arrangedAt(1);
  const longest = Math.max(arranged.width, arranged.height) * snapshotScale;
  if (longest > greatestSnapshot) arranged = arrangedAt(greatestSnapshot / longest * 0.95);
  const width = Math.min(arranged.width + 2 * margin, greatestSnapshot / snapshotScale);
  const height = Math.min(arranged.height + 2 * margin, greatestSnapshot / snapshotScale);
  const canvas = document.createElement("canvas");
  canvas.width = width * snapshotScale;
  canvas.height = height * snapshotScale;
  const context = canvas.getContext("2d");
  context.setTransform(snapshotScale, 0, 0, snapshotScale, 0, 0);
  const corner = (place) => ({x: place.x + margin, y: place.y + margin});
  paintScene(context, {...scene, arranged, width, height, corner});
  context.globalCompositeOperation = "destination-over";
  context.fillStyle = scene.css.page;
  context.fillRect(0, 0, width, height);
  return canvas;
}
