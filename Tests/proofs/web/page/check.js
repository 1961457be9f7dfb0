// Plays games with the package for the web, in several players at once, and reports all that it did.

import { attachHls, attachShaka, attachTextTracks, attachVideoJs, createGame, follow } from "/package/cuelight-client.js";
import { Hls } from "/library/hls.js";

// The latest instance of the module, so that its memory can be looked at. Those before are free to go: each reserves addresses.
let latest;
const { instantiate } = WebAssembly;
WebAssembly.instantiate = async (...values) => {
  latest = await instantiate(...values);
  return latest;
};

// The module's bytes, so that starting a game loads nothing.
let wasm;

// ---- Playing

function makeVideo() {
  const video = Object.assign(document.createElement("video"), { muted: true, playsInline: true, width: 320, height: 180 });
  document.body.append(video);
  return video;
}

// Players take the source of a video away and give it another one while they start: only then it can play.
async function ready(video) {
  while (video.readyState < 2) await new Promise((resolve) => setTimeout(resolve, 20));
}

function playHls(report, video, url) {
  const hls = new Hls();
  hls.on(Hls.Events.ERROR, (_, { type, details, fatal, error }) => {
    if (fatal) report.errors.push(`${type} ${details}: ${error?.message ?? ""}`);
  });
  hls.on(Hls.Events.FRAG_PARSING_METADATA, (_, { samples }) => {
    for (const { data, pts } of samples) report.tags.push({ data: data.slice(), time: pts });
  });
  hls.loadSource(url);
  hls.attachMedia(video);
  return hls;
}

async function loadVideoJs() {
  await new Promise((resolve, reject) => {
    document.head.append(Object.assign(document.createElement("script"), { src: "/library/video.js", onload: resolve, onerror: reject }));
  });
  window.videojs.log.level("off");
}

// How a game is attached to each player; gives the element that plays.
const ways = {
  "hls.js": (game, video, url, report) => {
    attachHls(game, playHls(report, video, url), video);
    return video;
  },
  "text tracks": (game, video, url, report) => {
    playHls(report, video, url);
    attachTextTracks(game, video);
    return video;
  },
  "video.js": (game, video, url) => {
    // Chromium plays HLS by itself, and then video.js would leave it to Chromium.
    const html5 = { hls: { overrideNative: true }, nativeTextTracks: false, nativeAudioTracks: false, nativeVideoTracks: false };
    const player = window.videojs(video, { html5 });
    player.src({ src: url, type: "application/x-mpegURL" });
    attachVideoJs(game, player);
    return player.el().querySelector("video");
  },
};

async function play({ show, way, precision }, patience) {
  const report = { show, way, precision, transitions: [], late: [], errors: [], tags: [], ended: false };
  const game = await createGame();
  const element = makeVideo();
  const video = ways[way](game, element, `/shows/${show}/index.m3u8`, report);
  game.addEventListener("*", ({ detail }) => {
    report.transitions.push(detail);
    report.late.push(video.currentTime - detail.eventTime - game.origin);
  });
  follow(game, video, { precision });
  const end = new Promise((resolve) => {
    video.addEventListener("ended", () => resolve(true));
    setTimeout(() => resolve(false), patience * 1000);
  });
  await Promise.race([ready(video), end]);
  await Promise.race([video.play(), end]);
  report.ended = await end;
  // Listeners that came before this one have finished the game.
  report.phase = game.state.phase;
  game.close();
  return report;
}

// ---- What needs no player

const textOf = (tag) => {
  const text = new TextDecoder().decode(tag);
  return text.slice(text.indexOf('{"'), text.lastIndexOf("}") + 1);
};
const hexOf = (text) => "0x" + Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, "0")).join("");

// What a game makes of tags that are handed over when they are presented.
async function playTags(tags, hand, options = {}) {
  const game = await createGame({ wasm, ...options });
  const transitions = [];
  game.addEventListener("*", ({ detail }) => transitions.push(detail));
  for (const { data, time } of tags) hand(game, data, time);
  const { time } = tags.at(-1);
  return { game, transitions, end: time };
}

async function handOver(tags) {
  const results = {};
  const byTag = (game, data, time) => game.tag(data, time, time);
  const hands = {
    tags: byTag,
    frames: (game, data, time) => game.frame(textOf(data), undefined, time, time),
    "date ranges": (game, data, time) => {
      const date = new Date(1.7e12 + Math.round(time * 1000));
      game.dateRange(hexOf(textOf(data)), date, date);
    },
  };
  for (const [name, hand] of Object.entries(hands)) {
    const { game, transitions, end } = await playTags(tags, hand);
    if (name !== "date ranges") game.finish(end + 5);
    results[name] = transitions;
    game.close();
  }
  results["Shaka Player"] = await throughShaka(tags);
  return results;
}

// Shaka Player's events, as its documentation describes them.
async function throughShaka(tags) {
  const game = await createGame({ wasm });
  const transitions = [];
  game.addEventListener("*", ({ detail }) => transitions.push(detail));
  const player = new EventTarget();
  const video = { currentTime: 0, seeking: false };
  attachShaka(game, player, video);
  for (const { data, time } of tags) {
    video.currentTime = time;
    const payload = { key: "TXXX", description: "", data: textOf(data), mimeType: null, pictureType: null };
    const event = Object.assign(new Event("metadata"), { startTime: time, endTime: time, metadataType: "org.id3", payload });
    player.dispatchEvent(event);
  }
  game.finish(video.currentTime + 5);
  game.close();
  return transitions;
}

// What a viewer does: an answer, another, one that is not there, too late, back to the question.
async function asViewer(tags) {
  const facts = {};
  const viewer = await createGame({ wasm });
  facts.before = viewer.select(0, 0).outcome;
  let question;
  viewer.addEventListener("questionasked", ({ detail }) => (question ??= detail));
  for (const { data, time } of tags) if (!question) viewer.tag(data, time, time);
  const asked = question.eventTime + viewer.origin;
  facts.deadline = viewer.nextDeadline - viewer.origin - question.state.question.closesAt;
  facts.accepted = viewer.select(0, asked + 1).outcome;
  facts.selected = viewer.state.selectedAnswer;
  facts.unknown = viewer.select(99, asked + 1).outcome;
  facts.hidden = viewer.state.correctAnswer === null;
  const late = viewer.select(1, question.state.question.closesAt + viewer.origin + 0.5);
  facts.late = late.outcome;
  facts.closed = late.transitions.map(({ transition }) => transition);
  facts.moves = [];
  viewer.addEventListener("seek", ({ target }) => facts.moves.push(target.state.phase));
  facts.again = viewer.seek(asked + 1).map(({ transition }) => transition);
  viewer.close();
  try {
    viewer.advance(0);
    facts.closedThrows = false;
  } catch {
    facts.closedThrows = true;
  }
  return facts;
}

// What becomes of seals where they are not checked, and where a result was changed.
async function seals(tags) {
  const seen = (transitions) => transitions.filter(({ transition }) => transition === "resultsShown").map(({ state }) => state.result.seal);
  const trusting = await playTags(tags, (game, data, time) => game.tag(data, time, time), { checkSeals: false });
  const forging = await playTags(tags, (game, data, time) => {
    const event = JSON.parse(textOf(data));
    if (event.salt) event.correctAnswer = event.correctAnswer === 0 ? 1 : 0;
    delete event.crc;
    game.frame(JSON.stringify(event), undefined, time, time);
  });
  return { trusted: seen(trusting.transitions), forged: forging.transitions.map(({ transition }) => transition) };
}

async function starts(count) {
  const times = [];
  for (let index = 0; index < count; index += 1) {
    const start = performance.now();
    const game = await createGame({ wasm });
    game.state;
    times.push(performance.now() - start);
    game.close();
  }
  return times;
}

// How fast new games take the tags of a show. How long they take to start is measured by itself.
async function tagsASecond(tags) {
  let count = 0;
  let time = 0;
  while (time < 1000) {
    const game = await createGame({ wasm });
    const start = performance.now();
    for (const { data, time: presented } of tags) game.tag(data, presented, presented);
    time += performance.now() - start;
    count += tags.length;
    game.close();
  }
  return count / (time / 1000);
}

// The memory of one game that a show is played to over and over, and of a module in which games are made and ended.
async function memory(tags) {
  const sizes = { rounds: [], games: [] };
  const game = await createGame({ wasm });
  const { memory } = latest.exports;
  for (let round = 0; round < 200; round += 1) {
    game.seek(0);
    for (const { data, time } of tags) game.tag(data, time, time);
    sizes.rounds.push(memory.buffer.byteLength);
  }
  game.close();
  await createGame({ wasm });
  const module = latest.exports;
  for (let index = 0; index < 900; index += 1) {
    const handle = module.cuelight_create(1);
    for (const { data, time } of tags) {
      new Uint8Array(module.memory.buffer, module.cuelight_room(handle, data.length), data.length).set(data);
      module.cuelight_tag(handle, data.length, time, time);
    }
    module.cuelight_destroy(handle);
    sizes.games.push(module.memory.buffer.byteLength);
  }
  return sizes;
}

// ---- The page of the documentation

async function playExample(patience) {
  const frame = Object.assign(document.createElement("iframe"), { src: "/example/index.html", width: 400, height: 400 });
  const loaded = new Promise((resolve) => frame.addEventListener("load", resolve));
  document.body.prepend(frame);
  await loaded;
  const { contentDocument: page } = frame;
  const seen = [];
  const look = setInterval(() => {
    const text = page.getElementById("game").innerText.trim();
    if (text !== seen.at(-1)) seen.push(text);
    // The second answer of both questions is right.
    const answer = page.querySelectorAll("#game button")[1];
    if (answer && !answer.disabled && answer.ariaPressed !== "true") answer.click();
  }, 50);
  const video = page.querySelector("video");
  const over = () => seen.at(-1)?.includes("right") && seen.length > 3;
  const start = performance.now();
  await ready(video);
  await video.play();
  while (!over() && performance.now() - start < patience * 1000) await new Promise((resolve) => setTimeout(resolve, 100));
  // Back at the beginning nothing is announced, and the page shows the beginning all the same.
  const end = seen.at(-1);
  video.currentTime = 0;
  for (let waited = 0; waited < 3000 && seen.at(-1) === end; waited += 50) await new Promise((resolve) => setTimeout(resolve, 50));
  clearInterval(look);
  return seen;
}

// ---- All of it

window.check = async (games, patience) => {
  wasm = await (await fetch("/package/cuelight-client.wasm")).arrayBuffer();
  const report = { imports: WebAssembly.Module.imports(await WebAssembly.compile(wasm)).map(({ module, name }) => `${module}.${name}`) };
  await starts(3);
  report.starts = await starts(20);
  await loadVideoJs();
  // In two turns: a page that starts many videos at once is late by itself.
  const isUsual = ({ way, precision }) => way === "hls.js" && precision === "deadline";
  report.games = await Promise.all(games.filter(isUsual).map((game) => play(game, patience)));
  const example = playExample(patience);
  report.games.push(...(await Promise.all(games.filter((game) => !isUsual(game)).map((game) => play(game, patience)))));
  report.example = await example;
  const { tags } = report.games.find(({ way }) => way === "hls.js");
  report.tags = tags.length;
  report.handed = await handOver(tags);
  report.viewer = await asViewer(tags);
  report.seals = await seals(tags);
  report.speed = await tagsASecond(tags);
  report.memory = await memory(tags);
  for (const game of report.games) game.tags = game.tags.length;
  return report;
};
