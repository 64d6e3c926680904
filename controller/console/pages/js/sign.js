// The jackpot sign: every level of the table's meters, what was won, and in words why there may be
// nothing to play for. It is read across a room, and nobody touches it.

import { html, nothing, render } from "/static/vendor/lit-html.js";
import { learn, money, say, word } from "/static/js/words.js";
import { dress } from "/static/js/look.js";
import { Live } from "/static/js/live.js";
import { Climbing } from "/static/js/climbing.js";
import { sign } from "/static/js/signs.js";
import { spoken } from "/static/js/spoken.js";

const table = decodeURIComponent(location.pathname.split("/").filter(Boolean)[1] ?? "");
const page = document.getElementById("page");
const still = matchMedia("(prefers-reduced-motion: reduce)");
const climbing = new Climbing();
let last = performance.now();
let moves = false;

await learn();
dress();
const live = new Live("sign", [table], draw);

/** Every level, in the order in which the table names them. */
function levels(picture) {
  return Object.entries(picture.meters).flatMap(([meter, some]) =>
    Object.entries(some).map(([level, cents]) => ({ key: `${meter}/${level}`, meter, level, cents, alone: Object.keys(some).length === 1 })),
  );
}

/** The wager of the rulebook by its title; and the level, where there are several. */
function titled(picture, { meter, level, alone }) {
  const title = spoken(picture.wagers[meter]?.title ?? word("meter", meter));
  return alone ? title : `${title}, ${word("level", level)}`;
}

function draw() {
  const picture = live.picture(table);
  document.title = say("sign.title", { table: picture?.title ?? table });
  if (picture === null) {
    render(html`<p class="quiet">${say("waiting.table", { table })}</p>`, page);
    return;
  }
  for (const one of levels(picture)) climbing.told(one.key, one.cents);
  if (still.matches) climbing.pass(Infinity);
  shown(picture);
  if (!moves) step(performance.now());
}

function step(now) {
  moves = climbing.pass(now - last);
  last = now;
  const picture = live.picture(table);
  if (picture !== null) shown(picture);
  if (moves) requestAnimationFrame(step);
}

function shown(picture) {
  const some = levels(picture);
  render(
    html`<h1>${picture.title}</h1>
      ${notice(picture)}
      ${some.length ? html`<dl class="levels of-${Math.min(some.length, 4)}">${some.map((one) => level(picture, one))}</dl>` : html`<p class="none">${say("sign.none")}</p>`}
      <div class="wins" role="status" aria-label=${say("sign.wins")}>${picture.wins.map((win) => won(picture, win))}</div>`,
    page,
  );
}

function level(picture, one) {
  const cents = climbing.shown(one.key);
  // What reads it aloud is given the truth, and not every step of the way.
  return html`<div class="level">
    <dt>${titled(picture, one)}</dt>
    <dd aria-label=${money(one.cents)}>${exact(cents)}</dd>
  </div>`;
}

/** With cents always: a number that gains and loses two places would jump. */
function exact(cents) {
  const whole = money(cents - (cents % 100));
  return html`${whole}<small>.${String(cents % 100).padStart(2, "0")}</small>`;
}

function won(picture, win) {
  const of = { amount: money(win.cents), seat: win.seat, table: win.table, level: titled(picture, { ...win, alone: win.level === "main" }) };
  return html`<p class="win">${sign("done")} <span>${say("sign.won", of)}</span></p>`;
}

function notice(picture) {
  const down = picture.link !== null && picture.link.status !== "up";
  const off = Object.keys(picture.withheld).filter((wager) => wager in picture.meters);
  if (!down && !off.length) return nothing;
  const text = down ? say("sign.link", { status: word("link", picture.link.status) }) : say("sign.off", { wagers: off.map((one) => spoken(picture.wagers[one]?.title ?? one)).join(", ") });
  return html`<p class="notice" role="alert">${sign("warn")} <span>${text}</span></p>`;
}
