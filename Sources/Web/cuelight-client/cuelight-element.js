// The element <cuelight-game>: a video, its game below, and nothing that the page has to write. The types are in cuelight-element.d.ts. The module can be
// loaded where there is no page: it defines the element only in a browser.

import { attachDash, attachHls, attachTextTracks, createGame, follow } from "./cuelight-client.js";
import { requireSignatures } from "./cuelight-signatures.js";
import { View } from "./cuelight-view.js";

/** The library that plays: the module that the attribute `player` names, or else what a script of the page has left under this name. */
async function library(address, name) {
  if (!address) return globalThis[name];
  const module = await import(new URL(address, document.baseURI).href);
  return module.default ?? module[name];
}

/** Plays a source, and gives the function that ends that. */
async function play(game, video, source, address) {
  if (/\.mpd($|[?#])/i.test(source)) {
    const dashjs = await library(address, "dashjs");
    if (!dashjs) throw new Error(`cuelight-game: dash.js is missing, to play ${source}`);
    const player = dashjs.MediaPlayer().create();
    attachDash(game, player, video);
    player.initialize(video, source, video.autoplay);
    return () => player.destroy();
  }
  const Hls = await library(address, "Hls");
  if (Hls?.isSupported()) {
    const hls = new Hls();
    attachHls(game, hls, video);
    hls.loadSource(source);
    hls.attachMedia(video);
    return () => hls.destroy();
  }
  // Of the browsers that play HLS, only Safari hands its metadata over.
  if (!("DataCue" in globalThis || "WebKitDataCue" in globalThis)) throw new Error(`cuelight-game: hls.js is missing, to play ${source}`);
  attachTextTracks(game, video);
  video.src = source;
  return () => {
    video.removeAttribute("src");
    video.load();
  };
}

/** What a server has instead of elements. */
const Base = globalThis.HTMLElement ?? class {};

export class CuelightGameElement extends Base {
  static observedAttributes = ["src", "player", "wasm", "public-key", "lang", "autoplay", "muted", "poster"];

  #view = null;
  #game = null;
  #attach = null;
  /** The video of the game that is played. */
  #playing = null;
  /** What ends that game, or one that is on its way. */
  #end = null;

  get game() {
    return this.#game;
  }

  get state() {
    return this.#game?.state ?? null;
  }

  get video() {
    return this.querySelector(":scope > video[slot=video]") ?? this.#view?.video ?? null;
  }

  get attach() {
    return this.#attach;
  }

  /** What plays instead of hls.js and dash.js. */
  set attach(attach) {
    this.#attach = attach;
    this.#restart();
  }

  connectedCallback() {
    if (!this.#view) {
      this.#view = new View(this.attachShadow({ mode: "open" }), (answer) => this.#select(answer));
      // A page may bring its own video, and an element of a page that is being read gets it later.
      this.#view.onVideo = () => this.video !== this.#playing && this.#restart();
      this.addEventListener("keydown", (event) => this.#view.press(event));
    }
    this.#mirror();
    // Not for an element that was only moved.
    if (!this.#end) this.#start();
  }

  disconnectedCallback() {
    queueMicrotask(() => this.isConnected || this.#stop());
  }

  attributeChangedCallback(name, before, after) {
    if (!this.#view || before === after) return;
    this.#mirror();
    if (["src", "player", "wasm", "public-key"].includes(name)) this.#restart();
  }

  /** Passes on what the video and the words take from the element. */
  #mirror() {
    const { video } = this.#view;
    video.autoplay = this.hasAttribute("autoplay");
    video.muted = this.hasAttribute("muted");
    video.poster = this.getAttribute("poster") ?? "";
    this.#view.language = this.closest("[lang]")?.lang || navigator.language;
    this.#show();
  }

  #restart() {
    if (!this.#end) return;
    this.#stop();
    if (this.isConnected) this.#start();
  }

  #start() {
    const source = this.getAttribute("src");
    const video = (this.#playing = this.video);
    const undo = [];
    let isOver = false;
    this.#end = () => {
      isOver = true;
      for (const action of undo.splice(0).reverse()) action();
    };
    if (source === null && !this.#attach) return;
    /** Keeps what has to be undone, which is at once if the element is gone by now. */
    const keep = (action) => {
      if (isOver) action?.();
      else if (action) undo.push(action);
    };
    const start = async () => {
      const wasm = this.getAttribute("wasm");
      const game = await createGame(wasm ? { wasm: new URL(wasm, document.baseURI) } : {});
      keep(() => game.close());
      const key = this.getAttribute("public-key");
      if (key !== null && !isOver) await requireSignatures(game, key);
      if (isOver) return;
      this.#game = game;
      this.#listen(game, video, keep);
      follow(game, video);
      this.#show();
      keep(await (this.#attach ? this.#attach(game, video, source) : play(game, video, source && new URL(source, document.baseURI).href, this.getAttribute("player"))));
    };
    start().catch((error) => {
      if (isOver) return;
      this.#view.fail();
      this.dispatchEvent(new CustomEvent("failure", { detail: error }));
    });
  }

  #listen(game, video, keep) {
    game.addEventListener("*", ({ detail }) => {
      this.#show(detail);
      this.dispatchEvent(new CustomEvent("transition", { detail, bubbles: true, composed: true }));
    });
    game.addEventListener("seek", () => this.#show());
    const count = () => this.#view.count(this.#left());
    for (const type of ["timeupdate", "seeked"]) {
      video.addEventListener(type, count);
      keep(() => video.removeEventListener(type, count));
    }
  }

  #stop() {
    const end = this.#end;
    this.#end = null;
    this.#game = null;
    end?.();
    this.#show();
  }

  /** The seconds that are left for the open question; null while that is unknown, as during an advertisement. */
  #left() {
    const { phase, question } = this.#game?.state ?? {};
    if (phase !== "asking" || this.#game.origin === null) return null;
    return question.closesAt + this.#game.origin - this.video.currentTime;
  }

  #show(transition) {
    this.#view.show(this.state, transition);
    this.#view.count(this.#left());
  }

  #select(answer) {
    const game = this.#game;
    const now = this.video.currentTime;
    const isAccepted = game?.select(answer, now).outcome === "accepted";
    this.#show();
    // The element knows no server: the page sends answers where it wants them.
    if (!isAccepted) return;
    const detail = { question: game.state.question.guid, answer, at: game.origin === null ? null : now - game.origin };
    this.dispatchEvent(new CustomEvent("answer", { detail, bubbles: true, composed: true }));
  }
}

/** Defines the element under a name, once. */
export function defineCuelightGame(name = "cuelight-game") {
  if (!globalThis.customElements || customElements.get(name)) return;
  // A class has one name.
  customElements.define(name, name === "cuelight-game" ? CuelightGameElement : class extends CuelightGameElement {});
}

defineCuelightGame();
