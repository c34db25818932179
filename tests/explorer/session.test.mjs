// A session is a value: what an address keeps of it, and what undo and redo bring back.
import assert from "node:assert/strict";
import test from "node:test";

import {
  createSession, emptyState, freeName, fromFragment, programNames, toFragment, withLayout, withText,
  withoutLayout, wordsOf,
} from "../../explorer/session.js";

// Small repeatable random states, with everything that an address could mistake.
const letters = [..."ab&=#%+.,:()[]{}@\"'<>/\\ \n\té∘×😀"];
function randomSource(seed) {
  let value = seed;
  return (limit) => {
    value = (Math.imul(value, 1664525) + 1013904223) >>> 0;
    return Math.floor((value / 2 ** 32) * limit);
  };
}
function randomState(next) {
  const text = (least) =>
    Array.from({length: least + next(12)}, () => letters[next(letters.length)]).join("");
  const layouts = Array.from({length: 1 + next(4)}, (_, i) => ({name: text(0) + i, text: text(1)}));
  return {
    layouts,
    chosen: next(layouts.length),
    options: next(2) ? {} : {by: text(0), assume: text(1), count: next(9)},
    held: next(2) ? null : next(1000),
    panel: next(2) ? "notations" : text(1),
  };
}

test("the fragment of a state gives the state back", () => {
  const next = randomSource(1);
  for (let i = 0; i < 2000; ++i) {
    const state = randomState(next);
    assert.deepEqual(fromFragment(toFragment(state)), state);
  }
});

test("the fragment of the empty state is empty, and anything is read as some state", () => {
  assert.equal(toFragment(emptyState), "");
  const texts = ["", "#", "#&&", "#%", "#.chosen=-7", "#.chosen=x", "#.held={", "#.options=[1]"];
  for (const text of [...texts, "#A=%ff"]) {
    const state = fromFragment(text);
    assert.ok(state.layouts[state.chosen], text);
    assert.equal(typeof state.options, "object");
    assert.ok(!Array.isArray(state.options));
  }
});

test("a layout stays readable in an address", () => {
  const state = {...emptyState, layouts: [{name: "A", text: "(4,8):(8,1)"}]};
  assert.equal(toFragment(state), "#A=(4,8):(8,1)");
});

test("undo is the inverse of a step, and redo that of undo", () => {
  const next = randomSource(2);
  const session = createSession();
  const seen = [session.state()];
  for (let i = 0; i < 100; ++i) {
    session.update({...randomState(next), panel: "notations"});
    if (session.state() !== seen.at(-1)) seen.push(session.state());
  }
  for (let i = seen.length - 2; i >= 0; --i) {
    session.undo();
    assert.deepEqual(session.state(), seen[i]);
  }
  assert.ok(!session.canUndo());
  for (let i = 1; i < seen.length; ++i) {
    session.redo();
    assert.deepEqual(session.state(), seen[i]);
  }
  assert.ok(!session.canRedo());
});

test("holding an element is no step, and a new step ends what could be redone", () => {
  const session = createSession();
  session.update({held: 3});
  assert.ok(!session.canUndo());
  session.update(withText(session.state(), "4:1"));
  assert.equal(session.state().held, null);
  session.undo();
  assert.ok(session.canRedo());
  session.update(withText(session.state(), "8:1"));
  assert.ok(!session.canRedo());
});

test("the changes of one gesture are one step", () => {
  const session = createSession({options: {}});
  const drag = (M, gesture) => session.update({options: {sizes: {M}}}, gesture);
  const value = () => session.state().options.sizes?.M;
  for (let M = 1; M <= 9; ++M) drag(M, "size M");
  drag(9);
  for (let M = 9; M >= 5; --M) drag(M, "size M");
  assert.equal(value(), 5);
  session.undo();
  assert.equal(value(), 9);
  drag(7, "size M");
  session.undo();
  assert.equal(value(), 9);
  session.undo();
  assert.equal(value(), undefined);
  assert.ok(!session.canUndo());
});

test("listeners hear of changes only", () => {
  const session = createSession();
  let count = 0;
  const end = session.subscribe(() => ++count);
  session.update({held: null, options: {}});
  assert.equal(count, 0);
  session.update({held: 1});
  assert.equal(count, 1);
  end();
  session.update({held: 2});
  assert.equal(count, 1);
});

test("names of layouts are never taken twice", () => {
  let state = emptyState;
  for (let i = 0; i < 60; ++i) state = {...state, ...withLayout(state, `${i}:1`)};
  assert.equal(new Set(state.layouts.map((one) => one.name)).size, 61);
  assert.equal(withLayout(state, "4:1", "tile").layouts.at(-1).name, "tile");
  assert.equal(withLayout(state, "4:1", "A").layouts.at(-1).name, "A_2");
  assert.equal(freeName([]), "A");
});

test("taking a layout away leaves a chosen one", () => {
  const state = {...emptyState, layouts: [1, 2, 3].map((i) => ({name: `L${i}`, text: `${i}:1`}))};
  for (let chosen = 0; chosen < 3; ++chosen) {
    for (let index = 0; index < 3; ++index) {
      const after = {...state, chosen, ...withoutLayout({...state, chosen}, index)};
      const expected = index === chosen ? undefined : state.layouts[chosen];
      assert.ok(after.layouts[after.chosen]);
      if (expected) assert.equal(after.layouts[after.chosen], expected);
    }
  }
  assert.deepEqual(withoutLayout({...emptyState}, 0).layouts, emptyState.layouts);
});

test("layouts have names that the language has, and none twice", () => {
  const names = (...all) => programNames(all.map((name) => ({name, text: ""})));
  assert.deepEqual(names("A", "smem tile", "1 c", "o", "if", "", "é"),
    ["A", "smem_tile", "_1_c", "o_", "if_", "__", "___2"]);
  assert.deepEqual(names("A", "A", "A_2", "A"), ["A", "A_2", "A_2_2", "A_3"]);
});

test("the words of a text are what may be names in it", () => {
  assert.deepEqual([...wordsOf("composition(A, B) o B")], ["composition", "A", "B", "o"]);
  assert.deepEqual([...wordsOf('f("A", \'B\', C)')], ["f", "C"]);
  assert.deepEqual([...wordsOf("S[8:1@lane] + R[2:1] #blocked %a !ttg.memdesc<4> Sw<3,4,3> S")],
    ["S"]);
});

test("a new layout has no name that a text has for a size", () => {
  assert.equal(freeName([{name: "A", text: "(B,C):(1,B)"}]), "D");
});

test("a change that waited is made of the state that there is then", () => {
  const session = createSession({options: {}});
  const change = (key) => ({options}) => ({options: {...options, [key]: 1}});
  const [first, second] = [change("first"), change("second")];
  session.update(first);
  session.update(second);
  assert.deepEqual(session.state().options, {first: 1, second: 1});
});
