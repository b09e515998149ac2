// Keeps one whole release of Pianola, so that it opens without a network and so that page, worker and code
// always come from the same release.

const RELEASE = "@RELEASE@";

// Each file's address, relative to this one, and what its content must be.
const FILES = @FILES@;

const OURS = `pianola ${registration.scope} `;
const CACHE = OURS + RELEASE;

addEventListener("install", (event) => event.waitUntil(keep()));
addEventListener("activate", (event) => event.waitUntil(takeOver()));
addEventListener("message", (event) => {
  if (event.data === "take over") skipWaiting();
});
addEventListener("fetch", (event) => {
  if (event.request.method === "GET" && event.request.url.startsWith(registration.scope)) {
    event.respondWith(answer(event.request));
  }
});

// All files or none: with the expected content given, files of two releases cannot be mixed.
async function keep() {
  const cache = await caches.open(CACHE);
  await cache.addAll(
    FILES.map(([address, integrity]) => new Request(address, { integrity, cache: "no-cache" })),
  );
}

async function takeOver() {
  const names = await caches.keys();
  await Promise.all(
    names.filter((name) => name.startsWith(OURS) && name !== CACHE).map((name) => caches.delete(name)),
  );
  await clients.claim();
}

async function answer(request) {
  const opensPage = request.mode === "navigate";
  if (opensPage && registration.waiting && (await clients.matchAll()).length < 2) {
    // A newer release is here and no other page uses this one: it takes over, and the page is asked for again.
    registration.waiting.postMessage("take over");
    return new Response("", { headers: { Refresh: "0" } });
  }
  const { pathname } = new URL(request.url);
  const scope = new URL(registration.scope).pathname;
  const isPage = pathname === scope || pathname === `${scope}index.html`;
  const cache = await caches.open(CACHE);
  const kept = await cache.match(isPage ? registration.scope : request, { ignoreVary: true });
  return kept ?? fetch(request);
}
