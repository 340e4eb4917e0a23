// A program and its launch in the fragment of the address; convergence/report/permalink.py is the same in Python.

const VERSION = "1=";

async function through(stream, bytes) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader(), parts = [];
  for (let part = await reader.read(); !part.done; part = await reader.read()) parts.push(part.value);
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

export async function written(program, launch) {
  const packed = await through(new CompressionStream("deflate"), new TextEncoder().encode(JSON.stringify({ program, launch })));
  let text = "";
  for (let n = 0; n < packed.length; n += 0x8000) text += String.fromCharCode(...packed.subarray(n, n + 0x8000));
  return "#" + VERSION + btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

// What a fragment holds; null for none; an Error that says what is wrong with one.
export async function read(fragment) {
  const coded = fragment.replace(/^#/, "");
  if (!coded.startsWith(VERSION)) return null;
  try {
    const text = atob(coded.slice(VERSION.length).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = await through(new DecompressionStream("deflate"), Uint8Array.from(text, c => c.charCodeAt(0)));
    const held = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof held.program !== "string") throw new Error("it holds no program");
    return { program: held.program, launch: typeof held.launch === "string" ? held.launch : "" };
  } catch (error) {
    return new Error(`the link is damaged: ${error.name === "TypeError" ? "it cannot be unpacked" : error.message || error}`);
  }
}
