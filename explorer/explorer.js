// The page: it puts the parts together and lets them follow the session.
//
//   address ──> session ──> box, tabs, views, panel        a change of the session draws them anew
//      ^           |
//      +───────────+                                       and the address keeps what it is about

import {connect} from "heddle/ask.js";
import {diagnostic} from "heddle/diagnostic.js";
import {h, put, takeTurn} from "heddle/dom.js";
import {exportMenu, saveText} from "heddle/export.js";
import {Input} from "heddle/input.js";
import {programOf, withNames} from "heddle/names.js";
import {panels} from "heddle/panels.js";
import {readText, requestPictures} from "heddle/requests.js";
import {
  chosenLayout, createSession, fromFragment, keptOptions, programNames, toFragment, withLayout,
  withoutLayout,
} from "heddle/session.js";
import {Views} from "heddle/views.js";

/** The layout that is drawn of those in a text, as `read` gave it; undefined if it has none. */
function drawnPart(state, reading) {
  const parts = reading?.layouts ?? [];
  return parts[state.options.part ?? 0] ?? parts[0];
}

/**
 * The state that panels see: the chosen layout's text is that of the layout that is drawn, empty if
 * there is none. Its shape and what the pasted text assumes of sizes are among the options.
 */
export function drawnState(state, reading) {
  const {text, name} = chosenLayout(state);
  const part = drawnPart(state, reading);
  const isNamed = reading?.layouts?.length > 1;
  const drawn = {...part, name: isNamed ? part.name : name, text: part?.text ?? ""};
  const layouts = state.layouts.map((one, i) => (i === state.chosen ? drawn : one));
  const assumed = state.options.assume ?? reading?.assumptions?.join(", ");
  const {shape: _, ...others} = state.options;
  // Texts of all other layouts state their shape.
  const shaped = part?.kind === "an Axe layout" && part.shape ? {shape: part.shape} : {};
  const options = {...others, ...shaped, ...(assumed ? {assume: assumed} : {})};
  const named = programNames(state.layouts)
    .map((word, i) => ({name: word, text: state.layouts[i].text}));
  const {kernels = [], diagnosis = null} = reading ?? {};
  const isExpression = kernels.length === 0 && diagnosis === null;
  return {...state, layouts, options, named, pasted: text, kernels,
    expression: part?.text ?? (isExpression ? text : "")};
}

const part = (id) => document.getElementById(id);

function skeleton() {
  const node = (tag, id, attributes = {}) => h(tag, {id, ...attributes});
  return [
    h("header", {}, h("h1", {}, "Heddle"), node("nav", "layouts", {"aria-label": "Layouts"}),
      node("div", "actions", {role: "toolbar", "aria-label": "History and export"})),
    h("main", {},
      node("section", "input", {"aria-label": "Layout"}),
      node("section", "views", {"aria-label": "Pictures"}),
      h("section", {"aria-label": "Questions and answers"},
        node("div", "tabs", {role: "tablist", "aria-label": "About this layout"}),
        node("div", "panel", {role: "tabpanel", tabindex: "0", "aria-labelledby": "tab"}))),
    h("footer", {}, node("div", "facts", {role: "status"})),
  ];
}

function showLayouts(element, session, renamed = null) {
  const state = session.state();
  const words = programNames(state.layouts);
  const rename = (index) => {
    showLayouts(element, session, index);
    element.querySelector("input").select();
  };
  const tab = ({name}, index) => h("button", {
    type: "button", "aria-current": index === state.chosen ? "true" : null,
    onclick: () => session.update({chosen: index, held: null, options: keptOptions(state)}),
    ondblclick: () => rename(index),
    onkeydown: ({key}) => key === "F2" && rename(index),
    title: "Click to choose, twice or F2 to rename" +
      (words[index] === name ? "" : `; texts name it ${words[index]}`),
  }, name);
  const field = ({name}, index) => h("input", {
    type: "text", value: name, size: "8", "aria-label": "Name of the layout",
    onkeydown: ({key, target}) => ["Enter", "Escape"].includes(key) && target.blur(),
    onblur: ({target}) => {
      const layouts = state.layouts.map((one, i) =>
        (i === index && target.value.trim() ? {...one, name: target.value.trim()} : one));
      session.update({layouts});
      showLayouts(element, session);
    },
  });
  const item = (layout, index) => h("span", {class: "layout", key: `${index}`},
    index === renamed ? field(layout, index) : tab(layout, index),
    state.layouts.length > 1 && h("button", {
      type: "button", class: "quiet", "aria-label": `Take ${layout.name} away`,
      onclick: () => session.update(withoutLayout(state, index)),
    }, "×"));
  put(element, state.layouts.map(item), h("button", {
    type: "button", class: "quiet", "aria-label": "Another layout",
    onclick: () => session.update({...withLayout(state, ""), options: keptOptions(state)}),
  }, "+"));
}

function showActions(element, session, menu) {
  put(element,
    h("button", {type: "button", disabled: !session.canUndo(), onclick: session.undo,
      title: "Undo (Ctrl+Z)"}, "Undo"),
    h("button", {type: "button", disabled: !session.canRedo(), onclick: session.redo,
      title: "Redo (Ctrl+Shift+Z)"}, "Redo"),
    menu);
}

function showTabs(element, session) {
  const open = session.state().panel;
  const step = (event) => {
    const steps = {ArrowRight: 1, ArrowLeft: -1};
    if (!(event.key in steps)) return;
    const at = panels.findIndex((panel) => panel.name === open);
    const next = panels[(at + steps[event.key] + panels.length) % panels.length];
    session.update({panel: next.name});
    element.querySelector("[aria-selected=true]").focus();
  };
  put(element, panels.map(({name, title}) => h("button", {
    type: "button", role: "tab", id: name === open ? "tab" : null, "aria-controls": "panel",
    "aria-selected": String(name === open), tabindex: name === open ? "0" : "-1",
    onclick: () => session.update({panel: name}), onkeydown: step,
  }, title)));
  if (element.dataset.open !== open) showOpenTab(element);
  element.dataset.open = open;
}

// On a phone the tabs are wider than the page.
function showOpenTab(element) {
  const tab = element.querySelector("[aria-selected=true]")?.getBoundingClientRect();
  if (!tab) return;
  const {left, right} = element.getBoundingClientRect();
  element.scrollLeft += Math.max(0, tab.right - right) - Math.max(0, left - tab.left);
}

/** What panels about a layout show of a text without one; nothing until it is read. */
function noLayout(reading) {
  if (!reading) return [];
  const {kind, error} = reading;
  if (error) return diagnostic(error);
  return h("p", {class: "hint"}, kind === "" ? "What is known of a layout will stand here."
    : `No layout is in this text, which is ${kind}.`);
}

// A static page says what it begins with.
const startFragment = () => document.querySelector("meta[name=heddle-start]")?.content ?? "";

/** What the page shows, kept up with its session. */
class Explorer {
  #session;
  #ask;
  #views;
  #input;
  #menu;
  #reading = null;
  /** Which drawing is the last one, and which layout was drawn then. */
  #turn = 0;
  #drawn = null;
  #remembering = 0;

  constructor(session, ask, {saveProgram}) {
    this.#session = session;
    this.#ask = ask;
    this.#views = new Views(part("views"), part("facts"), session);
    this.#input = new Input(part("input"), session, ask);
    this.#menu = exportMenu(() => this.#drawnState(), ask, this.#views, saveProgram);
    session.subscribe((state, before) => this.#follow(state, before));
  }

  /** Draws everything for the first time. */
  begin() {
    this.#showFrame();
    this.#input.show(this.#session.state());
    return this.#draw();
  }

  #follow(state, before) {
    this.#rememberSoon();
    this.#showFrame();
    this.#input.show(state);
    if (needsAnswers(state, before)) {
      this.#draw();
    } else {
      this.#views.follow(state);
      this.#showPanel();
    }
  }

  #drawnState() {
    return drawnState(this.#session.state(), this.#reading);
  }

  /** Asks what the text is and for its pictures, and shows them unless another text has come. */
  async #draw() {
    const mine = ++this.#turn;
    const isCurrent = () => mine === this.#turn;
    const state = this.#session.state();
    const {text, name} = chosenLayout(state);
    this.#reading = null;
    const reading = await readText(this.#ask, text, state.options);
    if (!isCurrent()) return;
    this.#reading = reading;
    this.#input.say(reading);
    const show = (pictures) => {
      if (!isCurrent()) return;
      this.#drawn = {name, text};
      this.#views.show(pictures, drawnPart(state, reading) ?? null);
    };
    const pictures = reading.error ? []
      : await requestPictures(this.#ask, drawnState(state, reading), show);
    if (!isCurrent()) return;
    const error = reading.error ?? pictures[0]?.error;
    if (error) this.#refuse({...reading, error}, name);
    else show(pictures);
    this.#showPanel();
  }

  /**
   * While a text is being corrected its last picture stays; that of another layout does not, nor
   * does any on a page that cannot answer.
   */
  #refuse(reading, name) {
    this.#input.say(reading);
    const isCorrected = this.#drawn?.name === name && reading.error.code !== "explore.static";
    if (isCorrected) this.#views.setStale(this.#drawn.text);
    else this.#views.show([]);
  }

  #showPanel() {
    const panel = panels.find(({name}) => name === this.#session.state().panel) ?? panels[0];
    const element = part("panel");
    if (element.dataset.panel !== panel.name) put(element);
    element.dataset.panel = panel.name;
    const state = this.#drawnState();
    if (panel.needsLayout && chosenLayout(state).text.trim() === "") {
      takeTurn(element);
      put(element, noLayout(this.#reading));
      return;
    }
    panel.show(element, state, this.#ask, this.#session.update);
  }

  #showFrame() {
    showLayouts(part("layouts"), this.#session);
    showActions(part("actions"), this.#session, this.#menu);
    showTabs(part("tabs"), this.#session);
    document.title = chosenLayout(this.#session.state()).text.slice(0, 80) || "Heddle";
  }

  // Browsers allow few changes of the address in a second.
  #rememberSoon() {
    clearTimeout(this.#remembering);
    this.#remembering = setTimeout(() => {
      const fragment = toFragment(this.#session.state());
      history.replaceState(null, "", fragment || `${location.pathname}${location.search}`);
    }, 120);
  }
}

/** Draws the page and keeps it up with its session. */
export async function start(body = document.body) {
  const {ask: connected, isServed} = await connect();
  const session = createSession(fromFragment(location.hash || startFragment()));
  if (!panels.some((panel) => panel.name === session.state().panel)) {
    session.update({panel: panels[0].name});
  }
  put(body, skeleton());
  // A static page has the answers about its texts as they are.
  const ask = isServed ? withNames(connected, session.state) : connected;
  const saveProgram = async () =>
    saveText("layouts.heddle", await programOf(connected, session.state()));
  addEventListener("hashchange", () => session.update(fromFragment(location.hash)));
  addEventListener("keydown", (event) => undoByKey(event, session));
  await new Explorer(session, ask, {saveProgram}).begin();
}

// Colours, walks and panels are asked for elsewhere; for all other options Heddle is asked again,
// and for other layouts, which the text may name.
function needsAnswers(state, before) {
  const asked = ({layouts, chosen, options: {by, walk, panels: _, ...options}}) =>
    JSON.stringify([layouts, chosen, options]);
  return asked(state) !== asked(before);
}

function undoByKey(event, session) {
  const isField = event.target instanceof Element && event.target.matches("input, textarea");
  if (isField || !(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z") return;
  event.preventDefault();
  if (event.shiftKey) session.redo();
  else session.undo();
}

if (typeof document !== "undefined") start();
