// The layouts of a session by name, in every text that is asked about: a text that names others is
// sent with what they are, in the order in which they need each other.
//
//   const ask = withNames(askServer(send), () => session.state());
//   ask("equal", ["A", "B"])
//   // {"op":"equal","args":["A","B"],"let":["A = (4,8):(8,1)","B = composition(A, 8:1)"]}
//
// A name stands for the one layout in a text. If it cannot, because its text has an error or needs
// the name itself, whoever uses it is told so.

import {spanInCharacters} from "heddle/ask.js";
import {assumptionsOf, programNames, wordsOf} from "heddle/session.js";

// What these operations read are names of hardware, or texts with names of their own.
const readNoNames = new Set(["operations", "machines", "instructions", "instruction",
  "kernel_explain", "kernel_source"]);

/** Reads the layouts of a session, each once, with those that its text names. */
class Definitions {
  #texts;
  #ask;
  #assume;
  /** By name: {statement, assumptions, needs}, or {why} for what cannot be used. */
  #found = new Map();

  constructor(layouts, ask, assume) {
    const names = programNames(layouts);
    this.#texts = new Map(layouts.map(({text}, i) => [names[i], text.trim()]));
    this.#ask = ask;
    this.#assume = assume;
  }

  /** The names of the session that are in a text. */
  namesIn(text) {
    return [...wordsOf(text)].filter((word) => this.#texts.has(word));
  }

  /** The statements that define names: what is assumed, then each name after those it needs. */
  async statements(names) {
    for (const name of names) await this.#read(name);
    const ordered = new Set();
    const visit = (name) => {
      const {needs, why} = this.#found.get(name);
      if (why || ordered.has(name)) return;
      needs.forEach(visit);
      ordered.add(name);
    };
    names.forEach(visit);
    const found = [...ordered].map((name) => this.#found.get(name));
    return [...new Set(found.flatMap(({assumptions}) => assumptions)),
      ...found.map(({statement}) => statement)];
  }

  /** An answer; if it is that nothing has a name of the session, why the name cannot be used. */
  explained(answer) {
    const {code, span, text} = answer.error ?? {};
    if (code !== "name.unknown" || !span || text === undefined) return answer;
    const {why} = this.#found.get(text.slice(...spanInCharacters(text, span))) ?? {};
    if (!why) return answer;
    return {ok: false, error: {...answer.error, message: why, hint: null, isExplained: true}};
  }

  async #read(name) {
    if (this.#found.has(name)) return;
    // Whoever needs the name meanwhile is needed by it.
    this.#found.set(name, {why: `${name} needs itself`});
    this.#found.set(name, await this.#definition(name));
  }

  async #definition(name) {
    const text = this.#texts.get(name);
    if (text === "") return {why: `${name} has no text`};
    const needs = this.namesIn(text);
    const definitions = await this.statements(needs);
    const read = this.explained(await this.#ask("read", [text], {}, this.#assume, definitions));
    if (!read.ok) return {why: whyNot(name, read.error)};
    const {layouts, assumptions} = read.result;
    if (layouts.length > 1) {
      return {why: `${name} has ${layouts.length} layouts, and a name stands for one`};
    }
    const own = layouts[0]?.text ?? text;
    if (wordsOf(own).has(name)) return {why: `${name} needs itself`};
    const value = layouts.length === 1 ? read
      : await this.#ask("eval", [own], {}, this.#assume, definitions);
    if (!value.ok) return {why: whyNot(name, value.error)};
    return {needs, statement: `${name} = ${own}`,
      assumptions: assumptions.map((one) => `assume ${one}`)};
  }
}

function whyNot(name, {isExplained, message}) {
  return isExplained ? message : `${name} has an error: ${message}`;
}

/** An ask() whose texts may name the layouts of the state that there is then. */
export function withNames(ask, stateOf) {
  return (op, args = [], kwargs = {}, assume = undefined) => {
    const {layouts} = stateOf();
    const definitions = new Definitions(layouts, ask, assume);
    const texts = readNoNames.has(op) ? [] : args.filter((arg) => typeof arg === "string");
    const names = [...new Set(texts.flatMap((text) => definitions.namesIn(text)))];
    // Requests of one turn go together, so nothing is waited for in vain.
    if (names.length === 0) return ask(op, args, kwargs, assume);
    return definitions.statements(names)
      .then((statements) => ask(op, args, kwargs, assume, statements))
      .then((answer) => definitions.explained(answer));
  };
}

/**
 * The layouts as a program for `heddle run`: a statement for each layout in each text, after those
 * that it needs, and a comment for what cannot be read.
 */
export async function programOf(ask, state) {
  const {layouts, options} = state;
  const names = programNames(layouts);
  const definitions = new Definitions(layouts, ask, options.assume);
  const lines = new Set(assumptionsOf(options).map((one) => `assume ${one}`));
  for (const [i, {text}] of layouts.entries()) {
    if (text.trim() === "") continue;
    const needs = await definitions.statements([names[i]]);
    needs.forEach((line) => lines.add(line));
    if (needs.some((line) => line.startsWith(`${names[i]} = `))) continue;
    for (const line of await partsOf(i, state, definitions, ask)) lines.add(line);
  }
  // What is assumed of a size has to be known before the size is in a layout.
  const isAssumed = (line) => line.startsWith("assume ");
  const ordered = [...lines].sort((a, b) => isAssumed(b) - isAssumed(a));
  return `${ordered.join("\n")}\n`;
}

/** The layouts of a text that has several as statements, or why it has none as a comment. */
async function partsOf(index, {layouts, options}, definitions, ask) {
  const {name, text} = layouts[index];
  const statements = await definitions.statements(definitions.namesIn(text));
  const {ok, result, error} = await ask("read", [text], {}, options.assume, statements);
  if (!ok || result.layouts.length === 0) {
    return [`# ${name}: ${error?.message ?? "no layout"}`.replace(/\s+/g, " ")];
  }
  const parts = result.layouts.map((part, i) => ({name: `${name}_${part.name || i}`}));
  const names = programNames([...layouts, ...parts]).slice(layouts.length);
  return [...statements, ...result.assumptions.map((one) => `assume ${one}`),
    ...result.layouts.map((part, i) => `${names[i]} = ${part.text}`)];
}
