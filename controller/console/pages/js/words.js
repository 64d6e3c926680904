// Every text of the pages, in the language that was chosen. What the table says (prompts, offers) is
// English; a language that has it otherwise has its sentences in the same file (js/spoken.js).

export const LANGUAGES = { en: "English", es: "Español" };
const LOCALES = { en: "en-US", es: "es-US" };
const KEPT = "felt.language";

let texts = {};
let plain = {};
export let language = "en";
/** By kind of words: what the table says, and how it is said in this language. Null where it is said as it comes. */
export let sentences = null;

/** Fetch the language that somebody chose, or the browser's; to be awaited before a page is drawn. */
export async function learn() {
  const asked = remembered(KEPT) || navigator.language.slice(0, 2);
  language = asked in LANGUAGES ? asked : "en";
  plain = await fetched("en");
  texts = language === "en" ? plain : await fetched(language);
  sentences = texts.told ?? null;
  document.documentElement.lang = language;
}

export function choose(name) {
  remember(KEPT, name);
  location.reload();
}

async function fetched(name) {
  const answer = await fetch(`/static/lang/${name}.json`);
  if (!answer.ok) throw new Error(`the texts of ${name} were not found: ${answer.status}`);
  return answer.json();
}

/** A text by its name; `{seat}` in it is filled in. One that is missing is said in English. */
export function say(name, given = {}) {
  const text = texts[name] ?? plain[name] ?? name;
  return text.replace(/\{(\w+)\}/g, (whole, key) => given[key] ?? whole);
}

/** A word of the table's own (a phase, a role, a lamp), or that word itself if it is not known. */
export function word(kind, name) {
  const key = `${kind}.${name}`;
  return texts[key] ?? plain[key] ?? String(name).replaceAll("_", " ");
}

const dollars = new Map();

/** Cents as people say them: $20, $1,234.50. */
export function money(cents) {
  const places = cents % 100 ? 2 : 0;
  const key = `${language}${places}`;
  if (!dollars.has(key)) {
    const how = { style: "currency", currency: "USD", minimumFractionDigits: places, maximumFractionDigits: places };
    dollars.set(key, new Intl.NumberFormat(LOCALES[language], how));
  }
  return dollars.get(key).format(cents / 100);
}

/** Seconds as people say them: 8 s, 3 min, 2 h 5 min. */
export function lasting(seconds) {
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function clockTime(milliseconds) {
  return new Date(milliseconds).toLocaleTimeString(LOCALES[language], { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
}

// A kiosk may keep nothing: then it lasts as long as the page.
const kept = new Map();

export function remembered(name) {
  try {
    return kept.get(name) ?? localStorage.getItem(name);
  } catch {
    return null;
  }
}

export function remember(name, value) {
  kept.set(name, value);
  try {
    localStorage.setItem(name, value);
  } catch {
    // It is in `kept`.
  }
}
