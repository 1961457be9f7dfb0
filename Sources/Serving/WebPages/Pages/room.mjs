// What the host's console shows of the room: the time, where players join, the board, and what keeps viewers from playing.

import { serverNow } from "./api.mjs";
import { clock, number, say } from "./messages.mjs";
import { qrImage } from "./qr.mjs";
import { element, part, reveal, write } from "./view.mjs";

// How much further behind than the delay answers count, in seconds: clocks and segments are never exact.
const tolerance = 2;
// How many seconds before its end the time is urgent.
const urgent = 5;

// What keeps viewers from playing, as long as it does: what the server says of the stream, and other reasons in words.
export function drawWarnings({ phase, state, delay, others }) {
  // What pages report is truer than what the playlist lets one expect.
  const [behind, limit] = [state.audience?.p50 ?? state.behind ?? null, state.delay ?? delay];
  const seconds = { seconds: Math.round(behind), limit: Math.round(limit) };
  const isTooFar = behind !== null && behind > limit + tolerance;
  write("lag", behind === null || isTooFar ? "" : say("viewersBehind", seconds));
  const list = phase === "ended" ? [] : [state.picture === "down" && say("picture-down"), isTooFar && say("viewersTooFar", seconds), ...others].filter(Boolean);
  const place = part("warnings");
  // What is said once is not said again.
  if ([...place.children].map((line) => line.textContent).join("\n") !== list.join("\n")) {
    place.replaceChildren(...list.map((text) => element("li", { class: "card thin problem" }, text)));
  }
}

// The time for answers at the live edge, and then the time until the result is decided. `stage` is what screens show, as it was at `held`.
export function drawClock({ phase, state, stage, held }) {
  const time = stage?.state === "question" && stage.time;
  const waiting = phase === "closed" && state.revealAt ? (Date.parse(state.revealAt) - serverNow()) / 1000 : null;
  const left = time ? Math.max(0, time.left - (performance.now() - held) / 1000) : waiting;
  reveal("clock", left !== null);
  if (left === null) return;
  write("clock-time", clock(Math.ceil(Math.max(0, left))));
  write("clock-label", say(time ? "timeLeft" : "resultIn"));
  part("clock").classList.toggle("urgent", Boolean(time) && left <= urgent);
}

// Where players join, and the board as the room's screen has it.
export function drawRoom(game, stage) {
  const address = stage?.address ?? `${location.origin}/play?code=${game.code}`;
  if (part("address").textContent !== address) {
    write("address", address);
    part("scan").replaceChildren(...[qrImage(address)].filter(Boolean));
  }
  const board = stage?.board;
  if (!board) return;
  reveal("board-card", board.length > 0);
  part("places").replaceChildren(...board.map(({ rank, player, score, before }) => {
    const moved = before ? before - rank : 0;
    return element(
      "li", {}, element("span", {}, number(rank)), element("bdi", {}, player),
      element("span", { class: "moved", "aria-hidden": "true" }, moved ? `${moved > 0 ? "▲" : "▼"} ${number(Math.abs(moved))}` : ""), element("b", {}, number(score)));
  }));
}
