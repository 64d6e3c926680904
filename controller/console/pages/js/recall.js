// Any of the last rounds, to go through entry by entry, and drawn as it lay: cards, wagers, lights, the lines
// of the settlement with their clauses, holds, and every entry of the journal, those that were refused too.
// To be printed, but for its timeline.

import { html, nothing } from "/static/vendor/lit-html.js";
import { voiced } from "/static/js/spoken.js";
import { clockTime, money, say, word } from "/static/js/words.js";
import { sign } from "/static/js/signs.js";
import { facts, settlement } from "/static/js/evidence.js";
import { factsOf, placesOf, seatOf, whoOf } from "/static/js/lay.js";
import { TimelineView } from "/static/js/timeline_view.js";

/** So many rounds are to choose from. */
const LAST = 25;

export class Recall {
  constructor(live, table) {
    this.live = live;
    this.table = table;
    this.rounds = null;
    this.round = null;
    this.timeline = null;
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

  /** A round that is asked for again, because it goes on, stays where it is looked at. */
  _shows(round) {
    const before = this.round?.round === round.round ? this.timeline : null;
    this.timeline?.line.pause();
    this.round = round;
    this.timeline = new TimelineView(this.live, round, before);
  }

  async show(number) {
    const found = await this._asked({ round: number, laid: true });
    if (found !== null) this._shows(found[0]);
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
      ${this.timeline.view(picture)}
      ${one.finished ? nothing : html`<p class="noted">${sign("warn")} ${say("recall.unfinished", { phase: word("phase", one.phase) })}</p>`}
      ${one.void ? html`<p class="noted">${sign("warn")} ${say("recall.void", { why: one.void })}</p>` : nothing}
      ${facts(["date", new Date(one.began).toLocaleDateString()], ["began", clockTime(one.began)], ["ended", clockTime(one.ended)], ["entries", `${one.events[0].seq} – ${one.events.at(-1).seq}`], ["deck", one.deck], ["method", word("method", one.method)], ["rulebook", picture.rulebook])}
      <section aria-label=${say("recall.lay")}>
        <h3>${say("recall.lay")}</h3>
        <div class="hands">${placesOf(places(one))}</div>
        <div class="seats">${one.seats.map((seat) => seatOf(picture, seat))}</div>
      </section>
      ${one.held.length ? html`<section aria-label=${say("recall.holds")}><h3>${say("recall.holds")}</h3><ul class="held">${one.held.map(heldOf)}</ul></section>` : nothing}
      ${one.payouts?.length ? html`<section><h3>${say("settlement.title")}</h3>${settlement(picture, one.payouts, true)}</section>` : nothing}
      <section>
        <h3>${say("recall.entries")}</h3>
        <div class="scrolls" role="region" tabindex="0" aria-label=${say("recall.entries")}><table class="entries">
          <caption class="unseen">${say("recall.entries")}</caption>
          <thead><tr>${["entry", "time", "what", "who", "facts"].map((name) => html`<th scope="col">${say(`entries.${name}`)}</th>`)}</tr></thead>
          <tbody>${one.events.map((each) => entryOf(picture, each))}</tbody>
        </table></div>
      </section>
    </article>`;
  }
}

/** As it is told of a round at its end: how many cards lay where, and which of them were seen. */
function places(one) {
  const names = [...new Set([...Object.keys(one.faces), ...Object.keys(one.placed)])];
  const seen = (name) => one.faces[name] || (name === "dealer" ? one.up_card : "");
  return Object.fromEntries(names.map((name) => [name, { cards: seen(name), count: one.placed[name] ?? 0 }]));
}

function heldOf(one) {
  const { cleared } = one;
  return html`<li>
    ${sign("hold")} <strong>${voiced(one.where)}: ${voiced(one.cause)}</strong>
    <span class="quiet">${clockTime(one.since)}${one.seq ? `, ${say("entry", { seq: one.seq })}` : nothing}</span>
    <p>${cleared ? say("recall.cleared", { who: cleared.by || say("recall.felt"), time: clockTime(cleared.at), seq: cleared.seq, reason: cleared.reason || "-" }) : say("recall.stands")}</p>
  </li>`;
}

function entryOf(picture, one) {
  return html`<tr class=${one.refused ? "refused" : ""}>
    <td class="cents">${one.seq}</td>
    <td>${clockTime(one.at)}</td>
    <th scope="row">${word("event", one.kind)}</th>
    <td>${one.by ? whoOf(one) : ""}</td>
    <td>${factsOf(picture, one)}${one.refused ? html`<p class="noted">${sign("warn")} ${say("recall.refused", { why: one.refused })}</p>` : nothing}</td>
  </tr>`;
}
