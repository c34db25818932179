// What the page promises about itself: its policy, its modules, its sources.
import assert from "node:assert/strict";
import {createHash} from "node:crypto";
import {readFileSync, readdirSync} from "node:fs";
import test from "node:test";

const folder = new URL("../../explorer/", import.meta.url);
const read = (name) => readFileSync(new URL(name, folder), "utf8");
const modules = readdirSync(folder).filter((name) => name.endsWith(".js"));
const page = read("index.html");

test("the page's policy lets its own import map run and no other script in the page", () => {
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(page)[1];
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(policy, /unsafe|\*|https?:/);
  const inline = [...page.matchAll(/<script(?![^>]*src=)[^>]*>([^<]*)<\/script>/g)];
  assert.equal(inline.length, 1);
  const hash = createHash("sha256").update(inline[0][1]).digest("base64");
  assert.ok(policy.includes(`'sha256-${hash}'`));
});

test("the page has no handlers and no styles in attributes", () => {
  assert.doesNotMatch(page, /\son\w+=|\sstyle=|javascript:/);
});

test("no module makes markup or code of a text", () => {
  const forbidden =
    /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser/;
  for (const name of modules) assert.doesNotMatch(read(name), forbidden, name);
});

test("modules import each other by name only, and only what is there", () => {
  for (const name of modules) {
    for (const [, from] of read(name).matchAll(/^(?:import|export)[^;]*?from\s+"([^"]+)";/gm)) {
      assert.match(from, /^heddle\/[\w]+\.js$/, name);
      assert.ok(modules.includes(from.slice("heddle/".length)), `${name}: ${from}`);
    }
  }
});

test("every module begins with what it is for", () => {
  for (const name of modules) assert.match(read(name), /^\/\/ \S/, name);
});
