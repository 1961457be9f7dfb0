// The game of a viewer, for a page whose player hands over timed metadata. The types are in cuelight-client.d.ts.

/** How far a video's time may jump, in seconds, without the viewer having moved: players step over small holes. */
const JITTER = 1;

/** How long ago, in seconds, a custom event may have happened when the viewer comes: those before are not announced. */
const OLD = 2;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Modules that were compiled, by their addresses: a page with several games compiles once. */
const compiled = new Map();

/** @param {string | URL | BufferSource} source @returns {Promise<WebAssembly.Module>} */
function compile(source) {
  if (typeof source !== "string" && !(source instanceof URL)) return WebAssembly.compile(source);
  const address = String(source);
  if (!compiled.has(address)) {
    const loading = load(address);
    compiled.set(address, loading);
    // A page may try again.
    loading.catch(() => compiled.delete(address));
  }
  return compiled.get(address);
}

async function load(address) {
  // Node loads no files by their addresses.
  if (address.startsWith("file:")) return WebAssembly.compile(await (await import("node:fs/promises")).readFile(new URL(address)));
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address}: HTTP status ${response.status}`);
  // Streaming needs the media type, which not every server knows.
  if (response.headers.get("Content-Type") === "application/wasm") return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

/**
 * Makes a game that knows nothing yet.
 *
 * @param {{ wasm?: string | URL | BufferSource, checkSeals?: boolean }} [options]
 * @returns {Promise<Game>}
 */
export async function createGame({ wasm = new URL("cuelight-client.wasm", import.meta.url), checkSeals = true } = {}) {
  const random = () => crypto.getRandomValues(new Int32Array(1))[0];
  const instance = await WebAssembly.instantiate(await compile(wasm), { env: { random } });
  return new Game(instance.exports, checkSeals);
}

/** The game. Each transition is an event on it: `questionasked` and so on, and `*` for all; and so is `seek`. */
class Game extends EventTarget {
  #module;
  /** The game within the module; 0 once it is closed. */
  #handle;
  #state = null;
  #deadline = null;
  /** The time at which the viewer came, or the latest to which the viewer has moved. */
  #since = null;

  constructor(module, checkSeals) {
    super();
    this.#module = module;
    this.#handle = module.cuelight_create(checkSeals);
  }

  get state() {
    this.#state ??= this.#call("state");
    return this.#state;
  }

  get origin() {
    return this.#time("origin");
  }

  get nextDeadline() {
    return this.#time("next_deadline");
  }

  tag(bytes, presentedAt, now) {
    noteArrival(this, presentedAt);
    this.#write(bytes);
    return this.#play("tag", bytes.length, presentedAt, now);
  }

  frame(text, description, presentedAt, now) {
    noteArrival(this, presentedAt);
    const [value, name] = [encoder.encode(text), encoder.encode(description ?? "")];
    this.#write(value, name);
    return this.#play("frame", value.length, name.length, presentedAt, now);
  }

  dateRange(hex, startDate, now) {
    const bytes = typeof hex === "string" ? bytesOf(hex) : new Uint8Array(hex);
    this.#write(bytes);
    return this.#play("date_range", bytes.length, startDate.getTime() / 1000, now.getTime() / 1000);
  }

  advance(now) {
    return this.#play("advance", now);
  }

  seek(now) {
    const transitions = this.#play("seek", now);
    // What lies between is not announced, and what is to be shown may be something else all the same.
    this.dispatchEvent(new Event("seek"));
    return transitions;
  }

  discontinuity(time = NaN) {
    this.#open().cuelight_discontinuity(this.#handle, time);
    this.#changed([]);
  }

  select(answer, now) {
    const bytes = encoder.encode(JSON.stringify(answer) ?? "");
    this.#write(bytes);
    const result = this.#call("select", bytes.length, now);
    this.#changed(result.transitions);
    return result;
  }

  finish(now) {
    return this.#play("finish", now);
  }

  close() {
    if (this.#handle === 0) return;
    this.#open().cuelight_destroy(this.#handle);
    this.#handle = 0;
    this.#module = null;
    this.dispatchEvent(new Event("close"));
  }

  #open() {
    if (this.#handle === 0) throw new Error("the game is closed");
    return this.#module;
  }

  /** Puts bytes where the next call finds them. */
  #write(...pieces) {
    const module = this.#open();
    const count = pieces.reduce((sum, { length }) => sum + length, 0);
    let place = module.cuelight_room(this.#handle, count) >>> 0;
    for (const piece of pieces) {
      new Uint8Array(module.memory.buffer, place, piece.length).set(piece);
      place += piece.length;
    }
  }

  /** Calls the module, and reads the JSON that it leaves. */
  #call(name, ...values) {
    const module = this.#open();
    const count = module[`cuelight_${name}`](this.#handle, ...values);
    if (count === 0) return null;
    const place = module.cuelight_answer(this.#handle) >>> 0;
    return JSON.parse(decoder.decode(new Uint8Array(module.memory.buffer, place, count)));
  }

  #play(name, ...values) {
    // The last value is the time now.
    if (name === "seek" || this.#since === null) this.#since = values.at(-1);
    const transitions = (this.#call(name, ...values) ?? []).filter((transition) => !this.#isOld(transition));
    this.#changed(transitions);
    return transitions;
  }

  /** Whether this is a custom event that the viewer missed: later copies of it still arrive. */
  #isOld({ transition, eventTime }) {
    const { origin } = this;
    return transition === "customEvent" && origin !== null && eventTime + origin < this.#since - OLD;
  }

  #changed(transitions) {
    this.#state = null;
    for (const transition of transitions) {
      for (const type of [transition.transition.toLowerCase(), "*"]) this.dispatchEvent(new CustomEvent(type, { detail: transition }));
    }
    // A listener may have closed the game.
    if (this.#handle === 0) return;
    const deadline = this.nextDeadline;
    if (deadline === this.#deadline) return;
    this.#deadline = deadline;
    this.dispatchEvent(new Event("deadlinechange"));
  }

  #time(name) {
    const seconds = this.#open()[`cuelight_${name}`](this.#handle);
    return Number.isNaN(seconds) ? null : seconds;
  }
}

/** The bytes of hexadecimal digits, as a playlist has them. */
function bytesOf(hex) {
  const pairs = hex.replace(/^0x/i, "").match(/../g) ?? [];
  return Uint8Array.from(pairs, (pair) => parseInt(pair, 16));
}

// ---- The video's time

/** The time at which each game was told of its video last. */
const times = new WeakMap();

/** What tells the time of the programme instead of the video, since the video plays advertisements too. */
const clocks = new WeakMap();
/** What tells whether the video plays an advertisement. */
const breaks = new WeakMap();

/** The time of the programme in a player. */
const position = (game, video) => clocks.get(game)?.() ?? video.currentTime;

/** The time of a video, for a game, which is told first where the viewer has moved: what lies between is not announced. */
function timeOf(game, video, isSeeking = video.seeking) {
  const now = position(game, video);
  const jump = Math.abs(now - (times.get(game) ?? now));
  times.set(game, now);
  if (isSeeking && jump > JITTER) game.seek(now);
  return now;
}

/** Adds a listener for events of several types, and gives the function that takes it away again. */
function listen(target, types, listener) {
  const [add, remove] = target.addEventListener ? ["addEventListener", "removeEventListener"] : ["on", "off"];
  for (const type of types) target[add](type, listener);
  return () => {
    for (const type of types) target[remove](type, listener);
  };
}

/** The function that undoes what was done, which happens by itself when the game is closed. */
function undoing(game, undo) {
  const stop = () => {
    for (const action of undo.splice(0)) action();
  };
  undo.push(listen(game, ["close"], stop));
  return stop;
}

/**
 * Lets a game follow the time of its video: by a timer on the next deadline, or frame by frame as pictures are shown. A clock tells the time of the
 * programme if the video plays advertisements too: while it stands still, so does the game.
 *
 * @returns {() => void} Ends it.
 */
export function follow(game, video, { precision = "deadline", clock } = {}) {
  if (clock) clocks.set(game, clock);
  let timer;
  let frame;
  const byFrame = precision === "frame" && "requestVideoFrameCallback" in video;

  const advance = () => {
    game.advance(timeOf(game, video));
    arm();
  };
  const arm = () => {
    clearTimeout(timer);
    const deadline = game.nextDeadline;
    // A video that waits for data says when it plays again.
    if (byFrame || deadline === null || video.paused || video.seeking || video.readyState < 3 || video.playbackRate <= 0) return;
    const wait = ((deadline - position(game, video)) / video.playbackRate) * 1000;
    timer = setTimeout(advance, Math.min(Math.max(wait, clocks.has(game) ? 20 : 1), 60_000));
  };
  const tick = () => {
    // Where no pictures are shown, there are no callbacks for them.
    if (!byFrame || video.paused || document.hidden) advance();
  };
  const show = (_, { mediaTime }) => {
    frame = video.requestVideoFrameCallback(show);
    const now = timeOf(game, video);
    game.advance(video.seeking || now !== video.currentTime ? now : mediaTime);
  };
  if (byFrame) frame = video.requestVideoFrameCallback(show);

  return undoing(game, [
    listen(video, ["timeupdate", "playing", "pause", "ratechange", "seeked"], tick),
    listen(video, ["seeking"], () => timeOf(game, video, true)),
    listen(video, ["ended"], () => breaks.get(game)?.() || game.finish(timeOf(game, video))),
    listen(game, ["deadlinechange"], arm),
    listen(document, ["visibilitychange"], tick),
    () => clearTimeout(timer),
    () => byFrame && video.cancelVideoFrameCallback(frame),
  ]);
}

// ---- Players

const startsTag = (bytes) => bytes[0] === 0x49 && bytes[1] === 0x44 && bytes[2] === 0x33;

/**
 * Takes the tags of hls.js as soon as they are parsed, and tells the game where another part of the playlist begins. Interstitials stop the game.
 *
 * @returns {() => void} Ends it.
 */
export function attachHls(game, hls, video) {
  let last = null;
  const advertisement = () => hls.interstitialsManager?.playingItem?.event;
  breaks.set(game, advertisement);
  // What hls.js says of the programme stands still between two signs of the video, four times a second. So the video tells the time unless it tells another one.
  const programme = () => {
    const time = hls.interstitialsManager?.primary.currentTime;
    return Math.abs(time - video.currentTime) > JITTER ? time : undefined;
  };
  if (!clocks.has(game)) clocks.set(game, () => advertisement()?.startTime ?? programme());
  // The values of Hls.Events: the class itself is not needed.
  return undoing(game, [
    listen(hls, ["hlsFragParsingMetadata"], (_, { samples }) => {
      // Boxes of other schemes come the same way.
      for (const { data, pts } of samples) if (startsTag(data)) game.tag(data, pts, timeOf(game, video));
    }),
    listen(hls, ["hlsFragChanged"], (_, { frag }) => {
      // Where the viewer has moved to another part, nothing begins.
      if (last && last.cc !== frag.cc && Math.abs(frag.start - last.end) <= JITTER) game.discontinuity(frag.start);
      last = { cc: frag.cc, end: frag.start + frag.duration };
    }),
  ]);
}

/** Hands over a TXXX frame as players take it out of its tag. Other frames are none of the game's. */
function takeFrame(game, frame, time, video) {
  if (frame?.key !== "TXXX" || typeof frame.data !== "string") return;
  game.frame(frame.data, frame.info ?? frame.description, time, timeOf(game, video));
}

/** Takes the cues of metadata tracks as soon as they are there. */
function takeCues(game, tracks, media, video) {
  const taken = new WeakSet();
  const undo = [];
  const look = () => {
    for (const track of Array.from(tracks)) {
      if (track.kind !== "metadata") continue;
      if (!taken.has(track)) {
        taken.add(track);
        // A track that is disabled has no cues.
        if (track.mode === "disabled") track.mode = "hidden";
        undo.push(listen(track, ["addcue", "cuechange"], look));
      }
      for (const cue of Array.from(track.cues ?? [])) {
        if (taken.has(cue)) continue;
        taken.add(cue);
        takeFrame(game, cue.value, cue.startTime, video);
      }
    }
  };
  // `cuechange` alone would skip short cues.
  undo.push(
    listen(tracks, ["addtrack", "change"], look), listen(media, ["loadeddata", "progress", "playing", "timeupdate", "seeked"], look));
  look();
  return undoing(game, undo);
}

/**
 * Takes the cues of video.js.
 *
 * @returns {() => void} Ends it.
 */
export function attachVideoJs(game, player) {
  const video = {
    get currentTime() {
      return player.currentTime();
    },
    get seeking() {
      return player.seeking();
    },
  };
  return takeCues(game, player.textTracks(), player, video);
}

/** The schemes of event messages that hold ID3 tags. */
const ID3_SCHEMES = ["https://aomedia.org/emsg/ID3", "https://developer.apple.com/streaming/emsg-id3"];

/**
 * Takes the metadata of Shaka Player.
 *
 * @returns {() => void} Ends it.
 */
export function attachShaka(game, player, video) {
  const takeBox = (event) => {
    const { schemeIdUri, startTime, messageData } = event.detail;
    if (!ID3_SCHEMES.includes(schemeIdUri)) return;
    // Versions 4.3 to 4.10 would announce its frames with the time at which their segment starts.
    event.preventDefault();
    game.tag(messageData, startTime, timeOf(game, video));
  };
  return undoing(game, [
    listen(player, ["emsg"], takeBox),
    // Of transport streams, newer versions announce what they have parsed, and then what is presented.
    listen(player, ["metadataadded", "metadata"], ({ payload, startTime }) => takeFrame(game, payload, startTime, video)),
  ]);
}

/**
 * Takes the event messages of dash.js as soon as they are parsed. Call it before `attachSource`.
 *
 * @returns {() => void} Ends it.
 */
export function attachDash(game, player, video) {
  // An event of the MPD has a text, or nothing.
  const take = ({ event: { messageData, calculatedPresentationTime } }) =>
    messageData instanceof Uint8Array && game.tag(messageData, calculatedPresentationTime, timeOf(game, video));
  // The other mode calls a tenth of a second late, with the whole past for a viewer who comes late, and not again for one who goes back.
  for (const scheme of ID3_SCHEMES) player.on(scheme, take, undefined, { mode: "eventModeOnReceive" });
  return undoing(game, ID3_SCHEMES.map((scheme) => () => player.off(scheme, take)));
}

/**
 * Takes the metadata of the Amazon IVS player as it is presented. The time is the player's position.
 *
 * @returns {() => void} Ends it.
 */
export function attachIVS(game, player) {
  const video = {
    get currentTime() {
      return player.getPosition();
    },
    get seeking() {
      return player.getHTMLVideoElement().seeking;
    },
  };
  if (!clocks.has(game)) clocks.set(game, () => player.getPosition());
  // The values of PlayerEventType and PlayerState.
  return undoing(game, [
    listen(player, ["PlayerTextMetadataCue"], ({ text, description, startTime }) =>
      game.frame(text, description, startTime, timeOf(game, video))),
    listen(player, ["PlayerSeekCompleted"], () => timeOf(game, video, true)),
    listen(player, ["PlayerAdBreakStarted"], () => game.discontinuity(timeOf(game, video))),
    listen(player, ["Ended"], () => game.finish(timeOf(game, video))),
  ]);
}

/**
 * Takes the cues that the browser itself makes of timed metadata: Safari, when it plays HLS natively.
 *
 * @returns {() => void} Ends it.
 */
export function attachTextTracks(game, video) {
  return takeCues(game, video.textTracks, video, video);
}

// ---- Reports

/** When the page had read what is presented at a time, by games: the times of the player, in tenths of a second. */
const arrivals = new WeakMap();
const mostArrivals = 256;

function noteArrival(game, presentedAt) {
  const times = arrivals.get(game);
  const key = Math.round(presentedAt * 10);
  if (!times || times.has(key)) return;
  times.set(key, performance.now());
  if (times.size > mostArrivals) times.delete(times.keys().next().value);
}

/** Transitions with an event that is presented then. The others come of deadlines, or of what is missing. */
const presented = new Set(["lobbyOpened", "gameStarted", "questionAsked", "timeAdjusted", "resultsShown", "gameEnded", "customEvent"]);
/** How long a report waits at most, how often a page says that it is there, and how long it waits after a failure, in milliseconds. */
const [SPREAD, PRESENCE, RETRY] = [8_000, 30_000, 15_000];
const mostReports = 100;
const oldestReport = 600_000;

const bounded = (milliseconds) => Math.min(Math.max(Math.round(milliseconds), 0), oldestReport);
const quoted = (text) => `"${text.replace(/[\\"]/g, "\\$&")}"`;

/** What the player does, as CMCD names it. */
function playing(video) {
  if (video.ended) return "e";
  if (video.seeking) return "k";
  if (video.paused) return "a";
  return video.readyState < 3 ? "r" : "p";
}

/**
 * Reports which events were shown, and how far the picture is behind, to a live server with --reach: lines of CMCD version 2 in event mode. The name of the
 * session is a random one of this page alone. Reports wait for a random time, so that thousands of pages do not come at one moment, and go together. A
 * server that answers 410 hears no more.
 *
 * @returns {() => void} Ends it.
 */
export function report(game, video, { url, player, behind, wait = Math.random } = {}) {
  const session = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const seen = new Set();
  let lines = [];
  let number = 0;
  let timer = null;
  let isOver = false;
  arrivals.set(game, new Map());

  const add = (fields) => {
    const seconds = behind?.();
    if (Number.isFinite(seconds)) fields.ltc = bounded(seconds * 1000);
    if (player) fields["com.cuelight-player"] = quoted(player);
    lines.push({ made: performance.now(), fields: { ...fields, sid: quoted(session), sn: number, sta: playing(video), ts: Date.now(), v: 2 } });
    number += 1;
    if (lines.length > mostReports) lines.shift();
  };
  // The age is that of the moment of sending, which needs no clock of anybody.
  const text = ({ made, fields }) => {
    const all = fields.e === "ce" ? { ...fields, "com.cuelight-age": bounded(performance.now() - made) } : fields;
    return `${Object.keys(all).sort().map((key) => `${key}=${all[key]}`).join(",")}\n`;
  };
  const body = (sent) => new Blob(sent.map(text), { type: "application/cmcd" });
  const later = (milliseconds) => {
    if (!isOver) timer ??= setTimeout(send, milliseconds);
  };
  const end = () => {
    isOver = true;
    clearTimeout(timer);
    lines = [];
  };

  async function send() {
    timer = null;
    lines = lines.filter(({ made }) => performance.now() - made < oldestReport);
    const sent = lines.splice(0);
    if (sent.length === 0 || isOver) return;
    let status = 0;
    try {
      const options = { method: "POST", body: body(sent), headers: { "Content-Type": "application/cmcd" }, credentials: "omit", keepalive: true };
      ({ status } = await fetch(url, options));
    } catch {
      // The network is away.
    }
    if (status === 410) return stop();
    if (status !== 0 && status !== 429 && status < 500) return;
    lines = [...sent, ...lines].slice(-mostReports);
    later(RETRY * (1 + wait()));
  }

  const shown = ({ detail: { transition, guid, time, eventTime } }) => {
    // A name that CMCD cannot carry is not reported.
    if (isOver || !presented.has(transition) || !guid || seen.has(guid) || !/^[ -~]{1,64}$/.test(guid)) return;
    seen.add(guid);
    const read = arrivals.get(game)?.get(Math.round((eventTime + (game.origin ?? NaN)) * 10));
    const fields = { cen: quoted("com.cuelight-shown"), e: "ce", "com.cuelight-guid": quoted(guid), "com.cuelight-late": bounded((time - eventTime) * 1000) };
    if (read !== undefined) fields["com.cuelight-ahead"] = bounded(performance.now() - read);
    add(fields);
    later(500 + wait() * SPREAD);
  };
  // What waits goes with the page; the answer comes to nobody.
  const leave = () => {
    if (!isOver && lines.length > 0) navigator.sendBeacon?.(url, body(lines.splice(0)));
  };
  const presence = setInterval(() => {
    add({ e: "t" });
    later(wait() * SPREAD);
  }, PRESENCE);

  const stop = undoing(game, [listen(game, ["*"], shown), listen(window, ["pagehide"], leave), () => clearInterval(presence), end]);
  add({ e: "ps" });
  later(wait() * 2000);
  return stop;
}
