// Words of a command line: split and joined as a POSIX shell does (Python's shlex).

export function split(text) {
  const words = [];
  let word = null, quote = null;
  for (let n = 0; n < text.length; n++) {
    const sign = text[n];
    if (quote === "'") { if (sign === "'") quote = null; else word += sign; continue; }
    if (quote === '"') {
      if (sign === '"') quote = null;
      else if (sign === "\\" && '"\\$`'.includes(text[n + 1])) word += text[++n];
      else word += sign;
      continue;
    }
    if (sign === "'" || sign === '"') { quote = sign; word ??= ""; }
    else if (/\s/.test(sign)) { if (word !== null) words.push(word); word = null; }
    else if (sign === "\\") { word = (word ?? "") + (text[++n] ?? ""); }
    else word = (word ?? "") + sign;
  }
  if (quote) throw new Error("no closing quotation");
  if (word !== null) words.push(word);
  return words;
}

export const quoted = word => /^[\w@%+=:,./-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\"'\"'") + "'";
export const joined = words => words.map(quoted).join(" ");
