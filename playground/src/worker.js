// One Pyodide with convcheck in it. A question comes as { id, question }, its answer goes back with the same id.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const started = (async () => {
  const packages = fetch("packages.zip").then(found => found.arrayBuffer());
  const python = await loadPyodide({ indexURL: new URL("pyodide/", self.location.href).href, packageBaseUrl: "./" });
  python.unpackArchive(new Uint8Array(await packages), "zip", { extractDir: "/convcheck" });
  python.runPython(`
import os, sys
sys.path.insert(0, "/convcheck")
os.environ["NO_COLOR"] = "1"
os.makedirs("/work", exist_ok=True)
os.chdir("/work")
sys.setrecursionlimit(3000)
from convergence.cli.page import answer
`);
  return python.globals.get("answer");
})();

started.then(() => postMessage({ ready: true }), error => postMessage({ died: String(error) }));

onmessage = async ({ data: { id, question } }) => {
  try {
    const answer = await started;
    postMessage({ id, answer: JSON.parse(answer(JSON.stringify(question))) });
  } catch (error) { // Python's own end: what is left of it is not asked again
    postMessage({ id, died: String(error).split("\n").slice(-3).join(" ").slice(0, 300) });
  }
};
