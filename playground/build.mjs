// Builds the page: node build.mjs OUT WHEELS EXAMPLES. Nothing is fetched: npm and pip have brought what is needed.
//
// Pyodide's core comes as npm has it. The standard library and the wheels are unpacked and compiled by that very Python, so
// that the page compiles nothing; without their sources, as nobody reads them there.
import { build } from "esbuild";
import fs from "node:fs";
import path from "node:path";
import { loadPyodide } from "pyodide";

const [out, wheels, examples] = process.argv.slice(2).map(p => path.resolve(p));
const here = import.meta.dirname, explorer = path.join(here, "..", "convergence", "report", "explore");
const read = file => fs.readFileSync(file, "utf8");

fs.rmSync(out, { recursive: true, force: true });
fs.mkdirSync(path.join(out, "pyodide"), { recursive: true });

await build({ entryPoints: [path.join(here, "src", "page.js")], outfile: path.join(out, "page.js"), bundle: true, format: "esm", minify: true,
  target: "es2022", legalComments: "eof" });
await build({ entryPoints: [path.join(here, "src", "worker.js")], outfile: path.join(out, "worker.js"), bundle: true, format: "esm",
  external: ["./pyodide/pyodide.mjs"], target: "es2022" });

fs.writeFileSync(path.join(out, "index.html"), read(path.join(here, "src", "index.html")).replace("@EXPLORER@", () => read(path.join(explorer, "explorer.html"))));
for (const name of ["explore.js", "explore.css"]) fs.copyFileSync(path.join(explorer, name), path.join(out, name));
fs.writeFileSync(path.join(out, "page.css"), read(path.join(here, "src", "page.css")));

const pyodide = path.dirname(path.join(here, "node_modules", "pyodide", "package.json"));
for (const name of ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm"])
  fs.copyFileSync(path.join(pyodide, name), path.join(out, "pyodide", name));
const lock = JSON.parse(read(path.join(pyodide, "pyodide-lock.json")));
lock.packages = {}; // the page has all that it needs
fs.writeFileSync(path.join(out, "pyodide", "pyodide-lock.json"), JSON.stringify(lock));

const python = await loadPyodide({ indexURL: pyodide + "/" });
python.FS.mkdir("/wheels");
python.FS.writeFile("/python_stdlib.zip", new Uint8Array(fs.readFileSync(path.join(pyodide, "python_stdlib.zip"))));
for (const name of fs.readdirSync(wheels).sort())
  if (name.endsWith(".whl")) python.unpackArchive(new Uint8Array(fs.readFileSync(path.join(wheels, name))), "zip", { extractDir: "/wheels" });
// What cannot run in a browser stays out: native code, what needs z3 or LLVM's passes, tools in place of LLVM's; and
// what the page does not ask: it runs, draws and verifies, and its examples are beside it.
python.runPython(`
import compileall, pathlib, py_compile, shutil, zipfile
root = pathlib.Path("/wheels")
unasked = (
    "semantics/native", "semantics/arithmetic/emitting.py", "semantics/arithmetic/symbolic.py", "semantics/memory/emitted.py",
    "sched/constraints", "sched/ask", "refine/symbolic", "uniformity", "fuzz", "drive", "device", "passes", "examples", "parser/llvm.lark",
    "cli/wrappers", "cli/suite", "cli/update_checks.py",
    "cli/commands/allows.py", "cli/commands/drive.py", "cli/commands/explain.py", "cli/commands/fuzz.py", "cli/commands/infer.py",
    "cli/commands/inline.py", "cli/commands/litmus.py", "cli/commands/playground.py", "cli/commands/reduce.py", "cli/commands/refine.py",
    "cli/commands/report.py", "cli/commands/suite.py", "cli/commands/translate.py", "cli/commands/uniform.py",
    "report/allows.py", "report/checked.py", "report/drive.py", "report/explain.py", "report/litmus.py", "report/refine.py",
    "report/refine_formats.py", "report/schemas", "report/shown.py", "report/uniform.py",
)
for name in unasked:
    gone = root / "convergence" / name
    if not gone.exists():
        raise FileNotFoundError(gone)
    shutil.rmtree(gone) if gone.is_dir() else gone.unlink()
for gone in root.glob("*.d*-*"): # what pip knows of wheels
    if gone.name.endswith((".dist-info", ".data")):
        shutil.rmtree(gone)
for name in ("testing.py", "_winconsole.py"):
    (root / "click" / name).unlink(missing_ok=True)
def packed(root, to):
    compileall.compile_dir(root, quiet=1, legacy=True, optimize=2, stripdir=str(root), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as made:
        for file in sorted(root.rglob("*")):
            if file.is_file() and file.suffix not in (".py", ".pyi") and "__pycache__" not in file.parts:
                # One time for all: the same sources give the same file.
                info = zipfile.ZipInfo(str(file.relative_to(root)), (2026, 1, 1, 0, 0, 0))
                info.compress_type = zipfile.ZIP_DEFLATED
                made.writestr(info, file.read_bytes())
packed(root, "/packages.zip")
library = pathlib.Path("/library")
with zipfile.ZipFile("/python_stdlib.zip") as sources:
    sources.extractall(library)
# What a page has no use for: tools for people who write Python, processes, the network's protocols, other encodings.
unused = ("pydoc.py", "pydoc_data", "unittest", "doctest.py", "pdb.py", "bdb.py", "ensurepip", "venv", "_pyrepl", "webbrowser.py", "cProfile.py",
          "profile.py", "pstats.py", "profiling", "trace.py", "pickletools.py", "multiprocessing", "xmlrpc", "wsgiref", "mailbox.py", "imaplib.py",
          "smtplib.py", "ftplib.py", "poplib.py", "http", "xml", "plistlib.py", "optparse.py", "zoneinfo", "sqlite3", "dbm", "curses", "ipaddress.py",
          "html", "argparse.py", "tarfile.py", "configparser.py", "tomllib", "modulefinder.py", "wave.py", "socketserver.py", "mimetypes.py",
          "tracemalloc.py", "csv.py", "cmd.py", "pyclbr.py", "tabnanny.py", "symtable.py", "timeit.py", "zipapp.py", "netrc.py", "getpass.py",
          "quopri.py", "shelve.py", "sched.py", "getopt.py", "pty.py", "tty.py", "rlcompleter.py", "colorsys.py", "this.py", "antigravity.py",
          "_ast_unparse.py", "_pyio.py", "urllib/request.py", "urllib/robotparser.py", "logging/handlers.py", "logging/config.py",
          "asyncio/proactor_events.py", "asyncio/windows_events.py", "asyncio/windows_utils.py", "concurrent/futures/process.py")
kept = ("__init__", "aliases", "ascii", "charmap", "cp437", "idna", "latin_1", "punycode", "raw_unicode_escape", "unicode_escape", "undefined")
# importlib.metadata imports the package email, and of it nothing but for what it does not read here.
for gone in [*(library / name for name in unused), *(library / "encodings").glob("*.py"), *(library / "email").iterdir()]:
    if gone == library / "email" / "__init__.py" or gone.parent.name == "encodings" and (gone.stem in kept or gone.stem.startswith("utf_")):
        continue
    shutil.rmtree(gone) if gone.is_dir() else gone.unlink(missing_ok=True)
packed(library, "/library.zip")
`);
fs.writeFileSync(path.join(out, "packages.zip"), python.FS.readFile("/packages.zip"));
fs.writeFileSync(path.join(out, "pyodide", "python_stdlib.zip"), python.FS.readFile("/library.zip"));

const shelves = fs.readdirSync(examples, { withFileTypes: true }).filter(d => d.isDirectory()).map(d => d.name).sort().map(name => ({
  name,
  examples: fs.readdirSync(path.join(examples, name), { recursive: true }).map(String).filter(f => /\.(ll|spvasm)$/.test(f)).sort()
    .map(file => ({ name: file, text: read(path.join(examples, name, file)) })),
})).filter(shelf => shelf.examples.length);
fs.writeFileSync(path.join(out, "examples.json"), JSON.stringify(shelves));

// What the page asks of its first example, answered here, so that it has a picture while its own Python starts.
const FIRST = ["alignments", "natural.ll"];
python.runPython(`
import os, sys
sys.path.insert(0, "/wheels")
os.environ["NO_COLOR"] = "1"
os.chdir("/tmp")
from convergence.cli.page import answer
`);
const first = shelves.find(shelf => shelf.name === FIRST[0]).examples.find(one => one.name === FIRST[1]).text;
const answer = python.globals.get("answer"), prepared = {};
const ask = question => JSON.parse(prepared[JSON.stringify(question)] = answer(JSON.stringify(question)));
const { launch } = ask({ ask: "check", program: first }), bounds = seconds => ["--timeout", String(seconds), "--max-steps", "1000000"];
const explore = ["explore", "program.ll", "--format", "json"];
for (const command of [[...explore, "--first", ...launch, ...bounds(10)], ["run", "program.ll", ...launch, ...bounds(10)], [...explore, ...launch, ...bounds(30)]])
  ask({ ask: "call", program: first, command });
fs.writeFileSync(path.join(out, "prepared.json"), JSON.stringify(prepared));

let size = 0;
for (const file of fs.readdirSync(out, { recursive: true, withFileTypes: true })) if (file.isFile()) size += fs.statSync(path.join(file.parentPath, file.name)).size;
console.log(`${path.basename(out)}: ${(size / 1e6).toFixed(1)} MB`);
