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

// What a first answer imports and prepares takes most of a second: where no question waits, these have it done.
const PROGRAM = `define i32 @f(i1 %c) convergent {
A:
  br i1 %c, label %B, label %C
B:
  br label %C
C:
  %x = phi i32 [ 1, %A ], [ 2, %B ]
  ret i32 %x
}
`;
const LAUNCH = ["--threads", "2", "--arg", "%c=0,1"];
const WARMING = [
  { ask: "check", program: PROGRAM },
  { ask: "call", program: PROGRAM, command: ["explore", "program.ll", "--format", "json", ...LAUNCH] },
  { ask: "call", program: PROGRAM, command: ["run", "program.ll", ...LAUNCH] },
];
let questions = 0;

const ready = started.then(async answer => {
  for (const question of WARMING) {
    if (questions) break;
    answer(JSON.stringify(question));
    await new Promise(turn => setTimeout(turn)); // for a question that came meanwhile
  }
  postMessage({ ready: true });
  return answer;
});
ready.catch(error => postMessage({ died: String(error) }));

onmessage = async ({ data: { id, question } }) => {
  questions++;
  try {
    const answer = await ready;
    postMessage({ id, answer: JSON.parse(answer(JSON.stringify(question))) });
  } catch (error) { // Python's own end: what is left of it is not asked again
    postMessage({ id, died: String(error).split("\n").slice(-3).join(" ").slice(0, 300) });
  }
};
