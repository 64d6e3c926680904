// An offer that asks for something: cards, a sum, a number, words, a person, a second person with a
// PIN. One form for all offers of all pages, drawn from what the offer says it takes.

import { html, nothing } from "/static/vendor/lit-html.js";
import { keyed } from "/static/vendor/directives/keyed.js";
import { money, say, word } from "/static/js/words.js";
import { keypad, slots, told } from "/static/js/card.js";
import { tray } from "/static/js/chips.js";
import { pinPad } from "/static/js/pad.js";
import { titled } from "/static/js/offers.js";
import { SETTLES } from "/static/js/live.js";
import { press } from "/static/js/press.js";
import { spoken } from "/static/js/spoken.js";

/** The last card of a hand goes by itself: a moment to see it, and to take it back. */
const LOOKS = 700;

export class Asking {
  /**
   * With `proposes`, a second person may agree at a screen of their own. `before` is the form that stood
   * here: if it was for the same acts at another moment, what was typed into it is kept.
   */
  constructor(live, table, offer, done, { proposes = false, before = null } = {}) {
    this.proposes = proposes;
    this.elsewhere = false;
    this.live = live;
    this.table = table;
    this.offer = offer;
    this.done = done;
    /** What is not to be done in passing is held down where it is sent. */
    this.held = offer.hold_to_press;
    this.values = {};
    this.second = { id: "", role: "", pin: "" };
    for (const ask of offer.asks) this.values[ask.name] = first(ask);
    if (before?.table === table && isSame(before.offer, offer)) {
      Object.assign(this.values, before.values);
      Object.assign(this.second, before.second);
      this.elsewhere = before.elsewhere;
    }
    // It comes up under a finger that may still be on its way to what was there before.
    this._since = performance.now();
    setTimeout(() => live.draw(), SETTLES + 10);
  }

  get dead() {
    return performance.now() - this._since < SETTLES;
  }

  get onlyCards() {
    return this.offer.asks.length === 1 && this.offer.asks[0].shape === "cards";
  }

  set(name, value) {
    this.values[name] = value;
    this.live.draw();
  }

  isFilled(ask) {
    const value = this.values[ask.name];
    if (ask.shape === "second") return Boolean(this.second.id && (this.second.pin || this.elsewhere));
    if (ask.shape === "cards") return ask.count ? value.length === ask.count : value.length > 0;
    if (ask.shape === "cents") return value > 0 && within(ask, value);
    if (ask.shape === "count") return value !== null && within(ask, value);
    if (ask.shape === "flag") return true;
    return value !== "";
  }

  get ready() {
    return this.offer.asks.every((ask) => this.isFilled(ask) || (!ask.required && this.isEmpty(ask)));
  }

  isEmpty(ask) {
    const value = this.values[ask.name];
    if (ask.shape === "second") return !this.second.id;
    return value === "" || value === null || value === 0 || value?.length === 0;
  }

  send() {
    if (!this.ready) return;
    clearTimeout(this._timer);
    const fields = {};
    let second = null;
    for (const ask of this.offer.asks) {
      if (!ask.required && ask.shape !== "flag" && this.isEmpty(ask)) continue;
      if (ask.shape === "second") {
        second = { ...this.second };
        fields[ask.name] = { id: second.id, role: second.role };
      } else if (ask.shape === "cards") fields[ask.name] = this.values[ask.name].join(" ");
      else fields[ask.name] = this.values[ask.name];
    }
    if (second !== null && this.elsewhere) this.done(this.live.propose(this.table, this.offer, fields, second));
    else this.done(this.live.take(this.table, this.offer, fields, second));
  }

  touchCard(ask, card) {
    clearTimeout(this._timer);
    const now = this.values[ask.name];
    const next = now.includes(card) ? now.filter((one) => one !== card) : [...now, card];
    this.set(ask.name, next);
    if (this.onlyCards && this.isFilled(ask) && ask.count) this._timer = setTimeout(() => this.send(), LOOKS);
  }

  leave() {
    clearTimeout(this._timer);
  }

  /** The cards that were keyed in so far, where there is nothing but cards to tell. */
  keyed() {
    const ask = this.offer.asks.find((one) => one.shape === "cards");
    return ask ? slots(this.values[ask.name], ask.count ?? 0) : nothing;
  }

  /** Another form is made of other elements, so that nothing that was aimed at this one meets it. */
  view(picture) {
    return keyed(this, this._drawn(picture));
  }

  _drawn(picture) {
    if (this.onlyCards && this.offer.asks[0].count) return this._cards(this.offer.asks[0]);
    return html`<form class="asking" aria-label=${titled(this.offer)} ?inert=${this.dead} @submit=${(event) => {
      event.preventDefault();
      if (!this.held) this.send();
    }}>
      <div class="fields">${[...this.offer.asks].sort((a, b) => (a.shape === "second") - (b.shape === "second")).map((ask) => this._field(ask, picture))}</div>
      ${this._button()}
    </form>`;
  }

  _button() {
    const label = titled(this.offer);
    if (this.held) return press(this.offer, { place: "send", dead: !this.ready, kind: "act", label, state: "", taken: () => this.send() });
    return html`<button type="submit" class="act" data-place="send" aria-disabled=${!this.ready}>${label}</button>`;
  }

  _field(ask, picture) {
    const label = spoken(ask.words);
    const shape = this[`_${ask.shape}`] ?? this._words;
    const optional = ask.required ? nothing : html` <span class="quiet">${say("ask.optional")}</span>`;
    if (ask.shape === "flag") return shape.call(this, ask, picture, label);
    return html`<div class="field" role="group" aria-label=${label}><p>${label}${optional}</p>${shape.call(this, ask, picture, label)}</div>`;
  }

  _cards(ask) {
    const chosen = this.values[ask.name];
    const fits = (card) => ask.choices === null || ask.choices.includes(card) || chosen.includes(card);
    return keypad({ chosen, fits, dead: this.dead, full: ask.count ? chosen.length >= ask.count : false, touched: (card) => this.touchCard(ask, card) });
  }

  _cents(ask, picture) {
    if (ask.choices) return this._pick(ask, ask.choices.map(Number), money);
    return tray({
      cents: this.values[ask.name],
      denominations: picture.denominations,
      least: ask.least,
      most: ask.most,
      touched: (cents) => this.set(ask.name, cents),
    });
  }

  _count(ask, picture, label) {
    if (ask.choices) return this._pick(ask, ask.choices.map(Number), String);
    const value = this.values[ask.name];
    const digits = (text) => this.set(ask.name, text === "" ? null : Math.min(Number(text), 99_999_999));
    return html`<div class="digits">
      <output class="sum" aria-label=${say("count.sum")}>${value ?? "–"}</output>
      ${["1", "2", "3", "4", "5", "6", "7", "8", "9", "0"].map(
        (key) => html`<button type="button" aria-label=${say("count.digit", { digit: key, what: label })} @click=${() => digits(`${value ?? ""}${key}`)}>${key}</button>`,
      )}
      <button type="button" class="clear" aria-label=${say("count.clear", { what: label })} @click=${() => digits("")}>${say("chips.clear")}</button>
    </div>`;
  }

  _choice(ask) {
    return this._pick(ask, ask.choices ?? [], (one) => word("choice", one));
  }

  _seat(ask, picture) {
    const some = ask.choices ?? picture.seats.map((seat) => seat.number);
    return this._pick(ask, some.map(Number), String, (seat) => say("seat", { seat }));
  }

  _person(ask, picture) {
    const some = ask.choices ?? picture.people.map((one) => one.id);
    return this._pick(ask, some, String);
  }

  /** `called` is what one of them is to somebody who hears it, where the eye needs less. */
  _pick(ask, some, named, called = named) {
    return html`<div class="pick">
      ${some.map(
        (one) => html`<button type="button" aria-label=${called(one)} aria-pressed=${this.values[ask.name] === one} @click=${() => this.set(ask.name, one)}>${named(one)}</button>`,
      )}
    </div>`;
  }

  _flag(ask, picture, label) {
    const is = this.values[ask.name];
    return html`<button type="button" role="switch" class="flag" aria-checked=${is} @click=${() => this.set(ask.name, !is)}>${label}: ${say(is ? "yes" : "no")}</button>`;
  }

  _words(ask, picture, label) {
    // Of a name, choices are proposals; somebody new has none of them.
    const proposed = ask.choices ? this._pick(ask, ask.choices, String) : nothing;
    return html`${proposed}<input type="text" aria-label=${label} maxlength=${ask.most ?? 200} autocomplete="off" .value=${this.values[ask.name]}
      @input=${(event) => this.set(ask.name, event.target.value)} />`;
  }

  _second(ask, picture) {
    const some = (picture.people ?? []).flatMap((one) => one.roles.map((role) => ({ id: one.id, role })));
    const fit = ask.choices ? some.filter((one) => ask.choices.includes(one.role) || ask.choices.includes(one.id)) : some;
    return html`<div class="second">
      <div class="pick">
        ${fit.map(
          (one) => html`<button type="button" aria-pressed=${this.second.id === one.id && this.second.role === one.role} @click=${() => {
            this.second = { ...one, pin: "" };
            this.live.draw();
          }}>${one.id} <span class="quiet">${word("role", one.role)}</span></button>`,
        )}
      </div>
      ${this.proposes
        ? html`<button type="button" role="switch" class="flag" aria-checked=${this.elsewhere} @click=${() => {
            this.elsewhere = !this.elsewhere;
            this.second.pin = "";
            this.live.draw();
          }}>${say("second.elsewhere")}: ${say(this.elsewhere ? "yes" : "no")}</button>`
        : nothing}
      ${this.elsewhere ? nothing : pinPad({
        pin: this.second.pin,
        busy: !this.second.id,
        typed: (pin) => {
          this.second.pin = pin.slice(0, 12);
          this.live.draw();
        },
        entered: () => this.send(),
      })}
    </div>`;
  }
}

/** Whether two offers are for the same acts, and ask for the same. */
function isSame(one, other) {
  const told = (offer) => JSON.stringify([offer.acts, offer.asks]);
  return told(one) === told(other);
}

/** What a field begins with: what can't be otherwise is filled in. */
function first(ask) {
  const only = ask.choices?.length === 1 && ask.required ? ask.choices[0] : null;
  if (ask.shape === "flag") return false;
  if (ask.shape === "cards") return told(ask.includes);
  if (only !== null) return only;
  if (ask.shape === "cents") return 0;
  if (ask.shape === "count") return null;
  return "";
}

function within(ask, value) {
  const has = (one) => one !== null && one !== undefined;
  return (!has(ask.least) || value >= ask.least) && (!has(ask.most) || value <= ask.most);
}
