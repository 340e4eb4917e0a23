// LLVM IR for CodeMirror: words by what they are. Nothing here knows what a program means.
import { StreamLanguage } from "@codemirror/language";
import { tags } from "@lezer/highlight";

const TYPES = /^(?:i\d+|half|bfloat|float|double|fp128|x86_fp80|ppc_fp128|ptr|void|token|label|metadata|target|opaque)\b/;
const INSTRUCTIONS = new Set(`ret br switch indirectbr invoke callbr resume catchswitch catchret cleanupret unreachable fneg add fadd sub fsub mul
  fmul udiv sdiv fdiv urem srem frem shl lshr ashr and or xor extractelement insertelement shufflevector extractvalue insertvalue alloca load
  store fence cmpxchg atomicrmw getelementptr trunc zext sext fptrunc fpext fptoui fptosi uitofp sitofp ptrtoint inttoptr bitcast
  addrspacecast icmp fcmp phi select freeze call va_arg landingpad catchpad cleanuppad tail musttail notail`.split(/\s+/));
const TOP = new Set("define declare global constant alias ifunc attributes source_filename target module type comdat".split(" "));
const VALUES = new Set("true false null undef poison zeroinitializer none".split(" "));

export const llvm = StreamLanguage.define({
  name: "llvm",
  startState: () => ({}),
  token(stream) {
    if (stream.eatSpace()) return null;
    if (stream.match(/^;.*/)) return "comment";
    if (stream.match(/^c?"[^"]*"?/)) return stream.string[stream.pos] === ":" ? "labelName" : "string";
    if (stream.match(/^[-\w$.]+:/)) return "labelName";
    if (stream.match(/^%(?:[-\w$.]+|"[^"]*")/)) return "variableName";
    if (stream.match(/^@llvm\.experimental\.convergence\.\w+/)) return "control";
    if (stream.match(/^@(?:[-\w$.]+|"[^"]*")/)) return "function";
    if (stream.match(/^[!#][-\w$.]*/)) return "meta";
    if (stream.match(/^-?(?:0x[0-9a-fA-FKLMHR]+|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)\b/)) return "number";
    if (stream.match(TYPES)) return "typeName";
    const word = stream.match(/^[a-zA-Z_][\w.]*/);
    if (!word) { stream.next(); return null; }
    if (word[0] === "convergent") return "control";
    if (INSTRUCTIONS.has(word[0])) return "keyword";
    if (TOP.has(word[0])) return "definitionKeyword";
    return VALUES.has(word[0]) ? "atom" : "modifier";
  },
  tokenTable: { control: tags.special(tags.name), function: tags.function(tags.variableName) },
  languageData: { commentTokens: { line: ";" } },
});
