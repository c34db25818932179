// How the page asks Heddle, in the protocol of `heddle batch`:
//
//   const ask = await connect();
//   const answer = await ask("composition", ["(6,2):(8,2)", "(4,3):(3,1)"]);
//   answer.ok ? answer.result : answer.error.message        // "((2,2),3):((24,2),8)"
//
// A page of `heddle explore` has a server behind it: requests of one turn go together as JSON Lines
// to /answer. A page of `heddle explore --static` has the file answers.json instead.

/** A request as the protocol has it; what is empty is left out. */
export function requestOf(op, args = [], kwargs = {}, assume = [], definitions = []) {
  const request = {op};
  if (args.length > 0) request.args = args;
  if (Object.keys(kwargs).length > 0) request.kwargs = kwargs;
  // A list of one text means what the text does.
  const isOne = Array.isArray(assume) && assume.length === 1;
  if (assume.length > 0) request.assume = isOne ? assume[0] : assume;
  if (definitions.length > 0) request.let = definitions;
  return request;
}

/** The same text for requests that mean the same: keys in order, without `id` and what is empty. */
export function keyOf({op, args, kwargs, assume, let: definitions}) {
  const inOrder = (_, value) =>
    value !== null && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value;
  return JSON.stringify(requestOf(op, args, kwargs, assume, definitions), inOrder);
}

/** The span of bytes [begin, end) of a text, as errors have it, in characters of JavaScript. */
export function spanInCharacters(text, [begin, end]) {
  const bytes = new TextEncoder().encode(text);
  const upTo = (byte) => new TextDecoder().decode(bytes.slice(0, byte)).length;
  return [upTo(begin), upTo(end)];
}

/** An error with the text that its place is in: the argument that it names, else the first. */
function placed(error, args = []) {
  if (!error.span) return error;
  const numbers = (error.notes ?? []).map((note) => /^in the argument (\d+)$/.exec(note)?.[1]);
  const number = numbers.find(Boolean);
  const text = args[(number ?? 1) - 1];
  return typeof text === "string" ? {...error, text} : error;
}

/** An answer that is an error, as the protocol writes it. */
export function refusal(code, message, hint = null) {
  return {ok: false, error: {code, message, notes: [], hint, witness: null}};
}

// Answers are remembered up to so many characters of JSON.
const mostRemembered = 2 ** 26;

/** Promises of answers by key, the last used ones up to a number of characters in all. */
function createMemory(most) {
  const known = new Map();
  let total = 0;
  const forget = (key) => {
    total -= known.get(key)?.size ?? 0;
    known.delete(key);
  };
  return {
    find(key) {
      const found = known.get(key);
      if (!found) return null;
      known.delete(key);
      known.set(key, found);
      return found.answer;
    },
    keep: (key, answer) => known.set(key, {answer, size: 0}),
    forget,
    /** Says how long answers are, by key; others go, first those that were not used for longest. */
    measure(sizes) {
      for (const [key, size] of sizes) {
        if (!known.has(key)) continue;
        known.get(key).size = size;
        total += size;
      }
      for (const key of known.keys()) {
        if (total <= most) break;
        if (!sizes.has(key) && known.get(key).size > 0) forget(key);
      }
    },
  };
}

/**
 * An ask() that sends requests to a server. `send(text)` takes JSON Lines and promises the lines of
 * the answers, in order. Answers are remembered: operations have no state.
 */
export function askServer(send, most = mostRemembered) {
  const memory = createMemory(most);
  let waiting = [];

  const linesFor = async (batch) => {
    const lines = batch.map(({request}, id) => JSON.stringify({id, ...request}));
    try {
      const answers = await send(`${lines.join("\n")}\n`);
      return {lines: answers.split("\n").filter((line) => line !== "")};
    } catch (error) {
      return {lines: [], reason: error.message};
    }
  };
  const flush = async () => {
    const batch = waiting;
    waiting = [];
    const {lines, reason = "the server sent no answer"} = await linesFor(batch);
    batch.forEach(({request, key, resolve}, i) => {
      if (lines[i] !== undefined) return resolve(answerIn(lines[i], request.args));
      memory.forget(key);
      return resolve(refusal("explore.no_answer", reason, "is heddle explore still running?"));
    });
    memory.measure(new Map(lines.map((line, i) => [batch[i]?.key, line.length])));
  };

  return (op, args, kwargs, assume, definitions) => {
    const request = requestOf(op, args, kwargs, assume, definitions);
    const key = keyOf(request);
    const before = memory.find(key);
    if (before) return before;
    const answer = new Promise((resolve) => {
      if (waiting.length === 0) queueMicrotask(flush);
      waiting.push({request, key, resolve});
    });
    memory.keep(key, answer);
    return answer;
  };
}

// A line that was cut off is no answer.
function answerIn(line, args) {
  try {
    const {ok, result, error} = JSON.parse(line);
    return ok ? {ok, result} : {ok, error: placed(error, args)};
  } catch {
    return refusal("explore.no_answer", "the server's answer was cut off",
                   "is heddle explore still running?");
  }
}

/** An ask() that looks answers up in a list of {request, answer}; a miss is `explore.static`. */
export function askList(list) {
  const known = new Map(list.map(({request, answer}) => [keyOf(request), answer]));
  return async (op, args = [], kwargs = {}, assume = undefined) => {
    const key = keyOf({op, args, kwargs, assume});
    const found = known.get(key);
    if (found) return found.ok ? found : {...found, error: placed(found.error, args)};
    // For those who make such pages; readers get the refusal.
    console.info(`explore.static ${key}`);
    const layout = typeof args[0] === "string" ? ` '${args[0].replaceAll("'", "'\\''")}'` : "";
    const message = "this page has no server: it has only the answers that it was made with";
    return refusal("explore.static", message, `heddle explore${layout}`);
  };
}

// A page that a server sent without the token of its address: a link that was copied.
const askNobody = async () =>
  refusal("explore.token", "this tab does not have the token of its server",
          "open the address that heddle explore printed, with what stands behind # here");

function sendTo(token) {
  return async (body) => {
    const headers = {"X-Heddle-Token": token};
    const response = await fetch("/answer", {method: "POST", headers, body});
    const text = await response.text();
    if (!response.ok) throw new Error(text || `the server answered ${response.status}`);
    return text;
  };
}

/**
 * The ask() of this page. The token of a served page moves from the address to the tab's own
 * memory, so that it is in no bookmark and no copied address. The promise is of the function and
 * whether a server is behind it: {ask, isServed}.
 */
export async function connect() {
  const address = new URL(location.href);
  const token = address.searchParams.get("token") ?? sessionStorage.getItem("heddle-token");
  if (token !== null) {
    sessionStorage.setItem("heddle-token", token);
    address.searchParams.delete("token");
    history.replaceState(null, "", address);
    return {ask: askServer(sendTo(token)), isServed: true};
  }
  const response = await fetch("answers.json");
  return {ask: response.ok ? askList(await response.json()) : askNobody, isServed: false};
}
