// The viewer's page: who plays, what the video says of the game, and what became of the answers.

import { isReady, prepare } from "./answers.mjs";
import { AnswerQueue, call, isReached, later as loaded, network, newID, pause, serverNow } from "./api.mjs";
import { effects, feel } from "./effects.mjs";
import { gradeOf, hintOf, kindOf, same, spokenOf, spokenResult, wordsOf } from "./kinds.mjs";
import { knows, language, say, translate } from "./messages.mjs";
import { Missing, Player } from "./player.mjs";
import { answerOf, complain, element, isOthers, part, reveal, speak, teamOf, view, words, write } from "./view.mjs";

const spokenSeconds = [10, 5, 3];
// After so many milliseconds the page asks again when players may join.
const longestWait = 60_000;
const seatKey = "cuelight-seat";
// How many people share a page at most.
const mostSeats = 8;
const isVoid = (guid) => state?.question?.guid === guid && state.question.voided === true;
const isOut = () => (standing?.outAt ?? null) !== null;

let game = null;
let player = null;
let me = null;
let queue = null;
let state = null;
let standing = null;
// What is on the screen: which question, and what has become of the answers of this player.
let shown = { guid: null, phase: null };
let answers = {};
let spoken = new Set();
let trouble = false;
let wasTooFar = false;
// The seats of this page: several people may share a telephone, and answer one after the other. `me`, `answers`, `standing` and `queue` are those of the
// seat whose turn it is.
let seats = [];
let turn = null;
// Whether something is done for another seat, which is not shown.
let isQuiet = false;
// The second of the countdown that was last heard.
let ticked = 0;

const path = (rest = "") => `/v1/games/${encodeURIComponent(game.id)}${rest}`;

// MARK: Who plays

// What belongs to the seat in this game: the seat itself, the answers, and the place on the scoreboard. A tab keeps it for itself, and the browser keeps
// it until the game is over, so that who closes the tab comes back as the same player. There is one seat in a browser: that of the latest game.
const shelf = {
  get(key) {
    return JSON.parse(sessionStorage.getItem(key) ?? localStorage.getItem(key) ?? "null");
  },
  set(key, value) {
    const text = JSON.stringify(value);
    sessionStorage.setItem(key, text);
    // What comes once the game is over is the tab's alone.
    if (shown.phase === "ended") return;
    try {
      localStorage.setItem(key, text);
    } catch {
      // A browser without room for it keeps the seat as long as the tab.
    }
  },
  remove(key) {
    sessionStorage.removeItem(key);
    localStorage.removeItem(key);
  },
  // Clears what the browser keeps; the tab keeps it until it is closed, or until the player leaves.
  clear() {
    for (const key of Object.keys(localStorage)) if (/^cuelight-(?:seat$|chosen-|standing-|streak-|more-)/.test(key)) localStorage.removeItem(key);
  },
};

// Other tabs of this browser lend their seat, so that all are the same player.
const tabs = new BroadcastChannel("cuelight-player");
tabs.addEventListener("message", ({ data }) => {
  if (data.ask === "seat" && me && (!data.code || game.code === data.code)) tabs.postMessage({ seat: me, code: game.code, answers, standing });
  const own = data.chosen && data.game === game?.id && seats.find((seat) => seat.me.player === data.player);
  if (own) {
    of(own, () => {
      answers = { ...answers, ...data.chosen };
      keepAnswers();
      draw();
    });
  }
});

function borrowSeat(code) {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(null), 250);
    const hear = ({ data }) => {
      if (!data.seat || (code && data.code !== code)) return;
      clearTimeout(timer);
      tabs.removeEventListener("message", hear);
      [answers, standing] = [data.answers, data.standing];
      resolve(data.seat);
    };
    tabs.addEventListener("message", hear);
    tabs.postMessage({ ask: "seat", code });
  });
}

// The first seat has the shelf's names for itself.
const nameOf = (what, which = turn) => `cuelight-${what}-${game.id}${which && which !== seats[0] ? `-${which.me.player}` : ""}`;
const keepAnswers = () => shelf.set(nameOf("chosen"), answers);
const keepStanding = () => shelf.set(nameOf("standing"), standing);

async function findGame(code) {
  const query = code ? `?code=${encodeURIComponent(code)}` : "?next";
  try {
    game = (await call("GET", `/v1/games${query}`, { tries: 3 })).object;
  } catch (error) {
    if (error.status === 404) error.kind = code ? "unknownCode" : "noGame";
    throw error;
  }
}

// Joins, or comes back as the same player. Where players cannot join yet, it waits until they can, whenever the host makes that.
async function join(nickname, uuid, team) {
  me = await sit(nickname, uuid, team);
  if (shelf.get(seatKey)?.code !== me.code) shelf.clear();
  shelf.set(seatKey, me);
}

// Takes a seat, or comes back to it.
async function sit(nickname, uuid, team) {
  const body = { nickname, ...(team ? { team } : {}) };
  const position = player?.position;
  if (position !== null && position !== undefined && game.state !== "lobby") body.at = Math.max(0, Number(position.toFixed(3)));
  for (;;) {
    try {
      const { object } = await call("PUT", path(`/players/${uuid}`), { body, tries: 4 });
      return { ...object, uuid, code: game.code };
    } catch (error) {
      if (error.kind === "joined-otherwise") [body.nickname, body.team] = [error.problem.nickname, undefined];
      else if (error.kind === "too-early") await waitForEntry();
      else throw error;
    }
  }
}

async function waitForEntry() {
  for (;;) {
    const opens = Date.parse(game.entryOpensAt ?? "") || serverNow() + 5000;
    complain("join-problem", say("entryOpens", { time: dateOf(opens) }));
    const wait = Math.min(longestWait, Math.max(1000, opens - serverNow()));
    await new Promise((resolve) => setTimeout(resolve, wait + Math.random() * 2000));
    if (opens <= serverNow()) break;
    // The host may have changed the time.
    game = (await call("GET", path())).object;
  }
  complain("join-problem", null);
}

// A time of day, with its day where that is another one.
function dateOf(time) {
  const date = new Date(time);
  const day = date.toDateString() === new Date(serverNow()).toDateString() ? {} : { dateStyle: "full" };
  return new Intl.DateTimeFormat(language, { timeStyle: "short", ...day }).format(date);
}

async function openStream() {
  if (player) return;
  player = await Player.open(part("video"), game.stream, {
    changed: draw,
    reports: game.reports ?? null,
    trouble(isAway) {
      trouble = isAway;
      drawNetwork();
    },
  });
}

// Where the game runs, its position is told to the server with the join, so that answers count from there on.
async function learnPosition() {
  for (let waited = 0; waited < 4000 && player.position === null; waited += 100) await new Promise((resolve) => setTimeout(resolve, 100));
}

async function enter(code, nickname, uuid, team) {
  await findGame(code);
  // Who has a seat has chosen the team already.
  if (game.teams && !team && !shelf.get(seatKey)) {
    await drawTeams(game.teams);
    const error = new Error("team");
    error.key = "chooseTeam";
    throw error;
  }
  answers = shelf.get(`cuelight-chosen-${game.id}`) ?? answers;
  standing = shelf.get(`cuelight-standing-${game.id}`) ?? standing;
  try {
    if (game.state === "lobby") {
      // The stream may come later: players have their places before.
      await join(nickname, uuid, team);
      await openStream();
    } else {
      await openStream();
      if (game.state !== "ended") await learnPosition();
      await join(nickname, uuid, team);
    }
  } catch (error) {
    // Nothing plays behind the door.
    player?.close();
    player = null;
    throw error;
  }
  begin();
}

// MARK: Whose turn it is

// Keeps a seat, and sends what is still to be sent for it.
function addSeat(own) {
  const seat = { me: own };
  const isFirst = seats.push(seat) === 1;
  seat.answers = (isFirst ? answers : shelf.get(nameOf("chosen", seat))) ?? {};
  seat.standing = (isFirst ? standing : shelf.get(nameOf("standing", seat))) ?? null;
  seat.queue = new AnswerQueue(game.id, own.token, {
    changed: (...outcome) => of(seat, () => settled(...outcome)), renew: () => renew(seat),
  }, isFirst ? "" : `-${own.player}`);
  drawSeats();
  return seat;
}

const load = (seat) => {
  turn = seat;
  ({ me, answers, standing, queue } = seat);
};
const store = () => Object.assign(turn, { me, answers, standing });

// Does something for a seat, without a word where it is not the one that is shown.
function of(seat, act) {
  const own = turn;
  store();
  if (seat === own) {
    act();
    store();
    return drawSeats();
  }
  load(seat);
  isQuiet = true;
  act();
  isQuiet = false;
  store();
  load(own);
  drawSeats();
}

function take(seat) {
  if (turn) store();
  load(seat);
  view.before = null;
  drawYou();
  drawSeats();
  if (seats.length > 1) speak(say("turnOf", { name: me.nickname }));
  draw();
}

// Once somebody has answered, it is the next one's turn who has not.
function passOn(question) {
  const own = turn;
  store();
  const rest = [...seats.slice(seats.indexOf(own) + 1), ...seats];
  const next = rest.find((seat) => seat !== own && !seat.answers[question] && (seat.standing?.outAt ?? null) === null);
  if (next) setTimeout(() => { if (turn === own && shown.guid === question && shown.phase === "asking") take(next); }, 700);
}

function drawSeats() {
  const marks = seats.map((seat) => {
    const { answers: known, me: own } = seat === turn ? { answers, me } : seat;
    const chosen = known?.[shown.guid];
    const { phase, question, result } = player?.game.state ?? {};
    const grade = phase === "results" && question && result ? gradeOf(question, result, chosen?.answer) : "none";
    if (!chosen || !["asking", "closed", "results"].includes(shown.phase)) return [own.nickname, ""];
    return [own.nickname, !["right", "partly", "wrong"].includes(grade) || !doesCount(chosen) ? (chosen.outcome === "recorded" ? "●" : "○") : grade === "right" ? "✓" : "✗"];
  });
  const key = JSON.stringify([marks, seats.indexOf(turn)]);
  const place = part("seats");
  reveal(place, seats.length > 1);
  if (place.dataset.key === key) return;
  place.dataset.key = key;
  const focused = [...place.children].indexOf(document.activeElement);
  place.replaceChildren(...marks.map(([name, mark], index) => {
    const button = element("button", { type: "button", "aria-pressed": String(seats[index] === turn) }, element("bdi", {}, name), mark ? ` ${mark}` : "");
    button.addEventListener("click", () => take(seats[index]));
    return button;
  }));
  place.children[focused]?.focus();
}

const keepSeats = () => shelf.set(nameOf("more", seats[0]), seats.slice(1).map((seat) => seat.me));

// One more person at this telephone.
async function addPlayer(nickname, team) {
  if (!nickname) return;
  addSeat(await sit(nickname, newID(), team));
  keepSeats();
  speak(say("youAre", { name: nickname }));
}

// A seat is given up, and the others go on.
function drop(seat) {
  const isFirst = seat === seats[0];
  for (const what of ["chosen", "standing", "streak"]) shelf.remove(nameOf(what, seat));
  seats = seats.filter((other) => other !== seat);
  // The names on the shelf are those of the first one.
  if (isFirst) shelf.set(seatKey, seats[0].me);
  keepSeats();
  if (turn === seat) turn = null;
  if (!turn) take(seats[0]);
  for (const what of isFirst ? ["chosen", "standing"] : []) shelf.set(nameOf(what, seats[0]), seats[0][what === "chosen" ? "answers" : what]);
  drawSeats();
}

function begin() {
  document.title = game.title;
  write("title", game.title);
  addSeat(me);
  take(seats[0]);
  for (const other of shelf.get(nameOf("more")) ?? []) addSeat(other);
  view.screen("show");
  player.play();
  // As of the last result that this player has seen: the server may have the next one already.
  drawYou();
  speak(say("youAre", { name: me.nickname }));
  draw();
  setInterval(drawTime, 100);
  keepState();
  keepPresence();
  // What the first picture did not need.
  prepare();
  loaded("menu");
}

// MARK: What the server says

async function lookAtState() {
  try {
    const { object } = await call("GET", path("/state"), { tries: 1 });
    noteVoid(object);
    state = object;
    if (seats.some((seat) => object.kicked?.includes(seat.me.player))) await fetchStanding(shown.key, 0);
    drawNetwork();
    draw();
  } catch {
    // The next look may succeed.
  }
}

async function keepState() {
  for (;;) {
    await lookAtState();
    const every = shown.phase === "asking" ? 10 : 5;
    await pause(every * 1000 * (0.8 + Math.random() * 0.4));
  }
}

// What others choose in a live poll, while it is open. The more players there are, the less often a page asks: all of them ask about a thousand times a
// second at most, besides what they ask anyway. Caches may answer them.
async function keepCounts({ guid }) {
  const pauses = () => Math.max(2, (state?.players ?? 0) / 1000) * 1000;
  const isOpen = () => shown.guid === guid && shown.phase === "asking";
  await pause(Math.random() * pauses());
  while (isOpen()) {
    if (!document.hidden) await lookAtState();
    await pause(pauses() * (0.8 + Math.random() * 0.4));
  }
}

// One of many pages speaks for the others, so that the server hears a sample.
async function keepPresence() {
  for (;;) {
    const { every, share } = state?.presence ?? { every: 10, share: 1 };
    if (Math.random() < share && !document.hidden) await call("POST", path(`/presence?share=${share}`), { token: me.token, tries: 1 }).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, every * 1000));
  }
}

// The own place and the board. Only when the picture shows the result: the server has it earlier than viewers behind live.
async function fetchStanding(key, longest = 1500) {
  await new Promise((resolve) => setTimeout(resolve, Math.random() * longest));
  try {
    const there = [...seats];
    const [board, ...own] = await Promise.all([
      call("GET", path("/board"), { tries: 6 }),
      ...there.map((seat) => call("GET", path("/me"), { token: seat.me.token, tries: 6 }).catch((error) => ({ error }))),
    ]);
    for (const [index, seat] of there.entries()) {
      const { object, error } = own[index];
      if (error?.kind === "kicked" && seats.length > 1) drop(seat);
      else if (error && seat === turn) throw error;
      if (!object) continue;
      of(seat, () => {
        standing = object;
        keepStanding();
      });
    }
    drawYou();
    if (shown.key === key && ["results", "ended"].includes(shown.phase)) {
      view.teams(board.object.teams ?? null, me.team);
      if (board.object.leaders?.length > 0) showBoard(board.object.leaders);
    }
    draw();
    if (isOut()) speak(say("outAt", { number: standing.outAt }));
    else if (standing.rank) speak(`${say("rank")} ${standing.rank}, ${say("score")} ${standing.score}.`);
  } catch (error) {
    if (error.kind === "kicked") leave(error);
  }
}

const drawYou = () => view.you(me.nickname, standing, me.team);

// A question that the host has taken back is said to be void once: nothing in the picture says so.
function noteVoid({ question }) {
  if (question?.voided && question.guid === shown.guid && !isVoid(question.guid)) speak(say("isVoid"));
}

// What became of an answer. The one that the server has counts until it has another one, so a change that is refused leaves it.
function settled({ question, answer }, outcome, hasNext) {
  // Another one may wait for its last step.
  const isReplaced = hasNext || (later.waiting?.queue === queue && later.waiting.answer.question === question);
  const isRecorded = outcome === "recorded";
  const known = { ...answers[question], ...(isRecorded ? { counted: answer } : {}) };
  if (!isReplaced) Object.assign(known, { outcome, answer: known.counted ?? answer });
  note(question, known);
  // The host may have taken the player out, which a place on the board says.
  if (outcome === "eliminated") fetchStanding(shown.key, 0);
  if (isQuiet || isReplaced || question !== shown.guid || !["asking", "closed"].includes(shown.phase)) return;
  // With the answer's words, so that a change is told, too.
  const asked = stage().question;
  const text = asked ? wordsOf(asked, known.answer) : "";
  speak(isRecorded ? `${text}: ${say("saved")}` : refusalOf(known));
}

// The seat's token has ended: the client's own UUID gives another one.
async function renew(seat) {
  try {
    const own = await sit(seat.me.nickname, seat.me.uuid);
    of(seat, () => { me = own; });
    if (seat === seats[0]) shelf.set(seatKey, own);
    else keepSeats();
  } catch (error) {
    if (seats.length > 1) drop(seat);
    else leave(error);
  }
  return seat.me.token;
}

// Keeps what is known of an answer, here and in the other tabs.
function note(question, answer) {
  answers[question] = answer;
  keepAnswers();
  tabs.postMessage({ game: game.id, player: me.player, chosen: { [question]: answer } });
  draw();
}

function leave(error) {
  shelf.clear();
  sessionStorage.removeItem(seatKey);
  sessionStorage.setItem("cuelight-left", words(error));
  location.reload();
}

// MARK: What is on the screen

function drawNetwork() {
  const text = !isReached() ? say("offline") : state?.picture === "down" ? say("pictureStopped") : trouble ? say("streamTrouble") : "";
  if (me && text !== part("network").textContent) speak(text || say("reachable"));
  write("network", text);
  reveal("network", text !== "");
}

// Where the game is: the video says it. As long as it has not, the server does: before the show, for who comes in mid-game, and after the stream.
function stage() {
  const seen = player.game.state;
  // A stream that has ended for good says nothing more of the game: its last card would stay for ever.
  const isOver = state?.picture === "ended" && part("video").ended && seen.phase !== "ended";
  if (seen.phase !== "waiting" && !isOver) return seen;
  const phase = state?.phase ?? game.state;
  return { phase: phase === "ended" ? "ended" : ["lobby", "starting"].includes(phase) ? "lobby" : "playing" };
}

function draw() {
  if (!me || !player || isQuiet) return;
  const seen = stage();
  const question = seen.question;
  const isQuestion = question && ["asking", "closed", "results"].includes(seen.phase);
  if (isQuestion && shown.guid !== question.guid) {
    if (!isReady(question)) return prepare(question).then(draw);
    [shown.guid, shown.closesAt] = [question.guid, question.closesAt];
    spoken = new Set();
    view.question(question, choose);
    speak(spokenOf(question));
    // Each question begins with the first one.
    if (turn !== seats[0]) return take(seats[0]);
  }
  if (seen.phase === "asking" && question.closesAt !== shown.closesAt) noteTime(question);
  const key = `${seen.phase} ${question?.guid ?? ""}`;
  if (isQuestion) {
    const chosen = answers[question.guid];
    view.choice(chosen?.answer ?? null, seen.phase === "asking" && mayAnswer(question));
    if (seen.phase === "results" && seen.result) {
      view.result(seen.result, chosen?.answer ?? null, doesCount(chosen));
      if (shown.key === key) drawRow(question.guid);
    }
    if (seen.phase !== "results" && state?.question?.guid === question.guid && state.question.counts) view.counts(state.question.counts);
    if (seen.phase !== "results" || (chosen && !doesCount(chosen))) drawAnswerState(seen.phase, chosen, question);
  }
  drawSeats();
  if (shown.key === key) return drawTime();
  shown = { ...shown, key, phase: seen.phase };
  drawSeats();
  document.body.dataset.phase = seen.phase;
  switch (seen.phase) {
    case "asking":
      view.cards("question");
      if (question.live) keepCounts(question);
      break;
    case "closed":
      view.cards("question");
      speak(say("timeUp"));
      if (!isVoid(shown.guid)) feel("drum");
      break;
    case "results":
      // Who comes after the question has only its result.
      view.cards(isQuestion ? "question" : "watching");
      showBoard(seen.result?.leaderboard ?? []);
      speakResult(seen);
      feelResult(seen);
      fetchStanding(key);
      break;
    case "ended": finish(seen, key); break;
    case "playing": view.cards("watching"); break;
    default: view.cards("lobby");
  }
  drawTime();
}

// The host has given more time: what was said of the rest does not hold any more.
function noteTime({ closesAt }) {
  const isMore = closesAt > shown.closesAt;
  shown.closesAt = closesAt;
  const position = player.position;
  if (!isMore || position === null) return;
  spoken = new Set();
  speak(say("moreTime", { count: Math.ceil(closesAt - position) }));
}

// Whether a choice can count at all.
const mayAnswer = (question) => kindOf(question) !== null && !isVoid(question.guid) && !isOut();

// Whether the server has what this player has chosen. What is still on its way may be too late.
const doesCount = (chosen) => chosen !== undefined && same(chosen.counted, chosen.answer);

function refusalOf({ outcome, counted }) {
  const refusal = say(knows(`refused-${outcome}`) ? `refused-${outcome}` : "refused");
  return counted === undefined ? refusal : `${refusal} ${say("before")}`;
}

function drawAnswerState(phase, chosen, question) {
  const isOpen = phase === "asking";
  if (isVoid(shown.guid)) return view.answerState("bad", say("isVoid"));
  if (kindOf(question) === null) return view.answerState("", say("unknownKind"));
  if (!chosen && isOut()) return view.answerState("bad", say("outNow"));
  if (!chosen && isOpen && wasTooFar) return view.answerState("bad", say("tooFarToAnswer"));
  if (!chosen) return view.answerState("", isOpen ? hintOf(question) : `${say("timeUp")} ${say("noAnswer")}`);
  if (chosen.outcome === "recorded") {
    return view.answerState("good", `${say("saved")} ${isOpen ? say("change") : `${say("timeUp")} ${say("waitResult")}`}`);
  }
  if (chosen.outcome) return view.answerState("bad", refusalOf(chosen));
  view.answerState("wait", isReached() ? say("sending") : say("offlineSaved"));
}

function drawTime() {
  const seen = stage();
  // The times of the state are the programme's.
  const position = player.position;
  if (seen.phase === "asking" && seen.question) {
    const { opensAt, closesAt } = seen.question;
    const left = position === null ? 0 : closesAt - position;
    view.time(left, closesAt - opensAt, true);
    const mark = spokenSeconds.find((seconds) => left <= seconds && left > seconds - 1 && closesAt - opensAt > seconds);
    if (mark && !spoken.has(mark)) {
      spoken.add(mark);
      speak(say("secondsLeft", { count: mark }));
    }
    const second = Math.ceil(left);
    if (second !== ticked && second <= 3 && second > 0) feel("tick");
    ticked = second;
  } else if (["closed", "results"].includes(seen.phase)) {
    view.time(0, 1, false);
  } else if (seen.phase === "lobby") {
    const startsAt = seen.startsAt ?? null;
    const planned = Date.parse(state?.startsAt ?? game.startsAt ?? "");
    const seconds = startsAt !== null && position !== null ? startsAt - position : Number.isFinite(planned) ? (planned - serverNow()) / 1000 : null;
    view.lobby(seen.title ?? game.title, seconds, state?.players ?? null);
  }
  const isTooFar = view.delay(player.behind, state?.delay ?? game.delay ?? null);
  if (isTooFar && !wasTooFar) speak(part("delay").textContent);
  if (isTooFar !== wasTooFar) {
    wasTooFar = isTooFar;
    if (seen.phase === "asking" && seen.question) drawAnswerState(seen.phase, answers[seen.question.guid], seen.question);
  }
  // What has ended would begin again with what is left of it.
  reveal("sound", (part("video").muted || part("video").paused) && !part("video").ended && seen.phase !== "ended");
  write("sound", say(part("video").paused ? "play" : "soundOn"));
}

function showBoard(leaders) {
  const isThere = view.board(leaders, me.nickname);
  reveal("board", isThere);
}

// What the result is to this player: right or wrong, and how many were right in a row. A poll, and a question that does not count, end no row.
function feelResult({ question, result }) {
  // Without a right answer, and where it depends on others, no row ends or goes on.
  const grade = question && result ? gradeOf(question, result, answers[question.guid]?.answer) : "none";
  if (!["right", "partly", "wrong"].includes(grade)) return view.streak(0);
  for (const seat of seats) of(seat, () => countRow(question, result));
  drawRow(question.guid);
  if (doesCount(answers[question.guid])) feel(grade === "right" ? "right" : "wrong");
}

function countRow(question, result) {
  const known = shelf.get(nameOf("streak")) ?? { guids: [], count: 0 };
  if (known.guids.includes(question.guid)) return;
  const chosen = answers[question.guid];
  known.count = doesCount(chosen) && gradeOf(question, result, chosen.answer) === "right" ? known.count + 1 : 0;
  known.guids.push(question.guid);
  shelf.set(nameOf("streak"), known);
}

function drawRow(guid) {
  const known = shelf.get(nameOf("streak"));
  view.streak(known?.guids.at(-1) === guid ? known.count : 0);
}

function speakResult({ question, result }) {
  if (!question || !result) return;
  const chosen = answers[question.guid];
  speak(spokenResult(question, result, chosen?.answer ?? null, doesCount(chosen)));
}

async function finish(seen, key) {
  // The game is over: only this tab still needs the seat, for the form.
  shelf.clear();
  const ending = seen.ending ?? {};
  view.winners(ending.winners ?? []);
  feel("finale");
  view.cards("end", sessionStorage.getItem(`cuelight-contact-${game.id}`) ? "contact-sent" : "contact");
  showBoard(ending.leaderboard ?? []);
  speak([say("endTitle"), ...(ending.winners ?? [])].join(" "));
  await fetchStanding(key);
}

// MARK: What the player does

function choose(answer) {
  const seen = stage();
  // What cannot be chosen any more is shown as it was.
  if (seen.phase !== "asking" || !mayAnswer(seen.question)) return draw();
  // What is chosen already, and saved or on its way, is not sent again.
  const before = answers[seen.question.guid];
  if (same(before?.answer, answer) && (before.outcome ?? "recorded") === "recorded") return;
  const { outcome } = player.game.select(answer, player.now);
  if (outcome !== "accepted") return draw();
  const { guid } = seen.question;
  const position = player.position;
  feel("choose");
  note(guid, { answer, counted: before?.counted });
  // An answer that takes several steps is sent, and the turn passed on, when there was no step for a while.
  const takesSteps = ["multiple", "number", "order"].includes(kindOf(seen.question));
  later.put({ queue, answer: { question: guid, answer, at: Number((position ?? 0).toFixed(3)) } }, takesSteps);
}

// An answer that one makes in several steps is sent when there was none for a while, from the seat of the person who made it. Its time is that of the last
// step.
const later = {
  timer: 0,
  waiting: null,
  put(waiting, waits) {
    if (this.waiting && (this.waiting.queue !== waiting.queue || this.waiting.answer.question !== waiting.answer.question)) this.send();
    this.waiting = waiting;
    clearTimeout(this.timer);
    if (waits) this.timer = setTimeout(() => this.send(), 600);
    else this.send();
  },
  send() {
    clearTimeout(this.timer);
    const sent = this.waiting;
    this.waiting = null;
    if (!sent) return;
    sent.queue.add(sent.answer);
    if (sent.queue === queue) passOn(sent.answer.question);
  },
};
addEventListener("pagehide", () => later.send());

// An arrow that is held down would choose, and send, one answer after the other.
part("answers").addEventListener("keydown", (event) => {
  if (event.repeat && event.key.startsWith("Arrow")) event.preventDefault();
});

// Keys 1 to 9 choose an answer wherever the focus is, but where one types.
addEventListener("keydown", (event) => {
  if (isOthers(event) || part("menu").open || event.target.matches("input:not([type=radio], [type=checkbox]), textarea")) return;
  const index = answerOf(event);
  if (index < 0 || part("question").hidden || shown.phase !== "asking" || !view.press(index)) return;
  event.preventDefault();
});

part("question").addEventListener("submit", (event) => event.preventDefault());
// Another name, and another team, as long as the show has not begun.
async function rename(nickname, team) {
  if (!nickname) return;
  const { object } = await call("PUT", path(`/players/${me.uuid}`), { body: { nickname, ...(team ? { team } : {}) }, tries: 3 });
  me = { ...me, nickname: object.nickname, team: object.team };
  store();
  if (turn === seats[0]) shelf.set(seatKey, me);
  else keepSeats();
  drawSeats();
  drawYou();
  speak(say("youAre", { name: me.nickname }));
}

// Gives up the seat, with everything that the server keeps of this player. After the show the results stay.
async function giveUp() {
  if (shown.phase !== "ended") await call("DELETE", path(`/players/${me.uuid}`), { token: me.token, tries: 3 });
  if (seats.length > 1 && shown.phase !== "ended") {
    part("menu").close();
    return drop(turn);
  }
  shelf.clear();
  for (const key of Object.keys(sessionStorage)) if (key.startsWith("cuelight-")) sessionStorage.removeItem(key);
  sessionStorage.setItem("cuelight-left", say("leftGame"));
  location.reload();
}

part("menu-button").addEventListener("click", async () => (await loaded("menu")).openMenu({
  me: () => me, teams: () => game.teams, mayRename: () => shown.phase === "waiting" || shown.phase === "lobby", rename, leave: giveUp,
  mayAdd: () => shown.phase !== "ended" && seats.length < mostSeats, add: addPlayer,
  isOver: () => shown.phase === "ended",
}));
part("go-live").addEventListener("click", () => player.goLive());
part("sound").addEventListener("click", () => {
  part("video").muted = false;
  player.play();
});
for (const name of ["up", "down"]) {
  network.addEventListener(name, () => {
    drawNetwork();
    draw();
  });
}

part("consent").addEventListener("change", () => {
  part("contact").querySelector("button").disabled = !part("consent").checked;
});

part("contact").addEventListener("submit", async (event) => {
  event.preventDefault();
  if (!part("consent").checked) return;
  complain("contact-problem", null);
  // Invalid as the browser sees it: the server would refuse it, too.
  if (!part("contact-email").validity.valid) {
    complain("contact-problem", say("wrongEmail"));
    return part("contact-email").focus();
  }
  const body = { consent: true };
  for (const field of ["name", "email", "message"]) {
    const text = part(`contact-${field}`).value.trim();
    if (text) body[field] = text;
  }
  try {
    await call("POST", path("/contacts"), { body, token: me.token, tries: 4 });
    sessionStorage.setItem(`cuelight-contact-${game.id}`, "sent");
    view.cards("end", "contact-sent");
    reveal("board", part("leaders").childElementCount > 0);
    speak(say("sent"));
  } catch (error) {
    complain("contact-problem", error);
  }
});

// MARK: The door

function offerNames(names, submit) {
  const place = part("suggestions");
  place.replaceChildren(element("span", {}, say("tryInstead")));
  for (const name of names) {
    const button = element("button", { type: "button", dir: "auto" }, name);
    button.addEventListener("click", () => {
      part("nickname").value = name;
      submit();
    });
    place.append(button);
  }
  reveal(place, names.length > 0);
}

async function tryToEnter(code, nickname, uuid, team) {
  const button = part("join-form").querySelector("button.big");
  button.disabled = true;
  write("join-label", say("joining"));
  complain("join-problem", null);
  reveal("suggestions", false);
  try {
    await enter(code, nickname, uuid, team);
  } catch (error) {
    if (error instanceof Missing) {
      write("missing-reason", words(error));
      return view.screen("missing");
    }
    // A seat of a game that is gone is nobody's.
    if (error.status === 404 || ["game-over", "kicked", "entry-closed"].includes(error.kind)) shelf.clear();
    view.screen("join");
    complain("join-problem", error);
    offerNames(error.problem?.suggestions ?? [], submit);
    if (error.key === "chooseTeam" || error.kind === "team-invalid") part("join-team").querySelector("[name=team]")?.focus();
    else part(error.kind === "unknownCode" ? "code" : "nickname").focus();
  } finally {
    button.disabled = false;
    write("join-label", say("join"));
  }
}

// A browser keeps a module that it could not load: the page begins anew, with the seat that it has.
part("try-again").addEventListener("click", () => location.reload());

let uuid = null;

function submit() {
  const nickname = part("nickname").value.trim();
  if (!nickname) return part("nickname").focus();
  uuid ??= newID();
  tryToEnter(part("code").value.trim().toUpperCase(), nickname, uuid, teamOf(part("join-team")));
}

part("join-form").addEventListener("submit", (event) => {
  event.preventDefault();
  submit();
});

// Whether the game of a seat that the browser has kept goes on; one that is over, or gone, needs no seat.
async function isGoingOn(code) {
  const isOn = await findGame(code).then(() => game.state !== "ended", (error) => error.status !== 404);
  if (!isOn) shelf.clear();
  return isOn;
}

async function open() {
  translate();
  const code = (new URLSearchParams(location.search).get("code") ?? "").toUpperCase();
  part("code").value = code;
  const kept = shelf.get(seatKey);
  const isKept = kept && (!code || kept.code === code) && (sessionStorage.getItem(seatKey) || (await isGoingOn(kept.code)));
  const known = isKept ? kept : await borrowSeat(code);
  if (known) return tryToEnter(known.code, known.nickname, known.uuid);
  view.screen("join");
  const left = sessionStorage.getItem("cuelight-left");
  if (left) complain("join-problem", left);
  sessionStorage.removeItem("cuelight-left");
  part(code ? "nickname" : "code").focus();
  if (code) offerTeams();
}

// Shows the field for the team of a game of a known code; a code that is not right is said when somebody joins.
async function offerTeams() {
  const code = part("code").value.trim();
  const found = code ? await call("GET", `/v1/games?code=${encodeURIComponent(code.toUpperCase())}`, { tries: 1 }).catch(() => null) : null;
  if (code === part("code").value.trim() && !me) await drawTeams(found?.object.teams ?? null);
}

// Most games have no teams.
async function drawTeams(teams) {
  if (teams || !part("join-team").hidden) (await loaded("teams")).drawTeamField(part("join-team"), teams);
}

part("code").addEventListener("change", offerTeams);

open();
