/**
 * Makes a game that knows nothing yet.
 *
 * `wasm` is the module or where it lies; without it, beside this one. `checkSeals` is true without it: a result that does not open its question's
 * seal then does not count.
 */
export function createGame(options?: { wasm?: string | URL | BufferSource; checkSeals?: boolean }): Promise<Game>;

/** What the game is told is in seconds of the player's clock; the times of the state and of transitions are the programme's, as in `cuelight replay --json`. */
export interface Game extends EventTarget {
  /** What to show. */
  readonly state: GameState;
  /** The player's time of the programme's beginning: added to a time of the state, it makes that the player's. Null while it is unknown. */
  readonly origin: number | null;
  /** The player's time at which something changes next if nothing comes. */
  readonly nextDeadline: number | null;
  /** Receives a whole ID3 tag. It may be handed over ahead of its time: what happens then is announced then. */
  tag(bytes: Uint8Array, presentedAt: number, now: number): Transition[];
  /** Receives a TXXX frame that the player has taken out of its tag. */
  frame(text: string, description: string | undefined, presentedAt: number, now: number): Transition[];
  /** Receives the attribute X-COM-CUELIGHT-EVENT of a date range. A game that takes date ranges is told all its times as seconds since 1970. */
  dateRange(hex: string | ArrayBuffer, startDate: Date, now: Date): Transition[];
  /** Goes on to a time. */
  advance(now: number): Transition[];
  /** Moves to a time, because the viewer did: what lies between is not announced, but the event `seek` is fired. */
  seek(now: number): Transition[];
  /** Another part of the stream begins at a time, or now: an ad, or the programme behind it. */
  discontinuity(time?: number): void;
  /**
   * Selects an answer of the open question, in the form that its kind takes. Until the question closes another may be selected. An answer of another
   * form is an `unknownAnswer`.
   */
  select(answer: Answer, now: number): { outcome: "accepted" | "tooLate" | "noQuestion" | "unknownAnswer"; transitions: Transition[] };
  /** The stream has ended: an open question closes. */
  finish(now: number): Transition[];
  /** Ends the game, with all that is attached to it. */
  close(): void;

  addEventListener(type: TransitionEventName | "*", listener: ((event: CustomEvent<Transition>) => void) | null, options?: boolean | AddEventListenerOptions): void;
  /** `seek`: the viewer has moved, so that the state may be another one. `deadlinechange`: `nextDeadline` has changed. `close`: the game is closed. */
  addEventListener(type: "seek" | "deadlinechange" | "close", listener: ((event: Event) => void) | null, options?: boolean | AddEventListenerOptions): void;
  addEventListener(type: string, listener: EventListenerOrEventListenerObject | null, options?: boolean | AddEventListenerOptions): void;
  removeEventListener(type: TransitionEventName | "*", listener: ((event: CustomEvent<Transition>) => void) | null, options?: boolean | EventListenerOptions): void;
  removeEventListener(type: string, listener: EventListenerOrEventListenerObject | null, options?: boolean | EventListenerOptions): void;
}

export type TransitionName =
  | "lobbyOpened" | "entryOpened" | "gameStarted" | "questionAsked" | "timeAdjusted" | "questionClosed" | "resultsShown" | "infoUpdated"
  | "gameEnded" | "joinedLate" | "eventLost" | "eventRecovered" | "eventConflict" | "sequenceConflict" | "sealBroken" | "customEvent";

/** The name of a transition in small letters. */
export type TransitionEventName = Lowercase<TransitionName>;

/** Something to announce: what changed in the game. */
export interface Transition {
  type: "transition";
  transition: TransitionName;
  /** When it was seen. */
  time: number;
  /** When it happened. */
  eventTime: number;
  guid: string | null;
  game: string;
  /** The first and the last sequence number that were lost. */
  sequences?: [number, number];
  /** The event that keeps its sequence number. */
  kept?: string;
  /** An event of a type that is none of the game's. */
  event?: Record<string, unknown>;
  state: GameState;
}

export interface GameState {
  phase: "waiting" | "lobby" | "playing" | "asking" | "closed" | "results" | "ended";
  game: string | null;
  title: string | null;
  /** How many questions the game has, where it is known. */
  totalQuestions?: number;
  /** When players may enter, in the lobby. */
  entryOpensAt?: number;
  /** When the game starts, in the lobby. */
  startsAt?: number;
  /** Whether players may enter, in the lobby. */
  entryIsOpen?: boolean;
  question: Question | null;
  result: Result | null;
  info: Info | null;
  ending?: Ending;
  /** How many questions the player answered right. */
  score: number;
  /** How many questions the player answered whose time is up. */
  answered: number;
  /** The index of the answer that the player has selected, where it is exactly one. */
  selectedAnswer: number | null;
  /** The index of the right answer, where exactly one is right, once it may be shown. */
  correctAnswer: number | null;
  /** Whether the viewer has seen the result of the question and has gone back to before it: the question is shown again, and takes no answers. */
  isQuestionOver: boolean;
  /** The answer that the player has selected, of any kind. Not there as long as there is none. */
  selection?: Answer;
  /** The right answer, of any kind, once it may be shown. Not there before, and where none is right. */
  right?: Answer | string[];
}

/**
 * An answer, whether a player's or the right one: an index for `single`, `poll` and `prediction`, a list of indices for `multiple`, all indices in an order
 * for `order`, a number for `number`, and a text of 1 to 64 characters for `text` and for a poll with words. The right answer of `text` is a list of
 * spellings.
 */
export type Answer = number | number[] | string;

/** What a question asks for. A kind that is not known here is shown, and takes no answer. */
export type QuestionKind = "single" | "multiple" | "poll" | "prediction" | "number" | "order" | "text";

/** The right answer, by the kind of its question. */
export interface RightAnswer {
  /** `single` and `prediction`: the index of the right answer. */
  correctAnswer?: number;
  /** `multiple`: the indices of the right answers. */
  correctAnswers?: number[];
  /** `order`: all indices in their right order. */
  correctOrder?: number[];
  /** `number`: the right number, which need not be one that players can give. */
  correctNumber?: number;
  /** `text`: the spellings that are right. */
  correctTexts?: string[];
}

/** A question. A right answer is there where it is not sealed: show the state's, which waits until the question is closed. */
export interface Question extends RightAnswer {
  guid: string;
  number: number;
  total: number | null;
  text: string;
  /** Not there for `single`. */
  kind?: QuestionKind | (string & {});
  /** Empty for a number, a text, and a poll with words. */
  answers: string[];
  opensAt: number;
  closesAt: number;
  category?: string;
  difficulty?: string;
  /** `number`: the least number that can be given. */
  least?: number;
  /** `number`: the largest one. */
  most?: number;
  /** `number`: the distance of two numbers that follow each other; 1 if it is not there. */
  step?: number;
  /** `number`: the unit, such as `km`. */
  unit?: string;
  /** `number`: how far a right number may be from the right one. If it is not there, the nearest ones are right. */
  within?: number;
  /** `multiple`: a part of the right answers gives a part of the points. */
  partial?: boolean;
  /** `poll`: the counts are shown while it takes answers. */
  live?: boolean;
  /** The address of its picture: of https, or relative to the game server. */
  picture?: string;
  /** What the picture shows. */
  pictureText?: string;
  /** The width and the height of the picture in pixels. */
  pictureSize?: [number, number];
  /** The address of its sound, as that of a picture. Play it only when the player wants it. */
  sound?: string;
  /** What is heard. */
  soundText?: string;
  /** `poll`: it takes texts, and offers no answers. */
  words?: boolean;
  /** `text`: how many letters may be wrong; none if it is not there. */
  tolerance?: number;
  /** The points of an answer that is right and immediate, unless they are those of the game's rules. */
  points?: number;
  /** What changed its time for answers, the latest event. */
  adjustment?: Adjustment;
  /** Further keys of the event. */
  [key: string]: unknown;
}

/** A change of a question's time for answers. */
export interface Adjustment {
  guid: string;
  /** When it happened. */
  time: number;
  /** How long the question takes answers, from its own event on. */
  allottedTime: number;
  /** Further keys of the event. */
  [key: string]: unknown;
}

/** A result. No right answer is there if none is right, as in a poll, or if it is not known yet, as in a prediction. */
export interface Result extends RightAnswer {
  questionGuid: string;
  questionNumber: number;
  salt?: string;
  /** How many players chose each answer; for `order`, how many had it in its right place. */
  counts?: number[];
  /** `number`: how many players gave which numbers. */
  histogram?: Histogram;
  /** `text`, and a poll with words: the texts that most players gave. */
  texts?: TextCounts;
  points?: number[];
  explanation?: string;
  url?: string;
  leaderboard?: LeaderboardEntry[];
  seal: "absent" | "unchecked" | "valid" | "broken";
  /** Further keys of the event. */
  [key: string]: unknown;
}

/** How many players gave numbers of which range. */
export interface Histogram {
  /** Where the first bar begins. */
  from: number;
  /** The width of each bar: it has the numbers from its beginning on, up to the beginning of the next one. */
  width: number;
  /** How many players gave a number of each bar. */
  counts: number[];
}

/** The texts that most players gave, the most frequent one first, and how many players gave others. */
export interface TextCounts {
  most: { text: string; count: number; right?: boolean }[];
  others: number;
}

export interface Info {
  viewers: number;
  players?: number;
  [counter: string]: unknown;
}

export interface Ending {
  totalQuestions: number;
  winners?: string[];
  leaderboard?: LeaderboardEntry[];
  /** The SHA-256 of the last line of the public record. */
  record?: string;
  /** Further keys of the event. */
  [key: string]: unknown;
}

export interface LeaderboardEntry {
  nickname: string;
  score: number;
  [key: string]: unknown;
}

/** What is used of hls.js. */
export interface HlsLike {
  on(event: any, listener: (event: any, data: any) => void): void;
  off(event: any, listener: (event: any, data: any) => void): void;
}

/** What is used of a player of video.js. */
export interface VideoJsLike {
  currentTime(): number | undefined;
  seeking(): boolean;
  textTracks(): any;
  on(type: any, listener: (...values: any[]) => void): any;
  off(type: any, listener: (...values: any[]) => void): any;
}

/** What is used of Shaka Player. */
export interface ShakaLike {
  addEventListener(type: string, listener: (event: any) => any): void;
  removeEventListener(type: string, listener: (event: any) => any): void;
}

/** What is used of dash.js. */
export interface DashLike {
  on(type: any, listener: (event: any) => void, scope?: any, options?: any): void;
  off(type: any, listener: (event: any) => void, scope?: any): void;
}

/** What is used of the Amazon IVS player. */
export interface IVSLike {
  getPosition(): number;
  getHTMLVideoElement(): HTMLVideoElement;
  addEventListener(type: any, listener: (payload: any) => void): void;
  removeEventListener(type: any, listener: (payload: any) => void): void;
}

/** Lets a game follow the time of its video: by a timer on the next deadline, or frame by frame as pictures are shown. Gives the function that ends it. */
export function follow(game: Game, video: HTMLVideoElement, options?: { precision?: "deadline" | "frame"; clock?: () => number }): () => void;

/** Takes the tags of hls.js. Gives the function that ends it. */
export function attachHls(game: Game, hls: HlsLike, video: HTMLVideoElement): () => void;

/** Takes the cues of video.js. Gives the function that ends it. */
export function attachVideoJs(game: Game, player: VideoJsLike): () => void;

/**
 * Takes the metadata of Shaka Player. Gives the function that ends it. Event messages with ID3 tags are taken by their event `emsg`, whose default is
 * prevented: Shaka Player then announces no `metadata` of them.
 */
export function attachShaka(game: Game, player: ShakaLike, video: HTMLVideoElement): () => void;

/** Takes the cues that the browser itself makes: Safari, when it plays HLS natively. Gives the function that ends it. */
export function attachTextTracks(game: Game, video: HTMLVideoElement): () => void;

/** Takes the event messages of dash.js. Call it before `attachSource`. Gives the function that ends it. */
export function attachDash(game: Game, player: DashLike, video: HTMLVideoElement): () => void;

/** Takes the metadata of the Amazon IVS player, whose position is the time then. Gives the function that ends it. */
export function attachIVS(game: Game, player: IVSLike): () => void;

/**
 * Reports which events were shown, and how far the picture is behind, to a live server with --reach. `url` is the address of the server's
 * `/v1/streams/NAME/cmcd`, `player` the name of the player with its version, and `behind` gives the seconds behind the live edge. The name of the session is
 * a random one of this page; nothing else tells who the viewer is. Gives the function that ends it.
 */
export function report(
  game: Game, video: HTMLVideoElement,
  options: { url: string | URL; player?: string; behind?: () => number | null | undefined; wait?: () => number }): () => void;
