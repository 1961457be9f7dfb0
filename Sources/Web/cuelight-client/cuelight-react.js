// The game of a viewer as hooks of React. The types are in cuelight-react.d.ts. Nothing here touches the page before a component is mounted, so that a
// server can render it.

import { useCallback, useEffect, useRef, useState } from "react";
import { createGame, follow } from "./cuelight-client.js";
import { requireSignatures } from "./cuelight-signatures.js";

/** No game: what a server renders, and what is shown until the module is loaded. Its state is that of a game that knows nothing yet. */
const NOTHING = Object.freeze({
  game: null,
  state: Object.freeze({
    phase: "waiting", game: null, title: null, question: null, result: null, info: null, score: 0, answered: 0, selectedAnswer: null, correctAnswer: null,
    isQuestionOver: false,
  }),
  error: null,
});

/** Plays the game of a video. */
export function useCuelight(video, attach, { source, wasm, checkSeals, publicKey, precision, clock, onTransition } = {}) {
  const [shown, setShown] = useState(NOTHING);
  // The functions of the latest rendering. Other ones need no new game.
  const latest = useRef({});
  useEffect(() => {
    latest.current = { attach, onTransition };
  });

  useEffect(() => {
    let game = null;
    let detach;
    let isOver = false;
    const start = async () => {
      const made = await createGame({ wasm, checkSeals });
      // The component may be gone by now, or have another source.
      if (isOver) return made.close();
      game = made;
      if (publicKey) await requireSignatures(game, publicKey);
      if (isOver) return;
      const show = () => isOver || setShown({ game, state: game.state, error: null });
      game.addEventListener("*", ({ detail }) => {
        show();
        latest.current.onTransition?.(detail);
      });
      game.addEventListener("seek", show);
      show();
      if (!video.current) throw new Error("useCuelight: no element has the ref of the video");
      follow(game, video.current, { precision, clock });
      detach = latest.current.attach(game, video.current);
    };
    start().catch((error) => isOver || setShown((before) => ({ ...before, error })));
    return () => {
      isOver = true;
      setShown(NOTHING);
      game?.close();
      detach?.();
    };
  }, [video, source, wasm, checkSeals, publicKey, precision, clock]);

  const { game } = shown;
  const select = useCallback((answer) => {
    if (!game || !video.current) return "noQuestion";
    const { outcome } = game.select(answer, clock?.() ?? video.current.currentTime);
    // A selection is no transition.
    setShown((before) => (before.game === game ? { ...before, state: game.state } : before));
    return outcome;
  }, [game, video, clock]);
  return { ...shown, select };
}

/** The whole seconds that are left for the open question; null while none is open. */
export function useSecondsLeft({ game, state }, video, clock) {
  const [seconds, setSeconds] = useState(null);
  useEffect(() => {
    const element = video.current;
    const closesAt = state.phase === "asking" ? state.question.closesAt : null;
    const count = () => {
      // While an advertisement plays, the count stays as it is.
      if (game.origin !== null) setSeconds(Math.max(0, Math.ceil(closesAt + game.origin - (clock?.() ?? element.currentTime))));
    };
    if (!game || !element || closesAt === null) return setSeconds(null);
    count();
    // Four times a second while it plays.
    element.addEventListener("timeupdate", count);
    const stop = () => element.removeEventListener("timeupdate", count);
    game.addEventListener("close", stop);
    return () => {
      stop();
      game.removeEventListener("close", stop);
    };
  }, [game, state, video, clock]);
  return seconds;
}
