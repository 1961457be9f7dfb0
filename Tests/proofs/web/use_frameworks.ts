// What a page written in TypeScript does with the hook, the element and the adapters of more players: the declarations must allow this, and nothing that is wrong.

import { attachDash, attachIVS } from "cuelight-client";
import type { Game, GameState, Transition } from "cuelight-client";
import { CuelightGameElement, defineCuelightGame } from "cuelight-client/element";
import { requireSignatures } from "cuelight-client/signatures";
import { useCuelight, useSecondsLeft } from "cuelight-client/react";

declare const game: Game;
declare const video: HTMLVideoElement;
// As the declarations of dash.js 4.7 and 5.1 have it.
declare const dash: {
  on(type: string, listener: (payload: any) => void, scope?: object, options?: { priority?: number; mode?: string }): void;
  off(type: string, listener: (payload: any) => void, scope?: object): void;
};
// As the declarations of the Amazon IVS player have it.
interface PlayerEventMap { PlayerTextMetadataCue: { text: string; startTime: number }; Ended: void }
declare const ivs: {
  getPosition(): number;
  getHTMLVideoElement(): HTMLVideoElement;
  addEventListener<Name extends keyof PlayerEventMap>(name: Name, listener: (payload: PlayerEventMap[Name]) => void): void;
  removeEventListener<Name extends keyof PlayerEventMap>(name: Name, listener: (payload: PlayerEventMap[Name]) => void): void;
};
const undo: (() => void)[] = [attachDash(game, dash, video), attachIVS(game, ivs)];

const signed: Game = await requireSignatures(await requireSignatures(game, new Uint8Array(32)), "base64");
console.log(signed.state.phase);

// A ref, as React's useRef makes it.
declare const ref: { current: HTMLVideoElement | null };
const cuelight = useCuelight(ref, (made: Game, element) => attachDash(made, dash, element), {
  source: "show.mpd", checkSeals: true, publicKey: "base64", precision: "frame", onTransition: ({ transition }: Transition) => console.log(transition),
});
const state: GameState = cuelight.state;
const outcome: "accepted" | "tooLate" | "noQuestion" | "unknownAnswer" = cuelight.select([1, 0]);
const seconds: number | null = useSecondsLeft(cuelight, ref);
console.log(state.phase, outcome, seconds, cuelight.game?.origin, undo.length);

const element: CuelightGameElement = document.createElement("cuelight-game");
element.attach = (made, played, source) => attachDash(made, dash, played);
element.attach = async () => {};
element.addEventListener("transition", ({ detail }) => console.log(detail.state.score));
element.addEventListener("failure", ({ detail }) => console.log(String(detail)));
console.log(element.game?.state, element.state?.phase, element.video?.currentTime);
defineCuelightGame("play-along");

// @ts-expect-error: The game is only read.
element.game = game;
// @ts-expect-error: A hook needs what attaches the player.
useCuelight(ref);
// @ts-expect-error: An answer is no truth value.
cuelight.select(true);
// @ts-expect-error: The player's video is needed.
attachDash(game, dash);
