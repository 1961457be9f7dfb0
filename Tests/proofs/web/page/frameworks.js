// Plays games with the hook of React, with the element, and with players as their documentation describes them, and reports what they did.

import { createElement as h, StrictMode, useRef } from "react";
import { createRoot } from "react-dom/client";
import { attachDash, attachHls, createGame } from "cuelight-client";
import { useCuelight, useSecondsLeft } from "cuelight-client/react";
import "cuelight-client/element";
import { Hls } from "/library/hls.js";
import examples from "/example/examples.js";
import { requireSignatures } from "cuelight-client/signatures";
import { allMessages, dashPlayer, ivsPlayer, ShakaPlayer } from "./standins.js";

const TS = "/shows/quick-round-ts/index.m3u8";
const MPD = "/shows/quick-round-fmp4/index.mpd";

const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function until(condition, seconds, what) {
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    const found = condition();
    if (found) return found;
    await wait(25);
  }
  throw new Error(`not within ${seconds} s: ${what}`);
}

// What modules were made, so that the page sees whether they are gone.
const made = [];
const { instantiate } = WebAssembly;
WebAssembly.instantiate = async (...values) => {
  const instance = await instantiate(...values);
  made.push(new WeakRef(instance.exports.memory));
  return instance;
};

// ---- React

let tags = [];

function playHls(game, video) {
  const hls = new Hls();
  hls.on(Hls.Events.FRAG_PARSING_METADATA, (_, { samples }) => {
    for (const { data, pts } of samples) tags.push({ data: data.slice(), time: pts });
  });
  attachHls(game, hls, video);
  hls.loadSource(TS);
  hls.attachMedia(video);
  return hls;
}

async function react(patience) {
  const report = { first: null, transitions: [], states: [], seconds: [], answers: [], games: 0, destroyed: 0 };
  function Show() {
    const video = useRef(null);
    const cuelight = useCuelight(video, (game, element) => {
      report.games += 1;
      report.first ??= { rendered: report.states[0], fresh: game.state };
      const hls = playHls(game, element);
      element.play();
      return () => {
        report.destroyed += 1;
        hls.destroy();
      };
    }, { source: TS, wasm: "/package/cuelight-client.wasm", onTransition: (transition) => report.transitions.push(transition) });
    const { game, state, select, error } = cuelight;
    const seconds = useSecondsLeft(cuelight, video);
    report.game = game;
    report.error = error && String(error);
    if (report.states.at(-1) !== state) report.states.push(state);
    if (seconds !== report.seconds.at(-1)) report.seconds.push(seconds);
    const isOpen = state.phase === "asking" && state.selectedAnswer === null;
    return h("div", null, h("video", { ref: video, muted: true, playsInline: true, width: 160 }),
      h("p", { id: "phase" }, state.phase), isOpen && h("button", { id: "answer", onClick: () => report.answers.push(select(1)) }, state.question.answers[1]));
  }
  const root = createRoot(document.getElementById("react"));
  root.render(h(StrictMode, null, h(Show)));
  const press = setInterval(() => document.getElementById("answer")?.click(), 50);
  await until(() => document.getElementById("phase")?.textContent === "ended" || report.error, patience, "the end of the game in React");
  clearInterval(press);
  const { game } = report;
  const score = game.state.score;
  root.unmount();
  await wait(50);
  let isClosed = false;
  try {
    game.state;
    game.advance(0);
  } catch {
    isClosed = true;
  }
  delete report.game;
  return { ...report, score, isClosed, states: report.states.map(({ phase, selectedAnswer }) => [phase, selectedAnswer]), rendered: report.states.length };
}

// ---- The element

function listenTo(element) {
  const report = { transitions: [], failures: [], given: [] };
  document.addEventListener("answer", ({ target, detail }) => target === element && report.given.push(detail));
  element.addEventListener("transition", ({ detail }) => report.transitions.push(detail));
  element.addEventListener("failure", ({ detail }) => report.failures.push(String(detail)));
  return report;
}

const shownOf = ({ shadowRoot }) =>
  Object.fromEntries(["message", "number", "question", "time", "result", "score", "status"].map((id) => [id, shadowRoot.getElementById(id).textContent]));
const partsOf = ({ shadowRoot }) => [...shadowRoot.querySelectorAll("button")].map((button) => button.part.value);

/** An element with attributes alone, and one with a video of the page's own, both played by keys alone. */
async function element(attributes, patience, { ownVideo = false } = {}) {
  const node = document.createElement("cuelight-game");
  for (const [name, value] of Object.entries({ muted: "", autoplay: "", ...attributes })) node.setAttribute(name, value);
  const report = listenTo(node);
  let own = null;
  if (ownVideo) {
    own = Object.assign(document.createElement("video"), { slot: "video", muted: true, autoplay: true });
    node.append(own);
  }
  document.body.append(node);
  Object.assign(report, { seen: [], focus: [], parts: [] });
  const press = (key) => node.shadowRoot.activeElement?.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, composed: true, cancelable: true }));
  await until(() => node.state?.phase === "asking" || report.failures.length, patience, "the first question");
  if (report.failures.length) return report;
  report.video = node.video === (own ?? node.shadowRoot.querySelector("video"));
  node.shadowRoot.querySelector("button").focus();
  press("2");
  report.selected = node.state.selectedAnswer;
  report.marked = partsOf(node);
  report.seen.push(shownOf(node));
  await until(() => node.state.phase === "results", patience, "the first result");
  report.seen.push(shownOf(node));
  report.parts = partsOf(node);
  // Who answers by keys does not lose the place, unless another element took it.
  report.focused = document.activeElement === node ? node.shadowRoot.activeElement?.localName : "elsewhere";
  await until(() => node.state.phase === "asking", patience, "the second question");
  node.shadowRoot.querySelectorAll("button")[1].click();
  await until(() => node.state.phase === "ended", patience, "the end of the game");
  report.seen.push(shownOf(node));
  report.styles = document.adoptedStyleSheets.length + document.styleSheets.length;
  const { game } = node;
  let closed = 0;
  game.addEventListener("close", () => (closed += 1));
  // An element that is moved goes on.
  document.body.prepend(node);
  await wait(20);
  report.moved = node.game === game && closed === 0;
  node.remove();
  await wait(20);
  report.removed = closed === 1 && node.game === null;
  return report;
}

async function failing() {
  const node = document.createElement("cuelight-game");
  node.setAttribute("src", "show.m3u8");
  const report = listenTo(node);
  node.lang = "fr";
  document.body.append(node);
  await until(() => report.failures.length, 10, "a failure");
  report.shown = shownOf(node).message;
  node.remove();
  return report;
}

/** What the element shows of each kind of question, and what becomes of what is pressed there. */
async function kinds() {
  const node = document.createElement("cuelight-game");
  node.lang = "en";
  node.attach = () => {};
  document.body.append(node);
  await until(() => node.game, 10, "a game");
  const { shadowRoot: root, game } = node;
  const answers = ["A", "B", "C"];
  const questions = {
    single: [{ answers }, [2, 1], { correctAnswer: 1, counts: [1, 2, 1] }],
    multiple: [{ answers, kind: "multiple" }, [1, 2, 3, 2], { correctAnswers: [0, 2] }],
    order: [{ answers, kind: "order" }, [3, 1, 2], { correctOrder: [2, 0, 1] }],
    number: [{ kind: "number", least: 0, most: 10, unit: "km" }, 7, { correctNumber: 8 }],
    poll: [{ answers, kind: "poll" }, [2], { counts: [1, 3, 0] }],
    text: [{ kind: "text" }, [" rome "], { correctTexts: ["Rome", "Roma"] }],
    words: [{ kind: "poll", words: true }, ["sea"], { texts: { most: [{ text: "sea", count: 1 }], others: 0 } }],
    dream: [{ answers, kind: "dream" }, [2], {}],
  };
  const report = {};
  let time = 0;
  let sequence = 0;
  const tell = (eventType, more) => {
    const event = { eventType, guid: `event-${(sequence += 1)}`, game: "kinds", sequence, at: time, copy: 1, copies: 1, age: 0, ...more };
    game.frame(JSON.stringify(event), undefined, time, time);
    return event.guid;
  };
  tell("startGame", { title: "Kinds" });
  let number = 0;
  for (const [kind, [question, keys, result]] of Object.entries(questions)) {
    time += 1;
    number += 1;
    const questionGuid = tell("askQuestion", { question: kind, answers: [], questionNumber: number, totalQuestions: 8, allottedTime: 5, ...question });
    const selections = [];
    const hint = root.getElementById("hint").textContent;
    // The element selects at the time of its video, which stands still.
    Object.defineProperty(node.video, "currentTime", { configurable: true, get: () => time });
    for (const key of [keys].flat()) {
      const field = root.querySelector("input");
      if (field) field.value = key;
      if (field) field.dispatchEvent(new Event("change"));
      else root.querySelectorAll("button")[key - 1].click();
      selections.push(node.state.selection ?? null);
    }
    const pressed = [...root.querySelectorAll("button")].map((button) => button.getAttribute("aria-pressed") === "true");
    time += 6;
    game.advance(time);
    tell("showResults", { questionGuid, questionNumber: number, ...result });
    const texts = [...root.querySelectorAll("button")].map((button) => button.textContent);
    report[kind] = { hint, selections, pressed, texts, result: root.getElementById("result").textContent, phase: node.state.phase };
  }
  node.remove();
  return report;
}

/** What is left of elements that were in the page. */
async function leftovers(count) {
  const target = new Map();
  const { addEventListener, removeEventListener } = EventTarget.prototype;
  const change = (by) => function (type, ...rest) {
    if (this instanceof HTMLMediaElement) target.set(this, (target.get(this) ?? 0) + by);
    return (by > 0 ? addEventListener : removeEventListener).call(this, type, ...rest);
  };
  EventTarget.prototype.addEventListener = change(1);
  EventTarget.prototype.removeEventListener = change(-1);
  const before = made.length;
  let ended = 0;
  for (let index = 0; index < count; index += 1) {
    const node = document.createElement("cuelight-game");
    node.attach = () => () => (ended += 1);
    document.body.append(node);
    if (index % 2) await until(() => node.game, 10, "a game");
    // Every second one is gone before its module is there.
    node.remove();
    await wait(0);
  }
  await until(() => made.length === before + count, 10, "all modules");
  await wait(50);
  Object.assign(EventTarget.prototype, { addEventListener, removeEventListener });
  for (let round = 0; round < 5; round += 1) {
    globalThis.gc();
    await wait(20);
  }
  return { ended, listeners: [...target.values()].filter((sum) => sum !== 0), modules: made.slice(before).filter((memory) => memory.deref()).length };
}

// ---- Players as their documentation describes them

async function withGame(body) {
  const game = await createGame({ wasm: "/package/cuelight-client.wasm" });
  const transitions = [];
  game.addEventListener("*", ({ detail }) => transitions.push(detail));
  const more = await body(game, () => transitions.some(({ transition }) => transition === "gameEnded"));
  game.close();
  return { transitions, ...more };
}

function newVideo() {
  const video = Object.assign(document.createElement("video"), { muted: true, autoplay: true, width: 160 });
  document.body.append(video);
  return video;
}

/** The examples of the documentation, with a player that is made by the one that they name. */
const example = (name, patience, source, more = {}) => withGame(async (game, isOver) => {
  const video = newVideo();
  await examples[name](game, video, source, more);
  await until(isOver, patience, `the end of the game of ${name}`);
  video.remove();
});

async function dash(patience) {
  let player;
  const make = () => (player = dashPlayer());
  const report = await example("dash.js", patience, MPD, { dashjs: { MediaPlayer: () => ({ create: make }) } });
  return { ...report, left: player.count() };
}

async function shaka(patience) {
  let metadata = 0;
  class Player extends ShakaPlayer {
    constructor() {
      super();
      this.addEventListener("metadata", () => (metadata += 1));
    }
  }
  return { ...(await example("Shaka Player", patience, MPD, { shaka: { Player } })), metadata };
}

async function videoJs(patience) {
  // No style of its own in a page that looks for styles.
  window.VIDEOJS_NO_DYNAMIC_STYLE = true;
  await new Promise((resolve, reject) => {
    document.head.append(Object.assign(document.createElement("script"), { src: "/library/video.js", onload: resolve, onerror: reject }));
  });
  window.videojs.log.level("off");
  return example("video.js", patience, TS, { videojs: window.videojs });
}

/** The texts of the tags, when the position passes them. The video's own clock says something else, as after a live join. */
const ivs = () => withGame(async (game, isOver) => {
  const video = Object.assign(new EventTarget(), { currentTime: 7_000, seeking: false, paused: false, readyState: 4, playbackRate: 1 });
  const player = ivsPlayer();
  await examples["Amazon IVS"](game, video, TS, { IVSPlayer: { create: () => player } });
  const shown = (text) => text.slice(text.indexOf('{"'), text.lastIndexOf("}") + 1);
  for (const { data, time } of tags) {
    for (let position = player.position; position < time; position = Math.min(position + 0.25, time)) {
      player.position = position;
      video.dispatchEvent(new Event("timeupdate"));
    }
    player.position = time;
    player.cue(shown(new TextDecoder().decode(data)), time);
  }
  const listeners = player.count();
  player.cue("no event of ours", player.position);
  player.emit("Ended");
  const end = isOver();
  game.close();
  return { listeners, left: player.count(), isOver: end, source: video.source };
});

/** The same game where times wrap: a player gives times of 33 bits that begin again. */
const wrapped = () => withGame(async (game) => {
  for (const { data, time } of tags) game.tag(data, time - 2 ** 33 / 90_000, time);
  game.finish(tags.at(-1).time + 5);
});

/** A video ends a little before its last events: they happen all the same. */
const early = () => withGame(async (game) => {
  for (const { data, time } of tags) game.tag(data, time, 0);
  const last = Math.max(...tags.map(({ time }) => time));
  game.advance(last - 0.5);
  game.finish(last - 0.5);
});

/** Custom events of which later copies arrive: one from before the viewer came, one that is new. */
const joined = () => withGame(async (game) => {
  const event = (guid, at, age) =>
    JSON.stringify({ eventType: "confetti", guid, game: "g", sequence: Number(guid.slice(-1)), at, copy: 4, copies: 3, age });
  game.advance(100);
  game.frame(event("old-1", 60, 40), undefined, 100, 100);
  game.frame(event("new-2", 101, 0.5), undefined, 101.5, 101.5);
});

/** What becomes of events to a game that requires signatures: of right ones, and of such as somebody else has written. */
async function signed(key) {
  const messages = await allMessages("/signed/index.mpd");
  const play = (publicKey, hand) => withGame(async (game) => {
    await requireSignatures(game, publicKey);
    for (const { messageData, time } of messages) {
      const text = new TextDecoder().decode(messageData);
      hand(game, text.slice(text.indexOf('{"'), text.lastIndexOf("}") + 1), time, messageData);
      // The browser checks signatures in its own time.
      await wait(5);
    }
    game.finish(messages.at(-1).time + 5);
    await wait(50);
  });
  const byFrame = (change) => (game, text, time) => game.frame(change(text), undefined, time, time);
  const withoutSum = (text) => text.replace(/,"crc":"\w+"/, "");
  const escaped = (text) => withoutSum(text).replace(/[MQ$]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const byRange = (game, text, time) => {
    const date = new Date(1.7e12 + Math.round(time * 1000));
    game.dateRange(new TextEncoder().encode(text).buffer, date, date);
  };
  const other = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]);
  const wrong = {
    "without a signature": byFrame((text) => withoutSum(text).replace(/,"signature":"[^"]+"/, "")),
    "that was changed": byFrame((text) => withoutSum(text).replace(/"sequence":(\d)/, '"sequence":1$1')),
    "with a member twice": byFrame((text) => withoutSum(text).replace('{"eventType":"', '{"eventType":"endGame","eventType":"')),
    "with more members": byFrame((text) => withoutSum(text).replace(/}$/, ',"url":"https://example.com"}')),
  };
  const names = { tags: (game, _, time, data) => game.tag(data, time, time), "frames that a system on the way has escaped": byFrame(escaped), "date ranges": byRange };
  const playAll = async (hands) => Object.fromEntries(await Promise.all(Object.entries(hands).map(async ([name, hand]) => [name, await play(key, hand)])));
  const report = { right: await playAll(names), wrong: await playAll(wrong) };
  const otherKey = new Uint8Array(await crypto.subtle.exportKey("raw", other.publicKey));
  report.wrong["that somebody else has signed"] = await play(otherKey, (game, _, time, data) => game.tag(data, time, time));
  return report;
}

window.check = async (patience, key) => {
  const report = { react: await react(patience) };
  window.dashjs = { MediaPlayer: () => ({ create: dashPlayer }) };
  const attributes = { src: TS, player: "/example/hls.js", wasm: "/package/cuelight-client.wasm" };
  [report.element, report.german, report.own, report.mpd, report.dash, report.shaka, report.videoJs] = await Promise.all([
    element(attributes, patience), element({ ...attributes, lang: "de" }, patience), element(attributes, patience, { ownVideo: true }),
    element({ ...attributes, src: "/signed/index.mpd", player: "", "public-key": key }, patience), dash(patience), shaka(patience),
    videoJs(patience)]);
  report.failing = await failing();
  report.kinds = await kinds();
  report.leftovers = await leftovers(20);
  tags = tags.filter(({ time }, index) => tags.findIndex((other) => other.time === time) === index);
  for (const [name, body] of Object.entries({ ivs, wrapped, early, joined })) report[name] = await body();
  report.signed = await signed(key);
  return report;
};

/** What a page of the samples shows, until its game is over. */
window.look = async (address, patience) => {
  const frame = Object.assign(document.createElement("iframe"), { src: address, width: 600, height: 600, allow: "autoplay" });
  document.body.append(frame);
  await new Promise((resolve) => frame.addEventListener("load", resolve));
  const page = frame.contentDocument;
  const seen = [];
  const textOf = () => {
    const node = page.querySelector("cuelight-game");
    return node ? Object.values(node.shadowRoot ? shownOf(node) : {}).filter(Boolean).join(" | ") : page.querySelector("main")?.innerText ?? "";
  };
  const root = () => page.querySelector("cuelight-game")?.shadowRoot ?? page;
  await until(() => root().querySelector("video"), 20, "a video");
  await until(() => root().querySelector("video").readyState >= 2, 20, "a video that can play");
  await root().querySelector("video").play();
  await until(() => {
    const text = textOf();
    if (text !== seen.at(-1)) seen.push(text);
    const answer = root().querySelectorAll("button:not([disabled], [aria-disabled=true])")[1];
    if (answer && answer.ariaPressed !== "true") answer.click();
    return /2 of 2 right|2 von 2 richtig/.test(text);
  }, patience, `the end of ${address}: ${JSON.stringify(seen.slice(-4))}`);
  const violations = frame.contentWindow.violations ?? [];
  frame.remove();
  return { seen, violations };
};
