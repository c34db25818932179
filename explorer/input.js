// The box that takes any notation, and says what it takes a text for.
//
//   const input = new Input(element, session, ask);
//   input.say(await readText(ask, text));       // "a CuTe layout", or the error at its place
//
// The text is drawn once more under the box, with the place of an error marked. While a name is
// typed, operations and layouts that begin with it are offered.

import {refusal} from "heddle/ask.js";
import {Offers} from "heddle/completion.js";
import {diagnostic, markedParts} from "heddle/diagnostic.js";
import {h, put} from "heddle/dom.js";
import {readNpy} from "heddle/npy.js";
import {kernelsButton} from "heddle/panel_kernels.js";
import {chosenLayout, programNames, withText} from "heddle/session.js";

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
const mostRemarks = 4;
const mostBytes = 2 ** 22;
const greatestHeight = 220;

/** What is said below the box: what a text was read as, or why it cannot be read. */
function said(reading, {choose, chosen, leaveOut, update}) {
  // The box itself marks the place, and the argument is what is in it.
  if (reading.error) {
    const notes = reading.error.notes?.filter((note) => !note.startsWith("in the argument "));
    return [diagnostic({...reading.error, span: null, notes}),
      reading.labels && h("button", {type: "button", onclick: leaveOut}, "leave it out")];
  }
  const layouts = reading.layouts ?? [];
  return [
    reading.kind && h("p", {class: "kind"}, reading.kind,
      layouts.length > 1 && `, ${layouts.length} layouts`),
    (reading.remarks ?? []).slice(0, mostRemarks).map((one) => h("p", {class: "remark"}, one)),
    reading.kernels?.length > 0 && kernelsButton(update),
    layouts.length > 1 && h("div", {class: "parts", role: "group", "aria-label": "Layouts in it"},
      layouts.map(({name, text}, i) => h("button", {
        type: "button", "aria-pressed": String(i === chosen), title: text,
        onclick: () => choose(i),
      }, name || `${i + 1}`))),
  ];
}

function skeleton() {
  const placeholder = "Paste a layout: CuTe, Triton, LEGO, Axe, a TTGIR dump, a compiler's log, " +
    "a table …";
  return [
    h("div", {class: "box"},
      h("div", {class: "behind", "aria-hidden": "true"}),
      h("textarea", {
        rows: "1", spellcheck: "false", autocapitalize: "off", autocomplete: "off",
        "aria-label": "A layout in any notation, or a dump, a log or a script with layouts",
        placeholder, "aria-autocomplete": "list", "aria-controls": "offers",
        "aria-describedby": "said",
      }),
      h("ul", {class: "offers", id: "offers", role: "listbox", "aria-label": "Completions",
        hidden: true})),
    h("div", {id: "said", class: "said", role: "status"}),
    h("div", {class: "examples"}),
  ];
}

/** What a dropped file says, as one would have pasted it: {text}, or {error}. */
async function readFile(file) {
  if (file.size > mostBytes) {
    return refusal("explore.file", `${file.name} has ${file.size} bytes`,
      `files of at most ${mostBytes} bytes are read`);
  }
  if (!/\.npy$/i.test(file.name)) return {text: await file.text()};
  const {ok, table, error} = readNpy(await file.arrayBuffer());
  return ok ? {text: JSON.stringify(table)} : {error};
}

/** The box: show(state) follows the session, say(reading) tells what the text was read as. */
export class Input {
  #session;
  #parts;
  #timer = 0;

  constructor(element, session, ask) {
    put(element, skeleton());
    const [box, saidElement, examplesElement] = element.children;
    const [behind, area, list] = box.children;
    this.#session = session;
    this.#parts = {behind, area, saidElement, examplesElement};
    new Offers(area, list, {ask, layouts: () => this.#others(), taken: () => this.#changed()});
    this.#listen();
    element.addEventListener("dragover", (event) => event.preventDefault());
    element.addEventListener("drop", (event) => this.#drop(event));
  }

  /** Follows the session. */
  show(state) {
    const {area, examplesElement} = this.#parts;
    const {text} = chosenLayout(state);
    if (area.value !== text && document.activeElement !== area) this.#mark(null);
    if (area.value !== text) area.value = text;
    this.#grow();
    put(examplesElement, text.trim() === "" && [
      h("p", {class: "hint"}, "or try"),
      examples.map((one) => h("button", {
        type: "button", title: one.text, onclick: () => this.#use(one),
      }, one.title)),
    ]);
  }

  /** Tells what the text was read as, or its error. */
  say(reading) {
    const {area, saidElement} = this.#parts;
    const {options} = this.#session.state();
    put(saidElement, said(reading, {
      chosen: options.part ?? 0,
      choose: (part) => this.#session.update({options: {...options, part}, held: null}),
      update: this.#session.update,
      leaveOut: () => this.#use({text: reading.labels.text}),
    }));
    this.#mark(reading.error?.span);
    area.setAttribute("aria-invalid", String(Boolean(reading.error)));
  }

  #listen() {
    const {area, behind} = this.#parts;
    area.addEventListener("input", () => this.#changed());
    area.addEventListener("paste", () => setTimeout(() => this.#commit()));
    area.addEventListener("blur", () => this.#commit());
    area.addEventListener("scroll", () => {
      behind.scrollTop = area.scrollTop;
    });
    area.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      this.#commit();
    });
  }

  /** The other layouts of the session, by the names that expressions have for them. */
  #others() {
    const {layouts, chosen} = this.#session.state();
    const names = programNames(layouts);
    return layouts.map(({text}, i) => ({name: names[i], text})).filter((_, i) => i !== chosen);
  }

  #grow() {
    const {area} = this.#parts;
    area.style.height = "auto";
    area.style.height = `${Math.min(area.scrollHeight, greatestHeight)}px`;
  }

  #mark(span) {
    const {area, behind} = this.#parts;
    if (!span) return put(behind);
    const [before, marked, after] = markedParts(area.value, span);
    put(behind, before, h("mark", {}, marked), after);
    behind.scrollTop = area.scrollTop;
    return undefined;
  }

  #changed() {
    this.#mark(null);
    this.#grow();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#commit(), delay);
  }

  #commit() {
    clearTimeout(this.#timer);
    const state = this.#session.state();
    const {value} = this.#parts.area;
    if (value === chosenLayout(state).text) return;
    this.#session.update({...withText(state, value), options: this.#aboutAll()});
  }

  #use({text, options = {}}) {
    this.#session.update({
      ...withText(this.#session.state(), text), options: {...this.#aboutAll(), ...options},
    });
    this.#parts.area.focus();
  }

  // Another text begins without the options of the one before, except those about all layouts.
  #aboutAll() {
    const {part, shape, tv, tile, walk, ...options} = this.#session.state().options;
    return options;
  }

  async #drop(event) {
    const [file] = event.dataTransfer.files;
    if (!file) return;
    event.preventDefault();
    const {text, error} = await readFile(file);
    if (error) this.say({error});
    else this.#use({text});
  }
}
