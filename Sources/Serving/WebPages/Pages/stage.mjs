// What a screen is told by the game: each message is the whole state, so that a reload or a lost network costs nothing.

import { backoff, call, pause } from "./api.mjs";

const query = new URLSearchParams(location.search);

// The game of the address: ?game=ID or ?code=CODE, and otherwise the next one.
export async function findGame() {
  const [id, code] = [query.get("game"), query.get("code")];
  if (id) return (await call("GET", `/v1/games/${encodeURIComponent(id)}`)).object;
  return (await call("GET", `/v1/games${code ? `?code=${encodeURIComponent(code)}` : "?next"}`)).object;
}

// The server gives a sign every ten seconds: a connection without one for so long is dead.
const longestSilence = 25_000;
// How many seconds later the screen shows what happens, for a room that watches the stream, which is as far behind.
const behind = Math.min(120, Math.max(0, Number(query.get("behind")) || 0)) * 1000;

// Calls `show` with each state and the moment, as performance.now() has it, at which it held.
export function follow(game, show, connected) {
  let source = null;
  let silence = 0;
  let tries = 0;
  const begin = () => {
    source = new EventSource(`/v1/games/${encodeURIComponent(game)}/stage`);
    watch();
    source.addEventListener("open", () => connected(true));
    source.addEventListener("stage", ({ data }) => {
      tries = 0;
      watch();
      connected(true);
      const [state, held] = [JSON.parse(data), performance.now()];
      if (behind === 0) show(state, held);
      else setTimeout(() => show(state, held + behind), behind);
    });
    source.addEventListener("error", again);
  };
  const again = async () => {
    clearTimeout(silence);
    source.close();
    connected(false);
    tries += 1;
    await pause(backoff(tries));
    begin();
  };
  // Signs of life are comments, which EventSource keeps to itself: an idle game is asked anew now and then.
  const watch = () => {
    clearTimeout(silence);
    silence = setTimeout(() => {
      source.close();
      begin();
    }, longestSilence * 4);
  };
  begin();
}
