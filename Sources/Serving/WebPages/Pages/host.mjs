// The host's console: makes a game of a quiz, leads it, and shows what players answer and what is in the stream.

import { call, newID } from "./api.mjs";
import { ofFile, ofText, saveFile, types } from "./files.mjs";
import { listen } from "./listen.mjs";
import { clock, number, say, translate } from "./messages.mjs";
import { Player } from "./player.mjs";
import { drawQuestions, hasAskedAll, loadQuestions, openQuestions, textsOf } from "./questions.mjs";
import { drawClock, drawRoom, drawWarnings } from "./room.mjs";
import { follow } from "./stage.mjs";
import { complain, element, isOthers, part, reveal, sparing, speak, words, write } from "./view.mjs";

const kept = "cuelight-host";
// What a host who leads by keys presses for which button.
const keys = { g: "next", "+": "extend", c: "close", r: "reveal", v: "void", x: "end", a: "show-answer", w: "write-question" };
const longestJournal = 200;
// What comes within so many milliseconds of the first connection was there before.
const catchingUp = 1000;
// How often the list of players is loaded at most, in milliseconds.
const betweenLists = 2000;

let token = "";
// What the server and other hosts know this window by: who loads the page again is no other host.
let client = "";
// Whether this console leads. One that does not listens, and leads once its host says so.
let isLeading = false;
let game = null;
let player = null;
let phase = "";
let counts = {};
// The counts of the latest question stay until there is another one.
let latest = {};
let listening = null;
let hearing = null;
// What screens show, when it held, and how far the game is.
let stage = null;
let held = 0;
let state = {};
// The latest reason for which the game waits, and what the encoder should be told.
let [waits, advice] = ["", ""];
// The answers of questions that the picture has shown, by their identifiers.
const texts = new Map();
const journal = [];
let people = [];

const path = (rest = "") => `/v1/games/${encodeURIComponent(game.id)}${rest}`;

function screen(id) {
  for (const name of ["door", "maker", "console"]) reveal(name, name === id);
  part(id).querySelector("h1").focus({ preventScroll: true });
}

// MARK: Which game

async function findGame(name) {
  try {
    return (await call("GET", `/v1/games/${encodeURIComponent(name)}`, { tries: 3 })).object;
  } catch (error) {
    if (error.status !== 404) throw error;
    return (await call("GET", `/v1/games?code=${encodeURIComponent(name)}`, { tries: 3 })).object;
  }
}

async function open(name) {
  game = await findGame(name);
  // Refused where the token is none of this game's.
  people = (await call("GET", path("/players"), { token, tries: 3 })).object.players;
  client ||= newClient();
  sessionStorage.setItem(kept, JSON.stringify({ token, game: game.id, client }));
  lead();
}

// A name that tells one console from another: the browser, the system, and some letters by chance.
function newClient() {
  const find = (names) => names.find(([sign]) => navigator.userAgent.includes(sign))?.[1];
  const browser = find([["Edg/", "Edge"], ["OPR/", "Opera"], ["Firefox/", "Firefox"], ["Chrome/", "Chrome"], ["Safari/", "Safari"]]);
  const system = find([["Android", "Android"], ["iPhone", "iOS"], ["iPad", "iPadOS"], ["Windows", "Windows"], ["Mac OS", "macOS"], ["CrOS", "ChromeOS"], ["Linux", "Linux"]]);
  return [browser, system, newID().slice(0, 6)].filter(Boolean).join(" · ");
}

async function offerToMake() {
  screen("maker");
  // Accounts have quizzes of their own; the operator has none.
  const own = await call("GET", "/v1/quizzes", { token, tries: 1 }).then(({ object }) => object.quizzes ?? [], () => []);
  part("quiz-own").replaceChildren(
    element("option", { value: "" }, say("none")), ...own.map((quiz) => element("option", { value: quiz.id }, quiz.title)));
  reveal("own-quizzes", own.length > 0);
}

// The maker of quizzes gets the token for this tab.
part("make-link").addEventListener("click", () => sessionStorage.setItem("cuelight-make-token", token));

async function make() {
  const own = part("quiz-own").value;
  const file = part("quiz-file").files[0];
  const known = file && ofFile(file.name);
  // A file goes as it is: a spreadsheet is no text.
  const body = known ? file : file ? await file.text() : part("quiz-text").value;
  if (!own && (known ? file.size === 0 : !body.trim())) throw Object.assign(new Error(), { key: "noQuiz" });
  const kind = known ?? ofText(body);
  // One try: a second one might make a second game.
  const { object } = own
    ? await call("POST", "/v1/games", { body: { quiz: own }, token, tries: 1 })
    : await call("POST", `/v1/games?format=${kind}`, { body, type: types[kind] ?? "application/octet-stream", token, tries: 1 });
  token = object.token;
  await open(object.id);
  // What was left out of the quiz, and why.
  if (object.notices) complain("console-problem", object.notices.map(({ detail }) => detail).join("\n"));
}

// MARK: Leading

function lead() {
  screen("console");
  document.title = game.title;
  write("title", game.title);
  write("code", game.code);
  write("big-code", game.code);
  phase = game.state;
  openQuestions({ path, token: () => token, send, command, leads: () => isLeading, changed: draw });
  drawRoom(game, stage);
  draw();
  drawPeople();
  hear();
  preview();
  follow(game.id, (newStage, moment) => {
    [stage, held] = [newStage, moment];
    drawRoom(game, stage);
    drawTime();
  }, () => {});
  setInterval(look, 3000);
  setInterval(drawTimes, 500);
  setInterval(drawTime, 200);
}

// Listens: as the console that leads, as the one that takes the lead from now on, or as one that watches while another one leads.
async function hear(how = "") {
  hearing?.abort();
  const own = (hearing = new AbortController());
  // What was before comes again.
  [journal.length, listening] = [0, null];
  write("own-name", client);
  try {
    await listen(path(`/events?client=${encodeURIComponent(client)}${how && `&${how}`}`), {
      token, signal: own.signal, message,
      state(name) {
        write("link", say(name));
        part("link").classList.toggle("on", name === "connected");
        if (name !== "connected") return;
        listening ??= performance.now();
        noteLead(how !== "watch");
        look();
        loadQuestions();
      },
    });
  } catch (error) {
    if (error.kind === "host-busy") return watch();
    if (error.status === 401 || error.status === 403) return leave(error);
    complain("console-problem", error);
  }
}

// Another console leads: this one goes on as a console of its own, also where both come from one window that was copied.
function watch() {
  client = newClient();
  sessionStorage.setItem(kept, JSON.stringify({ token, game: game.id, client }));
  hear("watch");
}

function noteLead(leads) {
  isLeading = leads;
  if (leads && document.activeElement === part("take-over")) part("next").focus();
  drawLead();
  draw();
  drawQuestions();
}

function drawLead() {
  const name = counts.leader || say("hostBusy");
  write("busy-text", counts.leader === undefined ? say("nobodyLeads") : counts.leader === "" ? name : say("leadsNow", { name }));
  const isNew = !isLeading && part("busy").hidden;
  reveal("busy", !isLeading);
  if (isNew) {
    speak(part("busy-text").textContent);
    part("take-over").focus();
  }
}

function message(event, data) {
  switch (event) {
    case "counts": {
      const isNew = data.players !== counts.players;
      counts = data;
      if (data.question) latest = data;
      if (!isLeading) drawLead();
      draw();
      if (isNew) listPeople();
      return true;
    }
    case "takeover":
      if (isLeading) speak(say("takenOver"));
      watch();
      return false;
    case "questions":
      loadQuestions();
      return true;
    case "access-ended":
      leave(say("accessEnded"));
      return false;
    case "asked":
      waits = "";
      loadQuestions();
      note(say("asked", { number: data.number }), data.guid);
      break;
    case "injected": {
      // A question and a result have a line from when they were decided on.
      const known = journal.find((line) => line.guid === data.guid);
      if (known) known.at = data.at;
      else note(data.event === "adjustTime" ? say("otherTime") : say(`type-${data.event}`), data.guid, data.at);
      drawJournal();
      // A prediction whose result is shown may be settled from now on.
      if (data.event === "showResults") loadQuestions();
      break;
    }
    case "decision": note(say("decision"), data.guid); break;
    case "picture": note(say(`picture-${data.picture}`)); break;
    case "waiting":
      waits = data.reason;
      note(say("waiting", data));
      break;
    case "lag":
      advice = data.advice ? say("lagAdvice", { seconds: Math.round(data.behind), advice: data.advice }) : "";
      note(say(data.advice ? "lagAdvice" : "lag", { seconds: Math.round(data.behind), advice: data.advice })); break;
    case "delay":
      game.delay = data.delay;
      note(say("delay", { seconds: Math.round(data.delay) }));
      break;
    case "kicked": note(say("playerKicked", { player: data.player })); break;
    case "removed": note(say("playerRemoved", { player: data.player })); break;
    default: note(say(event));
  }
  if (event === "kicked" || event === "removed") listPeople();
  look();
  return true;
}

// How far the game is. Many messages at once, as after a reload, ask once.
const look = sparing(200, async () => {
  try {
    const { object } = await call("GET", path("/state"), { tries: 1 });
    state = object;
    phase = object.phase;
    draw();
  } catch {
    // The next message asks again.
  }
});

// Sends a command. The identifier makes a try that is repeated the same command.
async function send(name, others = {}) {
  const address = path(`/commands?client=${encodeURIComponent(client)}`);
  const { object } = await call("POST", address, { body: { id: newID(), command: name, ...others }, token, tries: 4 });
  phase = object.state;
  waits = "";
  draw();
}

async function command(name, others = {}) {
  complain("console-problem", null);
  try {
    await send(name, others);
    return true;
  } catch (error) {
    if (error.kind === "host-busy") watch();
    else if (error.status === 401) leave(error);
    // Nobody would see the question, or be counted: the host decides.
    else if (error.problem?.force && !others.force) return (await confirm(say("confirmUnseen", { reason: reasonOf(error) }))) && command(name, { ...others, force: true });
    else {
      complain("console-problem", error);
      speak(words(error));
    }
    return false;
  }
}

// What a problem says, without what it says to programs.
const reasonOf = (error) => `${error.problem.detail.split("; send ")[0]}.`;

function confirm(text) {
  const dialog = part("confirm");
  write("confirm-text", text);
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true }));
}

function leave(error) {
  hearing?.abort();
  sessionStorage.removeItem(kept);
  sessionStorage.setItem("cuelight-left", typeof error === "string" ? error : words(error));
  location.reload();
}

// MARK: The picture

async function preview() {
  try {
    player = await Player.open(part("video"), game.stream, {
      changed: draw,
      trouble: (isAway) => write("preview-state", isAway ? say("streamTrouble") : ""),
    });
    player.play();
  } catch (error) {
    write("preview-state", words(error));
  }
}

// MARK: What is on the screen

// A button that is disabled would lose the focus of a host who leads by keys.
const allow = (name, isAllowed) => part(name).setAttribute("aria-disabled", String(!isAllowed || !isLeading));

function draw() {
  write("phase", say(`phase-${phase}`));
  write("audience", `${say("players", { count: counts.players ?? game.players })} · ${say("viewers", { count: counts.viewers ?? 0 })}`);
  write("next-hint", say(phase === "lobby" ? "goFirst" : phase === "starting" ? "goAsk" : hasAskedAll() ? "goLast" : "goNext"));
  const isOpen = phase === "open";
  const isRunning = isOpen || phase === "closed" || phase === "asking";
  const isOver = phase === "ended";
  const hadFocus = document.activeElement === part("next");
  reveal("next", !isOver);
  reveal("again", isOver);
  reveal("results", isOver);
  if (isOver && hadFocus) part("again").focus();
  allow("next", !isOver && !isRunning);
  allow("extend", isOpen);
  allow("close", isOpen);
  allow("reveal", isOpen || phase === "closed");
  allow("void", isRunning);
  allow("end", !isOver);
  allow("write-question", !isOver);
  drawTally();
  drawWarnings({ phase, state, delay: game.delay, others: [advice, waits && say("waiting", { reason: waits })] });
}

const drawTime = () => drawClock({ phase, state, stage, held });

function drawTally() {
  // Only the picture says what a question is called.
  const seen = player?.game.state.question;
  if (seen) texts.set(seen.guid, seen);
  const question = texts.get(latest.question) ?? textsOf(latest.question);
  reveal("asked", Boolean(latest.question));
  reveal("answers-card", Boolean(latest.question));
  if (latest.question) write("asked-number", say("question", { number: latest.number }));
  write("asked-text", question?.text ?? "");
  const told = [latest.question && say("answered", { answered: latest.answered, players: latest.players }), latest.reach && say("shownOn", latest.reach)];
  write("answered", told.filter(Boolean).join(" · "));
  const list = latest.texts?.most ?? (latest.counts ?? []).map((count, index) => ({ text: question?.answers[index] ?? number(index + 1), count }));
  const most = Math.max(1, ...list.map(({ count }) => count));
  const place = part("tally");
  if (place.childElementCount !== list.length) {
    place.replaceChildren(
      ...list.map((_, index) =>
        element("li", { class: `hue-${index % 6}` }, element("span", { dir: "auto" }), element("b"), element("span", { class: "share", "aria-hidden": "true" }))));
  }
  list.forEach(({ text: words, count }, index) => {
    const [text, total, share] = place.children[index].children;
    write(text, words);
    write(total, number(count));
    share.style.transform = `scaleX(${count / most})`;
  });
}

function note(text, guid, at) {
  journal.unshift({ text, guid, at });
  journal.length = Math.min(journal.length, longestJournal);
  if (listening !== null && performance.now() > listening + catchingUp) speak(text);
  drawJournal();
}

const drawJournal = sparing(50, () => {
  part("events").replaceChildren(
    ...journal.map((line) => element("li", {}, line.text, line.at === undefined ? null : element("small"))));
  drawTimes();
});

// When viewers see what is in the stream: this picture, and those that are as far behind as answers may be.
function drawTimes() {
  const position = player?.position ?? null;
  journal.forEach((line, index) => {
    const small = part("events").children[index]?.querySelector("small");
    if (!small) return;
    const parts = [say("injected", { time: clock(line.at) })];
    if (position !== null) parts.push(line.at > position ? say("seenIn", { seconds: Math.ceil(line.at - position) }) : say("seen"));
    parts.push(say("lastSeen", { time: clock(line.at + game.delay) }));
    write(small, parts.join(" · "));
  });
}

const listPeople = sparing(betweenLists, async () => {
  people = await call("GET", path("/players"), { token, tries: 2 }).then(({ object }) => object.players, () => people);
  drawPeople();
});

// The lines of players stay as long as they are found, so that focus stays.
const lines = new Map();

function lineOf({ player, nickname }) {
  const button = element("button", { type: "button", "aria-label": `${say("kick")}: ${nickname}` }, say("kick"));
  button.addEventListener("click", async () => {
    if (!(await confirm(say("confirmKick", { name: nickname })))) return;
    if (!(await command("kick", { player }))) return;
    people = people.filter((other) => other.player !== player);
    drawPeople();
  });
  return element("li", {}, element("bdi", {}, nickname), button);
}

function drawPeople() {
  const wanted = part("find").value.trim().toLowerCase();
  const found = people.filter(({ nickname }) => nickname.toLowerCase().includes(wanted)).slice(0, 100);
  const place = part("people");
  const index = [...place.children].findIndex((line) => line.contains(document.activeElement));
  const wantedLines = found.map((person) => {
    const key = `${person.player} ${person.nickname}`;
    if (!lines.has(key)) lines.set(key, lineOf(person));
    return lines.get(key);
  });
  for (const line of [...place.children]) if (!wantedLines.includes(line)) line.remove();
  wantedLines.forEach((line, at) => {
    if (place.children[at] !== line) place.insertBefore(line, place.children[at] ?? null);
  });
  // Who is gone had the focus: the next one has it then.
  if (index >= 0 && document.activeElement === document.body) (place.children[Math.min(index, place.childElementCount - 1)]?.querySelector("button") ?? part("find")).focus();
}

// MARK: What the host does

const buttons = {
  // The show starts, and the first question is asked when the host says so again.
  next: () => command(phase === "lobby" ? "start" : "next"),
  extend: () => command("extend", { seconds: 10 }),
  close: () => command("close"),
  reveal: () => command("reveal"),
  void: async () => (await confirm(say("confirmVoid"))) && command("void"),
  end: async () => (await confirm(say("confirmEnd"))) && command("end"),
};
// What the server has not answered yet is not said again: a second GO is meant for the same question. More time is more time.
const inHand = new Set();
for (const [name, act] of Object.entries(buttons)) {
  part(name).addEventListener("click", async () => {
    if (part(name).getAttribute("aria-disabled") === "true" || inHand.has(name)) return;
    if (name !== "extend") inHand.add(name);
    await act();
    inHand.delete(name);
  });
}

// A new game of the same quiz. A call that is repeated gives the same one.
part("again").addEventListener("click", async () => {
  complain("console-problem", null);
  part("again").disabled = true;
  try {
    const { object } = await call("POST", path("/again"), { token, tries: 4 });
    sessionStorage.setItem(kept, JSON.stringify({ token: object.token, game: object.id, client }));
    const address = new URL(location.href);
    address.searchParams.set("game", object.id);
    location.assign(address);
  } catch (error) {
    part("again").disabled = false;
    if (error.status === 401) leave(error);
    else complain("console-problem", error);
  }
});

// The results as a spreadsheet. The token goes in a header, which no link has.
part("results").addEventListener("click", async () => {
  complain("console-problem", null);
  try {
    const { blob } = await call("GET", path("/results.xlsx"), { token, tries: 3, isFile: true });
    saveFile(blob, `${game.title} ${game.code}.xlsx`);
  } catch (error) {
    complain("console-problem", error);
  }
});

addEventListener("keydown", (event) => {
  const isTyping = event.target.matches("input:not([type=checkbox]), textarea, select");
  if (isOthers(event) || isTyping || part("console").hidden || document.querySelector("dialog[open]") || !part("keys").checked) return;
  // Keyboards with other letters have them at the same places.
  const key = /^[^\0-\x7f]$/.test(event.key) ? event.code.replace(/^Key/, "") : event.key;
  const name = Object.hasOwn(keys, key.toLowerCase()) && keys[key.toLowerCase()];
  if (!name) return;
  const button = part(name);
  event.preventDefault();
  button.focus();
  button.click();
});

part("take-over").addEventListener("click", () => hear("takeover"));
part("find").addEventListener("input", drawPeople);
part("find").addEventListener("focus", listPeople);
part("log-out").addEventListener("click", () => {
  sessionStorage.removeItem(kept);
  location.reload();
});

function handle(form, problem, act) {
  part(form).addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = part(form).querySelector("button.big");
    button.disabled = true;
    complain(problem, null);
    try {
      await act();
    } catch (error) {
      complain(problem, error.status === 401 || error.status === 403 ? say("wrongToken") : error);
    } finally {
      button.disabled = false;
    }
  });
}

handle("door-form", "door-problem", async () => {
  token = part("token").value.trim();
  const name = part("game").value.trim();
  await (name ? open(name) : offerToMake());
});
handle("maker-form", "maker-problem", make);

// The link that the server prints has the token behind the hash, which no server and no log sees; it leaves the address at once.
function tokenOfLink() {
  const linked = new URLSearchParams(location.hash.slice(1)).get("token");
  if (linked) history.replaceState(null, "", location.pathname + location.search);
  return linked;
}

async function start() {
  translate();
  const linked = tokenOfLink();
  part("game").value = new URLSearchParams(location.search).get("game") ?? "";
  const before = JSON.parse(sessionStorage.getItem(kept) ?? "null");
  if (linked) {
    token = linked;
    // Who loads the same link again is the same console.
    if (before?.game === part("game").value) client = before.client ?? "";
    return (part("game").value ? open(part("game").value) : offerToMake()).catch((error) => {
      screen("door");
      complain("door-problem", error.status === 401 || error.status === 403 ? say("wrongToken") : error);
    });
  }
  if (before && (!part("game").value || part("game").value === before.game)) {
    [token, client] = [before.token, before.client ?? ""];
    return open(before.game).catch((error) => {
      screen("door");
      complain("door-problem", error);
    });
  }
  screen("door");
  const left = sessionStorage.getItem("cuelight-left");
  if (left) complain("door-problem", left);
  sessionStorage.removeItem("cuelight-left");
}

start();
