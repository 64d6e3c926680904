// What the table says, in the language of the page. The table, its record and its clauses are in the
// language of the rulebook; the words that people act on are said again here, by the sentences of the
// language's own file. A sentence that is not among them is shown as it came.

import { html } from "/static/vendor/lit-html.js";
import { language, sentences } from "/static/js/words.js";

/** What stands for itself in any language. */
const AS_IT_IS = {
  n: /^\d[\d,]*$/,
  money: /^-?\$\d[\d,]*(\.\d\d)?$/,
  cards: /^[2-9TJQKA][cdhs]( [2-9TJQKA][cdhs])*$/,
  id: /^[^\s;:,()]+$/,
  name: /^[^;:]+$/,
  clause: /^[A-Z\d][\w-]*\.[\w.\-()[\], ]+$/,
  rest: /^[^;]+$/,
  words: /^[^]+$/,
};
const LONGEST = 1000;
const MOST = 2000;

/** By kind of words: those that are always the same, and those with something filled in. */
let kinds = null;
const cache = new Map();

function learnt() {
  kinds = new Map();
  for (const [kind, known] of Object.entries(sentences)) {
    const entries = Object.entries(known);
    const patterns = entries.filter(([text]) => text.includes("{")).map(([text, to]) => ({ parts: text.split(/\{(\w+)\}/), to }));
    // What says more is tried first.
    const said = ({ parts }) => parts.reduce((length, part, index) => length + (index % 2 ? 0 : part.length), 0);
    kinds.set(kind, { fixed: new Map(entries), patterns: patterns.sort((a, b) => said(b) - said(a)) });
  }
}

/** The words of a kind, translated; null if they are not known. `tried` keeps what was looked at before. */
function found(kind, text, tried) {
  if (kind in AS_IT_IS) return AS_IT_IS[kind].test(text) ? text : null;
  if (kind === "said") return found("text", text, tried) ?? text;
  const { fixed, patterns } = kinds.get(kind);
  const known = fixed.get(text);
  if (known !== undefined) return known;
  const key = `${kind} ${text}`;
  if (tried.has(key)) return tried.get(key);
  tried.set(key, null);
  let is = null;
  for (const { parts, to } of patterns) {
    const filled = fits(parts, 0, text, tried);
    if (filled === null) continue;
    is = to.replace(/\{(\w+)\}/g, (whole, name) => filled[name] ?? whole);
    break;
  }
  if (is === null && /^[A-Z][a-z ,]/.test(text)) {
    // A sentence may begin a line, or stand within one.
    is = found(kind, text[0].toLowerCase() + text.slice(1), tried);
    if (is !== null) is = is[0].toUpperCase() + is.slice(1);
  }
  tried.set(key, is);
  return is;
}

/** What fills the rest of a pattern, whose parts are words and names of what is between them in turn. */
function fits(parts, at, text, tried) {
  if (!text.startsWith(parts[at])) return null;
  const rest = text.slice(parts[at].length);
  const name = parts[at + 1];
  if (name === undefined) return rest === "" ? {} : null;
  const next = parts[at + 2];
  const kind = name.replace(/\d+$/, "");
  if (at + 3 === parts.length) {
    const mine = rest.endsWith(next) && rest.length > next.length ? found(kind, rest.slice(0, rest.length - next.length), tried) : null;
    return mine === null ? null : { [name]: mine };
  }
  for (let end = rest.indexOf(next, 1); end >= 0; end = rest.indexOf(next, end + 1)) {
    const mine = found(kind, rest.slice(0, end), tried);
    const others = mine === null ? null : fits(parts, at + 2, rest.slice(end), tried);
    if (others !== null) return { ...others, [name]: mine };
  }
  return null;
}

/** A sentence of the table in the language of the page, or null if its file does not know it. */
export function understood(text) {
  if (sentences === null || !text) return text;
  if (!cache.has(text)) {
    if (kinds === null) learnt();
    if (cache.size >= MOST) cache.delete(cache.keys().next().value);
    cache.set(text, text.length > LONGEST ? null : found("text", text, new Map()));
  }
  return cache.get(text);
}

/** The same as text, for names; what is not known as it came. */
export const spoken = (text) => understood(text) ?? text;

/** The same, to be drawn: what is not known is marked as English. */
export const voiced = (text) => (text && understood(text) === null ? html`<span lang="en">${text}</span>` : spoken(text));

/** The language in which it is shown. */
export const tongue = (text) => (understood(text) === null ? "en" : language);
