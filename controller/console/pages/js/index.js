// The first page: which tables there are, how each of them stands, and their faces.

import { html, nothing, render } from "/static/vendor/lit-html.js";
import { LANGUAGES, choose, language, learn, say, word } from "/static/js/words.js";
import { dress, switchTheme, theme } from "/static/js/look.js";
import { Live, SAYS_SO } from "/static/js/live.js";
import { sign } from "/static/js/signs.js";
import { voiced } from "/static/js/spoken.js";

const page = document.getElementById("page");

/** The faces of one table, and those of all of them: a line each, with its texts `index.NAME` and `index.NAME.what`. */
const OF_A_TABLE = [
  { name: "bench", address: (at) => `/bench/${at}`, is: (table) => table.bench },
  { name: "dealer", address: (at) => `/dealer/${at}`, is: () => true },
  { name: "sign", address: (at) => `/sign/${at}`, is: () => true },
];
const OF_ALL = [
  { name: "floor", address: "/floor", is: () => true },
  { name: "school", address: "/school", is: () => live.hello.school },
];

/** Tables come and go while the page is open; it asks so often, in milliseconds. */
const ASKS = 2000;
let tables = null;

await learn();
dress();
const live = new Live("floor", [], draw);
live.listeners.push((message) => message.kind === "tick" && live.draw());
setInterval(ask, ASKS);

async function ask() {
  try {
    const answer = await fetch("/api/tables");
    if (answer.ok) tables = (await answer.json()).tables;
  } catch {
    // The console is not there: the cover says so.
  }
}

function draw() {
  if (live.hello === null) {
    render(html`<p class="quiet">${say("waiting.console")}</p>`, page);
    return;
  }
  tables ??= live.hello.tables;
  render(
    html`<header>
        <h1>felt</h1>
        <p>${say("index.what")}</p>
      </header>
      ${tables.some((table) => table.bench) ? html`<p class="first">${say("index.first")}</p>` : nothing}
      ${tables.length ? html`<ul class="tables" aria-label=${say("index.tables")}>${tables.map(one)}</ul>` : html`<p>${say("index.none")}</p>`}
      <nav class="panel all" aria-label=${say("index.all")}>
        <h2>${say("index.all")}</h2>
        <ul class="faces">${OF_ALL.filter((one) => one.is()).map(({ name, address }) => face(name, address, {}, false))}</ul>
      </nav>
      <div class="row" role="group" aria-label=${say("index.look")}>
        <button type="button" @click=${() => (switchTheme(), live.draw())}>${theme() === "light" ? say("look.dark") : say("look.light")}</button>
        ${Object.entries(LANGUAGES).map(([name, title]) => html`<button type="button" lang=${name} aria-pressed=${name === language} @click=${() => choose(name)}>${title}</button>`)}
      </div>
      <footer class="quiet">felt ${live.hello.version}</footer>`,
    page,
  );
}

function one(known) {
  const { table, title } = known;
  const faces = OF_A_TABLE.filter((one) => one.is(known));
  return html`<li class="panel">
    <h2>${title || table}</h2>
    <p class="quiet">${table}</p>
    ${standing(table)}
    <ul class="faces">${faces.map(({ name, address }) => face(name, address(encodeURIComponent(table)), { table }, known.bench && name === "bench"))}</ul>
  </li>`;
}

/** Where there is a bench, that is where somebody new goes. */
function face(name, address, given, first) {
  return html`<li>
    <a class="button ${first ? "act" : ""}" href=${address}>${say(`index.${name}`, given)}</a>
    <p class="quiet">${say(`index.${name}.what`)}</p>
  </li>`;
}

function standing(table) {
  const picture = live.picture(table);
  const lost = live.lost.get(table);
  if (lost !== undefined || live.age(table) >= SAYS_SO) {
    return html`<p class="wrong">${sign("cut")} ${lost ? html`${voiced(lost.why)}. ${voiced(lost.next_step)}` : say("cover.title")}</p>`;
  }
  if (picture === null) return html`<p>${say("waiting.table", { table })}</p>`;
  const round = say("index.round", { round: picture.round, phase: word("phase", picture.phase) });
  const holds = picture.holds.length ? html`<p class="wrong">${sign("hold")} ${say("index.holds", { holds: picture.holds.length })}</p>` : nothing;
  return html`<p>${round}</p>${holds}`;
}
