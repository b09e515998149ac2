"""A sweep of the workspace “Width” in a browser beside numpy's lstsq on the same matrices, in the same run.

    cargo xtask build
    cargo build --release --package universal --example equations
    OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 python python/compare_sweep.py dist target/release/examples/equations

The browser draws the weights, forms the equations, solves them, plays the programs and shows every point: what is
timed is from the click to the last point. numpy is given the equations and solves them, single-threaded. Both take
turns, and the shortest times are printed. Needs numpy, Chromium and chromedriver.
"""

import functools
import http.server
import json
import os
import socket
import struct
import subprocess
import sys
import threading
import time
import urllib.request

for threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[threads] = "1"

import numpy as np  # noqa: E402  (the number of threads must be known before)

REACH = 20
TARGET_SEED, FROZEN_SEED, OTHER_SEED = 1, 7, 8
# Heads, layers, d, d_h, and how often both are timed.
SWEEPS = [((2, 3, 4, 2), 5), ((4, 3, 8, 2), 2)]

# Goes to another draw as a link does, and answers with the milliseconds until all points are there.
TIMED = """
const [query, last, done] = [arguments[0], arguments[1], arguments[2]];
const start = performance.now();
const look = () => {
  const says = document.querySelector('.running .quiet')?.innerText ?? '';
  if (says === last) { done(performance.now() - start); } else { setTimeout(look, 1); }
};
history.pushState(null, '', query);
dispatchEvent(new PopStateEvent('popstate'));
// The last sweep is still on show until the next frame.
requestAnimationFrame(() => setTimeout(look, 1));
"""


# What else the page computes waits, so that it does not stand in line before the sweep.
ALONE = """
const [done] = arguments;
const look = () => {
  const others = [...document.querySelectorAll('.running')].slice(1);
  if (others.length === 0) { setTimeout(look, 10); return; }
  for (const other of others) { other.querySelector('button')?.click(); }
  done(others.length);
};
look();
"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves the page without a word."""

    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm"}

    def log_message(self, *_):
        pass


class Browser:
    """A headless Chromium by way of chromedriver."""

    def __init__(self, page):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=page))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.page = f"http://127.0.0.1:{server.server_port}/"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.driver = subprocess.Popen(["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL)
        self.address = f"http://127.0.0.1:{port}/session"
        options = {"args": ["--headless=new", "--no-sandbox"]}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "timeouts": {"script": 600_000}}
        for _ in range(100):
            try:
                answer = self.post("", {"capabilities": {"alwaysMatch": wanted}})
                break
            except OSError:
                time.sleep(0.1)
        self.address += "/" + answer["sessionId"]

    def post(self, path, body):
        request = urllib.request.Request(self.address + path, json.dumps(body).encode(), method="POST")
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)["value"]

    def sweep(self, query, seed):
        points = f"All {2 * REACH + 1} points are computed."
        body = {"script": TIMED, "args": [f"{query}&frozen-seed={seed}", points]}
        return self.post("/execute/async", body) / 1000

    def quit(self):
        urllib.request.urlopen(urllib.request.Request(self.address, method="DELETE")).close()
        self.driver.terminate()
        self.driver.wait()


def matrices(program, sizes):
    """The equations of every point: pairs of C (m × N) and B (d × N)."""
    arguments = [*sizes, REACH, TARGET_SEED, FROZEN_SEED]
    with subprocess.Popen([program, *map(str, arguments)], stdout=subprocess.PIPE) as process:
        def matrix():
            head = process.stdout.read(16)
            if not head:
                return None
            rows, columns = struct.unpack("<QQ", head)
            return np.frombuffer(process.stdout.read(8 * rows * columns), "<f8").reshape(rows, columns)

        while (columns := matrix()) is not None:
            yield columns, matrix()


def lstsq(program, sizes):
    """Seconds that numpy takes for all points: E C = B is Cᵀ Eᵀ = Bᵀ."""
    seconds = 0.0
    for columns, leaves in matrices(program, sizes):
        a, b = np.ascontiguousarray(columns.T), np.ascontiguousarray(leaves.T)
        start = time.perf_counter()
        np.linalg.lstsq(a, b, rcond=None)
        seconds += time.perf_counter() - start
    return seconds


def main():
    page, program = sys.argv[1:3]
    browser = Browser(page)
    try:
        for sizes, tries in SWEEPS:
            heads, layers, width, head_width = sizes
            query = (f"?page=width&heads={heads}&layers={layers}&width={width}&head-width={head_width}"
                     f"&laws=gaussian&draws=1&reach={REACH}&seed={TARGET_SEED}")
            browser.post("/url", {"url": browser.page + query})
            browser.post("/execute/async", {"script": ALONE, "args": []})
            ours, theirs = [], []
            for _ in range(tries):
                # Another draw in between, so that nothing is known of the one that is timed.
                browser.sweep(query + "&n=5", OTHER_SEED)
                ours.append(browser.sweep(query, FROZEN_SEED))
                theirs.append(lstsq(program, sizes))
            print(f"H={heads} L={layers} d={width}, {2 * REACH + 1} points: browser {min(ours):.3f} s, "
                  f"numpy {min(theirs):.3f} s, ratio {min(ours) / min(theirs):.2f}", flush=True)
    finally:
        browser.quit()


if __name__ == "__main__":
    main()
