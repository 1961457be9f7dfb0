import type { Answer, Game, GameState, Transition } from "./cuelight-client.js";

/** A ref to the video, as `useRef` makes it. */
export interface VideoRef {
  readonly current: HTMLVideoElement | null;
}

export interface CuelightOptions {
  /** What is played. With another source, another game begins, and `attach` is called again. */
  source?: string;
  /** The module, or where it lies; without it, beside the package's script. */
  wasm?: string | URL | BufferSource;
  /** Whether the seals of answers are checked; true without it. */
  checkSeals?: boolean;
  /** The base64 of the key of the show's owner: then only events that are signed with it count. */
  publicKey?: string;
  /** As that of `follow`. */
  precision?: "deadline" | "frame";
  /** As that of `follow`. Another function begins another game. */
  clock?: () => number;
  /** Called for each transition. */
  onTransition?: (transition: Transition) => void;
}

/** The game of a video. */
export interface Cuelight {
  /** The game; null until the module is loaded, and on a server. */
  readonly game: Game | null;
  /** What to show: that of a game that knows nothing until the module is loaded, and on a server. */
  readonly state: GameState;
  /** Selects an answer of the open question. */
  readonly select: (answer: Answer) => "accepted" | "tooLate" | "noQuestion" | "unknownAnswer";
  /** Why there is no game, or why the player could not be attached. */
  readonly error: unknown;
}

/**
 * Plays the game of a video, and renders the component anew where its state changes.
 *
 * `attach` is called with the game once the component is mounted: it makes the player and attaches it to the game (`attachHls` and so on), and gives
 * the function that ends the player. The game ends with the component.
 */
export function useCuelight(video: VideoRef, attach: (game: Game, video: HTMLVideoElement) => (() => void) | void, options?: CuelightOptions): Cuelight;

/** The whole seconds that are left for the open question; null while none is open. `clock` is that of the options. */
export function useSecondsLeft(cuelight: Pick<Cuelight, "game" | "state">, video: VideoRef, clock?: () => number): number | null;
