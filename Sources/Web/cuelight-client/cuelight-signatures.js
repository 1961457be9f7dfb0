// Games to which only signed events count. The browser checks the signatures, and does so later than a call returns: what an event changes is announced
// by the game's events. The types are in cuelight-signatures.d.ts.

/** The members of a copy that its signature does not cover. */
const UNSIGNED = new Set(["copy", "copies", "age", "signature", "crc"]);

/** How many results of checks are kept: copies of an event have one signature. */
const KEPT = 256;

/** The members of a JSON object without spaces, as they are written; null if it is something else, or names one twice. */
function membersOf(text) {
  if (text[0] !== "{" || text.at(-1) !== "}") return null;
  const members = new Map();
  let [depth, start, isText] = [0, 1, false];
  for (let at = 1; at < text.length; at += 1) {
    const character = text[at];
    if (isText) {
      if (character === "\\") at += 1;
      else if (character === '"') isText = false;
    } else if (character === '"') isText = true;
    else if (character === "{" || character === "[") depth += 1;
    else if (depth > 0) depth -= character === "}" || character === "]" ? 1 : 0;
    else if (character === "," || at === text.length - 1) {
      const member = text.slice(start, at);
      const key = member.match(/^"(?:[^"\\]|\\.)*"(?=:)/)?.[0];
      if (!key || members.has(JSON.parse(key))) return null;
      members.set(JSON.parse(key), member);
      start = at + 1;
    }
  }
  return start === text.length && !isText ? members : null;
}

/** Systems on the way write characters as escapes that the signed text does not have. */
const unescaped = (text) =>
  text.replace(/\\(?:u([0-9a-f]{4})|.)/gi, (whole, digits) => {
    const character = digits && String.fromCharCode(parseInt(digits, 16));
    return !digits || character < " " || character === '"' || character === "\\" ? whole : character;
  });

/** What is signed of a copy, and its signature; null if it has none. */
function signedOf(text) {
  try {
    const members = membersOf(text);
    const signature = members?.get("signature") && JSON.parse(`{${members.get("signature")}}`).signature;
    if (typeof signature !== "string") return null;
    const message = [...members].filter(([key]) => !UNSIGNED.has(key)).map(([, member]) => unescaped(member));
    return { message: `{${message.join(",")}}`, signature };
  } catch {
    return null;
  }
}

const size = (bytes, at, bits) => [0, 1, 2, 3].reduce((sum, index) => sum * 2 ** bits + bytes[at + index], 0);

/** The TXXX frames of ID3 tags that lie one after the other. Tags with features that nobody writes events with have none. */
function* framesOf(bytes) {
  for (let tag = 0; tag + 10 <= bytes.length && bytes[tag] === 0x49 && bytes[tag + 1] === 0x44 && bytes[tag + 2] === 0x33; ) {
    const end = Math.min(tag + 10 + size(bytes, tag + 6, 7), bytes.length);
    const version = bytes[tag + 3];
    const isPlain = bytes[tag + 5] === 0 && (version === 3 || version === 4);
    for (let at = tag + 10; isPlain && at + 10 <= end && bytes[at] !== 0; ) {
      const next = at + 10 + size(bytes, at + 4, version === 4 ? 7 : 8);
      const isText = String.fromCharCode(...bytes.subarray(at, at + 4)) === "TXXX" && bytes[at + 9] === 0 && next <= end;
      const encoding = ["windows-1252", "utf-16", "utf-16be", "utf-8"][bytes[at + 10]];
      if (isText && encoding) {
        const content = new TextDecoder(encoding).decode(bytes.subarray(at + 11, next));
        const [description, text = ""] = content.split("\0");
        yield { description, text: text.replace(/^\ufeff/, "") };
      }
      at = next;
    }
    tag = end;
  }
}

/** Lets only events with a right signature count. */
export async function requireSignatures(game, publicKey) {
  if (!globalThis.crypto?.subtle) throw new Error("requireSignatures: browsers check signatures only on pages of https or localhost");
  const raw = typeof publicKey === "string" ? Uint8Array.from(atob(publicKey), (character) => character.charCodeAt(0)) : publicKey;
  const key = await crypto.subtle.importKey("raw", raw, "Ed25519", false, ["verify"]);
  const checked = new Map();
  const plain = Object.fromEntries(["frame", "dateRange", "advance", "seek", "finish"].map((name) => [name, game[name].bind(game)]));
  let [latest, waiting, queue, isClosed] = [0, 0, Promise.resolve(), false];
  game.addEventListener("close", () => (isClosed = true));

  /** Whether the signature of a copy is right. */
  const isSigned = (text) => {
    const signed = signedOf(text);
    if (!signed) return Promise.resolve(false);
    const name = `${signed.signature}${signed.message}`;
    if (!checked.has(name)) {
      if (checked.size >= KEPT) checked.delete(checked.keys().next().value);
      const bytes = (letters) => Uint8Array.from(atob(letters), (character) => character.charCodeAt(0));
      const check = async () => crypto.subtle.verify("Ed25519", key, bytes(signed.signature), new TextEncoder().encode(signed.message));
      checked.set(name, check().catch(() => false));
    }
    return checked.get(name);
  };
  /** Does something after all that waits. */
  const wait = (action) => {
    waiting += 1;
    queue = queue.then(action).catch(() => {}).finally(() => (waiting -= 1));
  };
  const take = (text, deliver) => {
    const result = isSigned(text);
    wait(async () => (await result) && !isClosed && deliver());
  };
  const told = (name) => (now) => {
    latest = now;
    return plain[name](now);
  };

  return Object.assign(game, {
    advance: told("advance"),
    seek: told("seek"),
    tag(bytes, presentedAt, now) {
      for (const { text, description } of framesOf(bytes)) take(text, () => plain.frame(text, description, presentedAt, latest));
      return game.advance(now);
    },
    frame(text, description, presentedAt, now) {
      take(text, () => plain.frame(text, description, presentedAt, latest));
      return game.advance(now);
    },
    dateRange(hex, startDate, now) {
      const bytes = typeof hex === "string" ? Uint8Array.from(hex.replace(/^0x/i, "").match(/../g) ?? [], (pair) => parseInt(pair, 16)) : new Uint8Array(hex);
      take(new TextDecoder().decode(bytes), () => plain.dateRange(hex, startDate, new Date(latest * 1000)));
      return game.advance(now.getTime() / 1000);
    },
    finish(now) {
      if (waiting === 0) return plain.finish(now);
      wait(() => isClosed || plain.finish(now));
      return [];
    },
  });
}
