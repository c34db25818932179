// The page: it puts the parts together and lets them follow the session.
//
//   address ──> session ──> box, tabs, views, panel        a change of the session draws them anew
//      ^           |
//      +───────────+                                       and the address keeps what it is about

import {connect} from "heddle/ask.js";
import {h, put} from "heddle/dom.js";
import {exportMenu} from "heddle/export.js";
import {createInput} from "heddle/input.js";
import {panels} from "heddle/panels.js";
import {readText, requestPicture, requestPictures} from "heddle/requests.js";
import {
  chosenLayout, createSession, fromFragment, keptOptions, toFragment, withLayout, withText,
  withoutLayout,
} from "heddle/session.js";
import {createViews} from "heddle/views.js";

/**
 * The state that panels see: the chosen layout's text is that of the layout that is drawn, and what
 * the pasted text assumes of sizes is assumed.
 */
export function drawnState(state, reading) {
  const {text, name} = chosenLayout(state);
  const parts = reading?.layouts ?? [];
  const part = parts[state.options.part ?? 0] ?? parts[0];
  const drawn = {name: parts.length > 1 ? part.name : name, text: part?.text ?? text};
  const layouts = state.layouts.map((one, i) => (i === state.chosen ? drawn : one));
  const assumed = state.options.assume ?? reading?.assumptions?.join(", ");
  const options = assumed ? {...state.options, assume: assumed} : state.options;
  return {...state, layouts, options, pasted: text};
}

function skeleton() {
  const part = (tag, id, attributes = {}) => h(tag, {id, ...attributes});
  return [
    h("header", {}, h("h1", {}, "Heddle"), part("nav", "layouts", {"aria-label": "Layouts"}),
      part("div", "actions", {role: "toolbar", "aria-label": "History and export"})),
    h("main", {},
      part("section", "input", {"aria-label": "Layout"}),
      part("section", "views", {"aria-label": "Pictures"}),
      h("section", {"aria-label": "Questions and answers"},
        part("div", "tabs", {role: "tablist", "aria-label": "About this layout"}),
        part("div", "panel", {role: "tabpanel", tabindex: "0", "aria-labelledby": "tab"}))),
    h("footer", {}, part("div", "facts", {role: "status"})),
  ];
}

function showLayouts(element, session, renamed = null) {
  const state = session.state();
  const rename = (index) => {
    showLayouts(element, session, index);
    element.querySelector("input").select();
  };
  const tab = ({name}, index) => h("button", {
    type: "button", "aria-current": index === state.chosen ? "true" : null,
    onclick: () => session.update({chosen: index, held: null, options: keptOptions(state)}),
    ondblclick: () => rename(index),
    onkeydown: ({key}) => key === "F2" && rename(index),
    title: "Click to choose, twice or F2 to rename",
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
}

// A static page says what it begins with.
const startFragment = () => document.querySelector("meta[name=heddle-start]")?.content ?? "";

/** Draws the page and keeps it up with its session. */
export async function start(body = document.body) {
  const {ask} = await connect();
  const session = createSession(fromFragment(location.hash || startFragment()));
  if (!panels.some((panel) => panel.name === session.state().panel)) {
    session.update({panel: panels[0].name});
  }
  put(body, skeleton());
  const part = (id) => document.getElementById(id);
  const views = createViews(part("views"), part("facts"), session);
  const input = createInput(part("input"), session, ask);
  let reading = null;
  let turn = 0;

  const showPanel = () => {
    const panel = panels.find(({name}) => name === session.state().panel) ?? panels[0];
    const element = part("panel");
    if (element.dataset.panel !== panel.name) put(element);
    element.dataset.panel = panel.name;
    panel.show(element, drawnState(session.state(), reading), ask, session.update);
  };
  const showFrame = () => {
    showLayouts(part("layouts"), session);
    const drawn = () => drawnState(session.state(), reading);
    showActions(part("actions"), session, exportMenu(drawn, ask, views));
    showTabs(part("tabs"), session);
    document.title = chosenLayout(session.state()).text.slice(0, 80) || "Heddle";
  };
  // Browsers allow few changes of the address in a second.
  let remembering = 0;
  const rememberSoon = () => {
    clearTimeout(remembering);
    remembering = setTimeout(() => {
      const fragment = toFragment(session.state());
      history.replaceState(null, "", fragment || `${location.pathname}${location.search}`);
    }, 120);
  };
  const draw = async () => {
    const mine = ++turn;
    const isCurrent = () => mine === turn;
    const state = session.state();
    reading = null;
    // Most texts are one layout: its picture is asked for together with what the text is.
    requestPicture(ask, state, null);
    const read = await readText(ask, chosenLayout(state).text, state.options);
    if (!isCurrent()) return;
    reading = read;
    input.say(reading);
    const show = (pictures) => isCurrent() && views.show(pictures, reading.kind);
    const pictures = reading.error ? []
      : await requestPictures(ask, drawnState(state, reading), show);
    if (!isCurrent()) return;
    const error = reading.error ?? pictures[0]?.error;
    // While a text is being corrected, the last picture stays.
    views.setStale(Boolean(error));
    if (error) input.say({...reading, error});
    else show(pictures);
    showPanel();
  };

  session.subscribe((state, before) => {
    rememberSoon();
    showFrame();
    input.show(state);
    if (needsAnswers(state, before)) {
      draw();
    } else {
      views.follow(state);
      showPanel();
    }
  });
  addEventListener("hashchange", () => session.update(fromFragment(location.hash)));
  addEventListener("keydown", (event) => undoByKey(event, session));
  showFrame();
  input.show(session.state());
  await draw();
}

// Colours, walks and panels are asked for elsewhere; for all other options Heddle is asked again.
function needsAnswers(state, before) {
  const asked = ({layouts, chosen, options: {by, walk, panels: _, ...options}}) =>
    JSON.stringify([layouts[chosen].text, options]);
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
