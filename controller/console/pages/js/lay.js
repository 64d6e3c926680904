// Cards and seats as they lay, at the end of a round or after one of its entries.

import { html } from "/static/vendor/lit-html.js";
import { spoken } from "/static/js/spoken.js";
import { money, say, word } from "/static/js/words.js";
import { hand } from "/static/js/card.js";
import { lamp, sign } from "/static/js/signs.js";
import { chipsDown, titleOf } from "/static/js/evidence.js";

/** The cards beside the seats: by place how many, and which of them are seen. */
export function placesOf(places) {
  return Object.entries(places).map(([name, one]) => {
    const called = word("place", name);
    return html`<figure>${hand(one.cards ?? "", one.count ?? 0, called)}<figcaption>${called}</figcaption></figure>`;
  });
}

/** A seat as it was when the round was over. */
export function seatOf(picture, seat) {
  const whose = say("seat", { seat: seat.seat });
  return html`<div class="lay" role="group" aria-label=${whose}>
    <p class="who"><strong>${seat.seat}</strong> <span>${seat.player}</span> ${lamp(seat.lamp, say("lamp.is", { lamp: word("lamp", seat.lamp) }))}</p>
    <p>${hand(seat.cards, seat.dealt, whose)}</p>
    <p class="hand">${became(seat)}</p>
    ${chipsDown(picture, seat)}
  </div>`;
}

/** A place beside the seats after an entry; its own place is kept while nothing lies there. */
export function placeThen(name, one = {}) {
  const called = word("place", name);
  return html`<div class="lay" role="group" aria-label=${called}>
    <p class="who"><strong>${called}</strong></p>
    <p class="lie">${hand(one.cards ?? "", one.count ?? 0, called)}</p>
  </div>`;
}

/** A seat after an entry; the same. */
export function seatThen(picture, number, seat = null) {
  const whose = say("seat", { seat: number });
  if (seat === null) return html`<div class="lay" role="group" aria-label=${whose}><p class="who"><strong class="quiet">${number}</strong></p><p class="lie"></p></div>`;
  const { cards = "", dealt = 0, wagers = {}, acceptor_open = false, terminal_open = false } = seat;
  const shut = !acceptor_open && !terminal_open;
  const settled = seat.settled ? (seat.paid ? say("timeline.settled_paid", { amount: money(seat.paid) }) : say("timeline.settled")) : "";
  return html`<div class="lay" role="group" aria-label=${whose}>
    <p class="who"><strong>${number}</strong> <span class="grow">${seat.player}</span> ${lamp(seat.lamp, say("lamp.is", { lamp: word("lamp", seat.lamp) }))} <span>${sign(shut ? "shut" : "open")}<span class="unseen">${say(shut ? "seat.locked" : "seat.open_now")}</span></span></p>
    <p class="lie">${hand(cards, dealt, whose)}</p>
    <p class="hand">${[became(seat), settled].filter(Boolean).join(", ")}</p>
    ${chipsDown(picture, { number, wagers })}
  </div>`;
}

function became(seat) {
  const what = ["void", "forfeited", "left", "folded"].find((name) => seat[name]);
  return [spoken(seat.hand ?? ""), what ? say(`seat.${what}`) : ""].filter(Boolean).join(", ");
}

/** What an entry says besides who and when, a fact each. */
const APART = ["seq", "at", "kind", "by", "id", "refused", "commands", "sealed", "lay", "clauses", "told_by", "keyed_by"];

export function factsOf(picture, one) {
  const more = Object.entries(one).filter(([name, value]) => !APART.includes(name) && value !== null && value !== "");
  return more.map(([name, value]) => html`<span class="fact"><span class="quiet">${word("fact_of", name)}</span> ${told(picture, name, value)}</span> `);
}

function told(picture, name, value) {
  if (name === "wager") return titleOf(picture, value);
  if (name === "amount" || name === "cents") return money(value);
  if (typeof value === "object") return Object.values(value).flat().join(", ");
  return typeof value === "boolean" ? say(value ? "yes" : "no") : String(value);
}

/** Who told it: a person by name and role, or a device; felt itself says nothing of it. */
export function whoOf(one) {
  if (one.by) return `${one.by.id} (${word("role", one.by.role)})`;
  if (one.keyed_by) return one.keyed_by;
  return one.told_by ? say("timeline.told_by", { who: one.told_by }) : "";
}

