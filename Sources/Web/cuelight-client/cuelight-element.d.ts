import type { Answer, Game, GameState, Transition } from "./cuelight-client.js";

/** An answer that the viewer has selected, as the interface of the game server takes it. */
export interface SelectedAnswer {
  /** The GUID of the question. */
  question: string;
  answer: Answer;
  /** The programme's time at the viewer's position, in seconds; null while it is unknown. */
  at: number | null;
}

/**
 * The element `<cuelight-game>`: a video with its game below it.
 *
 * Attributes: `src` (the playlist, or an MPD), `player` (the module of hls.js or dash.js; without it, the page's `Hls` or `dashjs`), `wasm` (where the
 * game's module lies, if not beside the script), `public-key` (the base64 of the key that events must be signed with), `lang`, and `autoplay`, `muted` and `poster` as those of a video. A video of the page's own has
 * `slot="video"`.
 */
export class CuelightGameElement extends HTMLElement {
  /** The game; null until its module is loaded, and when the element is in no page. */
  readonly game: Game | null;
  /** The state of the game. */
  readonly state: GameState | null;
  /** The video that plays. */
  readonly video: HTMLVideoElement | null;
  /** Plays the source with another player, attaches it to the game, and gives the function that ends that. Setting it begins another game. */
  attach: ((game: Game, video: HTMLVideoElement, source: string | null) => (() => void) | void | Promise<(() => void) | void>) | null;

  /** `transition`: the game has changed. `answer`: the viewer has selected an answer, or another one, in time. `failure`: there is no game, or nothing that plays; the detail is the error. */
  addEventListener(type: "transition", listener: ((event: CustomEvent<Transition>) => void) | null, options?: boolean | AddEventListenerOptions): void;
  addEventListener(type: "answer", listener: ((event: CustomEvent<SelectedAnswer>) => void) | null, options?: boolean | AddEventListenerOptions): void;
  addEventListener(type: "failure", listener: ((event: CustomEvent<unknown>) => void) | null, options?: boolean | AddEventListenerOptions): void;
  addEventListener(type: string, listener: EventListenerOrEventListenerObject | null, options?: boolean | AddEventListenerOptions): void;
}

/** Defines the element under another name. The module itself defines `cuelight-game`, in browsers. */
export function defineCuelightGame(name?: string): void;

declare global {
  interface HTMLElementTagNameMap {
    "cuelight-game": CuelightGameElement;
  }
}
