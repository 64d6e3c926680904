// The bench of a simulated table: watch it play, take anybody's place with one click, and work all of
// its hardware. What is said to the table from the place that one took is said on that place's page.

import { html, nothing, render } from "/static/vendor/lit-html.js";
import { learn, money, say, word } from "/static/js/words.js";
import { dress, switchTheme, theme } from "/static/js/look.js";
import { Live } from "/static/js/live.js";
import { face, hand, told } from "/static/js/card.js";
import { Hardware } from "/static/js/hardware.js";
import { sign } from "/static/js/signs.js";
import { spoken, voiced } from "/static/js/spoken.js";

const table = decodeURIComponent(location.pathname.split("/").filter(Boolean)[1] ?? "");
const page = document.getElementById("page");
const SPEEDS = [0.5, 1, 2, 5, 20];
/** The places that have a page of their own, and who signs on there. */
const PAGES = {
  dealer: { role: "dealer", address: `/dealer/${encodeURIComponent(table)}` },
  floor: { role: "floorperson", address: "/floor" },
};

/** Why the last thing that was done was not taken, if it was not. */
let refused = "";

await learn();
dress();
const live = new Live("bench", [table], draw);
const hardware = new Hardware(work, () => live.draw());

async function work(what, given = {}) {
  const answer = await live.work(table, what, given);
  refused = answer.ok ? "" : answer.error;
  live.draw();
  return answer.ok;
}

// --- Places ----------------------------------------------------------------------

/** Take a place: the crew leaves it alone from now on, and its page opens. */
async function take(part) {
  if (!(await work("play", { who: part, by: "me" }))) return;
  if (part in PAGES) await show(part);
}

/** Signed on as who sits there, and at the page of that place. */
async function show(part) {
  const { role, address } = PAGES[part];
  const person = live.bench().people.find((one) => one.role === role);
  if (person?.pin && (live.session?.person !== person.id || live.session.role !== role)) {
    const answer = await live.signOn(person.id, role, person.pin);
    if (!answer.ok) refused = answer.error;
  }
  // A browser that opens no second window goes there in this one.
  if (window.open(address, `felt ${part} ${table}`) === null) location.assign(address);
  live.draw();
}

/** Give a place back: the crew goes on from where the table stands. */
async function leave(part) {
  await work("play", { who: part, by: "simulated" });
  if (part in PAGES && live.session?.role === PAGES[part].role) live.signOff(true);
}

// --- The page ---------------------------------------------------------------------

function draw() {
  const bench = live.bench();
  const picture = live.picture();
  hardware.titles = picture?.meter_titles ?? {};
  document.title = say("bench.title", { table });
  if (bench === null || picture === null) {
    render(html`<p class="waiting" role="status">${spoken(live.lost.get(table)?.why) ?? waiting()}</p>`, page);
    return;
  }
  render(html`${top(picture, bench)} <div class="stage">${stage(bench)}</div> <aside class="aside">${places(bench)} ${mine(picture, bench)} ${people(bench)}</aside>`, page);
}

/** A table with real devices has no bench. */
function waiting() {
  const known = live.hello?.tables.find((one) => one.table === table);
  return known !== undefined && !known.bench && live.picture() !== null ? say("bench.none", { table }) : say("waiting.table", { table });
}

function top(picture, bench) {
  return html`<header class="top">
    <h1>${picture.title || picture.table}</h1>
    <p class="quiet">${picture.table}, ${say("round", { round: bench.round })}, <strong>${word("phase", bench.phase)}</strong></p>
    <p class="prompt" role="status" title=${spoken(picture.prompts[0]?.text ?? "")}>${happens(picture, bench)}</p>
    <div class="pace" role="group" aria-label=${say("bench.pace")}>
      <button type="button" @click=${() => work(bench.goes ? "stop" : "go")}>${say(bench.goes ? "bench.stop" : "bench.go")}</button>
      ${SPEEDS.map((speed) => html`<button type="button" aria-pressed=${bench.speed === speed} aria-label=${say("bench.speed", { speed })} @click=${() => work("pace", { speed })}>${speed}×</button>`)}
    </div>
    <nav class="links">
      <a class="button" target="felt dealer ${table}" href=${PAGES.dealer.address}>${say("bench.page.dealer")}</a>
      <a class="button" target="felt floor ${table}" href=${PAGES.floor.address}>${say("bench.page.floor")}</a>
      <a class="button" target="felt sign ${table}" href="/sign/${encodeURIComponent(table)}">${say("bench.page.sign")}</a>
      ${live.hello?.school ? html`<a class="button" href="/school">${say("bench.page.school")}</a>` : nothing}
      <button type="button" @click=${() => { switchTheme(); live.draw(); }}>${say(theme() === "light" ? "look.dark" : "look.light")}</button>
    </nav>
  </header>`;
}

/** What the table waits for, in its own words. */
function happens(picture, bench) {
  const hold = picture.holds[0];
  if (hold) return html`<span class="noted">${sign("hold")} ${voiced(hold.where)}: ${voiced(hold.cause)}</span>`;
  if (bench.stuck) return html`<span class="noted">${sign("warn")} ${voiced(bench.stuck)}</span>`;
  const first = picture.prompts[0];
  return first ? html`<span class="quiet">${word("role", first.who)}:</span> ${voiced(first.text)}` : nothing;
}

// --- Hardware -----------------------------------------------------------------------

/** What lies in a device is drawn in it. */
const INSIDE = ["shoe", "shuffler", "tray"];
const ORDER = ["shuffler", "shoe", "panel", "sign"];

function stage(bench) {
  const of = (kind) => bench.devices.filter((one) => one.kind === kind);
  return html`<section class="dealers" aria-label=${say("bench.dealers")}>${ORDER.flatMap(of).map((one) => hardware.device(one))}</section>
    <section class="lying" aria-label=${say("bench.lying")}>
      ${bench.top.filter((one) => !one.place.startsWith("seat ") && !INSIDE.includes(one.place)).map((one) => html`<div class="place"><h3>${word("bench.place", one.place)}</h3>${lies(one)}</div>`)}
    </section>
    <section class="seats of-${bench.seats.length}" aria-label=${say("bench.seats")}>${bench.seats.map((seat) => seatView(bench, seat))}</section>
    ${hardware.wires(bench.wires)}`;
}

/** More than a hand is a pile, and has a number. */
function lies(one) {
  if (one.cards > 8) return html`<p class="count">${say("bench.cards", { cards: one.cards })}</p>`;
  return html`<p>${hand(one.faces, one.cards, word("bench.place", one.place))}</p>`;
}

function seatView(bench, seat) {
  const lying = bench.top.find((one) => one.place === `seat ${seat.number}`);
  const me = seat.by === "me";
  return html`<div class="seat ${me ? "me" : ""} ${seat.awaited ? "awaited" : ""}" role="group" aria-label=${say("seat", { seat: seat.number })}>
    <p class="who"><span class="number">${seat.number}</span> <span>${me ? say("bench.me") : (seat.player ?? say("seat.empty"))}</span></p>
    <p class="lies">${seat.hand ? hand(seat.hand, seat.cards, say("seat", { seat: seat.number })) : lying ? hand(lying.faces, lying.cards, say("seat", { seat: seat.number })) : nothing}</p>
    ${seat.says && bench.cast.dealer === "me" ? html`<p class="says">${say("bench.says", { what: seat.says.cents ? money(seat.says.cents) : word("bench.choice", seat.says.choice) })}</p>` : nothing}
    <p class="down">${Object.entries(seat.wagers).map(([wager, cents]) => html`<span><span class="quiet">${word("wager", wager)}</span> ${money(cents)}</span>`)}</p>
    ${bench.devices.filter((one) => one.seat === seat.number).map((one) => hardware.device(one))}
  </div>`;
}

// --- Who is played by whom ------------------------------------------------------------

function places(bench) {
  const deals = bench.cast.dealer === "me";
  return html`<section class="places" aria-label=${say("bench.places")}>
    <h2>${say("bench.places")}</h2>
    <p class="quiet">${deals ? say("bench.beside") : say("bench.what")}</p>
    ${Object.keys(PAGES).map((part) => place(bench, part))}
    <div class="sit" role="group" aria-label=${say("bench.sit")}>
      <span>${say("bench.sit")}</span>
      ${bench.seats.map((seat) => {
        const me = seat.by === "me";
        const label = say(me ? "bench.stand.seat" : "bench.sit.seat", { seat: seat.number });
        return html`<button type="button" aria-pressed=${me} aria-label=${label} @click=${() => (me ? leave : take)(`seat ${seat.number}`)}>${seat.number}</button>`;
      })}
    </div>
    ${deals
      ? html`<label class="row"><input type="checkbox" .checked=${bench.hands_follow} @change=${(event) => work("hands", { follow: event.target.checked })} /> ${say("bench.hands")}</label>`
      : nothing}
    <p class="refused noted" role="alert">${refused ? html`${sign("warn")} ${voiced(refused)}` : nothing}</p>
  </section>`;
}

function place(bench, part) {
  const me = bench.cast[part] === "me";
  return html`<div class="part ${me ? "me" : ""}" role="group" aria-label=${say(`bench.part.${part}`)}>
    ${me
      ? html`<button type="button" class="act" @click=${() => show(part)}>${say(`bench.open.${part}`)}</button>
          <button type="button" @click=${() => leave(part)}>${say(`bench.back.${part}`)}</button>`
      : html`<button type="button" class="act" @click=${() => take(part)}>${say(`bench.take.${part}`)}</button>
          <span class="quiet">${say(`bench.simulated.${part}`)}</span>`}
  </div>`;
}

// --- What waits for whoever plays here -----------------------------------------------------

function mine(picture, bench) {
  const seats = bench.seats.filter((seat) => seat.by === "me");
  const deals = bench.cast.dealer === "me";
  const waits = bench.awaited.filter((part) => part in PAGES).map((part) => say(`bench.awaits.${part}`));
  return html`<section class="mine" aria-label=${say("bench.mine")}>
    ${deals || seats.length || waits.length ? html`<h2>${say("bench.mine")}</h2>` : nothing}
    ${waits.map((text) => html`<p>${sign("right")} ${text}</p>`)}
    ${bench.handwork.map((one) => html`<button type="button" class="act" @click=${() => work(one.do, one.with)}>${voiced(one.title)}</button>`)}
    ${bench.to_key_in.map((one) => html`<p class="row"><span class="quiet">${say("bench.key_in", { place: word("bench.place", one.place) })}</span> <span class="cards apart">${told(one.cards).map(face)}</span></p>`)}
    ${deals && bench.chips_to_count ? html`<p>${say("bench.chips", { chips: bench.chips_to_count })}</p>` : nothing}
    ${seats.map((seat) => turn(bench, seat))}
  </section>`;
}

function turn(bench, seat) {
  const number = seat.number;
  const ready = Object.keys(seat.wagers).length ? "bench.ready" : "bench.sits_out";
  return html`<div class="turn" role="group" aria-label=${say("bench.turn", { seat: number })}>
    <h3>${say("bench.turn", { seat: number })}</h3>
    ${seat.wagers_offered.map((one) => wager(number, one))}
    ${seat.wagers_offered.length && seat.awaited
      ? html`<button type="button" class="act" aria-label=${ofSeat(number, say(ready))} @click=${() => work("ready", { seat: number })}>${say(ready)}</button>`
      : nothing}
    ${seat.decisions.length && seat.awaited
      ? html`<p>${hand(seat.hand, seat.cards, say("seat", { seat: number }))}</p>
          <div class="some">${seat.decisions.map((one) => decision(number, one))}</div>`
      : nothing}
    ${seat.awaited ? nothing : html`<p class="quiet">${say("bench.waits")}</p>`}
    ${bench.devices.some((one) => one.kind === "terminal" && one.seat === number) ? tablet(number, seat.tablet) : nothing}
  </div>`;
}

/** Who plays several seats hears of which of them a button is. */
const ofSeat = (seat, title) => say("offer.seat", { seat, title });

function decision(seat, one) {
  const what = one.cents ? `${spoken(one.title)} ${money(one.cents)}` : word("bench.choice", one.choice);
  return html`<button type="button" class="act" aria-label=${ofSeat(seat, what)} @click=${() => work("decide", { seat, choice: one.choice, amount: one.cents })}>${what}</button>`;
}

/** The terminal of a seat as a tablet: its page is another program's, at an address of its own. */
function tablet(seat, one) {
  if (!one || one.ended) {
    return html`${one ? html`<p class="noted">${sign("warn")} ${one.ended}</p>` : nothing}
      <button type="button" @click=${() => work("tablet", { seat })}>${say("bench.tablet.take", { seat })}</button>`;
  }
  return html`<div class="some">
    ${one.address
      ? html`<a class="button act" target="felt terminal ${seat} ${table}" rel="noopener" href=${one.address}>${say("bench.tablet.open", { seat })}</a>`
      : html`<p class="quiet" role="status">${say("bench.tablet.starts")}</p>`}
    <button type="button" @click=${() => work("tablet", { seat, out: false })}>${say("bench.tablet.back", { seat })}</button>
  </div>`;
}

function wager(seat, one) {
  const down = one.down > 0;
  return html`<div class="wager">
    <span>${voiced(one.title)}</span>
    ${down
      ? html`<strong>${money(one.down)}</strong> <button type="button" aria-label=${ofSeat(seat, say("bench.take_back", { wager: spoken(one.title) }))} @click=${() => work("take_back", { seat, wager: one.wager })}>${say("bench.chip.out")}</button>`
      : one.amounts.map((cents) => html`<button type="button" aria-label=${ofSeat(seat, say("bench.wager", { wager: spoken(one.title), amount: money(cents) }))} @click=${() => work("wager", { seat, wager: one.wager, amount: cents })}>${money(cents)}</button>`)}
  </div>`;
}

function people(bench) {
  const known = bench.people.filter((one) => one.pin);
  if (!known.length) return nothing;
  return html`<section class="people quiet" aria-label=${say("bench.people")}>
    <h2>${say("bench.people")}</h2>
    <ul>${known.map((one) => html`<li><span>${word("role", one.role)}</span> <span>${one.id}</span> <code>${one.pin}</code></li>`)}</ul>
    <p>${live.session ? say("bench.signed_on", { person: live.session.person }) : say("bench.one_person")}</p>
  </section>`;
}

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || hardware.opened === null) return;
  hardware.open(hardware.opened);
});
live.draw();
