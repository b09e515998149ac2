const packs = new Map();

// The bytes of one module. A pack that could not be fetched is asked for again.
async function unpacked([name, start, end]) {
  let pack = packs.get(name);
  if (!pack) {
    // Packs stand beside this script and share its name.
    const address = import.meta.url.replace(/_parts\.js$/, `_${name}`);
    pack = fetch(address).then((answer) => {
      if (!answer.ok) throw new Error(`${answer.status} ${answer.url}`);
      return answer.arrayBuffer();
    });
    packs.set(name, pack);
    pack.catch(() => packs.delete(name));
  }
  return new Uint8Array(await pack, start, end - start);
}

function module(place, chunks) {
  return makeLoad(() => {
    const bytes = unpacked(place);
    bytes.catch(() => {});
    return async (imports) => WebAssembly.instantiate(await bytes, imports);
  }, chunks);
}

