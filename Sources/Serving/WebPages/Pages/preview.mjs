// The producer's page: a stamped stream with the game over it, as viewers see it, and its events on a timeline. What is answered here stays here.

import { prepare } from "./answers.mjs";
import { call } from "./api.mjs";
import { hintOf, kindOf, rightOf, spokenOf, wordsOf } from "./kinds.mjs";
import { clock, number, say, translate } from "./messages.mjs";
import { Player } from "./player.mjs";
import { Timeline, exact } from "./timeline.mjs";
import { answerOf, complain, isOthers, part, reveal, speak, view, words, write } from "./view.mjs";

// How many seconds before its event the picture goes on, so that one sees it come.
const lead = 1;
// Events that are less far from each other, in seconds, are seen at once.
const together = 0.05;

let player = null;
let stream = null;
let state = null;
// What is on the card: which question, whether with its result, and which phase was drawn.
const shown = { guid: null, hasResult: false, key: "" };
const answers = {};
// The event that was jumped to last: the next step is from there, as long as no later one has come.
let target = null;

const video = part("video");
const timeline = new Timeline({ jump, seek });

// MARK: Time

// Where the programme's zero is in the player's time: the game knows as soon as it has a copy, and the server knows where the picture starts.
const origin = () => player?.game.origin ?? -(state?.start ?? 0);
const position = () => video.currentTime - origin();

function seek(time) {
  if (!player) return;
  target = null;
  const ranges = video.seekable;
  const [low, high] = ranges.length > 0 ? [ranges.start(0), ranges.end(ranges.length - 1)] : [0, Infinity];
  video.currentTime = Math.min(Math.max(time + origin(), low), high);
  drawTime();
}

function jump(event) {
  if (!player) return speak(say("noPicture"));
  seek(event.time - lead);
  target = event.guid;
  player.play();
  speak(say("jumped", { time: exact(event.time) }));
}

// The event before or after the one that was jumped to, or that came last.
function step(by) {
  const events = timeline.events;
  const latest = timeline.latest(position());
  const chosen = events.findIndex(({ guid }) => guid === target);
  // What was jumped to is still ahead by the lead; afterwards it stands for all that come with it.
  const isAt = chosen >= 0 && (chosen >= latest || events[latest].time - events[chosen].time < together);
  const event = events[Math.min(events.length - 1, Math.max(0, (isAt ? chosen : latest) + by))];
  if (event) jump(event);
}

// MARK: The game

function choose(answer) {
  const seen = player.game.state;
  if (seen.phase !== "asking" || kindOf(seen.question) === null) return draw();
  // It is refused if the result was on the screen before. That is fair to other players, and here there are none.
  player.game.select(answer, player.now);
  answers[seen.question.guid] = answer;
  draw();
}

// The question that a state has a card for.
const asked = ({ phase, question }) => (["asking", "closed", "results"].includes(phase) ? question : null);
const keyOf = (seen) => `${seen.phase} ${asked(seen)?.guid ?? ""}`;

function draw() {
  if (!player) return;
  const seen = player.game.state;
  const question = asked(seen);
  const hasResult = seen.phase === "results" && Boolean(seen.result);
  // Back before its result, a question has a card without the result's marks.
  if (question && (shown.guid !== question.guid || (shown.hasResult && !hasResult))) {
    [shown.guid, shown.hasResult] = [question.guid, false];
    view.question(question, choose);
  }
  if (question) {
    const chosen = answers[question.guid] ?? null;
    view.choice(chosen, seen.phase === "asking" && kindOf(question) !== null);
    if (hasResult) view.result(seen.result, chosen, chosen !== null);
    else drawAnswerState(seen.phase, chosen, question);
    shown.hasResult = hasResult;
  }
  const key = keyOf(seen);
  if (shown.key !== key) {
    shown.key = key;
    drawPhase(seen, question);
  }
  drawTime();
}

function drawPhase(seen, question) {
  // From the end one may go back.
  document.body.classList.toggle("finale", seen.phase === "ended");
  switch (seen.phase) {
    case "lobby": return view.cards("lobby");
    case "playing": return view.cards("watching");
    case "asking":
      view.cards("question");
      return speak(spokenOf(question));
    case "closed":
      view.cards("question");
      return speak(say("timeUp"));
    case "results":
      view.cards(question ? "question" : "watching");
      reveal("board", view.board(seen.result?.leaderboard ?? [], null));
      return speak(question && seen.result && rightOf(seen.result) !== undefined ? say("rightAnswer", { answer: wordsOf(question, rightOf(seen.result)) }) : "");
    case "ended":
      view.winners(seen.ending?.winners ?? []);
      view.cards("end");
      reveal("board", view.board(seen.ending?.leaderboard ?? [], null));
      return speak(say("endTitle"));
    default: view.cards();
  }
}

function drawAnswerState(phase, chosen, question) {
  if (kindOf(question) === null) return view.answerState("", say("unknownKind"));
  if (phase === "asking") return view.answerState(chosen === null ? "" : "good", chosen === null ? hintOf(question) : say("onlyHere"));
  view.answerState("", chosen === null ? `${say("timeUp")} ${say("noAnswer")}` : say("timeUp"));
}

// MARK: The line

function drawTime() {
  const time = position();
  const ranges = video.seekable;
  const end = Number.isFinite(video.duration) ? video.duration : ranges.length > 0 ? ranges.end(ranges.length - 1) : 0;
  const events = timeline.events;
  const first = Math.min(state?.start ?? 0, events[0]?.time ?? Infinity);
  timeline.extend(first, Math.max(state?.end ?? 0, events.at(-1)?.time ?? 0, player ? end - origin() : 0));
  timeline.move(time);
  write("position", `${clock(time)} / ${clock(timeline.last)}`);
  write("play-label", say(video.paused ? "play" : "pause"));
  part("play").classList.toggle("paused", video.paused);
  reveal("sound", player !== null && video.muted);
  if (!player) return;
  const seen = player.game.state;
  if (seen.phase === "asking" && seen.question) {
    const { opensAt, closesAt } = seen.question;
    view.time(closesAt - time, closesAt - opensAt, true);
  } else if (["closed", "results"].includes(seen.phase)) {
    view.time(0, 1, false);
  } else if (seen.phase === "lobby") {
    view.lobby(seen.title ?? "", (seen.startsAt ?? time) - time, null);
  }
}

// MARK: The server

async function openStream(address) {
  stream = address;
  try {
    player = await Player.open(video, address, {
      changed: draw,
      trouble(isAway) {
        complain("picture-problem", isAway ? say("streamTrouble") : null);
      },
    });
    player.play();
  } catch (error) {
    complain("picture-problem", error);
  }
  for (const id of ["play", "seek"]) part(id).disabled = player === null;
  draw();
}

function drawReading() {
  write("name", state.name);
  document.title = state.name;
  write("count", say("eventCount", { count: state.events.length }));
  reveal("count", state.events.length > 0 || state.complete);
  const percent = state.percent === null ? "" : `${number(state.percent)} %`;
  write("reading", state.complete ? "" : `${say("reading")} ${percent}`.trim());
  reveal("reading", !state.complete);
  complain("problem", state.problem ? say("streamProblem", { reason: state.problem }) : null);
  if (state.streamProblem) complain("picture-problem", say("noPlaylist", { reason: state.streamProblem }));
  timeline.show(state.events);
  timeline.say(state, state.complete);
}

// Asks until the server has read all. Of a live stream that is never.
async function keepReading() {
  for (;;) {
    try {
      state = (await call("GET", "/events.json", { tries: 5 })).object;
    } catch (error) {
      complain("problem", error);
      return;
    }
    drawReading();
    if (state.stream && stream === null) openStream(state.stream);
    drawTime();
    if (state.complete) return;
    await new Promise((resolve) => setTimeout(resolve, state.stream ? 2000 : 400));
  }
}

// MARK: What the producer does

part("play").addEventListener("click", () => {
  if (video.paused) player?.play();
  else video.pause();
  drawTime();
});
part("previous").addEventListener("click", () => step(-1));
part("next").addEventListener("click", () => step(1));
part("sound").addEventListener("click", () => {
  video.muted = false;
  drawTime();
});
part("question").addEventListener("submit", (event) => event.preventDefault());

// Keys 1 to 9 choose an answer, as on the viewers' page.
addEventListener("keydown", (event) => {
  if (isOthers(event) || event.target.matches("input:not([type=radio], [type=checkbox], #seek)")) return;
  const index = answerOf(event);
  if (index < 0 || part("question").hidden || player?.game.state.phase !== "asking" || !view.press(index)) return;
  event.preventDefault();
});

await prepare();
translate();
drawTime();
setInterval(() => {
  if (player && keyOf(player.game.state) !== shown.key) draw();
  else drawTime();
}, 100);
keepReading();
