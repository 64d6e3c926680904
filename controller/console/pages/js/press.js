// A button for an offer: what is dead, what is held down until it counts, what was pressed.
//
// A button never becomes another one: where the next offer takes its place there is a new element. What
// was aimed at the old one, by a finger that is still down or by a program, meets nothing. The keyboard's
// focus goes on to whatever has taken the place (`live.js`).

import { html } from "/static/vendor/lit-html.js";
import { keyed } from "/static/vendor/directives/keyed.js";
import { say } from "/static/js/words.js";

/** What a finger has to hold down counts after so long. */
const HELD = 1000;

/** What became of the press of this offer, if it was the last one. */
export function pressed(live, offer) {
  return live.last?.offer.id === offer.id ? live.last.state : "";
}

const downs = new Map();

export function press(offer, { short = "", ...given }) {
  const one = { short: short || given.label, ...given };
  return keyed(offer.id, offer.hold_to_press ? held(offer, one) : plain(one));
}

function plain({ place, dead, kind, label, short, state, taken }) {
  return html`<button type="button" class="${kind} ${dead ? "settling" : ""}" aria-disabled=${dead} data-place=${place} data-press=${state} aria-label=${label}
    @click=${() => dead || taken()}>${short}</button>`;
}

/** A press that can't be a slip: it counts when it was held for a second, by finger or by key. */
function held(offer, { place, dead, kind, label, short, state, taken }) {
  const begin = (event) => {
    if (dead || event.repeat || downs.has(offer.id)) return;
    const target = event.currentTarget;
    target.classList.add("down");
    const timer = setTimeout(() => {
      downs.delete(offer.id);
      target.classList.remove("down");
      // What was held down may have gone, or mean something else by now.
      if (target.isConnected) taken();
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
  return html`<button type="button" class="held ${kind} ${dead ? "settling" : ""}" aria-disabled=${dead} data-place=${place} data-press=${state} aria-label=${label} aria-description=${say("press.hold")}
    @pointerdown=${begin} @pointerup=${end} @pointerleave=${end} @pointercancel=${end} @keydown=${key} @keyup=${key} @blur=${end}
    @contextmenu=${(event) => event.preventDefault()}><span>${short}</span><small>${say("press.hold.short")}</small></button>`;
}
