// What the page is about, as one plain value, with a history and an address.
//
//   const session = createSession(fromFragment(location.hash));
//   session.subscribe((state) => show(state));
//   session.update({held: 5});                        // no step of the history: nothing to undo
//   session.update(withText(session.state(), "(4,8):(8,1)"));
//   session.undo();
//   toFragment(session.state())                       // "#A=(4,8):(8,1)"
//
// A state is {layouts: [{name, text}], chosen: index, options: {by, assume, …}, held: element or
// null, panel: name}. A held element is a flat number in the chosen layout's own order. States are
// never changed, only replaced.

/** The state of a page that nothing was pasted into yet. */
export const emptyState = Object.freeze({
  layouts: [{name: "A", text: ""}],
  chosen: 0,
  options: {},
  held: null,
  panel: "notations",
});

const steps = ["layouts", "chosen", "options"];
const maxHistory = 200;

/**
 * A session: state(), update(change), undo(), redo(), canUndo(), canRedo(), subscribe(listener).
 * A change is a part of a state, or a function from the state that there is then to one: who
 * waited for an answer does not undo what happened meanwhile. Changes of what is held and which
 * panel is open are no steps of the history. Changes that follow each other within one gesture,
 * which has a name, are one step: a drag of a slider. A change without a gesture ends it. Listeners
 * get the new state and the one before; subscribe() returns what ends it.
 */
export function createSession(initial = emptyState) {
  let past = [];
  let now = {...emptyState, ...initial};
  let future = [];
  let gesture = null;
  const listeners = new Set();

  const become = (next) => {
    const before = now;
    now = next;
    for (const listener of listeners) listener(now, before);
  };
  const isSame = (a, b) => a === b || JSON.stringify(a) === JSON.stringify(b);

  return {
    state: () => now,
    canUndo: () => past.length > 0,
    canRedo: () => future.length > 0,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    update(asked, within = null) {
      const change = typeof asked === "function" ? asked(now) : asked;
      const next = {...now, ...change};
      const isOneStep = within !== null && within === gesture;
      const isNothing = Object.keys(change).every((key) => isSame(now[key], next[key]));
      gesture = isNothing && within !== null ? gesture : within;
      if (isNothing) return;
      if (steps.some((key) => !isSame(now[key], next[key]))) {
        if (!isOneStep) past = [...past, now].slice(-maxHistory);
        future = [];
      }
      become(next);
    },
    undo() {
      if (past.length === 0) return;
      gesture = null;
      future = [now, ...future];
      const next = past.at(-1);
      past = past.slice(0, -1);
      become({...next, panel: now.panel});
    },
    redo() {
      if (future.length === 0) return;
      gesture = null;
      past = [...past, now];
      const next = future[0];
      future = future.slice(1);
      become({...next, panel: now.panel});
    },
  };
}

/** The chosen layout of a state: {name, text}. */
export function chosenLayout(state) {
  return state.layouts[state.chosen];
}

/** The change that gives the chosen layout another text. What was held belonged to the old one. */
export function withText(state, text) {
  const layouts = state.layouts.map((one, i) => (i === state.chosen ? {...one, text} : one));
  return {layouts, held: null};
}

/**
 * The change that adds a layout and chooses it; its name is the first letter that is free, or the
 * one that is wanted, with a number if another layout has it.
 */
export function withLayout(state, text, wanted = freeName(state.layouts)) {
  const taken = new Set(state.layouts.map(({name}) => name));
  return {
    layouts: [...state.layouts, {name: distinctFrom(taken, wanted), text}],
    chosen: state.layouts.length,
    held: null,
  };
}

/**
 * The options that go for all layouts: what is known of sizes, and what panels were asked. All
 * others are about one layout.
 */
export function keptOptions({options}) {
  const kept = ["assume", "sizes", "panels"].filter((key) => key in options);
  return Object.fromEntries(kept.map((key) => [key, options[key]]));
}

/** The change that takes a layout away; the last one that is left is emptied instead. */
export function withoutLayout(state, index) {
  if (state.layouts.length === 1) return {layouts: emptyState.layouts, chosen: 0, held: null};
  const layouts = state.layouts.filter((_, i) => i !== index);
  const isBefore = index < state.chosen || state.chosen === layouts.length;
  return {layouts, chosen: isBefore ? state.chosen - 1 : state.chosen, held: null};
}

/** The name, with `_2`, `_3`, … if it is taken. */
function distinctFrom(taken, name) {
  let distinct = name;
  for (let i = 2; taken.has(distinct); ++i) distinct = `${name}_${i}`;
  return distinct;
}

/** A, B, …, Z, A1, B1, …: the first name that no layout has, and no text has as a size. */
export function freeName(layouts) {
  const taken = new Set(layouts.flatMap(({name, text}) => [name, ...wordsOf(text)]));
  for (let i = 0; ; ++i) {
    const name = String.fromCharCode(65 + (i % 26)) + (i < 26 ? "" : Math.floor(i / 26));
    if (!taken.has(name)) return name;
  }
}

// The address. Layouts are NAME=TEXT, everything else has a key that begins with a dot:
//
//   #A=(4,8):(8,1)&B=(8,4):(1,8)&.chosen=1&.held=5&.options={"by":"thread"}

const isUnescaped = /%(?:2C|3A|40|2F|3B|24|3F|7B|7D|5B|5D)/g;

function escapePart(text) {
  return encodeURIComponent(text.toWellFormed()).replace(isUnescaped, decodeURIComponent);
}

function escapeName(name) {
  return escapePart(name).replace(/^\./, "%2E");
}

function unescapePart(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// Browsers refuse addresses that are too long.
const longestHeld = 2000;

/** The state as the fragment of an address; empty for the empty state. */
export function toFragment(state) {
  const parts = [];
  const isEmpty = state.layouts.length === 1 && state.layouts[0].text === "";
  if (!isEmpty) {
    for (const {name, text} of state.layouts) parts.push(`${escapeName(name)}=${escapePart(text)}`);
  }
  if (state.chosen !== 0) parts.push(`.chosen=${state.chosen}`);
  const held = JSON.stringify(state.held);
  const isShort = held.length <= longestHeld;
  if (state.held !== null && isShort) parts.push(`.held=${escapePart(held)}`);
  if (state.panel !== emptyState.panel) parts.push(`.panel=${escapePart(state.panel)}`);
  if (Object.keys(state.options).length > 0) {
    parts.push(`.options=${escapePart(JSON.stringify(state.options))}`);
  }
  return parts.length === 0 ? "" : `#${parts.join("&")}`;
}

function parsed(text, otherwise) {
  try {
    return JSON.parse(text);
  } catch {
    return otherwise;
  }
}

/** The state of a fragment. What it does not understand is left as it is in the empty state. */
export function fromFragment(fragment) {
  const state = {...emptyState, layouts: []};
  for (const part of fragment.replace(/^#/, "").split("&")) {
    const end = part.indexOf("=");
    if (end < 0) continue;
    const key = part.slice(0, end);
    const value = unescapePart(part.slice(end + 1));
    if (key === ".chosen") state.chosen = Number.parseInt(value, 10) || 0;
    else if (key === ".held") state.held = parsed(value, null);
    else if (key === ".panel") state.panel = value;
    else if (key === ".options") state.options = asObject(parsed(value, {}));
    else if (!key.startsWith(".")) state.layouts.push({name: unescapePart(key), text: value});
  }
  if (state.layouts.length === 0) state.layouts = emptyState.layouts;
  state.chosen = Math.min(Math.max(state.chosen, 0), state.layouts.length - 1);
  return state;
}

function asObject(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value) ? value : {};
}

/** What is known of symbolic sizes where numbers are needed: what is assumed, and their sliders. */
export function assumptionsOf({assume, sizes}) {
  const values = Object.entries(sizes ?? {}).map(([size, value]) => `${size}==${value}`);
  return assume ? [assume, ...values] : values;
}

// Names, as expressions have them.

const reserved = new Set(["o", "_", "if", "then", "else", "and", "or", "not", "def", "axis",
  "assert", "assume", "refuse", "draw"]);

/** The names of layouts as the language has them: letters, digits and `_`, and none twice. */
export function programNames(layouts) {
  const taken = new Set();
  return layouts.map(({name}) => {
    const word = name.replace(/\W+/g, "_").replace(/^(?=\d|$)/, "_");
    const distinct = distinctFrom(taken, reserved.has(word) ? `${word}_` : word);
    taken.add(distinct);
    return distinct;
  });
}

/**
 * The words of an expression that may be names; not those in quotes, no axes and attributes, and no
 * beginnings of layouts, as `S[`.
 */
export function wordsOf(text) {
  const unquoted = text.replace(/"[^"\n]*"|'[^'\n]*'/g, " ");
  return new Set(unquoted.match(/(?<![\w.#!%@])(?![SR]\[|(?:Sw|[SE])<|SW\()[A-Za-z_]\w*/g) ?? []);
}
