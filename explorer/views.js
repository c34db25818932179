// The pictures of a layout side by side, linked: what is pointed at in one lights up in all.
//
//   const views = new Views(element, factsLine, session);
//   views.show([{view: null, model}, {view: "memory", model: other}]);
//   views.follow(session.state());        // what is held, colours, the axis that is walked along
//
// Pointing lights, a click or Enter holds, Escape releases; a walk lights one thread (register,
// bank, …) after another. What is held is in the session, what is pointed at is not.

import {colorsOf} from "heddle/axes.js";
import {View} from "heddle/canvas.js";
import {alongAxis, controlsOf, titleOf} from "heddle/controls.js";
import {h, put} from "heddle/dom.js";
import {
  cellsWith, elementsAt, elementsIn, factPairs, fellowsOf, firstCellOf, heldElements,
} from "heddle/elements.js";
import {linksOf} from "heddle/links.js";
import {arrange, bandLength, naturalCell} from "heddle/picture.js";

const names = {
  memory: "memory: each place, with the coordinate it holds",
  hardware: "hardware: each place, with the element it holds",
  devices: "devices: each with the region it holds",
};
const framesPerSecond = 4;
// How much smaller than they could be pictures may stand side by side.
const leastScale = 0.75;
const longestText = 60;

function logicalNameOf({panels, title}) {
  if (panels.length > 1) return title;
  return panels[0]?.fact_names?.includes("held by")
    ? "tensor: each element, with who holds it" : "layout: each coordinate, with its index";
}

/** Whether pictures need the whole width each to be read. */
function areWide(models, width) {
  const half = width / 2 - 24;
  return models.length > 1 && models.some((model) => {
    const natural = naturalCell(model);
    const cell = {width: natural.width * leastScale, height: natural.height * leastScale};
    return arrange(model, {cell, room: half, band: bandLength(model, natural, half)}).width > half;
  });
}

const legendOf = ({legend, swatches}) => legend && swatches.length > 0 &&
  h("p", {class: "legend"},
    swatches.map(({background, ink}, i) => h("span", {
      class: "swatch",
      made: (node) => Object.assign(node.style, {background, color: ink}),
    }, i)), h("span", {}, legend));

const factsLine = (pairs, hint) => pairs.length === 0 ? h("span", {class: "hint"}, hint)
  : pairs.map(([name, text]) => h("span", {}, h("b", {}, name), ` ${text}`));

const figure = (_, number, sides) => h("figure", {key: `${number} ${sides[number].view}`},
  h("div", {class: "stage", made: () => {}}), h("figcaption", {made: () => {}}));

/** The section of pictures. Without a session, as in a page of one picture, it keeps its own. */
export class Views {
  #element;
  #parts;
  #session;
  #shown = [];
  #layout = null;
  #drawnBy = null;
  #pointed = null;
  #walk = {value: 0, timer: null};
  #whyNot = "";

  constructor(element, facts, session) {
    this.#element = element;
    this.#session = session;
    put(element, h("p", {class: "stale-note", role: "status"}), h("div", {class: "figures"}),
      h("div", {class: "controls"}));
    const [note, figures, controls] = element.children;
    this.#parts = {note, figures, controls, facts};
  }

  /** Draws pictures, [{view: null or "memory" or …, model}], of a layout as `read` gives it. */
  show(pictures, layout = null) {
    this.#pause();
    Object.assign(this.#walk, {value: 0});
    this.#layout = layout;
    this.#pointed = null;
    this.#whyNot = "";
    this.#drawnBy = this.#options().by ?? null;
    const {figures} = this.#parts;
    const isStacked = areWide(pictures.map(({model}) => model), this.#element.clientWidth);
    figures.classList.toggle("stacked", isStacked);
    put(figures, pictures.map(figure));
    this.#shown = pictures.map((picture, number) => this.#placed(picture, number));
    for (const one of this.#shown) {
      one.view.show(one.model, this.#coloring(one));
      this.#showCaption(one);
    }
    this.setStale(null);
    this.#showControls();
    this.#light();
  }

  /** Follows the session: what is held, the colours and the walk. */
  follow({options: {by = null}}) {
    if (by !== this.#drawnBy) this.#recolor();
    this.#drawnBy = by;
    this.#showControls();
    this.#light();
  }

  /** Dims the pictures while they are those of a text that is not in the box any more. */
  setStale(text) {
    const isStale = text !== null && this.#shown.length > 0;
    this.#element.classList.toggle("stale", isStale);
    if (!isStale) return put(this.#parts.note);
    const short = text.length > longestText ? `${text.slice(0, longestText)}…` : text;
    return put(this.#parts.note, "This is the picture of the last text that could be read: ",
      h("code", {}, short));
  }

  /** The first picture as it would be on paper, or null. */
  snapshot() {
    return this.#shown[0]?.view.snapshot() ?? null;
  }

  #options() {
    return this.#session.state().options;
  }

  #setOption(change) {
    const options = Object.fromEntries(Object.entries({...this.#options(), ...change})
      .filter(([, value]) => value !== null && value !== ""));
    this.#session.update({options});
  }

  /** A picture at its place in the page. */
  #placed({view: side, model}, number) {
    const [stage, caption] = this.#parts.figures.children[number].children;
    const view = stage.view ?? new View(stage, {
      name: side ?? "layout",
      onPoint: (hit) => {
        this.#pointed = hit ? {view: number, hit} : null;
        this.#light();
      },
      onHold: (hit) => this.#hold(number, hit),
      onRelease: () => this.#release(),
    });
    const name = side === null ? logicalNameOf(model) : names[side] ?? side;
    return {model, view, name, links: linksOf(model), caption};
  }

  // What is lit.

  /** The elements that are walked at, held or pointed at, and what is pointed at. */
  #litElements() {
    const walked = alongAxis(this.#shown, this.#options().walk);
    if (walked) {
      const cells = cellsWith(walked.picture.model, this.#options().walk, this.#walk.value);
      return {elements: elementsIn(walked.picture, cells)};
    }
    const {held} = this.#session.state();
    const [logical] = this.#shown;
    if (held !== null && logical) {
      return {elements: new Set(heldElements(held, logical.model, logical.links))};
    }
    if (!this.#pointed) return {elements: new Set()};
    const {view, hit} = this.#pointed;
    const elements = this.#shown[view].links.elementsOf(hit.index, hit.cell);
    return {elements: new Set(elements), pointed: this.#pointed};
  }

  #fellows(elements) {
    const {by, walk} = this.#options();
    if (walk) return new Set();
    return fellowsOf(elements, this.#shown, String(by ?? "").includes(":") ? null : by);
  }

  #light() {
    const {elements, pointed = null} = this.#litElements();
    const isHeld = !pointed && elements.size > 0;
    const fellows = this.#fellows(elements);
    for (const [number, one] of this.#shown.entries()) {
      const isAlone = pointed?.view === number && elements.size === 0;
      const cells = isAlone ? one.model.panels.map((_, panel) =>
        (panel === pointed.hit.index ? [pointed.hit.cell] : [])) : one.links.cellsOf(elements);
      one.view.light({cells, fellows: one.links.cellsOf(fellows), isHeld});
      const first = isHeld ? firstCellOf(one, elements) : null;
      if (first) one.view.reveal(first.index, first.cell);
    }
    this.#tell(pointed, elements);
  }

  #tell(pointed, elements) {
    const {facts} = this.#parts;
    const shown = this.#shown;
    const key = this.#options().walk;
    const walked = elements.size > 0 ? alongAxis(shown, key) : null;
    if (walked) {
      const count = `${elements.size} element${elements.size === 1 ? "" : "s"}`;
      return put(facts,
        factsLine([[titleOf(shown, key), walked.names[this.#walk.value]]]), h("span", {}, count));
    }
    const hint = shown.length === 0 ? ""
      : "Point at a cell. Click or Enter holds it, Escape lets go; arrows move.";
    const pairs = shown.length === 0 ? [] : factPairs(shown, pointed, elements);
    return put(facts, factsLine(pairs, hint));
  }

  #hold(number, {index, cell}) {
    const elements = this.#shown[number].links.elementsOf(index, cell);
    const held = elements.length === 1 ? elements[0] : elements;
    const isSame = JSON.stringify(held) === JSON.stringify(this.#session.state().held);
    if (this.#options().walk) this.#setOption({walk: null});
    this.#session.update({held: isSame || elements.length === 0 ? null : held});
  }

  #release() {
    this.#pause();
    if (this.#options().walk) this.#setOption({walk: null});
    this.#session.update({held: null});
    this.#showControls();
  }

  // Controls.

  #showControls() {
    const {timer, value} = this.#walk;
    put(this.#parts.controls, controlsOf({
      shown: this.#shown, options: this.#options(), layout: this.#layout, whyNot: this.#whyNot,
      walk: {value, isPlaying: timer !== null},
    }, {
      set: (change) => this.#setOption(change),
      goTo: (text) => this.#goTo(text),
      walkAlong: (axis) => this.#walkAlong(axis),
      walkTo: (place) => this.#walkTo(place),
      play: () => this.#play(),
    }));
  }

  /** Holds the element that a text asks for, or says why it cannot. */
  #goTo(text) {
    const isNone = text.trim() === "";
    const {elements, why = ""} = isNone ? {elements: []} : elementsAt(text, this.#shown);
    this.#whyNot = why;
    if (elements) {
      if (this.#options().walk) this.#walkAlong("");
      const held = elements.length > 1 ? elements : elements[0] ?? null;
      this.#session.update({held});
    }
    this.#showControls();
  }

  #walkAlong(walk) {
    this.#pause();
    this.#walk.value = 0;
    this.#setOption({walk});
  }

  #walkTo(value) {
    this.#walk.value = value;
    this.#showControls();
    this.#light();
  }

  #step() {
    const walked = alongAxis(this.#shown, this.#options().walk);
    if (walked) this.#walkTo((this.#walk.value + 1) % walked.names.length);
    else this.#pause();
  }

  #play() {
    if (this.#walk.timer) this.#pause();
    else this.#walk.timer = setInterval(() => this.#step(), 1000 / framesPerSecond);
    this.#showControls();
  }

  #pause() {
    clearInterval(this.#walk.timer);
    this.#walk.timer = null;
  }

  // Colours.

  /** The colours of a picture; those that are coloured by one axis have one set of colours. */
  #coloring({model}) {
    const swatches = this.#shown.map((one) => one.model.swatches)
      .reduce((most, one) => (one.length > most.length ? one : most), []);
    return colorsOf(model, this.#options().by, swatches);
  }

  #showCaption(one) {
    put(one.caption, h("p", {class: "name"}, one.name), legendOf(this.#coloring(one)),
      one.model.notes.map((note) => h("p", {class: "note"}, note)));
  }

  #recolor() {
    for (const one of this.#shown) {
      one.view.color(this.#coloring(one));
      this.#showCaption(one);
    }
  }
}
