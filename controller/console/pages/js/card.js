// Cards: index faces of our own drawing, and the keypad with which a hand is told. A face is drawn
// from what the picture says; no request is made that would tell which one comes.

import { html, svg } from "/static/vendor/lit-html.js";
import { say, word } from "/static/js/words.js";

const RANKS = "A K Q J T 9 8 7 6 5 4 3 2".split(" ");
const SUITS = ["s", "h", "d", "c"];

const SHAPES = {
  s: svg`<path d="M16 1C12 8 3 12 3 19.500 3 24 6.500 26.500 10 26.500c2 0 3.800-.9 5-2.400-.3 3-1.500 5-4 6.900h10c-2.500-1.900-3.700-3.900-4-6.900 1.200 1.500 3 2.400 5 2.400 3.500 0 7-2.500 7-7C29 12 20 8 16 1z"/>`,
  h: svg`<path d="M16 30C13 24.500 2 19 2 10.500 2 5.500 5.500 2.500 9.200 2.500c3 0 5.500 1.700 6.800 4.700 1.300-3 3.800-4.700 6.800-4.700C26.500 2.500 30 5.500 30 10.500 30 19 19 24.500 16 30z"/>`,
  d: svg`<path d="M16 1c3 5.500 6.500 10.500 11 15-4.500 4.500-8 9.500-11 15-3-5.500-6.500-10.500-11-15 4.500-4.500 8-9.500 11-15z"/>`,
  c: svg`<path d="M16 1.500a6.700 6.700 0 00-5.700 10.300A6.700 6.700 0 108.500 25c2.700 0 5-1.500 6.300-3.600-.2 3.600-1.400 6.600-3.800 9.600h10c-2.400-3-3.600-6-3.800-9.600A7.300 7.300 0 0023.500 25a6.700 6.700 0 10-1.800-13.200A6.700 6.700 0 0016 1.500z"/>`,
};

const shown = (rank) => (rank === "T" ? "10" : rank);
const suit = (name, kind = "suit") => html`<svg class=${kind} viewBox="0 0 32 32" aria-hidden="true">${SHAPES[name]}</svg>`;

/** What a card is called: "Ace of spades". */
export const called = (card) => say("card.name", { rank: word("rank", card[0]), suit: word("suit", card[1]) });

export const told = (cards) => (cards ? cards.split(" ").filter(Boolean) : []);

export function face(card) {
  return html`<span class="card ${card[1]}" role="img" aria-label=${called(card)}
    ><span class="rank ${card[0] === "T" ? "ten" : ""}" aria-hidden="true">${shown(card[0])}</span>${suit(card[1])}${suit(card[1], "suit pip")}</span
  >`;
}

const down = () => html`<span class="card down"></span>`;

/** Cards as they lie: those that are seen, and the backs of the rest. */
export function hand(cards, count, whose) {
  const seen = told(cards);
  const hidden = Math.max(0, count - seen.length);
  if (!seen.length && !hidden) return "";
  const label = hidden ? say("cards.down", { whose, count: hidden }) : say("cards.up", { whose });
  return html`<span class="cards" role="group" aria-label=${label}>${seen.map(face)}${Array.from({ length: hidden }, down)}</span>`;
}

/** Where the next cards come, and those that were keyed in. */
export function slots(cards, count) {
  const empty = Array.from({ length: Math.max(0, count - cards.length) }, () => html`<span class="card slot"></span>`);
  return html`<span class="cards apart" role="group" aria-label=${say("keypad.keyed", { cards: cards.map(called).join(", ") || "-", count })}
    >${cards.map(face)}${empty}</span
  >`;
}

/** The 52 keys: one touch a card; what lies elsewhere is grey, and a second touch takes one back. */
export function keypad({ chosen, fits, full, dead: settles = false, touched }) {
  return html`<div class="keypad" role="group" aria-label=${say("keypad.title")} ?inert=${settles}>
    ${SUITS.map((s) =>
      RANKS.map((rank) => {
        const card = rank + s;
        const is = chosen.includes(card);
        const dead = !fits(card) || (full && !is);
        return html`<button
          type="button"
          class="key ${s} ${is ? "chosen" : dead ? "gone" : ""}"
          aria-label=${called(card)}
          aria-pressed=${is}
          aria-disabled=${dead}
          @click=${() => dead || touched(card)}
        >
          ${shown(rank)}${suit(s, "")}
        </button>`;
      }),
    )}
  </div>`;
}
