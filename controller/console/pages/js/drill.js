// What a trainee sees of a drill beside the dealer's page: what lies there and what happens. It is
// what anybody at the table would see, and no hint.

import { html, nothing, render } from "/static/vendor/lit-html.js";
import { money, say, word } from "/static/js/words.js";
import { face, told } from "/static/js/card.js";
import { sign } from "/static/js/signs.js";

/** What has happened, and what lies before the dealer to be read or counted. */
export function lying(running) {
  const { cards, chips, is_due, said } = running.lies;
  const seen = running.seen;
  return html`<section class="lying" aria-label=${say("school.see")} aria-live="polite">
    ${seen.map((text, n) => html`<p class="seen ${n === seen.length - 1 ? "last" : ""}">${sign("right")} ${text}</p>`)}
    ${is_due ? html`<p>${say("school.due")}</p>` : nothing}
    ${said.map((one) => html`<p>${say("school.says", { player: one.player, seat: one.seat, what: one.cents ? money(one.cents) : word("bench.choice", one.choice) })}</p>`)}
    ${cards.map((one) => html`<p class="row"><span class="quiet">${say("school.lie", { place: word("bench.place", one.place) })}</span> <span class="cards apart">${told(one.cards).map(face)}</span></p>`)}
    ${chips ? html`<p>${say("school.chips", { chips })}</p>` : nothing}
  </section>`;
}

/** On the dealer's page of a drill's table, a strip above it; on any other, nothing. */
export function beside(live) {
  const strip = document.createElement("aside");
  strip.className = "drill";
  strip.hidden = true;
  document.body.prepend(strip);
  live.listeners.push((message) => {
    if (message.kind !== "school") return;
    const running = message.school?.running ?? null;
    strip.hidden = running === null;
    document.body.classList.toggle("drilled", running !== null);
    strip.ariaLabel = say("school.drill");
    render(running === null ? nothing : inside(running), strip);
  });
}

function inside(running) {
  const over = running.stage === "over";
  return html`<a class="button ${over ? "act" : ""}" href="/school">${say(over ? "school.see_report" : "school.title")}</a>
    ${over ? html`<p>${say("school.is_over")}</p>` : running.seen.length || has(running.lies) ? lying(running) : html`<p>${running.goal}</p>`}`;
}

const has = ({ cards, chips, is_due, said }) => cards.length || chips || is_due || said.length;
