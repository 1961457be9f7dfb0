// What both pages draw with. Texts of others only become text nodes: never HTML, never an address that runs something.

import { makeAnswers, watchEdge } from "./answers.mjs";
import { countUp } from "./effects.mjs";
import { drawMedia } from "./media.mjs";
import { kindOf, verdictOf } from "./kinds.mjs";
import { clock, knows, number, say } from "./messages.mjs";

export const part = (id) => document.getElementById(id);

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

// Sets a text only where it changes, so that nobody hears it twice.
export function write(target, text) {
  const found = typeof target === "string" ? part(target) : target;
  if (found.textContent !== text) found.textContent = text;
}

// Which answer a key stands for: by what it writes, or on keyboards with other digits, or none without Shift, by where it is.
export function answerOf(event) {
  const typed = /^[1-9]$/.test(event.key) ? event.key : event.key.length === 1 && !event.shiftKey && /^(?:Digit|Numpad)([1-9])$/.exec(event.code)?.[1];
  return typed ? Number(typed) - 1 : -1;
}

// Does something once for many calls: soon after the first of them, and not sooner than so many milliseconds after the last time.
export function sparing(milliseconds, act) {
  let [last, timer] = [-Infinity, 0];
  return () => {
    if (timer) return;
    timer = setTimeout(() => {
      [timer, last] = [0, performance.now()];
      act();
    }, Math.max(0, last + milliseconds - performance.now()));
  };
}

// Whether a key belongs to the browser, or is only held down.
export const isOthers = (event) => event.ctrlKey || event.altKey || event.metaKey || event.repeat;

export function reveal(target, isThere) {
  const found = typeof target === "string" ? part(target) : target;
  if (found.hidden === isThere) found.hidden = !isThere;
}

// Speaks politely: what is said within a tenth of a second is one text, so that nothing is lost; and the same text is said again only when another one
// was between.
const said = [];

export function speak(text) {
  if (!text) return;
  if (said.length === 0) setTimeout(() => write("spoken", said.splice(0).join(" ")), 100);
  said.push(text);
}

// The team that a form names; `null` where there is none.
export const teamOf = (place) => place.querySelector("[name=team]")?.value.trim() || null;

// What went wrong, in words.
export function words(error) {
  if (error.kind && knows(error.kind)) return say(error.kind, { reason: error.message });
  if (error.key) return say(error.key);
  return say("failed", { reason: error.message });
}

export function complain(id, error) {
  const text = error ? (typeof error === "string" ? error : words(error)) : "";
  write(id, text);
  reveal(id, text !== "");
}

// The address of a link that comes from a stream; `null` where it is none of the web.
export function webAddress(text) {
  try {
    const address = new URL(text);
    return ["https:", "http:"].includes(address.protocol) ? address.href : null;
  } catch {
    return null;
  }
}

// What has the focus may go away with a change: then the panel has it, so that the next key begins there and not at the top of the page.
function keepFocus(change) {
  const focused = document.activeElement;
  const isInside = part("panel").contains(focused);
  change();
  if (isInside && focused.getClientRects().length === 0) part("panel").focus({ preventScroll: true });
}

// Where each line of a list is, by its name.
const places = (list) => new Map([...list.children].map((line, index) => [line.dataset.name, index]));

// A line that comes from where it was; a new one comes from below.
function moved(from, index, line) {
  line.style.setProperty("--from", Math.max(-9, Math.min(9, (from ?? index + 1) - index)));
  return line;
}

// The question that is on the card, with what draws its answers, and what tells that more of them follow below the page's edge.
let asked = null;
let edge = null;

// Draws the viewer's page.
export const view = {
  // Shows one of the page's screens, and puts the focus at its beginning.
  screen(id) {
    for (const name of ["join", "missing", "show"]) reveal(name, name === id);
    const place = id === "show" ? part("panel") : part(id).querySelector("h1");
    if (id !== "join") place.focus({ preventScroll: true });
  },

  // Shows these cards and no others. A producer's page has no contact form.
  cards(...ids) {
    keepFocus(() => {
      for (const name of ["lobby", "watching", "question", "end", "board", "contact", "contact-sent"]) {
        if (part(name)) reveal(name, ids.includes(name));
      }
    });
  },

  lobby(title, seconds, players) {
    write("lobby-title", title);
    const waits = seconds === null;
    write("countdown-label", waits ? say("waitsForHost") : seconds > 0 ? say("startsIn") : say("startsSoon"));
    write("countdown", waits || seconds <= 0 ? "•••" : clock(seconds));
    write("lobby-players", players === null ? "" : say("players", { count: players }));
  },

  // Draws a question's answers once; afterwards only their marks change, so that focus stays.
  question(question, choose) {
    const heading = question.total ? "questionOf" : "question";
    write("question-number", say(heading, { number: question.number, total: question.total }));
    write("question-text", question.text);
    drawMedia(part("media"), question);
    asked = { question, ...makeAnswers(question, choose) };
    keepFocus(() => part("answers").replaceChildren(...asked.nodes));
    part("answers").className = `answers ${kindOf(question) ?? "unknown"}-kind`;
    edge ??= watchEdge(part("answers"), part("you"));
    edge();
    reveal("verdict", false);
    reveal("explanation", false);
    const isWordy = question.text.length > 120 || question.answers.some((text) => text.length > 36);
    part("question").className = `card${isWordy ? " wordy" : ""}${question.answers.length > 6 ? " many" : ""}`;
  },

  // The time that is left, as bar and seconds.
  time(left, whole, isOpen) {
    const fraction = whole > 0 ? Math.min(1, Math.max(0, left / whole)) : 0;
    part("bar").style.transform = `scaleX(${isOpen ? fraction : 0})`;
    part("seconds").style.setProperty("--left", isOpen ? fraction : 0);
    const seconds = isOpen ? Math.max(0, Math.ceil(left)) : 0;
    // Three digits have no room in the ring: they are minutes and seconds.
    const isLong = seconds > 99;
    write("seconds", isLong ? clock(seconds).replace(/^0/, "") : number(seconds));
    part("seconds").classList.toggle("long", isLong);
    part("question").classList.toggle("urgent", isOpen && seconds <= 5);
  },

  // Does what the key of an answer does, and says whether there is such an answer.
  press: (index) => asked?.press(index) ?? false,

  choice(selected, isOpen) {
    asked?.mark(selected, isOpen);
    part("question").classList.toggle("over", !isOpen);
  },

  // What others have chosen so far, in a poll that shows it while it is open.
  counts(counts) {
    asked?.counts?.(counts);
  },

  answerState(kind, text) {
    part("answer-state").dataset.kind = kind;
    write("answer-state", text);
  },

  // What the right answer was, and whether that is the one that was selected, if that one counts.
  result(result, selected, doesCount) {
    const { grade, text } = verdictOf(asked.question, result, selected, doesCount);
    const verdict = part("verdict");
    write(verdict, text);
    verdict.className = `verdict ${{ right: "good", partly: "part", wrong: "bad" }[grade] ?? ""}`.trim();
    reveal(verdict, true);
    part("question").classList.add("answered");
    // Answers that only a result has may lie below the page's edge.
    if (asked.result(result, selected)) edge();
    const address = result.url ? webAddress(result.url) : null;
    write("explanation-text", result.explanation ?? "");
    reveal("explanation", Boolean(result.explanation || address));
    if (address) part("more").href = address;
    reveal("more", address !== null);
    this.answerState(result.seal === "broken" ? "bad" : "", result.seal === "broken" ? say("brokenSeal") : selected === null && kindOf(asked.question) ? say("noAnswer") : "");
  },

  // How many questions in a row were right, from two on.
  streak(count) {
    write("streak", count > 1 ? say("streak", { count }) : "");
    reveal("streak", count > 1);
  },

  // The best players; the viewer's own line stands out. Lines are those of a board, or of the stream, which has no ranks: equal points are one.
  board(leaders, own) {
    const before = places(part("leaders"));
    part("leaders").replaceChildren(
      ...leaders.slice(0, 10).map((line, index) => {
        const name = line.player ?? line.nickname;
        const isOwn = name === own;
        const rank = line.rank ?? 1 + leaders.filter(({ score }) => score > line.score).length;
        return moved(before.get(name), index, element(
          "li", { class: `rank-${rank} ${isOwn ? "own" : ""}`.trim(), "data-name": name },
          element("span", { class: "place" }, number(rank)),
          element("span", { class: "who" }, element("bdi", {}, name), isOwn ? element("em", {}, say("you")) : null),
          element("span", { class: "points" }, number(line.score))));
      }));
    return leaders.length > 0;
  },

  // The best teams, and the viewer's own one wherever it stands; `null` in a game without teams.
  teams(list, own) {
    reveal("teams", (list ?? []).length > 0);
    const before = places(part("team-leaders"));
    part("team-leaders").replaceChildren(
      ...(list ?? []).map((line, index) => {
        const isOwn = line.team === own;
        return moved(before.get(line.team), index, element(
          "li", { class: isOwn ? "own" : "", "data-name": line.team },
          element("span", { class: "place" }, number(line.rank)),
          element("span", { class: "who" }, element("bdi", {}, line.team), element("small", {}, say("players", { count: line.players }))),
          element("span", { class: "points" }, number(line.score))));
      }));
  },

  you(nickname, standing, team) {
    reveal("you", true);
    write("you-name", nickname);
    write("you-team", team ?? "");
    reveal("you-team", Boolean(team));
    if (!standing) return;
    const outAt = standing.outAt ?? null;
    // Who is out has no place among those who play.
    write("you-rank", standing.rank && outAt === null ? number(standing.rank) : "–");
    const climbed = this.before && standing.rank && outAt === null ? this.before.rank - standing.rank : 0;
    if (this.before?.score !== standing.score || climbed !== 0) {
      write("you-moved", climbed > 0 ? `▲${number(climbed)}` : climbed < 0 ? `▼${number(-climbed)}` : "");
      part("you-moved").className = `moved ${climbed > 0 ? "up" : "down"}`;
    }
    countUp(part("you-score"), this.before?.score ?? null, standing.score, (score) => write("you-score", number(score)));
    this.before = { rank: standing.rank, score: standing.score };
    write("you-right", number(standing.right));
    if (outAt !== null) write("you-out", say("outAt", { number: outAt }));
    reveal("you-out", outAt !== null);
  },

  winners(names) {
    write("winners-label", names.length > 0 ? say(names.length > 1 ? "winners" : "winner") : "");
    write("winners", names.length > 0 ? names.join(" · ") : say("endTitle"));
    document.body.classList.add("finale");
  },

  delay(behind, limit) {
    const seconds = behind === null ? null : Math.round(behind);
    const isTooFar = seconds !== null && limit !== null && behind > limit;
    reveal("delay", seconds !== null);
    part("delay").classList.toggle("alarm", isTooFar);
    if (seconds !== null) {
      write("delay", isTooFar ? say("tooFar", { seconds, limit }) : seconds < 3 ? say("live") : say("behind", { seconds }));
    }
    reveal("go-live", isTooFar);
    return isTooFar;
  },
};
