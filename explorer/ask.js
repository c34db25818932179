// How the page asks Heddle, in the protocol of `heddle batch`:
//
//   const ask = await connect();
//   const answer = await ask("composition", ["(6,2):(8,2)", "(4,3):(3,1)"]);
//   answer.ok ? answer.result : answer.error.message        // "((2,2),3):((24,2),8)"
//
// A page of `heddle explore` has a server behind it: requests of one turn go together as JSON Lines
// to /answer. A page of `heddle explore --static` has the file answers.json instead.

/** A request as the protocol has it; what is empty is left out. */
export function requestOf(op, args = [], kwargs = {}, assume = undefined) {
  const request = {op};
  if (args.length > 0) request.args = args;
  if (Object.keys(kwargs).length > 0) request.kwargs = kwargs;
  if (assume !== undefined && assume.length > 0) request.assume = assume;
  return request;
}

/** The same text for requests that mean the same: keys in order, without `id` and what is empty. */
export function keyOf({op, args, kwargs, assume}) {
  const inOrder = (_, value) =>
    value !== null && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value;
  return JSON.stringify(requestOf(op, args, kwargs, assume), inOrder);
}

/** An answer that is an error, as the protocol writes it. */
export function refusal(code, message, hint = null) {
  return {ok: false, error: {code, message, notes: [], hint, witness: null}};
}

/**
 * An ask() that sends requests to a server. `send(text)` takes JSON Lines and promises the lines of
 * the answers, in order. Answers are remembered: operations have no state.
 */
export function askServer(send, remembered = 64) {
  const known = new Map();
  let waiting = [];

  const flush = async () => {
    const batch = waiting;
    waiting = [];
    const lines = batch.map(({request}, id) => JSON.stringify({id, ...request}));
    let answers;
    try {
      answers = (await send(`${lines.join("\n")}\n`)).split("\n").filter((line) => line !== "");
    } catch (error) {
      answers = [];
      batch.reason = error.message;
    }
    batch.forEach(({request, resolve}, i) => {
      if (answers[i] === undefined) {
        known.delete(keyOf(request));
        resolve(refusal("explore.no_answer", batch.reason ?? "the server sent no answer",
                        "is heddle explore still running?"));
        return;
      }
      resolve(answerIn(answers[i]));
    });
  };

  return (op, args, kwargs, assume) => {
    const request = requestOf(op, args, kwargs, assume);
    const key = keyOf(request);
    const before = known.get(key);
    if (before) return before;
    const answer = new Promise((resolve) => {
      if (waiting.length === 0) queueMicrotask(flush);
      waiting.push({request, resolve});
    });
    known.set(key, answer);
    if (known.size > remembered) known.delete(known.keys().next().value);
    return answer;
  };
}

// A line that was cut off is no answer.
function answerIn(line) {
  try {
    const {ok, result, error} = JSON.parse(line);
    return ok ? {ok, result} : {ok, error};
  } catch {
    return refusal("explore.no_answer", "the server's answer was cut off",
                   "is heddle explore still running?");
  }
}

/** An ask() that looks answers up in a list of {request, answer}; a miss is `explore.static`. */
export function askList(list) {
  const known = new Map(list.map(({request, answer}) => [keyOf(request), answer]));
  return async (op, args = [], kwargs = {}, assume = undefined) => {
    const found = known.get(keyOf({op, args, kwargs, assume}));
    if (found) return found;
    const layout = typeof args[0] === "string" ? ` '${args[0].replaceAll("'", "'\\''")}'` : "";
    const message = "this page has no Heddle behind it: it has only the answers it was made with";
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
