// Pointers, wheel and keys over a picture, as what they mean.
//
//   followGestures(canvas, {point, click, leave, move, zoom, key})
//
// One pointer that moves pans, two enlarge, and one that did not move clicks. The wheel moves the
// picture, and the page where the picture cannot be moved; with Ctrl, as a pinch on a touch pad
// has it, it enlarges.

const clickSlack = 5;
const lineOfWheel = 18;

/** Calls the given functions with points in the element: {x, y}. */
export function followGestures(element, {point, click, leave, move, zoom, key}) {
  followPointers(element, {point, click, leave, move, zoom});
  followWheel(element, {move, zoom});
  element.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (key(event.key, event.shiftKey)) event.preventDefault();
  });
}

function pointIn(element, event) {
  const box = element.getBoundingClientRect();
  return {x: event.clientX - box.left, y: event.clientY - box.top};
}

const distance = (a, b) => Math.hypot(a.x - b.x, a.y - b.y);

function followPointers(element, {point, click, leave, move, zoom}) {
  const down = new Map();
  let hasMoved = false;

  const pinch = (id, at) => {
    const other = [...down].find(([one]) => one !== id)[1];
    const factor = Math.max(1, distance(at, other)) / Math.max(1, distance(down.get(id), other));
    down.set(id, at);
    hasMoved = true;
    zoom(factor, {x: (at.x + other.x) / 2, y: (at.y + other.y) / 2});
  };
  const pan = (id, at) => {
    const before = down.get(id);
    if (!hasMoved && distance(at, before) < clickSlack) return;
    hasMoved = true;
    down.set(id, at);
    move(at.x - before.x, at.y - before.y);
  };
  const end = (event) => {
    const isClick = event.type === "pointerup" && down.size === 1 && !hasMoved;
    down.delete(event.pointerId);
    if (isClick) click(pointIn(element, event));
  };

  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    if (down.size === 0) hasMoved = false;
    down.set(event.pointerId, pointIn(element, event));
    element.setPointerCapture(event.pointerId);
  });
  element.addEventListener("pointermove", (event) => {
    const at = pointIn(element, event);
    if (!down.has(event.pointerId)) point(at);
    else if (down.size === 2) pinch(event.pointerId, at);
    else pan(event.pointerId, at);
  });
  element.addEventListener("pointerup", end);
  element.addEventListener("pointercancel", end);
  element.addEventListener("pointerleave", leave);
}

function followWheel(element, {move, zoom}) {
  element.addEventListener("wheel", (event) => {
    const unit = event.deltaMode === 1 ? lineOfWheel : 1;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      zoom(Math.exp(-event.deltaY * unit * 0.004), pointIn(element, event));
      return;
    }
    const [x, y] = event.shiftKey ? [event.deltaY, 0] : [event.deltaX, event.deltaY];
    if (move(-x * unit, -y * unit)) event.preventDefault();
  }, {passive: false});
}
