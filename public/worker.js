// The worker is the page's own program once more; it finds out by itself where it runs.
import init from "./pianola.js";

await init({ module_or_path: new URL("./pianola_bg.wasm", import.meta.url) });
