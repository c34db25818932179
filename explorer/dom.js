// The page as a tree of plain values, and the one place that makes nodes of it.
//
// h() describes a node; put() makes an element's children what a tree describes. Nodes that are
// there already are kept where tag and place agree, so a field keeps its focus and its caret while
// answers arrive around it. Texts become text nodes, never markup, and listeners are functions,
// never attributes.
//
//   const tree = h("p", {class: "hint"}, "bank ", h("b", {}, 3));
//   put(element, tree);            // <p class="hint">bank <b>3</b></p>
//   textOf(tree);                  // "bank 3": what tests read, without a document

/**
 * A node of the page as a value. Children are nodes, texts or numbers, in arrays of any depth;
 * null, undefined and false are left out. An attribute that is a function listens to the event of
 * its name without "on"; `true` sets an attribute without a value, `false` and null leave it out;
 * `value`, `checked` and `open` are properties; nodes of different `key` are never one; `made` is
 * called with the element each time it was put, and may draw its content.
 */
export function h(tag, attributes = {}, ...children) {
  const isThere = (child) => child !== null && child !== undefined && child !== false;
  return {tag, attributes, children: children.flat(Infinity).filter(isThere)};
}

/** All text of a tree, without separators. */
export function textOf(node) {
  if (Array.isArray(node)) return node.map(textOf).join("");
  return node?.tag === undefined ? String(node ?? "") : textOf(node.children);
}

/** The nodes of a tree with the tag, in the order of the page. */
export function nodesOf(node, tag) {
  if (Array.isArray(node)) return node.flatMap((child) => nodesOf(child, tag));
  if (node?.tag === undefined) return [];
  return [...(node.tag === tag ? [node] : []), ...nodesOf(node.children, tag)];
}

const properties = new Set(["value", "checked", "open", "selected", "indeterminate"]);
const described = new WeakMap();

function listen(element, event, listener) {
  const before = described.get(element)?.attributes[`on${event}`];
  if (before === listener) return;
  if (before) element.removeEventListener(event, before);
  if (listener) element.addEventListener(event, listener);
}

function setAttribute(element, name, value) {
  if (name === "made" || name === "key") return;
  if (name.startsWith("on")) return listen(element, name.slice(2), value);
  if (properties.has(name)) {
    // What is typed stays until something else is described.
    const before = described.get(element)?.attributes[name];
    if (before !== undefined && before === value) return;
    if (element[name] !== (value ?? "")) element[name] = value ?? "";
    return;
  }
  const isLeftOut = value === null || value === undefined || value === false;
  if (isLeftOut) return element.removeAttribute(name);
  const text = value === true ? "" : String(value);
  if (element.getAttribute(name) !== text) element.setAttribute(name, text);
}

function putNode(parent, place, node) {
  const there = parent.childNodes[place] ?? null;
  const insert = (made) => parent.insertBefore(made, there);
  if (node.tag === undefined) {
    const text = String(node);
    if (there?.nodeType !== 3) return insert(document.createTextNode(text));
    if (there.data !== text) there.data = text;
    return there;
  }
  const fits = there?.nodeType === 1 && there.localName === node.tag && described.has(there) &&
    described.get(there).attributes.key === node.attributes.key;
  const element = fits ? there : insert(document.createElement(node.tag));
  const before = described.get(element)?.attributes ?? {};
  for (const name of Object.keys(before)) {
    if (!(name in node.attributes)) setAttribute(element, name, null);
  }
  // A node whose content another module draws has no children of its own to be put.
  if (node.children.length > 0 || !node.attributes.made) put(element, node.children);
  for (const [name, value] of Object.entries(node.attributes)) setAttribute(element, name, value);
  described.set(element, node);
  node.attributes.made?.(element);
  return element;
}

/** Makes the children of an element what the nodes describe, and keeps what is there already. */
export function put(element, ...nodes) {
  const wanted = h("", {}, ...nodes).children;
  wanted.forEach((node, place) => putNode(element, place, node));
  while (element.childNodes.length > wanted.length) element.lastChild.remove();
}

const turns = new WeakMap();

/**
 * Begins a turn of drawing an element. What it returns says whether the turn is still the last one:
 * an answer that arrives after the next turn has begun is not drawn.
 */
export function takeTurn(element) {
  const turn = {};
  turns.set(element, turn);
  return () => turns.get(element) === turn;
}
