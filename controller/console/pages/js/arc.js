// The table as the dealer sees it: the seats in an arc, seat 1 farthest to the left; the dealer's own
// cards and those in the middle before them. All of it is read off the picture.

import { html, nothing } from "/static/vendor/lit-html.js";
import { money, say, word } from "/static/js/words.js";
import { hand } from "/static/js/card.js";
import { lamp, sign } from "/static/js/signs.js";
import { spoken, voiced } from "/static/js/spoken.js";

/** How far a seat lies down the arc, in tenths. */
function drop(index, count) {
  if (count < 2) return 0;
  const aside = (2 * index) / (count - 1) - 1;
  return Math.round(10 * aside * aside);
}

/** `quick` gives what can be touched at a seat; `touched` is called with a seat that was touched. */
export function arc(picture, { due, chosen, quick, touched }) {
  const count = picture.seats.length;
  return html`<section class="table" aria-label=${say("table.title")}>
    <div class="arc of-${count}">
      ${picture.seats.map((seat, index) => seatView(picture, seat, drop(index, count), { due, chosen, quick, touched }))}
    </div>
    <div class="middle">${places(picture)}</div>
  </section>`;
}

function seatView(picture, seat, low, { due, chosen, quick, touched }) {
  const is = [seat.player === null ? "empty" : "", due === seat.number ? "due" : "", seat.folded || seat.left || seat.void || seat.forfeited ? "out" : ""];
  const inside = quick(seat);
  return html`<div class="seat drop-${low} ${is.join(" ")}" role="group" aria-label=${say("seat", { seat: seat.number })}>
    <button type="button" class="plain head" aria-label=${say("seat.open", { seat: seat.number })} aria-expanded=${chosen === seat.number} @click=${() => touched(seat.number)}>
      <span class="number">${seat.number}</span>
      <span class="player"><span>${seat.player ?? say("seat.empty")}</span><span class="state">${state(picture, seat)}</span></span>
      ${seat.player === null ? nothing : lamp(seat.lamp, say("lamp.is", { lamp: word("lamp", seat.lamp) }))}
    </button>
    <div class="lies">${seat.dealt ? hand(seat.cards, seat.dealt, say("seat", { seat: seat.number })) : (inside ?? nothing)}</div>
    ${wagers(picture, seat)}
  </div>`;
}

/** Every wager with its name where there is room; on a small screen the first, and the sums of the rest. */
function wagers(picture, seat) {
  const all = Object.entries(seat.wagers);
  const rest = all.slice(1).map(([, cents]) => money(cents));
  return html`<ul class="wagers ${rest.length > 1 ? "some" : ""}" aria-label=${say("seat.wagers", { seat: seat.number })}>
      ${all.map(([name, cents]) => html`<li><span class="quiet" title=${spoken(picture.wagers[name]?.title ?? name)}>${named(name)}</span> <span>${money(cents)}</span></li>`)}
    </ul>
    ${rest.length > 1 ? html`<p class="brief" aria-hidden="true">+ ${rest.join(" ")}</p>` : nothing}`;
}

/** A wager in as many letters as there is room for: the rulebook's own short name of it. */
export function named(wager) {
  const called = word("wager", wager);
  return called.charAt(0).toUpperCase() + called.slice(1);
}

/** One word for how the seat stands; what it holds comes before what it did. */
function state(picture, seat) {
  if (seat.player === null && !seat.dealt) return nothing;
  if (seat.void) return said("warn", "seat.void");
  if (seat.forfeited) return said("warn", "seat.forfeited");
  if (seat.left) return said("warn", "seat.left");
  if (seat.folded) return say("seat.folded");
  if (seat.hand) return voiced(seat.hand);
  if (seat.chosen) return html`${sign("right")} ${say("seat.chosen", { amount: money(seat.chosen) })}`;
  if (seat.dealt && picture.street && seat.acted >= picture.street) return html`${sign("done")} ${say("seat.acted")}`;
  const shut = seat.acceptor_locked && seat.terminal_locked;
  if (Object.keys(seat.wagers).length) return html`${sign(shut ? "shut" : "open")} ${say(shut ? "seat.locked" : "seat.taken")}`;
  return html`${sign(shut ? "shut" : "open")} ${say(shut ? "seat.locked" : "seat.open_now")}`;
}

const said = (shape, name) => html`<span class="noted">${sign(shape)} ${say(name)}</span>`;

function places(picture) {
  return Object.entries(picture.places).map(([name, one]) => {
    const called = word("place", name);
    const up = name === "dealer" && picture.up_card && !one.cards ? picture.up_card : one.cards;
    if (!up && !one.count) return name === "dealer" ? html`<figure class="place nothing-there"><figcaption>${called}</figcaption></figure>` : nothing;
    return html`<figure class="place">
      ${hand(up, one.count, called)}
      <figcaption>${called}</figcaption>
    </figure>`;
  });
}
