// The box that takes any notation, and says what it takes a text for.
//
//   const input = createInput(element, session, ask);
//   input.say(await readText(ask, text));       // "a CuTe layout", or the error at its place
//
// An error's span is in bytes of the text's UTF-8; the text is drawn once more under the box, with
// the span marked. While a name is typed, operations and layouts that begin with it are offered.

import {refusal} from "heddle/ask.js";
import {h, put} from "heddle/dom.js";
import {readNpy} from "heddle/npy.js";
import {chosenLayout, withText} from "heddle/session.js";

/** Layouts that a kernel engineer recognises. */
export const examples = [
  {title: "nested tile", text: "((2,2),(2,4)):((1,4),(2,8))"},
  {title: "128-byte swizzle", text: "Sw<3,4,3> o 0 o (8,64):(64,1)"},
  {title: "mma.sync m16n8 fragment", text: "tensor<16x8xf32, #ttg.nvidia_mma<{versionMajor = 2, " +
    "versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>>"},
  {title: "blocked, coalesced", text: "tensor<32x32xf16, #ttg.blocked<{sizePerThread = [1, 4], " +
    "threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>>"},
  {title: "swizzled shared memory", text: "!ttg.memdesc<8x32xf32, #ttg.swizzled_shared<{vec = 4, " +
    "perPhase = 1, maxPhase = 8, order = [1, 0]}>, #smem>"},
  {title: "Axe tile with replicas", text: "S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1@m)] + " +
    "R[(2):(4@warpid)] + 5@warpid", options: {shape: [8, 16]}},
  {title: "LEGO antidiagonals", text: "GroupBy([6,6]).OrderBy(GenP([6,6],antidiag))"},
  {title: "composition", text: "composition((6,2):(8,2), (4,3):(3,1))"},
  {title: "tiles of a matrix", text: "zipped_divide((8,8):(8,1), <4,2>)"},
];

const delay = 150;
const offered = 12;
const mostRemarks = 4;
const mostBytes = 2 ** 22;

/** The span of bytes [begin, end) of a text in characters, as JavaScript counts them. */
export function spanInCharacters(text, [begin, end]) {
  const bytes = new TextEncoder().encode(text);
  const upTo = (byte) => new TextDecoder().decode(bytes.slice(0, byte)).length;
  return [upTo(begin), upTo(end)];
}

/** The name before the caret that may be completed, `{begin, word}`, or null. */
export function wordBefore(text, caret) {
  const word = /[A-Za-z_]\w*$/.exec(text.slice(0, caret))?.[0];
  const isInside = /^\w/.test(text.slice(caret));
  return word && word.length > 1 && !isInside ? {begin: caret - word.length, word} : null;
}

/** What a word may become: {name, detail}; those that begin with it come first. */
export function completions(word, operations, layouts) {
  const lower = word.toLowerCase();
  const all = [
    ...layouts.map(({name, text}) => ({name, detail: text})),
    ...operations.map(({name, signature, summary}) => ({name, detail: signature ?? summary})),
  ];
  const place = ({name}) => name.toLowerCase().indexOf(lower);
  return all.filter((one) => place(one) >= 0 && one.name !== word)
    .sort((a, b) => Math.min(place(a), 1) - Math.min(place(b), 1) ||
      a.name.length - b.name.length || (a.name < b.name ? -1 : 1))
    .slice(0, offered);
}

function said(reading, choose, chosen) {
  if (reading.error) return diagnostic(reading.error);
  const layouts = reading.layouts ?? [];
  return [
    reading.kind && h("p", {class: "kind"}, reading.kind,
      layouts.length > 1 && `, ${layouts.length} layouts`),
    (reading.remarks ?? []).slice(0, mostRemarks).map((one) => h("p", {class: "remark"}, one)),
    layouts.length > 1 && h("div", {class: "parts", role: "group", "aria-label": "Layouts in it"},
      layouts.map(({name, text}, i) => h("button", {
        type: "button", "aria-pressed": String(i === chosen), title: text,
        onclick: () => choose(i),
      }, name || `${i + 1}`))),
  ];
}

/** An error as the terminal has it: message, notes, witness and hint. */
export function diagnostic({code, message, notes = [], hint, witness}) {
  return h("div", {class: "diagnostic"},
    h("p", {}, h("strong", {}, message), " ", h("code", {}, code)),
    notes.map((note) => h("p", {}, note)),
    witness && h("p", {}, `witness: coordinate ${witness.coordinate} maps to ${witness.found}; ` +
      `wanted ${witness.wanted}`),
    hint && h("p", {class: "hint"}, hint));
}

/** The box: show(state) follows the session, say(reading) tells what the text was read as. */
export function createInput(element, session, ask) {
  let timer = 0;
  let operations = null;
  let offers = [];
  let active = 0;

  put(element,
    h("div", {class: "box"},
      h("div", {class: "behind", "aria-hidden": "true"}),
      h("textarea", {
        rows: "1", spellcheck: "false", autocapitalize: "off", autocomplete: "off",
        "aria-label": "A layout in any notation, or a dump, a log or a script with layouts",
        placeholder: "Paste a layout: CuTe, Triton, LEGO, Axe, a TTGIR dump, a compiler's log, a " +
          "table …",
        "aria-autocomplete": "list", "aria-controls": "offers", "aria-describedby": "said",
      }),
      h("ul", {class: "offers", id: "offers", role: "listbox", "aria-label": "Completions",
        hidden: true})),
    h("div", {id: "said", class: "said", role: "status"}),
    h("div", {class: "examples"}));
  const [box, saidElement, examplesElement] = element.children;
  const [behind, area, list] = box.children;

  function grow() {
    area.style.height = "auto";
    area.style.height = `${Math.min(area.scrollHeight, 220)}px`;
  }

  function mark(span) {
    const text = area.value;
    if (!span) return put(behind);
    const [begin, end] = spanInCharacters(text, span);
    // An error at the end of the text is marked on a blank behind it.
    const marked = text.slice(begin, Math.max(end, begin + 1)) || " ";
    put(behind, text.slice(0, begin), h("mark", {}, marked), text.slice(Math.max(end, begin + 1)));
    behind.scrollTop = area.scrollTop;
    return undefined;
  }

  // Another text begins without the options of the one before, except those about all layouts.
  function aboutAll() {
    const {part, shape, tv, tile, walk, ...options} = session.state().options;
    return options;
  }

  function commit() {
    clearTimeout(timer);
    const state = session.state();
    if (area.value === chosenLayout(state).text) return;
    session.update({...withText(state, area.value), options: aboutAll()});
  }

  async function offer() {
    const word = () => area.selectionStart === area.selectionEnd
      ? wordBefore(area.value, area.selectionStart) : null;
    if (word() && operations === null) {
      operations = [];
      const {ok, result} = await ask("operations");
      if (ok) operations = result;
    }
    // More may have been typed while the operations were on their way.
    const at = word();
    const {layouts, chosen} = session.state();
    const others = layouts.filter((_, i) => i !== chosen);
    offers = at ? completions(at.word, operations, others) : [];
    active = 0;
    showOffers();
  }

  function showOffers() {
    list.hidden = offers.length === 0;
    put(list, offers.map(({name, detail}, i) => h("li", {
      role: "option", id: `offer-${i}`, "aria-selected": String(i === active),
      onpointerdown: (event) => {
        event.preventDefault();
        take(i);
      },
    }, h("b", {}, name), h("span", {}, detail ?? ""))));
    if (offers.length > 0) area.setAttribute("aria-activedescendant", `offer-${active}`);
    else area.removeAttribute("aria-activedescendant");
  }

  function take(index) {
    const caret = area.selectionStart;
    const word = wordBefore(area.value, caret);
    // The caret may have gone elsewhere since.
    if (word) area.setRangeText(offers[index].name, word.begin, caret, "end");
    offers = [];
    showOffers();
    changed();
  }

  function changed() {
    mark(null);
    grow();
    clearTimeout(timer);
    timer = setTimeout(commit, delay);
  }

  area.addEventListener("input", () => {
    changed();
    offer();
  });
  area.addEventListener("paste", () => setTimeout(commit));
  area.addEventListener("blur", () => {
    offers = [];
    showOffers();
    commit();
  });
  area.addEventListener("scroll", () => {
    behind.scrollTop = area.scrollTop;
  });
  area.addEventListener("keydown", (event) => {
    const isOffering = offers.length > 0;
    const move = {ArrowDown: 1, ArrowUp: -1}[event.key];
    if (isOffering && move) active = (active + move + offers.length) % offers.length;
    else if (isOffering && event.key === "Tab") take(active);
    else if (isOffering && event.key === "Escape") offers = [];
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) commit();
    else return;
    event.preventDefault();
    showOffers();
  });

  // A dropped file is read here: its numbers or its text are what one would have pasted.
  async function dropped(file) {
    if (file.size > mostBytes) {
      return say({error: refusal("explore.file", `${file.name} has ${file.size} bytes`,
        `files of at most ${mostBytes} bytes are read`).error});
    }
    if (!/\.npy$/i.test(file.name)) return use({text: await file.text()});
    const {ok, table, error} = readNpy(await file.arrayBuffer());
    return ok ? use({text: JSON.stringify(table)}) : say({error});
  }

  element.addEventListener("dragover", (event) => event.preventDefault());
  element.addEventListener("drop", (event) => {
    const [file] = event.dataTransfer.files;
    if (!file) return;
    event.preventDefault();
    dropped(file);
  });

  const say = (reading) => {
    const {options} = session.state();
    const choose = (part) => session.update({options: {...options, part}, held: null});
    put(saidElement, said(reading, choose, options.part ?? 0));
    mark(reading.error?.span);
    area.setAttribute("aria-invalid", String(Boolean(reading.error)));
  };

  const use = ({text, options = {}}) => {
    session.update({...withText(session.state(), text), options: {...aboutAll(), ...options}});
    area.focus();
  };

  return {
    show(state) {
      const {text} = chosenLayout(state);
      if (area.value !== text && document.activeElement !== area) mark(null);
      if (area.value !== text) area.value = text;
      grow();
      put(examplesElement, text.trim() === "" && [
        h("p", {class: "hint"}, "or try"),
        examples.map((one) => h("button", {
          type: "button", title: one.text, onclick: () => use(one),
        }, one.title)),
      ]);
    },
    say,
    focus: () => area.focus(),
  };
}
