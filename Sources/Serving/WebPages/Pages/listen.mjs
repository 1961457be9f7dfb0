// Messages of the server for a host.

import { Refusal, backoff, isPassing, note, pause } from "./api.mjs";

// The server gives a sign every ten seconds: a connection without one for so long is dead, whatever the system says of it.
const longestSilence = 25_000;

// Messages of the server, read with fetch: unlike EventSource it sends the token in a header. Ends when `signal` does, or when `message` returns false.
export async function listen(path, { token, signal, message, state }) {
  // From the first message on: who reloads the page sees what was before.
  let last = "0";
  for (let tries = 0; !signal.aborted; tries += 1) {
    const connection = new AbortController();
    const end = () => connection.abort();
    signal.addEventListener("abort", end);
    let silence = setTimeout(end, longestSilence);
    try {
      const headers = { Authorization: `Bearer ${token}`, Accept: "text/event-stream", "Last-Event-ID": last };
      const response = await fetch(path, { headers, signal: connection.signal, cache: "no-store", credentials: "omit" });
      if (!response.ok) {
        const problem = await response.json().catch(() => ({}));
        throw new Refusal(response.status, problem);
      }
      note(true);
      // Who takes over does that once.
      path = path.replace(/&takeover$/, "");
      state("connected");
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        tries = 0;
        clearTimeout(silence);
        silence = setTimeout(end, longestSilence);
        const blocks = (rest + value).split("\n\n");
        rest = blocks.pop();
        for (const block of blocks) {
          const fields = {};
          for (const line of block.split("\n")) {
            const colon = line.indexOf(": ");
            if (colon > 0) fields[line.slice(0, colon)] = line.slice(colon + 2);
          }
          if (fields.id) last = fields.id;
          if (fields.event && message(fields.event, JSON.parse(fields.data || "{}")) === false) return;
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Refusal && !isPassing(error)) throw error;
      if (!(error instanceof Refusal)) note(false);
    } finally {
      clearTimeout(silence);
      signal.removeEventListener("abort", end);
      end();
    }
    state("connecting");
    await pause(backoff(tries));
  }
}
