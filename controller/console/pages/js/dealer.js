// The dealer's page: the table in an arc, one prompt, and what answers it. The page knows no game:
// everything that can be pressed is an offer of the table.

import { html, nothing, render } from "/static/vendor/lit-html.js";
import { LANGUAGES, choose, language, lasting, learn, money, say, word } from "/static/js/words.js";
import { dress, suits, switchSuits, switchTheme, theme } from "/static/js/look.js";
import { Live, locked, settled } from "/static/js/live.js";
import { arc, named } from "/static/js/arc.js";
import { Asking } from "/static/js/asking.js";
import { chips } from "/static/js/chips.js";
import { beside } from "/static/js/drill.js";
import { Signing } from "/static/js/pad.js";
import { sign } from "/static/js/signs.js";
import { spoken, tongue, voiced } from "/static/js/spoken.js";
import { pressed, press } from "/static/js/press.js";
import { deal, foremost, isButton, isPlain, lockOut, steps, titled, together } from "/static/js/offers.js";

const ROLE = "dealer";
const table = decodeURIComponent(location.pathname.split("/").filter(Boolean)[1] ?? "");
const page = document.getElementById("page");

/** What the dealer has opened beside the prompt: nothing, a seat, or one of the drawers. */
let drawer = null;
/** The offer that is being filled in. */
let asking = null;
/** The step whose clause or lines are looked at. */
let clause = null;

await learn();
dress();
const live = new Live("dealer", [table], draw);
beside(live);
const signing = new Signing(live, [ROLE], () => open(null));
/** When the badge was read whose PIN was asked for last. */
let badge = null;

function open(what) {
  drawer = drawer === what ? null : what;
  drop();
  live.draw();
}

function drop() {
  asking?.leave();
  asking = null;
}

live.listeners.push((message) => {
  if (message.kind === "session" && message.session === null) {
    drawer = null;
    drop();
  }
});

/** A badge at the table's reader says who it is: then the PIN is asked for here. */
function read(held) {
  if (!held || held.role !== ROLE || held.at === badge) return;
  badge = held.at;
  if (live.session?.person === held.person) return;
  signing.choose({ id: held.person, role: held.role });
  if (signedOn()) {
    drawer = "sign on";
    drop();
  }
}

const signedOn = () => live.session !== null && live.session.role === ROLE;

// --- Presses ---------------------------------------------------------------------

/** From the press until the picture has it: what stands there in between is what was. */
function busy() {
  const last = live.last;
  if (last === null) return false;
  if (last.state === "recorded") return last.seq !== null && live.picture().seq < last.seq;
  return last.state === "pressed" && !last.locks;
}

function taken(offer) {
  if (!signedOn()) {
    open("sign on");
    return;
  }
  if (busy()) return;
  if (!isPlain(offer)) {
    fill(offer);
    return;
  }
  live.take(table, offer);
  done();
}

/** Fill in what the offer asks for, the needless too. */
function fill(offer) {
  begun(offer).opened = true;
  live.draw();
}

function done() {
  drop();
  if (drawer !== "irregular") drawer = null;
  live.draw();
}

/** A button for an offer; at its place it is dead until it has meant the same for a moment. */
function button(offer, place, kind = "", short = "") {
  const dead = !settled(place, offer.id, live) || busy();
  // What asks for more is held down where that is told.
  return press(isPlain(offer) ? offer : { ...offer, hold_to_press: false }, { place, dead, kind, label: titled(offer), short, state: pressed(live, offer), taken: () => taken(offer) });
}

const sum = (offer) => offer.acts.reduce((so_far, act) => so_far + (act.with.amount ?? 0), 0);

/** Asked for at once where a touch on a button would only begin it. */
const AT_ONCE = ["cards", "count", "seat", "cents", "choice"];

function begun(offer) {
  if (asking?.offer.id !== offer.id) {
    drop();
    asking = new Asking(live, table, offer, done);
  }
  return asking;
}

// --- The page ------------------------------------------------------------------------

function draw() {
  const picture = live.picture();
  if (picture === null) {
    render(html`<p class="waiting" role="status">${spoken(live.lost.get(table)?.why) ?? say("waiting.table", { table })}</p>`, page);
    return;
  }
  read(picture.badge);
  const all = steps(picture, [ROLE]);
  const first = foremost(all);
  if (asking !== null && !picture.offers.some((one) => one.id === asking.offer.id)) drop();
  document.title = say("dealer.title", { table });
  render(html`${top(picture)} ${band(picture)} ${seats(picture, first)} ${dock(picture, all, first)}`, page);
}

function top(picture) {
  const ill = picture.devices.filter((one) => !["ready", "degraded"].includes(one.status));
  return html`<header class="top">
    <h1>${picture.title || picture.table}</h1>
    <p class="quiet facts"><span>${picture.table}</span> <span>${say("round", { round: picture.round })}</span></p>
    <p class="phase" role="group" aria-label=${say("phase.title")}><span class=${picture.holds.length ? "" : "unseen"}>${word("phase", picture.phase)}</span>${picture.void ? html` <span class="noted">${sign("warn")} ${say("round.void")}</span>` : nothing}</p>
    <span class="grow"></span>
    ${ill.length
      ? html`<button class="plain noted" aria-expanded=${drawer === "devices"} @click=${() => open("devices")}>${sign("warn")} ${say("devices.wrong", { count: ill.length })}</button>`
      : nothing}
    <button class="plain" aria-expanded=${drawer === "irregular"} @click=${() => open("irregular")}>${say("irregular.title")}</button>
    <button class="plain" aria-expanded=${drawer === "table"} @click=${() => open("table")}>${sign("more")} ${say("drawer.table")}</button>
    ${signedOn()
      ? html`<button class="plain" aria-label=${say("lock.who", { person: live.session.person })} @click=${() => live.signOff(true)}>${sign("shut")} ${live.session.person}</button>`
      : html`<button class=${drawer === "sign on" ? "" : "act"} aria-expanded=${drawer === "sign on"} @click=${() => open("sign on")}>${say("sign_on.title")}</button>`}
  </header>`;
}

/** What stops the table: the first cause stands, what follows from it is counted. */
function band(picture) {
  const [first, ...more] = picture.holds;
  if (first === undefined) {
    return html`<div class="band" aria-hidden="true">
      ${PHASES.map((one) => html`<span class=${one === picture.phase ? "now" : ""}>${word("phase", one)}</span>`)}
    </div>`;
  }
  const length = [first.where, first.cause, first.over].reduce((so_far, text) => so_far + spoken(text).length, 0);
  return html`<div class="band alarm" role="alert" aria-label=${say("hold.title")}>
    ${sign("hold")}
    <p class=${length > 45 ? "long" : ""}><strong>${say("hold.word")}</strong> ${voiced(first.where)}: ${voiced(first.cause)}${first.over ? html`; ${say("hold.over")} ${voiced(first.over)}` : nothing}</p>
    <p class="who">${say("hold.clears", { who: word("role", first.clears), since: lasting(first.age_s) })}</p>
    ${more.length ? html`<button class="plain" aria-expanded=${drawer === "holds"} @click=${() => open("holds")}>${say("hold.more", { count: more.length })}</button>` : nothing}
  </div>`;
}

const PHASES = ["opening", "shuffling", "betting", "locked", "dealing", "deciding", "revealing", "settling", "clearing"];

function seats(picture, first) {
  return arc(picture, {
    due: first?.prompt.seat ?? null,
    chosen: drawer?.seat ?? null,
    touched: (seat) => open(drawer?.seat === seat ? drawer : { seat }),
    quick: (seat) => {
      const offer = quick(picture, seat.number);
      return offer ? button(offer, `seat ${seat.number}`, "quick", say("repeat", { amount: money(sum(offer)) })) : null;
    },
  });
}

/** What a seat had before it the last time, once more. */
function quick(picture, number) {
  return picture.offers.find((one) => one.who === ROLE && one.group === "may" && one.seat === number && isPlain(one) && one.acts.every((act) => act.action === "wager_placed"));
}

// --- The dock: lock-out, the prompt with its work, deal --------------------------------

function dock(picture, all, first) {
  return html`<section class="dock">
    ${large(picture, "lock", lockOut(picture), say("lock_out"), locked(picture) ? "shut" : "open", say(locked(picture) ? "locks.shut" : "locks.open"))}
    <section class="prompt" aria-label=${say("prompt.title")}>${prompt(picture, all, first)}</section>
    ${large(picture, "deal", deal(picture), say("deal"), "right", receipt())}
  </section>`;
}

/** One of the two buttons that never move. Lock-out acts as the finger comes down. */
function large(picture, name, offer, label, shape, above) {
  const off = offer === null || !signedOn();
  const act = () => (offer === null ? undefined : taken(offer));
  return html`<div class="large ${name}">
    <div class="above">${above}</div>
    <button
      class=${off ? "off" : "act"}
      aria-disabled=${off}
      data-press=${offer ? pressed(live, offer) : ""}
      @pointerdown=${name === "lock" ? act : null}
      @click=${(event) => (name === "lock" && event.detail !== 0 ? undefined : act())}
    >
      ${sign(shape)} <span>${label}</span>
    </button>
  </div>`;
}

/** What became of the last press. */
function receipt() {
  const last = live.last;
  if (last === null) return html`<p class="receipt" role="status" aria-label=${say("receipt.title")}></p>`;
  const bad = last.state === "refused" || last.state === "unknown";
  const shape = { pressed: "sent", recorded: "done", confirmed: "done", refused: "warn", unknown: "warn" }[last.state];
  return html`<p class="receipt ${last.state} ${bad ? "noted" : ""}" role=${bad ? "alert" : "status"} aria-label=${say("receipt.title")}>
    ${sign(shape)} <strong>${word("press", last.state)}</strong>
    <span>${bad ? voiced(last.words) : titled(last.offer)}</span>
    ${last.seq ? html`<span class="quiet">${say("entry", { seq: last.seq })}</span>` : nothing}
  </p>`;
}

function prompt(picture, all, first) {
  const others = picture.prompts.filter((one) => one.who !== ROLE);
  const text = first ? (first.lines.length > 1 ? titled(first.choices.at(-1)) : spoken(first.prompt.text)) : (spoken(others[0]?.text) ?? say("prompt.nothing"));
  const raw = first ? (first.lines.length > 1 ? first.choices.at(-1).title : first.prompt.text) : (others[0]?.text ?? "");
  const who = !first && others.length ? word("role", others[0].who) : "";
  return html`
    <div class="say">
      <div aria-live="polite" aria-atomic="true" class="text">
        ${who ? html`<span class="for">${say("prompt.for", { who })}</span>` : nothing}
        <p class=${text.length > (asking?.onlyCards ? 55 : 90) ? "long" : ""} lang=${tongue(raw)}>${text.charAt(0).toUpperCase() + text.slice(1)}</p>
      </div>
      ${asking?.onlyCards ? asking.keyed() : nothing}
      ${first?.prompt.clause && !asking?.onlyCards ? html`<button class="plain clause" aria-label=${say("clause.show")} aria-expanded=${clause !== null} @click=${() => { clause = clause === null ? first.prompt.clause : null; live.draw(); }}>§</button>` : nothing}
    </div>
    <div class="work" data-keeps>${work(picture, all, first)}</div>`;
}

function work(picture, all, first) {
  if (drawer === "sign on" || (!signedOn() && drawer === null)) return signing.view([picture]);
  if (drawer?.seat !== undefined) return html`<div class="with-back">${back(() => open(drawer))} ${seatDrawer(picture, drawer.seat)}</div>`;
  if (asking !== null && asking.opened) return html`<div class="with-back">${back(() => { drop(); live.draw(); })} ${asking.view(picture)}</div>`;
  if (drawer !== null) return html`<div class="with-back">${back(() => open(drawer))} ${drawn(picture, all, first)}</div>`;
  if (first === null) return nothing;
  // What the dealer is asked for is keyed in at once: no touch is spent on beginning.
  const all_at_once = together(picture, first);
  const only = first.choices.length === 1 && !all_at_once.length ? first.choices[0] : null;
  if (only !== null && !isPlain(only) && only.asks.every((ask) => AT_ONCE.includes(ask.shape))) {
    return html`${begun(only).view(picture)} ${asking.onlyCards ? nothing : also(picture, all, first)}`;
  }
  drop();
  const many = first.lines.length > 1 || clause !== null;
  return html`<div class="answer ${many ? "many" : ""}">${many ? lines(picture, first) : nothing}
    <div class="choices" role="group" aria-label=${say("answers.title")}>${choices(picture, all, first)}</div></div>
    ${meant(all_at_once)}
    ${also(picture, all, first)}`;
}

/** What one answer answers, a line each, with the chips and the clause that it follows. */
function lines(picture, step) {
  const clauses = step.lines.map((line) => line.clause);
  const due = picture.due.filter((one) => one.seat === step.prompt.seat && !one.paid && clauses.includes(one.clause));
  if (due.length) return html`<ul class="lines" aria-label=${say("due.title", { seat: step.prompt.seat })}>${due.map((one) => dueLine(picture, one))}</ul>`;
  return html`<ul class="lines" aria-label=${say("prompt.lines")}>
    ${step.lines.map((line) => html`<li><span class="words">${voiced(line.text)}</span>${clause === null ? nothing : html`<span class="quiet">${voiced(line.clause)}</span>`}</li>`)}
  </ul>`;
}

/** One wager of a seat on its way to the player or into the rack. */
function dueLine(picture, one) {
  return html`<li class=${one.returns ? "" : "quiet"}>
    <span class="what" title=${spoken(picture.wagers[one.wager]?.title ?? one.wager)}>${named(one.wager)}</span>
    <span class="stake">${one.stake ? money(one.stake) : ""}</span>
    <span class="odds">${clause === null ? (one.odds ? voiced(one.odds) : word("result", one.result)) : voiced(one.clause)}</span>
    <span class="to">${one.returns ? money(one.returns) : say("due.collect")}</span>
    <span class="stacks">${one.returns ? chips(one.returns, picture.denominations) : nothing}</span>
  </li>`;
}

function choices(picture, all, first) {
  const mine = [...together(picture, first).filter((one) => !one.hold_to_press), ...first.choices.filter((one) => !isButton(one))];
  if (!mine.length && first.choices.length) {
    const name = first.choices[0] === lockOut(picture) ? "lock_out" : "deal";
    return html`<p class="hint">${name === "lock_out" ? sign("back") : nothing} ${say("prompt.press", { button: say(name) })} ${name === "deal" ? sign("right") : nothing}</p>`;
  }
  // Others who may answer the same in any order stand beside it.
  const beside = all.filter((one) => one !== first && one.choices.length && one.prompt.answer === first.prompt.answer && one.prompt.seat !== null);
  if (beside.length) {
    return [first, ...beside].map((one) => html`<div class="column">${one.choices.map((offer, index) => button(offer, `${one.prompt.seat} ${index}`, "act"))}</div>`);
  }
  // What is told of several at once is the large one, and its first step alone stands beside it.
  const most = Math.max(...mine.map((one) => one.acts.length));
  return mine.map((offer, index) => button(offer, `choice ${index}`, offer.acts.length === most ? "act" : "step"));
}

/** What all seats that are left may do alike: held down, since it is meant for each of them. */
function meant(some) {
  const held = some.filter((one) => one.hold_to_press);
  if (!held.length) return nothing;
  return html`<div class="together" role="group" aria-label=${say("together.title")}>${held.map((offer, index) => button(offer, `together ${index}`))}</div>`;
}

/** What else the dealer is told, and what else is possible now: one row, the rest in a drawer. */
function also(picture, all, first) {
  const { told, due, may } = besides(picture, all, first);
  if (!told.length && !due.length && !may.length) return nothing;
  return html`<div class="also">
    ${[...due, ...may].slice(0, 2).map((offer) => button(offer, `also ${titled(offer)}`))}
    <p>${voiced(told[0]?.prompt.text)}</p>
    ${told.length > 1 || due.length + may.length > 2
      ? html`<button type="button" class="plain" aria-expanded=${drawer === "besides"} @click=${() => open("besides")}>${say("besides.more", { count: Math.max(0, told.length - 1) + Math.max(0, due.length + may.length - 2) })}</button>`
      : nothing}
  </div>`;
}

function besides(picture, all, first) {
  const beside = (one) => one.prompt.answer === first.prompt.answer && one.prompt.seat !== null;
  const others = all.filter((one) => one !== first && !(one.choices.length && beside(one)));
  const more = first.choices.filter((offer) => isPlain(offer) && offer.asks.length);
  const shown = together(picture, first);
  return {
    told: others.filter((one) => !one.choices.length),
    due: others.flatMap((one) => one.choices).filter((offer) => !isButton(offer) && !shown.includes(offer)),
    may: picture.offers.filter((one) => one.who === ROLE && one.group === "may" && one.seat === null && !isButton(one) && isPlain(one) && !shown.includes(one)),
    more,
  };
}

// --- Drawers -----------------------------------------------------------------------------

const back = (leave) => html`<button class="plain back" aria-label=${say("drawer.back")} @click=${leave}>${sign("back")}</button>`;

function drawn(picture, all, first) {
  if (drawer === "irregular") return offersDrawer(picture, say("irregular.title"), (one) => one.group === "irregular" && one.who === ROLE);
  if (drawer === "table") return tableDrawer(picture);
  if (drawer === "devices") return devicesDrawer(picture);
  if (drawer === "besides" && first !== null) return besidesDrawer(picture, all, first);
  return holdsDrawer(picture);
}

function besidesDrawer(picture, all, first) {
  const { told, due, may, more } = besides(picture, all, first);
  return html`<div class="drawer" role="region" aria-label=${say("besides.title")}>
    ${[...due, ...may].map((offer) => html`<div class="offer">${button(offer, `drawer ${titled(offer)}`)}</div>`)}
    ${more.map((offer) => html`<div class="offer"><button type="button" @click=${() => fill(offer)}>${say("offer.fill", { title: titled(offer), what: offer.asks.map((ask) => spoken(ask.words)).join(", ") })}</button></div>`)}
    ${told.map((one) => html`<p>${voiced(one.prompt.text)} <span class="quiet">${voiced(one.prompt.clause)}</span></p>`)}
  </div>`;
}

function offersDrawer(picture, title, fits) {
  const some = picture.offers.filter(fits);
  return html`<div class="drawer" role="region" aria-label=${title}>
    ${some.length ? some.map((offer) => html`<div class="offer">${button(offer, `drawer ${titled(offer)}`)}${offer.follows ? html`<p>${voiced(offer.follows)}</p>` : nothing}</div>`) : html`<p>${say("drawer.nothing")}</p>`}
  </div>`;
}

/** What can be done for one seat: what takes a sum has its chips beside it at once. */
function seatDrawer(picture, number) {
  // What is touched at the seat itself is not here a second time.
  const mine = picture.offers.filter((one) => one.seat === number && one.who === ROLE && one.group === "may" && one !== quick(picture, number));
  const sums = mine.filter((one) => !isPlain(one));
  const chosen = sums.find((one) => one.id === asking?.offer.id) ?? sums.find((one) => one.asks.some((ask) => ask.shape === "cents")) ?? (sums.length === 1 ? sums[0] : undefined);
  const form = chosen ? begun(chosen) : null;
  return html`<div class="drawer seat-drawer" role="region" aria-label=${say("drawer.seat", { seat: number })}>
    <div class="some">
      <div role="tablist" class="some" aria-label=${say("drawer.seat", { seat: number })}>
        ${sums.map((offer) => html`<button type="button" role="tab" aria-selected=${offer === chosen} @click=${() => { begun(offer); live.draw(); }}>${titled(offer)}</button>`)}
      </div>
      ${mine.filter((offer) => !sums.includes(offer)).map((offer) => button(offer, `seat drawer ${titled(offer)}`))}
      ${mine.length ? nothing : html`<p>${say("drawer.nothing")}</p>`}
    </div>
    ${form ? form.view(picture) : nothing}
  </div>`;
}

function tableDrawer(picture) {
  const may = picture.offers.filter((one) => one.who === ROLE && one.group === "may" && one.seat === null && !isButton(one));
  return html`<div class="drawer" role="region" aria-label=${say("drawer.table")}>
    ${may.map((offer) => html`<div class="offer">${button(offer, `drawer ${titled(offer)}`)}</div>`)}
    <div class="offer settings">
      ${signedOn() ? html`<button @click=${() => live.signOff()}>${say("sign_off.who", { person: live.session.person })}</button>` : nothing}
      <button @click=${() => { switchTheme(); live.draw(); }}>${say(theme() === "light" ? "look.dark" : "look.light")}</button>
      <button @click=${() => { switchSuits(); live.draw(); }}>${say(suits() === "four" ? "look.two" : "look.four")}</button>
      ${Object.entries(LANGUAGES).filter(([name]) => name !== language).map(([name, called]) => html`<button lang=${name} @click=${() => choose(name)}>${called}</button>`)}
    </div>
    ${Object.entries(picture.withheld ?? {}).map(([wager, why]) => html`<p class="noted">${sign("warn")} ${say("withheld", { wager: spoken(picture.wagers[wager]?.title ?? wager), why: spoken(why) })}</p>`)}
    <p class="quiet">${say("about", { version: live.hello?.version ?? "", seq: picture.seq, rulebook: picture.rulebook })}</p>
  </div>`;
}

function devicesDrawer(picture) {
  return html`<div class="drawer" role="region" aria-label=${say("devices.title")}>
    ${picture.devices.map((one) => html`<p class=${["ready", "degraded"].includes(one.status) ? "quiet" : "noted"}>${voiced(one.device)}: ${word("device", one.status)}${one.reason ? html`: ${voiced(one.reason)}. ${voiced(one.next_step)}` : ""}</p>`)}
  </div>`;
}

function holdsDrawer(picture) {
  return html`<div class="drawer" role="region" aria-label=${say("hold.all")}>
    ${picture.holds.map(
      (one) => html`<div class="hold"><p><strong>${voiced(one.where)}: ${voiced(one.cause)}</strong></p>
        <p>${say("hold.clears", { who: word("role", one.clears), since: lasting(one.age_s) })}. ${voiced(one.stops)}.</p>
        <p>${voiced(one.next_step)}</p></div>`,
    )}
  </div>`;
}

document.addEventListener("keydown", (event) => {
  const picture = live.picture();
  if (picture === null || event.target.closest("input")) return;
  if (drawer === "sign on" || (!signedOn() && drawer === null)) signing.key(event, [picture]);
  else if (event.key === "Escape") {
    drawer = null;
    drop();
    live.draw();
  }
});
live.draw();
