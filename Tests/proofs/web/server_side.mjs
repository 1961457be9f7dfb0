// What a server does with the package: it imports all modules, and renders a component that plays, with no page. A page's objects throw where they are touched.

for (const name of ["window", "document", "customElements", "HTMLElement", "navigator", "location"]) {
  // `globalThis.name` of what is not there is undefined; these are what a careless module would use.
  if (name !== "customElements" && name !== "HTMLElement") Object.defineProperty(globalThis, name, { get: () => { throw new Error(`${name} was touched`); } });
}

const modules = await Promise.all(["cuelight-client", "cuelight-client/react", "cuelight-client/element", "cuelight-client/signatures"].map((name) => import(name)));
const [{ createElement: h, useRef }, { renderToString }] = (await Promise.all([import("react"), import("react-dom/server")])).map((module) => module.default);
const [{ createGame }, { useCuelight, useSecondsLeft }, { defineCuelightGame }] = modules;

function Show() {
  const video = useRef(null);
  const cuelight = useCuelight(video, () => { throw new Error("a server attaches no player"); }, { source: "show.m3u8" });
  const seconds = useSecondsLeft(cuelight, video);
  return h("article", null, h("video", { ref: video }), h("p", null, cuelight.state.phase), h("p", null, String(seconds)));
}

defineCuelightGame();
const game = await createGame();
console.log(JSON.stringify({ html: renderToString(h(Show)), exports: modules.map((module) => Object.keys(module).sort()), phase: game.state.phase }));
game.close();
