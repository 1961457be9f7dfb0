// Calls of the game server. What fails for a while is tried again, each time after a longer wait of random length, so that thousands of pages do not
// come back at one moment.

const shortest = 400;
const longest = 8000;

// Why a call was refused: `kind` is that of the problem, such as "nickname-taken".
export class Refusal extends Error {
  constructor(status, problem) {
    super(problem.detail ?? `HTTP ${status}`);
    this.status = status;
    this.kind = problem.title ?? "failed";
    this.problem = problem;
  }
}

export const newID = () => {
  if (crypto.randomUUID) return crypto.randomUUID();
  // Pages without HTTPS have random numbers, but no randomUUID.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
};

// Waits, or less long where the network comes back.
export const pause = (milliseconds) =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener("online", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    addEventListener("online", done, { once: true });
  });

// How long to wait before a try: between half and all of a time that doubles.
export const backoff = (tries) => Math.min(longest, shortest * 2 ** tries) * (0.5 + Math.random() / 2);

// Loads a module of the pages that was not needed at first, as soon as that is possible. A browser may keep that it could not: another address makes it try.
export async function later(name) {
  for (let tries = 0; ; tries += 1) {
    try {
      return await import(`./${name}.mjs${tries > 0 ? `?${tries}` : ""}`);
    } catch {
      await pause(backoff(tries));
    }
  }
}

// Hears whether the server is reached.
export const network = new EventTarget();
let reached = true;

export function note(isReached) {
  if (reached === isReached) return;
  reached = isReached;
  network.dispatchEvent(new Event(isReached ? "up" : "down"));
}

export const isReached = () => reached;

// Some browsers go on to say that there is no network when there is one: what is answered counts.
addEventListener("offline", () => note(false));

// The server's clock, as a range that every answer makes smaller: its Date is between the sending and the receiving, to the second.
let [lowest, highest] = [-Infinity, Infinity];

function noteDate(response, sent, received) {
  const date = Date.parse(response.headers.get("Date") ?? "");
  // A cache keeps the date of the answer that it keeps.
  if (!Number.isFinite(date) || response.headers.has("Age")) return;
  const [low, high] = [date - received, date + 1000 - sent];
  [lowest, highest] = [Math.max(lowest, low), Math.min(highest, high)];
  // A clock was set meanwhile.
  if (lowest > highest) [lowest, highest] = [low, high];
}

export const serverNow = () => Date.now() + (Number.isFinite(lowest + highest) ? (lowest + highest) / 2 : 0);

// Makes a call once.
async function once(method, path, { body, token, type = "application/json", signal, isFile } = {}) {
  const headers = {};
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body !== undefined) headers["Content-Type"] = type;
  const sent = Date.now();
  const response = await fetch(path, {
    method, headers, signal: signal ?? AbortSignal.timeout?.(15000),
    body: body === undefined || typeof body === "string" || body instanceof Blob ? body : JSON.stringify(body),
    credentials: "omit",
  });
  noteDate(response, sent, Date.now());
  note(true);
  if (isFile && response.ok) return { status: response.status, blob: await response.blob() };
  const text = await response.text();
  let object = {};
  try {
    object = text ? JSON.parse(text) : {};
  } catch {
    // A proxy's page of errors is no JSON; its status says enough.
  }
  if (response.ok) return { status: response.status, object };
  const refusal = new Refusal(response.status, object);
  refusal.after = Number(response.headers.get("Retry-After")) * 1000 || 0;
  throw refusal;
}

export const isPassing = (error) => !(error instanceof Refusal) || error.status === 429 || error.status >= 500;

// Makes a call, and again until it is answered; `tries` limits that. Calls are such that doing them twice does no harm.
export async function call(method, path, options = {}) {
  for (let tries = 0; ; tries += 1) {
    try {
      return await once(method, path, options);
    } catch (error) {
      if (!(error instanceof Refusal)) note(false);
      if (!isPassing(error) || tries + 1 >= (options.tries ?? Infinity) || options.signal?.aborted) throw error;
      await pause(Math.max(backoff(tries), error.after ?? 0));
    }
  }
}

// Answers that the server has not acknowledged: they outlive a lost network and a reload.
export class AnswerQueue {
  // `changed` is told what becomes of an answer, and whether another one has taken its place; `renew` gives another token where the one that there is has ended.
  // `suffix` tells the queues of several players of a game in one tab apart.
  constructor(game, token, { changed, renew }, suffix = "") {
    this.path = `/v1/games/${encodeURIComponent(game)}/answers`;
    this.key = `cuelight-answers-${game}${suffix}`;
    this.token = token;
    [this.changed, this.renew] = [changed, renew];
    this.waiting = JSON.parse(sessionStorage.getItem(this.key) ?? "[]");
    this.busy = false;
    if (this.waiting.length > 0) this.send();
  }

  keep() {
    sessionStorage.setItem(this.key, JSON.stringify(this.waiting));
  }

  // The latest answer to a question takes the place of one that still waits.
  add(answer) {
    this.waiting = this.waiting.filter((other) => other.question !== answer.question);
    this.waiting.push(answer);
    this.keep();
    this.send();
  }

  async send() {
    if (this.busy) return;
    this.busy = true;
    let isRenewed = false;
    while (this.waiting.length > 0) {
      const batch = this.waiting.slice(0, 16);
      let results;
      try {
        const { object } = await call("POST", this.path, { body: { answers: batch }, token: this.token });
        results = object.results;
      } catch (error) {
        if (error.status === 401 && !isRenewed) {
          isRenewed = true;
          this.token = await this.renew();
          continue;
        }
        results = error.problem?.results ?? batch.map(() => error.kind ?? "failed");
      }
      this.waiting = this.waiting.filter((answer) => !batch.includes(answer));
      this.keep();
      batch.forEach((answer, index) => {
        // One that has taken its place meanwhile has its own outcome to come.
        this.changed(answer, results[index] ?? "failed", this.waiting.some((other) => other.question === answer.question));
      });
    }
    this.busy = false;
  }
}
