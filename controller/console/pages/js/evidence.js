// What a floorperson looks at before deciding: the hand, the light as it was read back, the lines of
// the settlement, the meter, the device, the deck. All of it is read off the picture.

import { html, nothing } from "/static/vendor/lit-html.js";
import { spoken, voiced } from "/static/js/spoken.js";
import { clockTime, lasting, money, say, word } from "/static/js/words.js";
import { hand } from "/static/js/card.js";
import { lamp, sign } from "/static/js/signs.js";

export const titleOf = (picture, wager) => spoken(picture.wagers[wager]?.title ?? word("wager", wager));

/** The facts of something, in pairs; what is not known is left out. */
export function facts(...pairs) {
  return html`<dl class="facts">${pairs.filter(([, value]) => value !== null && value !== undefined && value !== "").map(([name, value]) => html`<div><dt>${say(`fact.${name}`)}</dt><dd>${value}</dd></div>`)}</dl>`;
}

// --- A seat ------------------------------------------------------------------------

/** The hand with what it played for and against. */
export function seatEvidence(picture, number) {
  const seat = picture.seats[number - 1];
  const whose = say("seat", { seat: number });
  return html`<section class="evidence" aria-label=${say("evidence.seat", { seat: number })}>
    <h3>${whose}${seat.player ? html` <span class="quiet">${seat.player}</span>` : nothing}</h3>
    <div class="hands">
      <figure>${seat.dealt ? hand(seat.cards, seat.dealt, whose) : html`<span class="quiet">${say("evidence.no_cards")}</span>`}<figcaption>${voiced(seat.hand) || nothing}</figcaption></figure>
      ${places(picture)}
    </div>
    ${lights(seat)}
    ${chipsDown(picture, seat)}
    ${settlement(picture, picture.due.filter((one) => one.seat === number))}
    ${meters(picture, picture.due.filter((one) => one.seat === number).map((one) => picture.wagers[one.wager]?.meter))}
  </section>`;
}

/** The cards beside the seats. */
export function places(picture) {
  return Object.entries(picture.places).map(([name, one]) => {
    const called = word("place", name);
    const up = name === "dealer" && picture.up_card && !one.cards ? picture.up_card : one.cards;
    return up || one.count ? html`<figure>${hand(up, one.count, called)}<figcaption>${called}</figcaption></figure>` : nothing;
  });
}

export function lights(seat) {
  return html`<p class="lights">
    ${lamp(seat.lamp, say("lamp.is", { lamp: word("lamp", seat.lamp) }))} ${say("evidence.lamp", { lamp: word("lamp", seat.lamp) })}
    <span>${sign(seat.acceptor_locked ? "shut" : "open")} ${say(seat.acceptor_locked ? "evidence.acceptor.locked" : "evidence.acceptor.open")}</span>
    <span>${sign(seat.terminal_locked ? "shut" : "open")} ${say(seat.terminal_locked ? "evidence.terminal.locked" : "evidence.terminal.open")}</span>
  </p>`;
}

/** The same in as few words as there is room for. */
export function lightsInShort(seat) {
  const shut = seat.acceptor_locked && seat.terminal_locked;
  const some = seat.acceptor_locked !== seat.terminal_locked;
  return html`<p class="lights">
    <span>${lamp(seat.lamp, say("lamp.is", { lamp: word("lamp", seat.lamp) }))} ${word("lamp", seat.lamp)}</span>
    ${some
      ? html`<span>${sign("shut")} ${say(seat.acceptor_locked ? "evidence.acceptor.locked" : "evidence.terminal.locked")}</span>`
      : html`<span>${sign(shut ? "shut" : "open")} ${say(shut ? "seat.locked" : "seat.open_now")}</span>`}
  </p>`;
}

export function chipsDown(picture, seat) {
  const all = Object.entries(seat.wagers);
  if (!all.length) return nothing;
  return html`<ul class="wagers" aria-label=${say("seat.wagers", { seat: seat.number ?? seat.seat })}>
    ${all.map(([name, cents]) => html`<li><span class="quiet">${titleOf(picture, name)}</span> <strong>${money(cents)}</strong></li>`)}
  </ul>`;
}

// --- The settlement -----------------------------------------------------------------

/** The lines of the settlement, each with the clause that it follows. */
export function settlement(picture, due, withSeat = false) {
  if (!due.length) return nothing;
  return html`<div class="scrolls" role="region" tabindex="0" aria-label=${say("settlement.title")}><table class="settlement">
    <caption class="unseen">${say("settlement.title")}</caption>
    <thead><tr>
      ${withSeat ? html`<th scope="col">${say("settlement.seat")}</th>` : nothing}
      ${["wager", "stake", "result", "returns", "clause", "by"].map((name) => html`<th scope="col">${say(`settlement.${name}`)}</th>`)}
    </tr></thead>
    <tbody>${due.map((one) => dueRow(picture, one, withSeat))}</tbody>
  </table></div>`;
}

function dueRow(picture, one, withSeat) {
  return html`<tr>
    ${withSeat ? html`<td>${one.seat}</td>` : nothing}
    <th scope="row">${titleOf(picture, one.wager)}</th>
    <td class="cents">${one.stake ? money(one.stake) : ""}</td>
    <td>${word("result", one.result)}${one.odds ? html` <span class="quiet">${voiced(one.odds)}</span>` : nothing}</td>
    <td class="cents"><strong>${one.returns ? money(one.returns) : say("due.collect")}</strong>${one.paid_by && one.returns ? html` <span class="quiet">${word("paid_by", one.paid_by)}</span>` : nothing}</td>
    <td class="quiet">${voiced(one.clause)}</td>
    <td>${done(one)}</td>
  </tr>`;
}

/** Who has done what about a line. */
function done(one) {
  const some = ["verified_by", "validated_by", "ordered_by"].filter((name) => one[name]).map((name) => html`<span>${say(`settlement.${name}`, { who: one[name] })}</span>`);
  if (one.paid) some.push(html`<span>${sign("done")} ${say("settlement.paid")}</span>`);
  if (one.documented_by) some.push(html`<span>${say("settlement.documented_by", { who: one.documented_by })}</span>`);
  return html`<span class="done">${some.length ? some : html`<span class="quiet">${say("settlement.open")}</span>`}</span>`;
}

// --- Meters --------------------------------------------------------------------------

export function meters(picture, names = Object.keys(picture.meters)) {
  const some = [...new Set(names)].filter((name) => name in picture.meters);
  if (!some.length) return nothing;
  return html`<ul class="meters" aria-label=${say("evidence.meters")}>
    ${some.flatMap((name) => Object.entries(picture.meters[name]).map(([level, cents]) => html`<li><span class="quiet">${say("evidence.meter", { meter: word("meter", name), level: word("level", level) })}</span> <strong>${money(cents)}</strong></li>`))}
  </ul>`;
}

// --- Devices ---------------------------------------------------------------------------

export const isInOrder = (device) => ["ready", "degraded"].includes(device.status);

export function deviceView(device) {
  const well = isInOrder(device);
  return html`<section class="evidence device" aria-label=${say("evidence.device", { device: spoken(device.device) })}>
    <h3>${well ? sign("done") : html`<span class="noted">${sign("warn")}</span>`} ${voiced(device.device)}: <span class=${well ? "" : "noted"}>${word("device", device.status)}</span></h3>
    ${device.reason ? html`<p>${voiced(device.reason)}</p>` : nothing}
    ${device.next_step ? html`<p class="step">${voiced(device.next_step)}</p>` : nothing}
    ${facts(
      ["for", lasting(device.for_s)],
      ["heard", device.heard_s === null ? say("device.never") : say("ago", { time: lasting(device.heard_s) })],
      ["first_cause", voiced(device.first_cause)],
      ["model", device.model],
      ["serial", device.serial_number],
      ["firmware", device.firmware.slice(0, 16)],
      ["retries", device.retries || ""],
    )}
  </section>`;
}

export function shufflerAndShoe(picture) {
  const { shuffler, shoe } = picture;
  const yes = (is) => say(is ? "yes" : "no");
  return html`${shuffler
    ? html`<section class="evidence" aria-label=${say("evidence.shuffler")}><h3>${say("evidence.shuffler")}</h3>
        ${facts(["in_service", yes(shuffler.in_service)], ["mode", shuffler.mode], ["deck", shuffler.deck], ["game", shuffler.game], ["hands", shuffler.hands_counted])}</section>`
    : nothing}
    <section class="evidence" aria-label=${say("evidence.shoe")}><h3>${say("evidence.shoe")}</h3>
      ${facts(["in_service", yes(shoe.in_service)], ["counts", yes(shoe.counts)], ["lies", shoe.lies || ""], ["stub", say(`stub.${shoe.stub}`)], ["stub_cards", shoe.cards])}</section>`;
}

// --- Decks and credentials ----------------------------------------------------------------

export function deckView(picture, deck) {
  const inPlay = deck.in_play_since === null ? "" : clockTime(deck.in_play_since);
  return html`<section class="evidence" aria-label=${say("evidence.deck", { deck: deck.id })}>
    <h3>${say("evidence.deck", { deck: deck.id })} <span class="quiet">${deck.colour}, ${deck.design}</span>${deck.removed ? html` <span class="noted">${sign("warn")} ${deck.removed}</span>` : nothing}</h3>
    ${facts(
      ["route", word("route", deck.route)],
      ["steps", Object.entries(deck.steps).filter(([, by]) => by).map(([step, by]) => `${word("step", step)} (${by})`).join(", ")],
      ["shuffled", word("shuffled", deck.shuffled)],
      ["cut", say(deck.cut ? "yes" : "no")],
      ["in_play_since", inPlay],
      ["replaces", deck.replaces],
      ["again", deck.again.map((step) => word("step", step)).join(", ")],
    )}
  </section>`;
}

export function credentialView(one) {
  const tried = one.places.map((at) => `${at.place} (${at.wrong})`).join(", ") || one.device;
  return html`<section class="evidence" aria-label=${say("evidence.credential", { person: one.person })}>
    <h3>${sign("shut")} ${say("evidence.credential", { person: one.person })}</h3>
    ${facts(["wrong", one.wrong], ["tried_at", tried], ["last_tried", clockTime(one.at)], ["locked_out", one.locked_out.join(", ")])}
  </section>`;
}
