// Requests of one turn go together, answers come back to whom they belong, and a page without a
// server says so.
import assert from "node:assert/strict";
import test from "node:test";

import {askList, askServer, keyOf, requestOf} from "../../explorer/ask.js";

const echo = (sent) => async (text) => {
  sent.push(text);
  return text.split("\n").filter(Boolean).map((line) => {
    const {id, ...request} = JSON.parse(line);
    return JSON.stringify({id, ok: true, result: request});
  }).join("\n");
};

test("requests of one turn are sent as one body, and each gets its own answer", async () => {
  const sent = [];
  const ask = askServer(echo(sent));
  const answers = await Promise.all([1, 2, 3].map((i) => ask("size", [i])));
  assert.equal(sent.length, 1);
  assert.deepEqual(answers.map((one) => one.result.args[0]), [1, 2, 3]);
  await ask("size", [4]);
  assert.equal(sent.length, 2);
});

test("a request is sent once, and again after it got no answer", async () => {
  const sent = [];
  const ask = askServer(echo(sent));
  assert.equal(await ask("rank", ["4:1"]), await ask("rank", ["4:1"]));
  assert.equal(sent.length, 1);

  let count = 0;
  const failing = askServer(async () => {
    ++count;
    throw new Error("gone");
  });
  for (let i = 0; i < 2; ++i) {
    const {ok, error} = await failing("rank", ["4:1"]);
    assert.equal(ok, false);
    assert.equal(error.code, "explore.no_answer");
    assert.equal(error.message, "gone");
  }
  assert.equal(count, 2);
});

test("errors come back as the protocol has them", async () => {
  const error = {code: "syntax.unbalanced", message: "'(' is not closed", span: [6, 7]};
  const ask = askServer(async () => JSON.stringify({id: 0, ok: false, error}));
  assert.deepEqual(await ask("show", ["(4,8:1"]), {ok: false, error: {...error, text: "(4,8:1"}});
});

test("an error says which argument its place is in", async () => {
  const error = {code: "name.unknown", message: "m", span: [0, 1], notes: ["in the argument 2"]};
  const ask = askServer(async () => JSON.stringify({id: 0, ok: false, error}));
  assert.equal((await ask("equal", ["4:1", "Q"])).error.text, "Q");
});

test("answers are remembered up to a size, the last used ones", async () => {
  const sent = [];
  const ask = askServer(echo(sent), 500);
  const asked = async (name) => {
    const before = sent.length;
    await ask("size", [name.repeat(100)]);
    return sent.length > before;
  };
  assert.ok(await asked("a"));
  assert.ok(await asked("b"));
  assert.ok(!await asked("a"));
  assert.ok(await asked("c"));
  assert.ok(await asked("d"));
  assert.ok(!await asked("a"), "used after b");
  assert.ok(await asked("b"), "used before all others");
  assert.ok(await asked("e".repeat(99)), "an answer larger than all");
  assert.ok(!await asked("e".repeat(99)), "is remembered until the next");
});

test("requests that mean the same have one key, others have not", () => {
  assert.equal(keyOf({op: "picture", kwargs: {a: 1, b: {d: 2, c: 3}}, args: []}),
               keyOf({id: 7, kwargs: {b: {c: 3, d: 2}, a: 1}, op: "picture"}));
  assert.notEqual(keyOf({op: "picture", args: ["4:1"]}), keyOf({op: "picture", args: ["4:2"]}));
  const plain = {op: "size", args: ["M:1"]};
  assert.notEqual(keyOf({...plain, assume: "M%8==0"}), keyOf(plain));
  assert.equal(keyOf({...plain, assume: ["M%8==0"]}), keyOf({...plain, assume: "M%8==0"}));
  assert.deepEqual(requestOf("size", ["4:1"]), {op: "size", args: ["4:1"]});
});

test("a static page has its answers and refuses all else with the command to run", async () => {
  const ask = askList([{request: {op: "size", args: ["4:1"]}, answer: {ok: true, result: 4}}]);
  assert.deepEqual(await ask("size", ["4:1"]), {ok: true, result: 4});
  const {ok, error} = await ask("size", ["8:1 'x'"]);
  assert.equal(ok, false);
  assert.equal(error.code, "explore.static");
  assert.equal(error.hint, "heddle explore '8:1 '\\''x'\\'''");
});
