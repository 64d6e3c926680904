// Any of the last rounds, drawn as it lay: cards, wagers, lights, the lines of the settlement with their
// clauses, holds, and every entry of the journal, those that were refused too. To be printed.

import { html, nothing } from "/static/vendor/lit-html.js";
import { spoken, voiced } from "/static/js/spoken.js";
import { clockTime, money, say, word } from "/static/js/words.js";
import { hand } from "/static/js/card.js";
import { lamp, sign } from "/static/js/signs.js";
import { facts, settlement, titleOf } from "/static/js/evidence.js";

/** So many rounds are to choose from. */
const LAST = 25;

export class Recall {
  constructor(live, table) {
    this.live = live;
    this.table = table;
    this.rounds = null;
    this.round = null;
    this.words = "";
    this.busy = false;
  }

  async _asked(given) {
    this.busy = true;
    this.words = "";
    this.live.draw();
    const answer = await this.live.ask(this.table, "recall", given);
    this.busy = false;
    this.words = answer.ok ? "" : answer.error;
    return answer.ok ? answer.result.rounds : null;
  }

  /** The list: asked for when somebody looks, and anew when somebody asks. */
  async look() {
    this.round = null;
    const found = await this._asked({ last: LAST, brief: true });
    if (found !== null) this.rounds = found.reverse();
    this.live.draw();
  }

  async show(number) {
    const found = await this._asked({ round: number });
    if (found !== null) [this.round] = found;
    this.live.draw();
  }

  view(picture) {
    if (this.rounds === null && !this.busy && !this.words) this.look();
    const noted = this.words ? html`<p class="noted" role="alert">${sign("warn")} ${voiced(this.words)}</p>` : nothing;
    if (this.round !== null) return html`${noted} ${this._drawn(picture, this.round)}`;
    return html`${noted}
      <div class="row"><p class="quiet grow">${say(this.busy ? "recall.asks" : "recall.choose")}</p>
        <button type="button" @click=${() => this.look()}>${say("recall.again")}</button></div>
      <ul class="rounds" aria-label=${say("recall.rounds")}>${(this.rounds ?? []).map((one) => html`<li>${this._line(one)}</li>`)}</ul>`;
  }

  _line(one) {
    return html`<button type="button" aria-label=${say("recall.show", { round: one.round })} @click=${() => this.show(one.round)}>
      <strong>${say("round", { round: one.round })}</strong>
      <span>${clockTime(one.began)} – ${one.finished ? clockTime(one.ended) : say("recall.under_way")}</span>
      <span>${say("recall.seats", { seats: one.seats })}</span>
      <span>${one.paid ? say("recall.paid", { amount: money(one.paid) }) : nothing}</span>
      <span class="noted">${one.void ? html`${sign("warn")} ${say("round.void")}` : one.held ? html`${sign("hold")} ${say("recall.held", { held: one.held })}` : nothing}</span>
    </button>`;
  }

  _drawn(picture, one) {
    return html`<article class="recalled" aria-label=${say("recall.round", { round: one.round, table: this.table })}>
      <header>
        <button type="button" class="plain on-screen" aria-label=${say("recall.back")} @click=${() => { this.round = null; this.live.draw(); }}>${sign("back")}</button>
        <h2>${say("recall.round", { round: one.round, table: this.table })}</h2>
        <span class="grow"></span>
        <button type="button" class="on-screen" @click=${() => this.show(one.round)}>${say("recall.again")}</button>
        <button type="button" class="act on-screen" @click=${() => window.print()}>${say("recall.print")}</button>
      </header>
      ${one.finished ? nothing : html`<p class="noted">${sign("warn")} ${say("recall.unfinished", { phase: word("phase", one.phase) })}</p>`}
      ${one.void ? html`<p class="noted">${sign("warn")} ${say("recall.void", { why: one.void })}</p>` : nothing}
      ${facts(["date", new Date(one.began).toLocaleDateString()], ["began", clockTime(one.began)], ["ended", clockTime(one.ended)], ["entries", `${one.events[0].seq} – ${one.events.at(-1).seq}`], ["deck", one.deck], ["method", word("method", one.method)], ["rulebook", picture.rulebook])}
      <section aria-label=${say("recall.lay")}>
        <h3>${say("recall.lay")}</h3>
        <div class="hands">${placesOf(one)}</div>
        <div class="seats">${one.seats.map((seat) => seatOf(picture, seat))}</div>
      </section>
      ${one.held.length ? html`<section aria-label=${say("recall.holds")}><h3>${say("recall.holds")}</h3><ul class="held">${one.held.map(heldOf)}</ul></section>` : nothing}
      ${one.payouts?.length ? html`<section><h3>${say("settlement.title")}</h3>${settlement(picture, one.payouts, true)}</section>` : nothing}
      <section>
        <h3>${say("recall.entries")}</h3>
        <div class="scrolls" role="region" tabindex="0" aria-label=${say("recall.entries")}><table class="entries">
          <caption class="unseen">${say("recall.entries")}</caption>
          <thead><tr>${["entry", "time", "what", "who", "facts"].map((name) => html`<th scope="col">${say(`entries.${name}`)}</th>`)}</tr></thead>
          <tbody>${one.events.map(entryOf)}</tbody>
        </table></div>
      </section>
    </article>`;
  }
}

function placesOf(one) {
  const names = new Set([...Object.keys(one.faces), ...Object.keys(one.placed)]);
  return [...names].map((name) => {
    const called = word("place", name);
    const seen = one.faces[name] || (name === "dealer" ? one.up_card : "");
    return html`<figure>${hand(seen, one.placed[name] ?? 0, called)}<figcaption>${called}</figcaption></figure>`;
  });
}

function seatOf(picture, seat) {
  const whose = say("seat", { seat: seat.seat });
  const became = ["void", "forfeited", "left", "folded"].find((name) => seat[name]);
  return html`<div class="lay" role="group" aria-label=${whose}>
    <p class="who"><strong>${seat.seat}</strong> <span>${seat.player}</span> ${lamp(seat.lamp, say("lamp.is", { lamp: word("lamp", seat.lamp) }))}</p>
    <p>${hand(seat.cards, seat.dealt, whose)}</p>
    <p class="hand">${[spoken(seat.hand), became ? say(`seat.${became}`) : ""].filter(Boolean).join(", ")}</p>
    <ul class="wagers" aria-label=${say("seat.wagers", { seat: seat.seat })}>${Object.entries(seat.wagers).map(([name, cents]) => html`<li><span class="quiet">${titleOf(picture, name)}</span> <strong>${money(cents)}</strong></li>`)}</ul>
  </div>`;
}

function heldOf(one) {
  const { cleared } = one;
  return html`<li>
    ${sign("hold")} <strong>${voiced(one.where)}: ${voiced(one.cause)}</strong>
    <span class="quiet">${clockTime(one.since)}${one.seq ? `, ${say("entry", { seq: one.seq })}` : nothing}</span>
    <p>${cleared ? say("recall.cleared", { who: cleared.by || say("recall.felt"), time: clockTime(cleared.at), seq: cleared.seq, reason: cleared.reason || "-" }) : say("recall.stands")}</p>
  </li>`;
}

const APART = ["seq", "at", "kind", "by", "id", "refused", "commands", "sealed"];

function entryOf(one) {
  const more = Object.entries(one).filter(([name, value]) => !APART.includes(name) && value !== null && value !== "");
  const who = one.by ? `${one.by.id} (${word("role", one.by.role)})` : one.device && !one.by ? "" : "";
  return html`<tr class=${one.refused ? "refused" : ""}>
    <td class="cents">${one.seq}</td>
    <td>${clockTime(one.at)}</td>
    <th scope="row">${word("event", one.kind)}</th>
    <td>${who}</td>
    <td>${more.map(([name, value]) => html`<span class="fact"><span class="quiet">${word("fact_of", name)}</span> ${told(name, value)}</span> `)}${one.refused ? html`<p class="noted">${sign("warn")} ${say("recall.refused", { why: one.refused })}</p>` : nothing}</td>
  </tr>`;
}

function told(name, value) {
  if (name === "amount" || name === "cents") return money(value);
  if (typeof value === "object") return Object.values(value).flat().join(", ");
  return typeof value === "boolean" ? say(value ? "yes" : "no") : String(value);
}
