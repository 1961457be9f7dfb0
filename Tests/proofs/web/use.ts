// What a page written in TypeScript does with the package: the declarations must allow this, and nothing that is wrong.

import { attachHls, attachShaka, attachTextTracks, attachVideoJs, createGame, follow } from "cuelight-client";
import type { Answer, Game, GameState, Histogram, Transition } from "cuelight-client";

declare const video: HTMLVideoElement;
declare const hls: { on(event: string, listener: (...values: any[]) => void): void; off(event: string, listener: (...values: any[]) => void): void };
declare const shaka: EventTarget;
declare const videoJs: Parameters<typeof attachVideoJs>[1];

const game: Game = await createGame({ wasm: new URL("https://example.com/cuelight-client.wasm"), checkSeals: false });
const undo: (() => void)[] = [
  attachHls(game, hls, video), attachVideoJs(game, videoJs), attachShaka(game, shaka, video), attachTextTracks(game, video),
  follow(game, video), follow(game, video, { precision: "frame" }),
];

game.addEventListener("questionasked", ({ detail }) => {
  const { transition, state }: Transition = detail;
  const left: number = state.question!.closesAt + (game.origin ?? 0) - video.currentTime;
  console.log(transition, left);
});
game.addEventListener("*", (event) => console.log(event.detail.eventTime));
const hear = ({ detail }: CustomEvent<Transition>): void => console.log(detail.guid);
game.addEventListener("resultsshown", hear);
game.removeEventListener("resultsshown", hear);
game.addEventListener("seek", (event) => console.log(event.type, game.state.phase));
game.addEventListener("close", () => undo.forEach((end) => end()), { once: true });

const transitions: Transition[] = [
  ...game.tag(new Uint8Array(10), 1, 0), ...game.frame("{}", undefined, 1, 0), ...game.dateRange("0x7B7D", new Date(), new Date()),
  ...game.advance(1), ...game.seek(1), ...game.finish(1), ...game.select(0, 1).transitions,
  ...game.select([2, 0], 1).transitions,
];
const state: GameState = transitions.at(-1)?.state ?? game.state;
const phase: "asking" | "closed" | undefined = state.phase === "asking" || state.phase === "closed" ? state.phase : undefined;
const deadline: number | null = game.nextDeadline;
console.log(phase, deadline, state.result?.seal === "valid", state.ending?.winners?.length);
const selected: Answer | undefined = state.selection;
const bars: Histogram | undefined = state.result?.histogram;
console.log(selected, bars?.counts[0], state.question?.kind === "multiple", state.question?.kind === "dream", state.result?.correctOrder?.[0]);
const more: number | undefined = state.question?.adjustment?.allottedTime;
const others: unknown[] = [state.question?.["mood"], state.result?.["mood"], state.ending?.["mood"], state.question?.adjustment?.["mood"]];
const entry: number | undefined = state.entryOpensAt ?? state.totalQuestions;
console.log(more, others, entry, state.ending?.record?.length);
game.discontinuity();
game.close();

// @ts-expect-error: The state is only read.
game.state = state;
// @ts-expect-error: What hears transitions does not hear that the viewer has moved.
game.addEventListener("seek", hear);
// @ts-expect-error: There is no such precision.
follow(game, video, { precision: "second" });
// @ts-expect-error: The player's time is needed.
game.tag(new Uint8Array(10));
// @ts-expect-error: There is no such outcome.
game.select(0, 1).outcome === "lost";
// @ts-expect-error: An answer is no truth value.
game.select(true, 1);
