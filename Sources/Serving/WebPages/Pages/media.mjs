// The picture and the sound of a question. A picture has its room from the start, so that nothing moves when it is loaded, and where it cannot be loaded its
// text is there instead. A sound plays only when somebody wants it.

import { say } from "./messages.mjs";
import { element } from "./view.mjs";

// The address of a picture or a sound: of this server, or of another one that encrypts; `null` where it is neither.
export function mediaAddress(text) {
  try {
    const address = new URL(text, location.origin);
    return address.protocol === "https:" || address.origin === location.origin ? address.href : null;
  } catch {
    return null;
  }
}

// What was loaded before its question opened. It is kept as long as a question may need it.
const ahead = new Map();
const decoder = new TextDecoder();

// Loads the pictures that the tags of a segment name: a segment is here some seconds before its pictures are shown.
export function loadAhead(samples) {
  for (const { data } of samples) {
    for (const [, text] of decoder.decode(data).matchAll(/"picture":("(?:[^"\\]|\\.)*")/g)) {
      try {
        load(mediaAddress(JSON.parse(text)));
      } catch {
        // Whoever reads the tag says what is wrong with it.
      }
    }
  }
}

function load(address) {
  if (!address || ahead.has(address)) return;
  const image = new Image();
  image.src = address;
  ahead.set(address, image);
  if (ahead.size > 4) ahead.delete(ahead.keys().next().value);
}

export function pictureOf({ picture, pictureText, pictureSize }) {
  if (typeof picture !== "string") return null;
  const text = pictureText ?? "";
  const [width, height] = Array.isArray(pictureSize) ? pictureSize : [16, 9];
  const image = element("img", { alt: text, width, height, decoding: "async" });
  const figure = element("figure", { class: "picture" }, image);
  figure.style.setProperty("--ratio", Math.min(4, Math.max(0.4, width / height)) || 1);
  const fail = () => figure.replaceChildren(element("p", { dir: "auto" }, text || say("pictureFailed")));
  image.addEventListener("error", fail);
  const address = mediaAddress(picture);
  if (address) image.src = address;
  else fail();
  return figure;
}

export function soundOf({ sound, soundText }) {
  const address = typeof sound === "string" ? mediaAddress(sound) : null;
  if (!address) return null;
  const audio = element("audio", { preload: "auto" });
  audio.src = address;
  const label = element("span", {});
  const button = element("button", { type: "button", class: "play-sound" }, label, soundText ? element("span", { dir: "auto" }, soundText) : null, audio);
  const draw = () => { label.textContent = `${audio.paused ? "▶" : "■"} ${say(audio.error ? "soundFailed" : audio.paused ? "playSound" : "stopSound")}`; };
  for (const type of ["play", "pause", "ended", "error"]) audio.addEventListener(type, draw);
  button.addEventListener("click", () => {
    if (audio.paused) return audio.play().catch(draw);
    audio.pause();
    audio.currentTime = 0;
  });
  draw();
  return button;
}

// Draws the picture and the sound of a question, and ends the sound of the one before.
export function drawMedia(place, question) {
  place.querySelector("audio")?.pause();
  const parts = [pictureOf(question ?? {}), soundOf(question ?? {})].filter(Boolean);
  place.replaceChildren(...parts);
  place.hidden = parts.length === 0;
}
