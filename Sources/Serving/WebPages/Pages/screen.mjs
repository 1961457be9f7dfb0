// The projector's page and the overlay for video: draws what the stage says, and nothing else. Both are the same page; the overlay is transparent, and
// shows the parts that ?show= names.

import { histogram } from "./numbers.mjs";
import { follow, findGame } from "./stage.mjs";
import { number, say, translate } from "./messages.mjs";
import { indicesOf, isText, kindOf, measured, rightOf, textsOf, wordsOf } from "./kinds.mjs";
import { pictureOf } from "./media.mjs";
import { element, part, reveal, speak, words, write } from "./view.mjs";
import { qrImage } from "./qr.mjs";

const query = new URLSearchParams(location.search);
const isOverlay = document.body.classList.contains("overlay");
const parts = new Set((query.get("show") ?? "question,board,code").split(","));
const shows = (name) => !isOverlay || parts.has(name);

let stage = null;
// When the time for answers ends, as performance.now() has it, and how long it is in all.
let time = null;
// Which state of which question is drawn.
let drawn = "";
let timer = 0;

function size() {
  const pixels = (name, least, most) => {
    const value = Number(query.get(name));
    return Number.isFinite(value) && value > 0 ? Math.min(most, Math.max(least, value)) : null;
  };
  const root = document.documentElement.style;
  const scale = pixels("scale", 0.25, 4);
  if (scale) root.setProperty("--scale", scale);
  for (const name of ["width", "height"]) {
    const value = pixels(name, 100, 10_000);
    if (value) root.setProperty(`--${name}`, `${value}px`);
  }
  const safe = pixels("safe", 0.1, 20);
  if (safe) root.setProperty("--safe", safe / 100);
  const place = query.get("place");
  if (["top", "bottom", "left", "right"].includes(place)) document.body.dataset.place = place;
}

// MARK: Pieces

const address = () => stage.address ?? `${location.origin}/play?code=${stage.code}`;
// What people type: without the protocol, and without the code, which stands beside it.
const shortAddress = () => address().replace(/^https?:\/\//, "").replace(/\/play\?.*$/, "");

function ring() {
  return element("div", { class: "ring", id: "ring", role: "timer" }, element("span", { id: "seconds", dir: "ltr" }));
}

function bdi(text) {
  return element("bdi", {}, text);
}

// MARK: States

const states = {
  lobby() {
    return [
      element("section", { class: "lobby" },
        element("div", { class: "invite" },
          element("h1", { dir: "auto" }, stage.title),
          element("p", { class: "label" }, say("playersAt")),
          element("p", { class: "address", dir: "ltr" }, shortAddress()),
          element("p", { class: "label" }, say("code")),
          element("p", { class: "code", dir: "ltr" }, stage.code)),
        element("div", { class: "scan" }, qrImage(address()))),
      element("section", { class: "names" }, element("h2", { id: "players" }), element("ul", { id: "names" })),
    ];
  },

  question: () => questionParts(false),
  closed: () => questionParts(false),
  result: () => questionParts(true),

  board() {
    const teams = teamLines();
    const players = [element("h1", {}, say(stage.board?.length ? "board" : "watching")), boardList(stage.board ?? [])];
    if (teams.length === 0) return [element("section", { class: "standings" }, ...players)];
    return [
      element("section", { class: "standings two" },
        element("div", {}, ...players), element("div", {}, element("h1", {}, say("teams")), boardList(teams))),
    ];
  },

  podium() {
    const board = stage.board ?? [];
    // Second, first, third, as they stand.
    const steps = [1, 0, 2].filter((index) => board[index]).map((index) =>
      element("li", { class: `step step-${index + 1}` },
        element("span", { class: "who" }, bdi(board[index].player)),
        element("span", { class: "points", dir: "ltr" }, number(board[index].score)),
        element("span", { class: "block" }, number(board[index].rank))));
    return [
      element("section", { class: "podium" },
        element("h1", { dir: "auto" }, board.length ? say((stage.winners?.length ?? 0) > 1 ? "winners" : "winner") : say("endTitle")),
        element("ol", { class: "steps" }, ...steps),
        winningTeam(),
        element("p", { class: "label" }, say("thanks"))),
    ];
  },

  ended: () => [element("section", { class: "podium" }, element("h1", {}, say("endTitle")), element("p", { class: "label" }, say("thanks")))],
};

function questionParts(isResult) {
  const question = stage.question;
  if (!question) return [];
  const answers = Array.isArray(question.answers) ? question.answers : [];
  const isLong = question.text.length > 110 || answers.length > 6 || answers.some((text) => text.length > 45);
  return [
    element("section", { class: `asked${isLong ? " long" : ""}` },
      element("header", {},
        element("p", { class: "label" }, say("questionOf", { number: question.number, total: stage.questions })),
        element("p", { class: "label", id: "answered" })),
      element("div", { class: "text-row" }, element("h1", { dir: "auto" }, question.text), isResult ? null : ring()),
      kindOf(question) === "multiple" && !isResult ? element("p", { class: "label" }, say("chooseSeveral")) : null,
      kindOf(question) === "order" && !isResult ? element("p", { class: "label" }, say("chooseOrder")) : null,
      kindOf(question) === "prediction" && isResult && rightOf(question) === undefined ? element("p", { class: "label" }, say("knownLater")) : null,
      question.voided ? element("p", { class: "void" }, say("isVoid")) : null,
      ...withMedia(question, answerParts(question, answers, isResult)),
      isResult && question.explanation ? element("p", { class: "explanation", dir: "auto" }, question.explanation) : null),
  ];
}

// What players answer with, beside the picture where there is one. A room hears sounds from the video; the screen describes them in words.
function withMedia(question, parts) {
  const picture = pictureOf(question);
  const sound = question.soundText ? element("p", { class: "label", dir: "auto" }, `♪ ${question.soundText}`) : null;
  return [sound, ...(picture ? [element("div", { class: "with-picture" }, picture, element("div", { class: "beside" }, ...parts.filter(Boolean)))] : parts)];
}

// The teams as lines of a board.
const teamLines = () => (stage.teams ?? []).map((line) => ({ ...line, player: line.team }));

// The teams of the first rank, at the end.
function winningTeam() {
  const best = (stage.teams ?? []).filter(({ rank }) => rank === 1);
  if (best.length === 0) return null;
  const names = best.slice(0, 3).flatMap(({ team }, index) => [index > 0 ? " · " : " ", bdi(team)]);
  return element("p", { class: "winning" }, `${say(best.length > 1 ? "teams" : "team")}:`, ...names, " ", element("span", { class: "points", dir: "ltr" }, number(best[0].score)));
}

function answerParts(question, answers, isResult) {
  const right = isResult ? rightOf(question) : undefined;
  if (isText(question)) return textParts(question, right);
  switch (kindOf(question)) {
    case "number": return [numberPart(question, right, isResult)];
    case "order": return orderParts(question, answers, right);
    default: return [element("ol", { class: `answers count-${answers.length}` }, ...answerList(question, answers, right))];
  }
}

// The answers with their counts, where there are some: with the result, or while a live poll goes on.
function answerList(question, answers, right) {
  const all = indicesOf(question, right);
  const most = Math.max(1, ...(question.counts ?? []));
  return answers.map((text, index) => {
    const isRight = all.includes(index);
    const count = question.counts?.[index];
    const item = element("li", { class: `answer hue-${index % 6}${isRight ? " right" : right !== undefined ? " wrong" : ""}` },
      element("span", { class: "badge", "aria-hidden": "true" }, number(index + 1)),
      element("span", { class: "text", dir: "auto" }, text),
      count !== undefined ? element("span", { class: "count", dir: "ltr" }, number(count)) : null,
      isRight ? element("span", { class: "tick", role: "img", "aria-label": say("correct") }, "✓") : null,
      count !== undefined ? element("span", { class: "share", "aria-hidden": "true" }) : null);
    if (count !== undefined) item.style.setProperty("--share", count / most);
    return item;
  });
}

// The right text, and those that most players gave, as bars.
const mostTexts = 8;
// Long ones have a line each.
const mostLongTexts = 4;
const longText = 18;

function textParts(question, right) {
  let all = textsOf(question).slice(0, mostTexts);
  const isLong = all.some(({ text }) => [...text].length > longText);
  if (isLong) all = all.slice(0, mostLongTexts);
  const most = Math.max(1, ...all.map(({ count }) => count));
  const items = all.map((entry, index) => {
    const item = element("li", { class: `answer hue-${index % 6}${entry.right ? " right" : right !== undefined ? " wrong" : ""}` },
      element("span", { class: "text", dir: "auto" }, entry.text),
      element("span", { class: "count", dir: "ltr" }, number(entry.count)),
      entry.right ? element("span", { class: "tick", role: "img", "aria-label": say("correct") }, "✓") : null,
      element("span", { class: "share", "aria-hidden": "true" }));
    item.style.setProperty("--share", entry.count / most);
    return item;
  });
  return [
    right === undefined ? null : element("p", { class: "number-right" }, element("span", {}, "✓ "), element("b", { dir: "auto" }, wordsOf(question, right))),
    element("ol", { class: `answers texts ${isLong ? "one-each" : ""} count-${Math.max(2, items.length)}` }, ...items),
  ];
}

function numberPart(question, right, isResult) {
  if (!isResult) return element("p", { class: "scale", dir: "ltr" }, `${measured(question, question.least ?? 0)} – ${measured(question, question.most)}`);
  return element("div", { class: "numbers" },
    right === undefined ? null : element("p", { class: "number-right" }, element("span", {}, "✓ "), element("b", { dir: "auto" }, measured(question, right))),
    question.histogram ? histogram(question, question.histogram, right, null) : null);
}

// The items as they are to be put in order; then in their right order, with how many had each in its place.
function orderParts(question, answers, right) {
  const isKnown = right !== undefined;
  const most = Math.max(1, ...(question.counts ?? []));
  const items = (right ?? answers.map((_, index) => index)).filter((index) => answers[index] !== undefined).map((index, place) => {
    const count = isKnown ? question.counts?.[index] : undefined;
    const item = element("li", { class: `answer hue-${index % 6}` },
      element("span", { class: "badge", "aria-hidden": "true" }, isKnown ? number(place + 1) : "↕"),
      element("span", { class: "text", dir: "auto" }, answers[index]),
      count !== undefined ? element("span", { class: "count", dir: "ltr" }, `✓ ${number(count)}`) : null,
      count !== undefined ? element("span", { class: "share", "aria-hidden": "true" }) : null);
    if (count !== undefined) item.style.setProperty("--share", count / most);
    return item;
  });
  return [
    isKnown ? element("p", { class: "label" }, say("rightOrder")) : null,
    element("ol", { class: `answers ${isKnown ? "in-order" : ""} count-${items.length}` }, ...items),
  ];
}

function boardList(board) {
  return element("ol", { class: "board" }, ...board.map((line, index) => {
    const moved = line.before ? line.before - line.rank : 0;
    const item = element("li", { class: index === 0 ? "first" : "" },
      element("span", { class: "rank" }, number(line.rank)),
      element("span", { class: "who" }, bdi(line.player)),
      element("span", { class: `moved ${moved > 0 ? "up" : moved < 0 ? "down" : ""}`, dir: "ltr" },
        moved > 0 ? `▲ ${number(moved)}` : moved < 0 ? `▼ ${number(-moved)}` : ""),
      element("span", { class: "points", dir: "ltr" }, number(line.score)));
    // Lines come from where they were.
    item.style.setProperty("--from", Math.max(-9, Math.min(9, line.before ? line.before - line.rank : 3)));
    item.style.setProperty("--at", index);
    return item;
  }));
}

// MARK: Drawing

// The part of the page that a state belongs to.
const partOf = { lobby: "code", question: "question", closed: "question", result: "question", board: "board", podium: "board", ended: "board" };

function draw() {
  // A state that this page does not know yet shows the board.
  const name = Object.hasOwn(states, stage.state) ? stage.state : "board";
  const board = ["board", "podium"].includes(name) ? [...(stage.board ?? []), ...teamLines()].map((line) => [line.rank, line.player, line.score]) : [];
  const key = JSON.stringify([name, stage.question?.guid, stage.question?.voided, stage.address, stage.code, board]);
  const place = part("screen");
  if (key !== drawn) {
    drawn = key;
    document.title = stage.title;
    document.body.dataset.state = name;
    const isShown = shows(partOf[name]) && !(isOverlay && name === "lobby");
    place.replaceChildren(...(isShown ? states[name]() : []));
    tell(name);
  }
  drawNames();
  drawAnswered();
  drawCorner(name);
  drawTime();
}

function tell(name) {
  if (name === "question") speak(stage.question?.text);
  if (name === "closed") speak(say("timeUp"));
  if (name === "result") speak(stage.question && rightOf(stage.question) !== undefined ? wordsOf(stage.question, rightOf(stage.question)) : "");
}

function drawNames() {
  const list = part("names");
  if (!list) return;
  write("players", say("players", { count: stage.players }));
  const there = new Map([...list.children].map((item) => [item.textContent, item]));
  const wanted = stage.names ?? [];
  for (const [name, item] of there) if (!wanted.includes(name)) item.remove();
  // The latest first: those who were there stay where they are, so that only new ones come in.
  for (const name of [...wanted].reverse()) if (!there.has(name)) list.prepend(element("li", {}, bdi(name)));
}

function drawAnswered() {
  if (!part("answered")) return;
  drawCounts();
  write("answered", say("answered", { answered: stage.question?.answered ?? 0, players: stage.players }));
}

// The counts of a live poll go on while it is open: bars grow from where they are.
function drawCounts() {
  const { counts, texts } = stage.question ?? {};
  if (texts && stage.state !== "result") part("screen").querySelector(".texts")?.replaceWith(textParts(stage.question).at(-1));
  if (!counts || stage.state === "result") return;
  const most = Math.max(1, ...counts);
  part("screen").querySelectorAll(".answer").forEach((item, index) => {
    const place = item.querySelector(".count");
    if (!place) return;
    write(place, number(counts[index] ?? 0));
    item.style.setProperty("--share", (counts[index] ?? 0) / most);
  });
}

// While the game runs, the code stays in a corner for who comes later.
function drawCorner(name) {
  const isThere = shows("code") && (isOverlay ? !["podium", "ended"].includes(name) : ["question", "closed", "result", "board"].includes(name));
  reveal("corner", isThere);
  const key = `${address()} ${stage.code}`;
  if (!isThere || part("corner").dataset.key === key) return;
  part("corner").dataset.key = key;
  part("corner").replaceChildren(
    qrImage(address()) ?? "",
    element("p", {}, element("span", { class: "address", dir: "ltr" }, shortAddress()), element("b", { class: "code", dir: "ltr" }, stage.code)));
}

function drawTime() {
  clearTimeout(timer);
  const place = part("ring");
  if (!place) return;
  const left = stage.state === "question" && time ? Math.max(0, (time.end - performance.now()) / 1000) : 0;
  const seconds = Math.ceil(left - 0.05);
  write("seconds", number(Math.max(0, seconds)));
  place.style.setProperty("--left", time && time.whole > 0 ? Math.min(1, left / time.whole) : 0);
  place.classList.toggle("urgent", left > 0 && left <= 5);
  if (left > 0) timer = setTimeout(drawTime, 100);
}

function show(state, held) {
  stage = state;
  time = state.time ? { end: held + state.time.left * 1000, whole: state.time.whole } : null;
  draw();
}

async function open() {
  translate();
  size();
  for (;;) {
    try {
      const game = await findGame();
      follow(game.id, show, (isConnected) => document.body.classList.toggle("away", !isConnected));
      return;
    } catch (error) {
      // A screen that is there before its game waits for it.
      if (!isOverlay) {
        part("screen").replaceChildren(element("section", { class: "podium" }, element("h1", {}, error.status === 404 ? say("noGame") : words(error))));
      }
      await new Promise((resolve) => setTimeout(resolve, 5000));
    }
  }
}

open();
