// What an access costs on the hardware: wavefronts and bank conflicts of shared memory phase by
// phase, sectors of global memory, the width of vectors, whether ldmatrix and TMA can do it, and
// the best swizzle with a before and after.
//
// An access leads from (thread, value) to elements, and a memory from elements to addresses. The
// chosen layout is one of them, and the panel asks for the other; an access alone leads to
// addresses itself.
//
//   rolesOf("(32,8):(1,64)", {other: "(64,64):(64,1)"})
//   {access: "(32,8):(1,64)", memory: "(64,64):(64,1)"}

import {h, put, takeTurn} from "heddle/dom.js";
import {drawing} from "heddle/panel_drawing.js";
import {answered, asking, askedOf, choice, counted, expressionField, table, taking}
  from "heddle/panel_parts.js";
import {textOfLayout} from "heddle/panel_notations.js";
import {shapeArgument} from "heddle/requests.js";
import {chosenLayout} from "heddle/session.js";

export const name = "costs";
export const title = "Costs";
export const needsLayout = true;

const widths = ["8", "16", "32", "64", "128"];
const machines = ["", "sm_70", "sm_80", "sm_90", "sm_100", "gfx908", "gfx90a", "gfx942", "gfx950"];

/** Which layout is the access and which the memory; null for what is not given. */
export function rolesOf(text, {role = "access", other = ""}) {
  const second = other.trim() === "" ? null : other;
  return role === "access" ? {access: text, memory: second} : {access: second, memory: text};
}

/** A tensor's row-major memory as a layout, by what its text or the page says of its shape. */
export function rowMajorOf(text, shape) {
  const [, dims] = /^\s*(?:tensor|!ttg\.memdesc)<((?:\d+x)+)/.exec(text) ?? [];
  const extents = shape ?? dims?.match(/\d+/g).map(Number);
  if (!extents) return null;
  const strides = extents.map((_, i) => extents.slice(i + 1).reduce((all, one) => all * one, 1));
  return `(${extents.join(",")}):(${strides.join(",")})`;
}

/** Why a question does not go with a layout of its kind; null if it does. */
export function whyLeftOut(answer) {
  if (answer?.error?.code !== "call.type") return null;
  const [, found, wanted] = /is (an? [^;]+); (.+) is needed/.exec(answer.error.message) ?? [];
  return wanted ? `${wanted.replace(/\ba layout\b/, "a CuTe layout")} is needed, this is ${found}`
    : answer.error.message;
}

/** What was assumed of a layout that is a memory and was given no access. */
const assumedAccess = ({assumed_access: access}) => access && h("p", {class: "note"},
  "The layout is taken for a memory that lanes read down its rows, 16 bytes each: the access ",
  h("code", {}, textOfLayout(access)));

/** The numbers of a report of bank conflicts. */
export function bankSummary(report) {
  const factor = report.wavefronts / report.ideal;
  const verdict = report.wavefronts === report.ideal ? "no bank conflicts"
    : `${Number.isInteger(factor) ? `${factor}-way` : `${factor.toFixed(2)} times the`} ` +
      "bank conflicts";
  return table(verdict, [], [
    ["wavefronts", `${report.wavefronts}, ideally ${report.ideal}`],
    ["instructions", report.requests],
    ["each lane", `${counted(report.vector_elements, "element")}, ${report.vector_bits} bits`],
  ]);
}

/** The phases of the worst instruction: which lanes wait for each other, and at which words. */
export function phaseTable({warp, values, phases}) {
  const touched = ({word, lanes}) =>
    `word ${word} by ${lanes.length === 1 ? "lane" : "lanes"} ${lanes.join(" ")}`;
  const rows = phases.map(({first_lane: first, lanes, wavefronts, conflicts}) => [
    `lanes ${first} to ${first + lanes - 1}`,
    counted(wavefronts, "wavefront"),
    conflicts.length === 0 ? "every bank serves one word" : h("details", {},
      h("summary", {}, counted(conflicts.length, "bank"), " with ",
        counted(conflicts[0].words.length, "word")),
      h("ul", {}, conflicts.map(({bank, words}) =>
        h("li", {}, `bank ${bank}: `, words.map(touched).join(", "))))),
  ]);
  return table(`The worst instruction: warp ${warp}, values ${values.join(" ")}`,
    ["phase", "passes", "banks"], rows);
}

/** The traffic of an access to global memory. */
export function coalescingTable(report) {
  const moved = 32 * report.sectors;
  return table(report.sectors === report.ideal ? "coalesced" : "not coalesced", [], [
    ["sectors of 32 bytes", `${report.sectors}, ideally ${report.ideal}`],
    ["bytes", `${report.bytes} asked for, ${moved} moved`],
    ["lines of 128 bytes", report.lines],
    ["instructions", `${report.requests} of ${report.vector_bits} bits a lane`],
  ]);
}

/** What a search for a swizzle found: a row for each way with its wavefronts. */
export function swizzleTable(search, keep) {
  const row = (way, found, note) => found && [way, h("code", {}, textOfLayout(found.layout)),
    found.wavefronts, note,
    textOfLayout(found.layout) &&
      h("button", {type: "button", onclick: () => keep(textOfLayout(found.layout))}, "take it")];
  return table("Wavefronts", ["", "layout", "wavefronts", "the best of", ""], [
    row("as it is", search.plain, ""),
    row("swizzled", search.swizzled, counted(search.swizzles_tried, "swizzle")),
    row("padded", search.padded, counted(search.paddings_tried, "padding")),
  ].filter(Boolean));
}

/** The tensor map of a copy, and the rules of the hardware that were proved. */
export function tmaTable(report) {
  const text = (value) => Array.isArray(value) ? `(${value})` : value;
  return h("div", {},
    table(`${counted(report.instructions, "instruction")} of ${report.bytes} bytes`, [],
      Object.entries(report.tensor_map).map(([key, value]) => [key, text(value)])),
    table("Rules of the hardware", ["of", "rule", ""], report.rules.map(
      ({subject, condition, proved}) => [subject, condition, proved ? "holds" : "to be checked"])));
}

/** ldmatrix in one line. */
export function ldmatrixText({matrices, transposed, requests, wavefronts, ideal}) {
  const conflicts = wavefronts === ideal ? "no bank conflicts" : `ideally ${ideal}`;
  return `ldmatrix.x${matrices}${transposed ? ".trans" : ""}: ` +
    `${counted(requests, "instruction")}, ${counted(wavefronts, "wavefront")}, ${conflicts}`;
}

/** The answers about an access; null where what is needed was not given. */
async function answersTo(text, set, ask, {assume, ...options}) {
  const {access, memory} = rolesOf(text, set);
  const bits = Number(set.bits);
  const shaped = shapeArgument(options);
  const given = access === null ? null : memory === null ? [access] : [access, memory];
  const both = access !== null && memory !== null;
  const one = (is, op, args, kwargs) => is ? ask(op, args, kwargs, assume) : null;
  const machine = set.machine ? {machine: set.machine} : {};
  const direction = set.direction === "write" ? {direction: "write"} : {};
  const served = {...shaped, element_bits: bits, ...machine, ...direction};
  const [banks, banksDrawn, traffic, alignment, common, matrix, matrixTrans, tma, search] =
    await Promise.all([
      one(given, "bank_conflicts", given, served),
      one(given, "bank_picture", given, {...served, format: "json"}),
      one(given, "coalescing", given, {...shaped, ...machine, element_bits: bits}),
      one(true, "max_alignment", [text]),
      one(both, "max_common_vector", [access, memory]),
      one(both, "ldmatrix", [access, memory, bits], shaped),
      one(both, "ldmatrix_trans", [access, memory, bits], shaped),
      one(both, "tma_descriptor", [access, memory, bits]),
      one(both, "swizzle_search", [memory, bits, access], {...machine, ...direction}),
    ]);
  const drawn = (layout) => ask("picture", [textOfLayout(layout)],
    {format: "json", banks: 32, bits});
  const [before, after] = search?.ok && search.result.swizzled
    ? await Promise.all([drawn(search.result.plain.layout), drawn(search.result.swizzled.layout)])
    : [];
  return {banks, banksDrawn, traffic, alignment, common, matrix, matrixTrans, tma, search, before,
    after};
}

function form(options, stated, set, offers) {
  const {role, other, bits, machine, direction, isAssumed} = options;
  return h("div", {class: "form"},
    choice("The chosen layout is", role,
      [["access", "the access: (thread, value) to elements"],
        ["memory", "the memory: elements to addresses"]], (value) => set({role: value})),
    expressionField(
      role === "access" ? "The memory; none if it leads to addresses itself"
        : isAssumed ? "The access; without one it is assumed" : "The access",
      other, (value) => set({role, other: value}), offers,
      {placeholder: role === "access" ? "(64,64):(64,1)" : "(32,8):(1,64)"}),
    choice("Bits of an element", bits, stated ? [bits] : widths, (value) => set({bits: value})),
    choice("Machine", machine, machines.map((one) => [one, one || "any of NVIDIA's"]),
      (value) => set({machine: value})),
    choice("It", direction, [["read", "reads"], ["write", "writes"]],
      (value) => set({direction: value})));
}

/** Each question with its answer and how it is drawn: {head, answer, draw, more}. */
function questionsOf(answers, keep) {
  const part = (head, answer, draw, ...more) => ({head, answer, draw, more});
  const {common, matrix, matrixTrans} = answers;
  const isSameRefusal = matrix?.error && matrixTrans?.error?.message === matrix.error.message;
  return [
    part("Shared memory", answers.banks,
      (report) => h("div", {}, assumedAccess(report), bankSummary(report),
        report.worst && phaseTable(report.worst)),
      answers.banksDrawn?.ok && drawing(answers.banksDrawn.result, "phase by phase")),
    part("Global memory", answers.traffic,
      (report) => h("div", {}, assumedAccess(report), coalescingTable(report))),
    part("Vectors", answers.alignment,
      (elements) => h("p", {}, "The widest vectors at whose multiples all vectors of the chosen ",
        `layout begin have ${counted(elements, "element")}.`),
      common && !whyLeftOut(common) && answered(common, (elements) => h("p", {},
        `One access can move ${counted(elements, "element")} between access and memory.`))),
    part("ldmatrix", matrix, (report) => h("p", {}, ldmatrixText(report))),
    part("ldmatrix.trans", isSameRefusal ? null : matrixTrans,
      (report) => h("p", {}, ldmatrixText(report))),
    part("TMA, from the access's layout in global memory to the memory", answers.tma, tmaTable),
    part("The best swizzle", answers.search, (search) => swizzleTable(search, keep),
      h("div", {class: "figures"},
        answers.before?.ok && drawing(answers.before.result, "before"),
        answers.after?.ok && drawing(answers.after.result, "after"))),
  ].filter(({answer}) => answer);
}

/** What is missing to count anything: the memory of an access, or the access to a memory. */
function missing({banks}, {role, other}, memory, set) {
  if (other.trim() !== "") return null;
  if (role === "memory") {
    return h("p", {class: "hint"}, "Conflicts are those of an access: name it above.");
  }
  if (banks?.error?.code !== "analyze.rank") return null;
  return h("p", {class: "hint"}, "This layout leads to elements of a tensor, and what they cost ",
    "depends on the memory that they are in: name it above",
    memory && [", or take ", h("button", {type: "button", onclick: () => set({other: memory})},
      `row-major ${memory}`)]);
}

function sections(answers, lack, keep) {
  const isLacking = ({answer}) => lack && answer.error?.code === "analyze.rank";
  const all = questionsOf(answers, keep).filter((one) => !isLacking(one));
  return [
    lack,
    all.filter(({answer}) => !whyLeftOut(answer)).map(({head, answer, draw, more}) =>
      h("section", {key: head}, h("h2", {}, head), answered(answer, draw), more)),
    all.filter(({answer}) => whyLeftOut(answer)).map(({head, answer}) =>
      h("p", {class: "note"}, `${head}: left out, because ${whyLeftOut(answer)}.`)),
  ];
}

/** Draws the panel with what was asked last, and again when the answers are there. */
export async function show(element, state, ask, update) {
  const isLast = takeTurn(element);
  const {text, element_bits: stated} = chosenLayout(state);
  const asked = {role: "access", other: "", bits: "16", machine: "", direction: "read",
    ...askedOf(state, name)};
  const options = stated ? {...asked, bits: String(stated)} : asked;
  const set = (change) => update((now) => asking(now, name, change));
  const keep = (layout) => update((now) => taking(now, layout));
  const offers = {ask, layouts: state.named};
  const memory = rowMajorOf(text, state.options.shape);
  const draw = (answers) => {
    // A layout that is no access is taken for a memory.
    const isAssumed = Boolean(answers.banks?.result?.assumed_access);
    const shown = isAssumed ? {...options, role: "memory", isAssumed} : options;
    const lack = isAssumed ? null : missing(answers, options, memory, set);
    put(element, form(shown, stated, set, offers), sections(answers, lack, keep));
  };
  if (!element.hasChildNodes()) draw({});
  const answers = await answersTo(text, options, ask, state.options);
  if (isLast()) draw(answers);
}
