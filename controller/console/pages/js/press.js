// A button for an offer: what is dead, what is held down until it counts, what was pressed.

import { html } from "/static/vendor/lit-html.js";
import { say } from "/static/js/words.js";

/** What a finger has to hold down counts after so long. */
const HELD = 1000;

/** What became of the press of this offer, if it was the last one. */
export function pressed(live, offer) {
  return live.last?.offer.id === offer.id ? live.last.state : "";
}

const downs = new Map();

export function press(offer, { dead, kind, label, short = "", state, taken }) {
  if (offer.hold_to_press) return held(offer, { dead, kind, label, short, state, taken });
  return html`<button type="button" class="${kind} ${dead ? "settling" : ""}" aria-disabled=${dead} data-press=${state} aria-label=${label}
    @click=${() => dead || taken()}>${short || label}</button>`;
}

/** A press that can't be a slip: it counts when it was held for a second, by finger or by key. */
function held(offer, { dead, kind, label, short, state, taken }) {
  const begin = (event) => {
    if (dead || event.repeat || downs.has(offer.id)) return;
    const target = event.currentTarget;
    target.classList.add("down");
    const timer = setTimeout(() => {
      downs.delete(offer.id);
      target.classList.remove("down");
      taken();
    }, HELD);
    downs.set(offer.id, timer);
  };
  const end = (event) => {
    clearTimeout(downs.get(offer.id));
    downs.delete(offer.id);
    event.currentTarget.classList.remove("down");
  };
  const key = (event) => {
    if (event.key !== " " && event.key !== "Enter") return;
    event.preventDefault();
    if (event.type === "keydown") begin(event);
    else end(event);
  };
  return html`<button type="button" class="held ${kind} ${dead ? "settling" : ""}" aria-disabled=${dead} data-press=${state} aria-label=${label} aria-description=${say("press.hold")}
    @pointerdown=${begin} @pointerup=${end} @pointerleave=${end} @pointercancel=${end} @keydown=${key} @keyup=${key} @blur=${end}
    @contextmenu=${(event) => event.preventDefault()}><span>${short || label}</span><small>${say("press.hold.short")}</small></button>`;
}
