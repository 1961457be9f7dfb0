// A QR code (ISO/IEC 18004) of a text: bytes, error correction M, versions 1 to 10, which have room for 213 bytes.

const perBlock = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26];
const blockCounts = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5];
const totals = [26, 44, 70, 100, 134, 172, 196, 242, 292, 346];
const alignments = [[], [6, 18], [6, 22], [6, 26], [6, 30], [6, 34], [6, 22, 38], [6, 24, 42], [6, 26, 46], [6, 28, 50]];
const masks = [
  (x, y) => (x + y) % 2 === 0, (x, y) => y % 2 === 0, (x) => x % 3 === 0, (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0, (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0, (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

// The product in the field of 256 elements with the polynomial 0x11d.
function product(a, b) {
  let result = 0;
  for (let bit = 7; bit >= 0; bit -= 1) result = (result << 1) ^ ((result >> 7) * 0x11d) ^ (((b >> bit) & 1) * a);
  return result;
}

function divisor(degree) {
  const result = new Array(degree).fill(0);
  result[degree - 1] = 1;
  let root = 1;
  for (let step = 0; step < degree; step += 1) {
    for (let index = 0; index < degree; index += 1) result[index] = product(result[index], root) ^ (result[index + 1] ?? 0);
    root = product(root, 2);
  }
  return result;
}

function remainder(data, generator) {
  const result = new Array(generator.length).fill(0);
  for (const byte of data) {
    const factor = byte ^ result.shift();
    result.push(0);
    generator.forEach((value, index) => { result[index] ^= product(value, factor); });
  }
  return result;
}

function codewords(bytes, version) {
  const [ecc, blocks, total] = [perBlock[version - 1], blockCounts[version - 1], totals[version - 1]];
  const room = total - ecc * blocks;
  const bits = [];
  const add = (value, count) => { for (let bit = count - 1; bit >= 0; bit -= 1) bits.push((value >> bit) & 1); };
  add(4, 4);
  add(bytes.length, version < 10 ? 8 : 16);
  for (const byte of bytes) add(byte, 8);
  add(0, Math.min(4, room * 8 - bits.length));
  while (bits.length % 8 !== 0) bits.push(0);
  const data = [];
  for (let index = 0; index < bits.length; index += 8) data.push(parseInt(bits.slice(index, index + 8).join(""), 2));
  for (let pad = 0xec; data.length < room; pad ^= 0xec ^ 0x11) data.push(pad);
  const generator = divisor(ecc);
  const short = Math.floor(room / blocks);
  const longBlocks = room % blocks;
  const parts = [];
  for (let block = 0, start = 0; block < blocks; block += 1) {
    const length = short + (block >= blocks - longBlocks ? 1 : 0);
    const part = data.slice(start, start + length);
    parts.push({ data: part, ecc: remainder(part, generator) });
    start += length;
  }
  const result = [];
  for (let index = 0; index <= short; index += 1) for (const part of parts) if (index < part.data.length) result.push(part.data[index]);
  for (let index = 0; index < ecc; index += 1) for (const part of parts) result.push(part.ecc[index]);
  return result;
}

// How much a mask leaves that readers find hard: less is better.
function penalty(dark) {
  const size = dark.length;
  let points = 0;
  const lines = [...dark, ...dark.map((_, x) => dark.map((row) => row[x]))];
  for (const line of lines) {
    const text = line.map((isDark) => (isDark ? "1" : "0")).join("");
    for (const run of text.match(/0{5,}|1{5,}/g) ?? []) points += run.length - 2;
    points += 40 * ((text.match(/(?=00001011101)/g) ?? []).length + (text.match(/(?=10111010000)/g) ?? []).length);
  }
  for (let y = 1; y < size; y += 1) {
    for (let x = 1; x < size; x += 1) if (dark[y][x] === dark[y - 1][x] && dark[y][x] === dark[y][x - 1] && dark[y][x] === dark[y - 1][x - 1]) points += 3;
  }
  const share = dark.flat().filter(Boolean).length / (size * size);
  return points + 10 * Math.floor(Math.abs(share * 20 - 10));
}

// The modules of a text's code, row by row: whether each is dark. `null` where the text is too long.
export function qrModules(text) {
  const bytes = new TextEncoder().encode(text);
  const version = totals.findIndex((total, index) => total - perBlock[index] * blockCounts[index] >= bytes.length + (index < 9 ? 2 : 3)) + 1;
  if (version === 0) return null;
  const size = version * 4 + 17;
  const dark = Array.from({ length: size }, () => new Array(size).fill(false));
  const fixed = Array.from({ length: size }, () => new Array(size).fill(false));
  const set = (x, y, isDark) => {
    if (x < 0 || y < 0 || x >= size || y >= size) return;
    [dark[y][x], fixed[y][x]] = [Boolean(isDark), true];
  };
  for (let at = 0; at < size; at += 1) {
    set(6, at, at % 2 === 0);
    set(at, 6, at % 2 === 0);
  }
  for (const [left, top] of [[3, 3], [size - 4, 3], [3, size - 4]]) {
    for (let y = -4; y <= 4; y += 1) for (let x = -4; x <= 4; x += 1) {
      const ring = Math.max(Math.abs(x), Math.abs(y));
      set(left + x, top + y, ring !== 2 && ring !== 4);
    }
  }
  const places = alignments[version - 1];
  places.forEach((y, row) => places.forEach((x, column) => {
    const last = places.length - 1;
    if ((row === 0 && column === 0) || (row === 0 && column === last) || (row === last && column === 0)) return;
    for (let dy = -2; dy <= 2; dy += 1) for (let dx = -2; dx <= 2; dx += 1) set(x + dx, y + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1);
  }));
  if (version >= 7) {
    let rest = version;
    for (let step = 0; step < 12; step += 1) rest = (rest << 1) ^ ((rest >> 11) * 0x1f25);
    const bits = (version << 12) | rest;
    for (let bit = 0; bit < 18; bit += 1) {
      const [near, far] = [size - 11 + (bit % 3), Math.floor(bit / 3)];
      set(near, far, (bits >> bit) & 1);
      set(far, near, (bits >> bit) & 1);
    }
  }
  const format = (mask) => {
    let rest = mask;
    for (let step = 0; step < 10; step += 1) rest = (rest << 1) ^ ((rest >> 9) * 0x537);
    const bits = ((mask << 10) | rest) ^ 0x5412;
    const bit = (index) => (bits >> index) & 1;
    for (let index = 0; index <= 5; index += 1) set(8, index, bit(index));
    set(8, 7, bit(6));
    set(8, 8, bit(7));
    set(7, 8, bit(8));
    for (let index = 9; index < 15; index += 1) set(14 - index, 8, bit(index));
    for (let index = 0; index < 8; index += 1) set(size - 1 - index, 8, bit(index));
    for (let index = 8; index < 15; index += 1) set(8, size - 15 + index, bit(index));
    set(8, size - 8, true);
  };
  format(0);
  const words = codewords(bytes, version);
  let at = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step += 1) {
      for (const x of [right, right - 1]) {
        const y = ((right + 1) & 2) === 0 ? size - 1 - step : step;
        if (fixed[y][x]) continue;
        dark[y][x] = at < words.length * 8 && ((words[at >> 3] >> (7 - (at & 7))) & 1) === 1;
        at += 1;
      }
    }
  }
  const flip = (mask) => { for (let y = 0; y < size; y += 1) for (let x = 0; x < size; x += 1) if (!fixed[y][x] && masks[mask](x, y)) dark[y][x] = !dark[y][x]; };
  let best = [Infinity, 0];
  for (let mask = 0; mask < 8; mask += 1) {
    flip(mask);
    format(mask);
    const points = penalty(dark);
    if (points < best[0]) best = [points, mask];
    flip(mask);
  }
  flip(best[1]);
  format(best[1]);
  return dark;
}

// The code of an address as an image; `null` where it is too long.
export function qrImage(address) {
  const code = qrPath(address);
  if (!code) return null;
  const vectors = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(vectors, "svg");
  svg.setAttribute("viewBox", `0 0 ${code.size} ${code.size}`);
  svg.setAttribute("class", "qr");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", address);
  svg.setAttribute("shape-rendering", "crispEdges");
  const path = document.createElementNS(vectors, "path");
  path.setAttribute("d", code.path);
  svg.append(path);
  return svg;
}

// The path of a text's code in SVG, with its margin, and how many modules a side has.
export function qrPath(text) {
  const modules = qrModules(text);
  if (!modules) return null;
  const margin = 4;
  const path = modules.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x + margin} ${y + margin}h1v1h-1z` : ""))).join("");
  return { path, size: modules.length + 2 * margin };
}
