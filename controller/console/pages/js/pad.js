// The PIN pad, and people to choose from. A badge reader may be a keyboard: it types a number, or who somebody is, and Enter.

import { html, nothing } from "/static/vendor/lit-html.js";
import { spoken } from "/static/js/spoken.js";
import { say, word } from "/static/js/words.js";

const KEYS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "0"];
/** A badge is read faster than anybody types. */
const BADGE_MS = 60;
/** Numbers of badges have so many characters. */
const BADGE = /^[0-9A-Za-z.:-]{4,32}$/;

export function pinPad({ pin, typed, entered, busy }) {
  return html`<div class="pad" role="group" aria-label=${say("pin.title")}>
    <output class="pin" aria-label=${say("pin.typed", { count: pin.length })}>${pin.length ? "●".repeat(pin.length) : html`<span class="quiet">${say("pin.empty")}</span>`}</output>
    ${KEYS.map((key) => html`<button type="button" aria-label=${say("pin.digit", { digit: key })} @click=${() => typed(pin + key)}>${key}</button>`)}
    <button type="button" aria-label=${say("pin.back")} @click=${() => typed(pin.slice(0, -1))}>${say("pin.back")}</button>
    <button type="button" class="act" aria-disabled=${busy || !pin.length} @click=${() => busy || !pin.length || entered()}>${say("pin.enter")}</button>
  </div>`;
}

export function people({ some, chosen, touched, label }) {
  return html`<div class="people" role="group" aria-label=${label}>
    ${some.map(
      (one) => html`<button type="button" aria-pressed=${chosen === one.id} @click=${() => touched(one.id)}>${one.id}${one.role ? html` <span class="quiet">${word("role", one.role)}</span>` : nothing}</button>`,
    )}
  </div>`;
}

/** Somebody signing on: who, then the PIN. */
export class Signing {
  constructor(live, roles, done = () => {}) {
    this.live = live;
    this.roles = roles;
    this.done = done;
    this.person = null;
    this.role = null;
    this.pin = "";
    this.busy = false;
    this.words = "";
    /** Whose badge it is was asked of the table. */
    this.asked = false;
  }

  /** Everybody who has one of the roles, once for each. */
  listed(pictures) {
    const found = new Map();
    for (const picture of pictures) {
      for (const one of picture.people ?? []) {
        for (const role of one.roles) {
          if (this.roles.includes(role)) found.set(`${one.id} ${role}`, { id: one.id, role });
        }
      }
    }
    return [...found.values()];
  }

  pick(one) {
    this.choose(one);
    this.live.draw();
  }

  choose(one) {
    this.person = one.id;
    this.role = one.role;
    this.pin = "";
    this.words = "";
  }

  async enter() {
    if (this.busy || this.person === null) return;
    this.busy = true;
    this.live.draw();
    const answer = await this.live.signOn(this.person, this.role, this.pin);
    this.busy = false;
    this.pin = "";
    this.words = answer.ok ? "" : spoken(answer.error) || say("sign_on.refused");
    if (answer.ok) this.done();
    this.live.draw();
  }

  /** A number says nothing of whose it is: the table knows, and then the PIN is asked for. */
  async read(badge) {
    this.pin = "";
    this.asked = true;
    const answer = await this.live.whose(badge);
    if (answer.ok && this.roles.includes(answer.result.role)) this.choose({ id: answer.result.person, role: answer.result.role });
    else this.words = answer.ok ? say("sign_on.refused") : spoken(answer.error) || say("sign_on.refused");
    this.live.draw();
  }

  view(pictures) {
    const some = this.listed(pictures);
    const many = new Set(some.map((one) => one.role)).size > 1;
    if (this.person === null && some.length === 1) this.pick(some[0]);
    return html`<div class="signing" role="group" aria-label=${say("sign_on.title")}>
      <div class="who">
        <p>${this.words ? html`<span class="noted" role="alert">${this.words}</span>` : say(some.length ? "sign_on.how" : "sign_on.nobody")}</p>
        <div class="people" role="group" aria-label=${say("sign_on.who")}>
          ${some.map(
            (one) => html`<button type="button" aria-pressed=${this.person === one.id && this.role === one.role} @click=${() => this.pick(one)}>
              ${one.id}${many ? html` <span class="quiet">${word("role", one.role)}</span>` : nothing}
            </button>`,
          )}
        </div>
      </div>
      ${pinPad({
        pin: this.pin,
        busy: this.busy || this.person === null,
        typed: (pin) => {
          this.pin = pin.slice(0, 12);
          this.live.draw();
        },
        entered: () => this.enter(),
      })}
    </div>`;
  }

  /** Keys of a keyboard, and of a badge reader: who it is and Enter, typed at once. */
  key(event, pictures) {
    const now = performance.now();
    if (now - (this._at ?? 0) > BADGE_MS) this._badge = "";
    this._at = now;
    if (event.key === "Enter") {
      const one = this.listed(pictures).find((some) => some.id === this._badge);
      if (one) {
        event.preventDefault();
        this.pick(one);
      } else if (BADGE.test(this._badge)) {
        event.preventDefault();
        this.read(this._badge);
      } else if (this.pin && !event.target.closest("button")) {
        event.preventDefault();
        this.enter();
      }
      this._badge = "";
      return;
    }
    if (event.key.length !== 1) {
      if (event.key === "Backspace") this.pin = this.pin.slice(0, -1);
      this.live.draw();
      return;
    }
    this._badge += event.key;
    if (/^[0-9]$/.test(event.key) && this.person !== null) {
      this.pin = (this.pin + event.key).slice(0, 12);
      this.live.draw();
    }
  }
}
