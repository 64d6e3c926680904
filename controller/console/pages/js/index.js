// The first page: which tables there are, how each of them stands, and their faces.

import { html, nothing, render } from "/static/vendor/lit-html.js";
import { LANGUAGES, choose, language, learn, say, word } from "/static/js/words.js";
import { dress, switchTheme, theme } from "/static/js/look.js";
import { Live, SAYS_SO } from "/static/js/live.js";
import { sign } from "/static/js/signs.js";
import { voiced } from "/static/js/spoken.js";

const page = document.getElementById("page");

await learn();
dress();
const live = new Live("floor", [], draw);
live.listeners.push((message) => message.kind === "tick" && live.draw());

function draw() {
  if (live.hello === null) {
    render(html`<p class="quiet">${say("waiting.console")}</p>`, page);
    return;
  }
  const tables = live.hello.tables;
  render(
    html`<header>
        <h1>felt</h1>
        <p>${say("index.what")}</p>
      </header>
      ${tables.length ? html`<ul class="tables" aria-label=${say("index.tables")}>${tables.map(one)}</ul>` : html`<p>${say("index.none")}</p>`}
      <nav class="row" aria-label=${say("index.all")}>
        <a class="button" href="/floor">${say("index.floor")}</a>
        <button type="button" @click=${() => (switchTheme(), live.draw())}>${theme() === "light" ? say("look.dark") : say("look.light")}</button>
        ${Object.entries(LANGUAGES).map(([name, title]) => html`<button type="button" lang=${name} aria-pressed=${name === language} @click=${() => choose(name)}>${title}</button>`)}
      </nav>
      <footer class="quiet">felt ${live.hello.version}</footer>`,
    page,
  );
}

function one({ table, title, bench }) {
  const at = encodeURIComponent(table);
  return html`<li class="panel">
    <h2>${title || table}</h2>
    <p class="quiet">${table}</p>
    ${standing(table)}
    <div class="faces">
      ${bench ? html`<a class="button act" href="/bench/${at}">${say("index.bench", { table })}</a>` : nothing}
      <a class="button" href="/dealer/${at}">${say("index.dealer", { table })}</a>
      <a class="button" href="/sign/${at}">${say("index.sign", { table })}</a>
    </div>
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
