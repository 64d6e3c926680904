// One table as the floor looks at it: what lies there and what can be done, decks, accounts, devices,
// and its last rounds. Only what the table offers can be pressed.

import { html, nothing } from "/static/vendor/lit-html.js";
import { spoken, voiced } from "/static/js/spoken.js";
import { money, say, word } from "/static/js/words.js";
import { hand } from "/static/js/card.js";
import { sign } from "/static/js/signs.js";
import { chipsDown, deckView, deviceView, facts, isInOrder, lightsInShort, meters, places, settlement, shufflerAndShoe } from "/static/js/evidence.js";

export const TABS = ["table", "decks", "accounts", "devices", "rounds"];

/** What an offer is about, by what is known of its acts: a tab has those that are about its things. */
const ABOUT = { deck: "decks", device: "devices", meter: "accounts" };

function tabOf(offer) {
  const known = offer.acts[0].with;
  const name = Object.keys(ABOUT).find((one) => one in known);
  return name === undefined ? "table" : ABOUT[name];
}

/** Whose offers the floor sees: all but the dealer's. */
const isFloors = (offer) => offer.who !== "dealer";

export function offersOf(picture, tab) {
  const waits = new Set(picture.matters.flatMap((one) => [...one.offers, ...one.also]));
  return picture.offers.filter((one) => isFloors(one) && tabOf(one) === tab && !waits.has(one.id));
}

/** `act` draws an offer that can be taken; `recall` is the table's. */
export function tableView(picture, tab, { act, recall }) {
  return { table: tableTab, decks: decksTab, accounts: accountsTab, devices: devicesTab, rounds: () => recall.view(picture) }[tab](picture, act);
}

function offered(picture, tab, act, title) {
  const some = offersOf(picture, tab);
  const groups = [
    ["floor.can", some.filter((one) => one.group !== "irregular")],
    ["irregular.title", some.filter((one) => one.group === "irregular")],
  ];
  if (!some.length) return html`<p class="quiet">${say("floor.nothing_offered")}</p>`;
  return groups.filter(([, all]) => all.length).map(([name, all]) => html`<section class="offers" aria-label=${say(title ?? name)}><h3>${say(title ?? name)}</h3>${all.map((offer) => act(offer))}</section>`);
}

// --- The table ---------------------------------------------------------------------------

function tableTab(picture, act) {
  const cards = places(picture).filter((one) => one !== nothing);
  return html`<section class="now" aria-label=${say("floor.prompts")}>
      <h3>${say("floor.prompts")}</h3>
      <ul>${picture.prompts.slice(0, 4).map((one) => html`<li><span class="quiet">${word("role", one.who)}:</span> ${voiced(one.text)}</li>`)}</ul>
      ${picture.prompts.length ? nothing : html`<p class="quiet">${say("floor.nothing_prompted")}</p>`}
    </section>
    ${picture.wrong.length
      ? html`<section class="wrong" aria-label=${say("floor.wrong")}><h3>${sign("warn")} ${say("floor.wrong")}</h3><ul>${picture.wrong.map((one) => html`<li>${one}</li>`)}</ul></section>`
      : nothing}
    <section class="lies" aria-label=${say("floor.lies")}>
      ${cards.length ? html`<div class="hands">${cards}</div>` : nothing}
      <div class="seats">${picture.seats.filter((seat) => seat.player !== null || seat.dealt).map((seat) => seatOf(picture, seat))}</div>
      ${picture.seats.every((seat) => seat.player === null && !seat.dealt) ? html`<p class="quiet">${say("floor.nobody")}</p>` : nothing}
    </section>
    ${settlement(picture, picture.due, true)}
    ${offered(picture, "table", act)}`;
}

function seatOf(picture, seat) {
  const whose = say("seat", { seat: seat.number });
  const became = ["void", "forfeited", "left", "folded"].find((name) => seat[name]);
  return html`<div class="lay" role="group" aria-label=${whose}>
    <p class="who"><strong>${seat.number}</strong> <span>${seat.player}</span></p>
    <p>${hand(seat.cards, seat.dealt, whose)}</p>
    <p class="hand">${[spoken(seat.hand), became ? say(`seat.${became}`) : ""].filter(Boolean).join(", ")}</p>
    ${lightsInShort(seat)}
    ${chipsDown(picture, seat)}
  </div>`;
}

// --- Decks, accounts, devices ----------------------------------------------------------------

function decksTab(picture, act) {
  return html`${picture.decks.length ? picture.decks.map((deck) => deckView(picture, deck)) : html`<p class="quiet">${say("floor.no_decks")}</p>`}
    ${shufflerAndShoe(picture)} ${offered(picture, "decks", act, "floor.decks")}`;
}

function accountsTab(picture, act) {
  const seats = picture.seats.filter((seat) => seat.player !== null || seat.balance);
  const sum = picture.seats.reduce((all, seat) => all + seat.balance, 0);
  return html`<div class="scrolls" role="region" tabindex="0" aria-label=${say("accounts.title")}><table class="accounts">
      <caption>${say("accounts.title")}</caption>
      <thead><tr>${["seat", "player", "balance", "down", "terminal"].map((name) => html`<th scope="col">${say(`accounts.${name}`)}</th>`)}</tr></thead>
      <tbody>${seats.map(accountOf)}</tbody>
      <tfoot><tr><th scope="row" colspan="2">${say("accounts.sum")}</th><td class="cents"><strong>${money(sum)}</strong></td><td></td><td></td></tr></tfoot>
    </table></div>
    <section aria-label=${say("evidence.meters")}><h3>${say("evidence.meters")}</h3>${meters(picture)}
      ${picture.link ? facts(["link", word("link", picture.link.status)], ["waiting", picture.link.waiting]) : nothing}
      ${Object.entries(picture.withheld).map(([wager, why]) => html`<p class="noted">${sign("warn")} ${say("withheld", { wager: spoken(picture.wagers[wager]?.title ?? wager), why: spoken(why) })}</p>`)}
    </section>
    ${offered(picture, "accounts", act, "floor.meters")}`;
}

function accountOf(seat) {
  const down = Object.values(seat.wagers).reduce((all, cents) => all + cents, 0);
  return html`<tr>
    <th scope="row">${seat.number}</th><td>${seat.player}</td>
    <td class="cents">${money(seat.balance)}</td><td class="cents">${money(down)}</td>
    <td>${sign(seat.terminal_locked ? "shut" : "open")} ${say(seat.terminal_locked ? "seat.locked" : "seat.open_now")}</td>
  </tr>`;
}

/** Those that are not in order first, and otherwise as the table file has them. */
function devicesTab(picture, act) {
  const ill = picture.devices.filter((one) => !isInOrder(one));
  const well = picture.devices.filter(isInOrder);
  return html`${ill.map(deviceView)} ${offered(picture, "devices", act, "floor.devices")}
    <div class="well">${well.map(deviceView)}</div>`;
}
