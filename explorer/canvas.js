// A picture on a canvas that one can move, enlarge and point at.
//
//   const view = new View(element, {name: "layout", onPoint, onHold, onRelease});
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
 * A view of pictures in an element, which is its `view`. `onPoint(hit or null)` hears what is
 * pointed at, by pointer or by keys, `onHold(hit)` what is clicked or entered, and `onRelease()`
 * that nothing is held.
 */
export class View {
  #element;
  #hooks;
  #parts;
  #model = null;
  #camera = null;
  #coloring = null;
  #store = null;
  #lit = noLight;
  /** The cell that keys move from. */
  #cursor = null;
  #hasFocus = false;
  #width = 0;
  /** The next frame, if it is asked for, and whether it paints more than what is lit. */
  #frame = 0;
  #isDirty = false;

  constructor(element, hooks) {
    this.#element = element;
    this.#hooks = hooks;
    put(element, skeleton(hooks.name, {zoomBy: (by) => this.#zoomBy(by), fit: () => this.#fit()}));
    const [cells, lights] = element.querySelectorAll("canvas");
    this.#parts = {cells, lights, table: element.querySelector(".table")};
    this.#listen();
    element.view = this;
    new ResizeObserver(() => element.clientWidth !== this.#width && this.#resize())
      .observe(element);
  }

  /** Draws a model in colours as of colorsOf(). */
  show(model, colors) {
    this.#model = model;
    this.#cursor = null;
    this.#lit = noLight;
    this.color(colors);
    const {lights, table} = this.#parts;
    lights.setAttribute("aria-label", `${this.#hooks.name}: ${model.title}`);
    this.#resize();
    this.#paint();
    setTimeout(() => put(table, tableOf(model)), 200);
  }

  /** Other colours of the same model. */
  color(colors) {
    this.#coloring = colors;
    this.#store = imageStore(this.#model, colors);
    this.repaint();
  }

  /** What is lit: cells and their fellows, a list of cells for each panel. */
  light(lit) {
    this.#lit = lit;
    this.#paintSoon(false);
  }

  /** Moves the picture so that a cell of a panel is seen. */
  reveal(index, cell) {
    if (this.#camera?.reveal(index, cell)) this.repaint();
  }

  /** Paints everything anew, in the next frame. */
  repaint() {
    this.#paintSoon(true);
  }

  /** The picture as it would be on paper, at a zoom of 1, for a file of pixels. */
  snapshot() {
    return snapshot(this.#model, this.#camera, this.#scene());
  }

  /** Where things are, for tests and for those who draw beside it. */
  geometry() {
    return {...this.#camera.now(), natural: this.#camera.natural, band: this.#camera.band};
  }

  // Painting.

  #scene() {
    const {arranged, offset, size} = this.#camera.now();
    return {
      arranged, offset, ...size, ...this.#store, ...this.#coloring,
      natural: this.#camera.natural, css: cssColors(this.#element),
      cursor: this.#hasFocus ? this.#cursor : null,
      corner: (place) => ({x: place.x + offset.x, y: place.y + offset.y}),
    };
  }

  #paint() {
    this.#frame = 0;
    if (!this.#camera) return;
    const scene = this.#scene();
    if (this.#isDirty) paintScene(contextOf(this.#parts.cells), scene);
    this.#isDirty = false;
    paintLit(contextOf(this.#parts.lights), scene, this.#lit);
  }

  #paintSoon(isAll) {
    this.#isDirty ||= isAll;
    if (this.#frame === 0) this.#frame = requestAnimationFrame(() => this.#paint());
  }

  // Moving.

  #zoomBy(factor, at) {
    this.#camera?.zoomBy(factor, at);
    this.repaint();
  }

  #moveBy(x, y) {
    const hasMoved = this.#camera?.moveBy(x, y) ?? false;
    if (hasMoved) this.repaint();
    return hasMoved;
  }

  #fit() {
    if (!this.#camera) return;
    this.#camera.fit();
    const {size} = this.#camera.now();
    resizeCanvas(this.#parts.cells, size);
    resizeCanvas(this.#parts.lights, size);
    this.#element.firstChild.style.height = `${size.height}px`;
    this.repaint();
  }

  #resize() {
    const width = this.#element.clientWidth;
    this.#width = width;
    if (!this.#model || width === 0) return;
    const share = this.#element.closest(".stacked") ? 0.46 : 0.62;
    const height = Math.max(200, Math.min(innerHeight * share, 760));
    this.#camera = createCamera(this.#model, {width, height});
    this.#fit();
  }

  // Pointing, by pointer and by keys.

  #listen() {
    const {lights} = this.#parts;
    followGestures(lights, {
      point: (at) => this.#hooks.onPoint(this.#camera?.hitAt(at) ?? null),
      leave: () => this.#hooks.onPoint(null),
      click: (at) => this.#click(at),
      move: (x, y) => this.#moveBy(x, y),
      zoom: (factor, at) => this.#zoomBy(factor, at),
      key: (pressed, isFar) => this.#press(pressed, isFar),
    });
    lights.addEventListener("dblclick", ({offsetX: x, offsetY: y}) => this.#zoomBy(2, {x, y}));
    lights.addEventListener("focus", () => this.#focus());
    lights.addEventListener("blur", () => {
      this.#hasFocus = false;
      this.#paintSoon(false);
    });
  }

  #focus() {
    this.#hasFocus = this.#parts.lights.matches(":focus-visible");
    this.#cursor ??= this.#camera ? this.#firstCell() : null;
    if (this.#hasFocus && this.#cursor) this.#hooks.onPoint(this.#cursor);
    this.#paintSoon(false);
  }

  #click(at) {
    const hit = this.#camera?.hitAt(at);
    if (!hit) return this.#hooks.onRelease();
    this.#cursor = hit;
    this.#hooks.onPoint(hit);
    return this.#hooks.onHold(hit);
  }

  #firstCell() {
    const {begin, index} = this.#camera.now().arranged.places[0];
    return {place: 0, index, row: 0, column: begin, cell: begin};
  }

  #stepBy([rows, columns], count) {
    const {arranged} = this.#camera.now();
    for (let i = 0; i < count; ++i) {
      this.#cursor = this.#cursor ? stepFrom(arranged, this.#cursor, rows, columns)
        : this.#firstCell();
    }
    this.reveal(this.#cursor.index, this.#cursor.cell);
    this.#hooks.onPoint(this.#cursor);
  }

  /** Whether the key means something here. */
  #press(pressed, isFar) {
    if (!this.#camera) return false;
    const hold = () => this.#cursor && this.#hooks.onHold(this.#cursor);
    const keys = {
      "+": () => this.#zoomBy(1.5), "=": () => this.#zoomBy(1.5), "-": () => this.#zoomBy(1 / 1.5),
      "0": () => this.#fit(), Escape: () => this.#hooks.onRelease(), Enter: hold, " ": hold,
    };
    if (pressed in steps) this.#stepBy(steps[pressed], isFar ? farStep : 1);
    else if (pressed in keys) keys[pressed]();
    else return false;
    return true;
  }
}

// The colours of the page change under all of its views.
globalThis.matchMedia?.("(prefers-color-scheme: dark)").addEventListener("change", () => {
  for (const {view} of document.querySelectorAll(".stage")) view?.repaint();
});

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
