// Sums as chips of the table's denominations, and the entry of a sum by touching chips.

import { html, nothing } from "/static/vendor/lit-html.js";
import { money, say } from "/static/js/words.js";

const short = (cents) => (cents % 100 ? `${cents}¢` : cents >= 100_000 ? `${cents / 100_000}k` : `${cents / 100}`);

/** How many of each chip make the sum, the largest first; what no chip makes is left over. */
export function counted(cents, denominations) {
  const found = [];
  let rest = cents;
  for (const one of [...denominations].sort((a, b) => b - a)) {
    const times = Math.floor(rest / one);
    if (times) found.push([one, times]);
    rest -= times * one;
  }
  return found;
}

export function chips(cents, denominations) {
  const found = counted(cents, denominations);
  if (!found.length) return nothing;
  const label = found.map(([one, times]) => `${times} × ${money(one)}`).join(", ");
  return html`<span class="chips" role="img" aria-label=${say("chips.as", { chips: label })}
    >${found.map(([one, times]) => html`<span class="chip">${short(one)}${times > 1 ? html`<span class="times">${times}</span>` : nothing}</span>`)}</span
  >`;
}

/** Chips to touch, each adding itself to the sum. */
/** Where several sums are made up on one page, `of` says of what each of them is. */
export function tray({ cents, denominations, least, most, touched, of = "" }) {
  const named = (what) => (of ? say("chips.of", { of, what }) : what);
  return html`<div class="tray" role="group" aria-label=${named(say("chips.title"))}>
    ${[...denominations]
      .sort((a, b) => a - b)
      .map((one) => {
        const over = most !== null && most !== undefined && cents + one > most;
        return html`<button type="button" aria-label=${named(say("chips.add", { amount: money(one) }))} class=${over ? "off" : ""} aria-disabled=${over}
          @click=${() => over || touched(cents + one)}><span class="chip" aria-hidden="true">${short(one)}</span></button>`;
      })}
    <button type="button" class="plain" aria-label=${named(say("chips.clear"))} @click=${() => touched(0)}>${say("chips.clear")}</button>
    <p class="total"><output class="sum" aria-label=${named(say("chips.sum"))}>${money(cents)}</output> <span class="quiet">${bounds(least, most)}</span></p>
  </div>`;
}

export function bounds(least, most) {
  const has = (one) => one !== null && one !== undefined;
  if (has(least) && has(most)) return say("chips.between", { least: money(least), most: money(most) });
  if (has(least)) return say("chips.from", { least: money(least) });
  return has(most) ? say("chips.to", { most: money(most) }) : "";
}
