// What moves, vibrates and sounds. One switch is for all of it: it is off where the system asks for less motion, until the player switches it on. Sounds
// come only once the player has allowed them. They are made here, so that there is nothing to load.

import { later } from "./api.mjs";

const kept = "cuelight-effects";
const calm = matchMedia("(prefers-reduced-motion: reduce)");
let chosen = read();

function read() {
  try {
    return JSON.parse(localStorage.getItem(kept) ?? "{}");
  } catch {
    return {};
  }
}

export const effects = {
  get on() {
    return chosen.on ?? !calm.matches;
  },
  get sounds() {
    return this.on && chosen.sounds === true;
  },
  choose(changes) {
    chosen = { ...chosen, ...changes };
    try {
      localStorage.setItem(kept, JSON.stringify(chosen));
    } catch {
      // Then it holds until the page is closed.
    }
    apply();
    if (this.sounds) wake();
    else hush();
  },
};

const apply = () => document.body.classList.toggle("calm", !effects.on);
calm.addEventListener("change", apply);
apply();

// MARK: Motion

const moves = () => effects.on && !calm.matches && !document.hidden;

// Counts from one number to another within 0.7 seconds; `show` is told each number on the way. A later call for the same place takes over.
const counting = new WeakMap();

export function countUp(place, from, to, show) {
  counting.set(place, to);
  if (!moves() || from === to || from === null) return show(to);
  const start = performance.now();
  const step = (now) => {
    if (counting.get(place) !== to) return;
    const share = Math.min(1, Math.max(0, now - start) / 700);
    show(Math.round(from + (to - from) * (1 - (1 - share) ** 3)));
    if (share < 1) requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

// MARK: Vibration

const patterns = { choose: 12, right: [25, 45, 60], wrong: 90 };

// MARK: Sounds

// What makes sounds, once the player has allowed them.
let sounds = null;

// A browser lets a page sound only after a tap or a key.
async function wake() {
  sounds ??= await later("sounds");
  if (effects.sounds) sounds.wake();
}

for (const name of ["pointerdown", "keydown"]) addEventListener(name, () => { if (effects.sounds) wake(); }, { passive: true });

const hush = () => sounds?.hush();

// What the player feels and hears of something that happens.
export function feel(name) {
  if (!effects.on || document.hidden) return;
  if (patterns[name]) navigator.vibrate?.(patterns[name]);
  if (effects.sounds) sounds?.play(name);
}
