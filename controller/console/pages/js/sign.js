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
let last = 0;
let moves = false;

await learn();
dress();
// Digits in another face are wider than the screen has room for, and would jump when theirs comes.
await document.fonts.load('600 1em "Barlow Condensed"').catch(() => []);
// A room with a sign in it is dark; the address says so where it is not: /sign/TABLE#light.
document.documentElement.dataset.theme = location.hash === "#light" ? "light" : "dark";
const live = new Live("sign", [table], draw);
live.covered = () => html`<div><h2>${sign("cut")} ${say("sign.cover.title")}</h2><p>${say("sign.cover.what")}</p></div>`;

function draw() {
  const picture = live.picture(table);
  document.title = say("sign.title", { table: picture?.title ?? table });
  if (picture === null) {
    render(html`<p class="none" role="status">${say("waiting.table", { table })}</p>`, page);
    return;
  }
  for (const one of levels(picture)) climbing.told(one.key, one.cents);
  if (still.matches) climbing.pass(Infinity);
  fit(picture);
  shown(picture);
  if (!moves) {
    last = performance.now();
    moves = true;
    requestAnimationFrame(step);
  }
}

function step(now) {
  moves = climbing.pass(Math.max(0, now - last));
  last = now;
  shown(live.picture(table));
  if (moves) requestAnimationFrame(step);
}

// --- What there is to play for ----------------------------------------------------

/** Every level, in the order in which the table names them. */
function levels(picture) {
  return Object.entries(picture.meters).flatMap(([meter, some]) =>
    Object.entries(some).map(([level, cents]) => ({ key: `${meter}/${level}`, meter, level, cents })),
  );
}

/** What it is won with, as the rulebook calls it; and the level, where it has a name. */
function titled(picture, { meter, level }) {
  const title = spoken(picture.meter_titles[meter] ?? meter);
  return level === "main" ? title : `${title}, ${word("level", level)}`;
}

/** Letters and digits fill the screen, whatever its shape: so many lines, the widest so wide. */
function fit(picture) {
  const some = levels(picture);
  const widest = Math.max(0, ...some.map((one) => money(one.cents - (one.cents % 100)).length));
  page.style.setProperty("--levels", Math.max(1, some.length));
  page.style.setProperty("--letters", widest);
  page.style.setProperty("--wins", picture.wins.length);
  page.style.setProperty("--notices", notices(picture).length);
}

function shown(picture) {
  const some = levels(picture);
  render(
    html`<h1>${picture.title}</h1>
      <div class=${notices(picture).length ? "notices" : "unseen"} role="alert" aria-label=${say("sign.notices")}>
        ${notices(picture).map(([name, given]) => html`<p class="notice">${sign("warn")} <strong>${say(`sign.${name}.title`)}</strong> <span>${say(`sign.${name}.what`, given)}</span></p>`)}
      </div>
      <div class=${picture.wins.length ? "wins" : "unseen"} role="status" aria-label=${say("sign.wins")}>${picture.wins.map((win) => won(picture, win))}</div>
      ${some.length ? html`<div class="levels">${some.map((one) => level(picture, one))}</div>` : html`<p class="none">${say("sign.none")}</p>`}`,
    page,
  );
}

function level(picture, one) {
  const title = titled(picture, one);
  // What reads it aloud is given the truth, and not every step of the way.
  return html`<section class="level ${off(picture).includes(one.meter) ? "off" : ""}" aria-label=${title}>
    <h2>${title}</h2>
    <p class="amount" role="img" aria-label=${money(one.cents)}>${exact(climbing.shown(one.key))}</p>
  </section>`;
}

/** With cents always: a number that gains and loses two places would jump. */
function exact(cents) {
  const rest = cents % 100;
  return html`${money(cents - rest)}<small>.${String(rest).padStart(2, "0")}</small>`;
}

// --- What was won, and what is the matter ------------------------------------------

function won(picture, win) {
  return html`<p class="win">
    <strong class="word">${say("sign.win")}</strong>
    <strong class="sum">${money(win.cents)}</strong>
    <span class="who">${say("sign.won.by", win)}</span>
    <span class="base">${say("sign.won.base", { level: titled(picture, win), amount: money(win.base) })}</span>
  </p>`;
}

/** The meters that nobody can wager on. */
function off(picture) {
  return picture.withheld.map((wager) => picture.wagers[wager]?.meter).filter((meter) => meter in picture.meters);
}

/** By name, with what is filled in. Where the link is down, so is what hangs on it. */
function notices(picture) {
  const link = picture.link?.status ?? "up";
  const some = off(picture);
  const found = [];
  if (picture.held) found.push(["held", {}]);
  if (link === "down" || link === "not joined") found.push(["down", {}]);
  else if (link === "stale") found.push(["stale", {}]);
  else if (some.length) found.push(["off", { wagers: [...new Set(some)].map((meter) => spoken(picture.meter_titles[meter] ?? meter)).join(", ") }]);
  return found;
}
