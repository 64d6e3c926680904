// The floor's page: what waits over all tables, oldest first, each with its evidence and its remedy; and
// every table from near. The page knows no game: what can be pressed is an offer of a table.

import { html, nothing, render } from "/static/vendor/lit-html.js";
import { keyed } from "/static/vendor/directives/keyed.js";
import { spoken, voiced } from "/static/js/spoken.js";
import { LANGUAGES, choose, clockTime, language, lasting, learn, say, word } from "/static/js/words.js";
import { dress, switchTheme, theme } from "/static/js/look.js";
import { Live, settled } from "/static/js/live.js";
import { Asking } from "/static/js/asking.js";
import { Signing, pinPad } from "/static/js/pad.js";
import { sign } from "/static/js/signs.js";
import { pressed, press } from "/static/js/press.js";
import { isPlain, titled } from "/static/js/offers.js";
import { credentialView, deckView, deviceView, facts, isInOrder, meters, seatEvidence } from "/static/js/evidence.js";
import { isHeard, lines, matters, mayTake } from "/static/js/waiting.js";
import { TABS, tableView } from "/static/js/floor_table.js";
import { Recall } from "/static/js/recall.js";

const ROLES = ["floorperson", "supervisor", "technician"];
const page = document.getElementById("page");

/** What is looked at: nothing, a matter by its key, or a table with one of its tabs. */
let looked = null;
/** The matter that is looked at as it was when it was last there. */
let seen = null;
/** The offer that is being filled in, and its press once it was sent: what was refused is kept to be put right. */
let asking = null;
let sent = null;
/** Whether somebody signs on, and as whom it has to be. */
let signing = null;
let reader = null;
const recalls = new Map();

await learn();
dress();
const live = new Live("floor", [], draw);

// Ages grow while nothing else happens.
let second = 0;
live.listeners.push((message) => {
  if (message.kind === "session" && message.session === null) drop();
  if (message.kind === "tick" && Math.floor(performance.now() / 1000) !== second) {
    second = Math.floor(performance.now() / 1000);
    live.draw();
  }
});

function look(at) {
  drop();
  looked = at;
  signing = null;
  live.draw();
}

function drop() {
  asking?.leave();
  asking = null;
  sent = null;
}

function fill(table, offer) {
  const before = asking;
  drop();
  asking = new Asking(live, table, offer, (press) => (sent = press), { proposes: true, before });
}

/** What was recorded needs no form any more; what was refused does. */
function tidy() {
  if (["recorded", "confirmed", "asked"].includes(sent?.state)) drop();
  else if (sent?.state === "refused") sent = null;
}

function signsOn(roles = ROLES) {
  signing = new Signing(live, roles, closed);
  live.draw();
}

function closed() {
  signing = null;
  live.draw();
}

/** A badge is read at any moment while nobody is signed on: then the PIN is asked for. */
function badge(event) {
  reader ??= new Signing(live, ROLES, closed);
  reader.key(event, pictures());
  if (reader.person === null && !reader.asked) return;
  signing = reader;
  reader = null;
}

const pictures = () => [...live.pictures.values()].map((one) => one.picture);
const busy = () => live.last?.state === "pressed";

// --- Acting ----------------------------------------------------------------------------

/** Whether who is signed on here may take it; or the words of why not. */
function standing(table, picture, offer) {
  const roles = mayTake(picture, offer.who);
  if (live.session === null || !roles.includes(live.session.role)) return { roles, words: say("floor.for", { who: word("role", offer.who) }) };
  if (!live.session.tables.includes(table)) return { roles, words: say("floor.not_there", { person: live.session.person, table }) };
  return { roles, words: "" };
}

/** An offer as it stands in a list: what follows is said before it is pressed. */
function offerRow(table, picture, offer, only = false) {
  const { roles, words } = standing(table, picture, offer);
  const label = titled(offer);
  const open = asking?.offer.id === offer.id;
  return html`<div class="offer">
    <div class="row">
      <p class="grow"><strong>${label}</strong>${offer.clause ? html` <span class="quiet">${voiced(offer.clause)}</span>` : nothing}</p>
      ${words
        ? html`<span class="quiet">${words}</span> <button type="button" aria-label=${say("floor.sign_on_for", { what: label })} @click=${() => signsOn(roles)}>${sign("shut")} ${say("sign_on.title")}</button>`
        : isPlain(offer)
          ? button(table, offer, `row ${table} ${label}`)
          : only ? nothing : html`<button type="button" aria-expanded=${open} aria-label=${say("floor.begin", { what: label })} @click=${() => begin(table, offer)}>${say(open ? "floor.close" : "floor.open")}</button>`}
    </div>
    ${offer.follows ? html`<p class="follows">${voiced(offer.follows)}</p>` : nothing}
    ${open && !words ? html`<div ?inert=${busy()}>${asking.view(picture)}</div>` : nothing}
  </div>`;
}

function begin(table, offer) {
  if (asking?.offer.id === offer.id) drop();
  else fill(table, offer);
  live.draw();
}

function button(table, offer, place) {
  const dead = !settled(place, offer.id, live) || busy();
  return press(offer, { place, dead, kind: "act", label: titled(offer), short: offer.hold_to_press ? say("floor.hold") : say("floor.do"), state: pressed(live, offer), taken: () => live.take(table, offer) });
}

// --- The page ----------------------------------------------------------------------------

function draw() {
  document.title = say("floor.title");
  if (live.hello === null) {
    render(html`<p class="waiting" role="status">${say("waiting.console")}</p>`, page);
    return;
  }
  tidy();
  const all = matters(live);
  const shown = lines(all);
  page.classList.toggle("near", looked !== null || signing !== null);
  render(html`${top(shown)} <div class="lists">${queue(shown)} ${tables(all)}</div> <section class="detail" data-keeps>${detail(all, shown)} ${receipt()}</section>`, page);
}

function top(shown) {
  const { session } = live;
  return html`<header class="top">
    <h1>${say("floor.heading")}</h1>
    <p role="status" class=${shown.length ? "" : "quiet"}>${shown.length ? say("floor.waits", { count: shown.length }) : say("floor.nothing_waits")}</p>
    <span class="grow"></span>
    <button class="plain look" @click=${() => { switchTheme(); live.draw(); }}>${say(theme() === "light" ? "look.dark" : "look.light")}</button>
    ${Object.entries(LANGUAGES).filter(([name]) => name !== language).map(([name, called]) => html`<button class="plain look" lang=${name} @click=${() => choose(name)}>${called}</button>`)}
    ${session
      ? html`<button class="plain" @click=${() => live.signOff()}>${say("floor.sign_off")}</button>
          <button class="lock" aria-label=${say("lock.who", { person: session.person })} @click=${() => live.signOff(true)}>${sign("shut")} ${session.person} <span class="quiet">${word("role", session.role)}</span></button>`
      : html`<button class="act" aria-expanded=${signing !== null} @click=${() => signsOn()}>${say("sign_on.title")}</button>`}
  </header>`;
}

// --- What waits ------------------------------------------------------------------------------

const SHAPES = { hold: "hold", credential: "shut", award: "person", documents: "more", deck: "more", table: "open", word: "right" };

/** What a matter is in one line: of a hold its place and cause, of all else the table's words. */
function said(matter) {
  const hold = holdOf(matter);
  const text = hold ? `${spoken(hold.where)}: ${spoken(hold.cause)}` : spoken(matter.text);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const holdOf = (matter) => (matter.hold === null ? null : (matter.picture.holds.find((one) => one.number === matter.hold) ?? null));

function queue(shown) {
  return html`<section class="queue" aria-label=${say("floor.waiting")}>
    <h2>${say("floor.waiting")}</h2>
    ${live.proposals.length ? html`<ul class="proposals" aria-label=${say("second.title")}>${live.proposals.map((one) => html`<li>${proposalLine(one)}</li>`)}</ul>` : nothing}
    ${shown.length ? nothing : html`<p class="calm">${sign("done")} ${say("floor.calm")}</p>`}
    <ul>${shown.map(line)}</ul>
  </section>`;
}

const titleOf = (matter) => say("floor.matter", { what: say(`matter.${matter.kind}`), table: matter.table });

/** What is read aloud after its name, which stays the same while it waits. */
function described(matter) {
  const seen = holdOf(matter)?.seen_by;
  return [
    say("floor.since", { time: clockTime(matter.since), age: lasting(matter.waits_s) }),
    matter.heard ? "" : say("floor.not_heard"),
    word("role", matter.who),
    seen ? say("floor.seen", { who: seen }) : "",
    matter.followed.length ? say("floor.followed", { count: matter.followed.length }) : "",
  ].filter(Boolean).join(", ");
}

function line(matter, index) {
  const alarm = matter.kind === "hold";
  const dead = !settled(`queue ${index}`, matter.key, live);
  const chosen = looked?.key === matter.key || matter.followed.some((one) => one.key === looked?.key);
  return html`<li>${keyed(matter.key, html`
    <button type="button" data-place="queue ${matter.key}" class="matter ${matter.kind} ${alarm ? "held" : ""}" aria-label=${say("floor.matter.said", { matter: titleOf(matter), said: said(matter) })} aria-description=${described(matter)}
      aria-current=${chosen} aria-disabled=${dead} @click=${() => dead || look({ key: matter.key })}>
      <span class="kind ${alarm ? "alarm" : ""}">${sign(SHAPES[matter.kind])} ${say(`matter.${matter.kind}`)}</span>
      <span class="at">${matter.table}</span>
      <span class="text">${said(matter)}</span>
      <span class="more quiet"><span>${say("floor.since", { time: clockTime(matter.since), age: lasting(matter.waits_s) })}</span>${matter.heard ? nothing : html` <span class="noted">${sign("cut")} ${say("floor.not_heard")}</span>`}
      <span class="who">${word("role", matter.who)}${holdOf(matter)?.seen_by ? html`, ${sign("done")} ${say("floor.seen", { who: holdOf(matter).seen_by })}` : nothing}${matter.followed.length ? html`, ${say("floor.followed", { count: matter.followed.length })}` : nothing}</span></span>
    </button>`)}
  </li>`;
}

function tables(all) {
  return html`<section class="tables" aria-label=${say("index.tables")}>
    <h2>${say("index.tables")}</h2>
    ${live.hello.tables.length ? nothing : html`<p class="quiet">${say("index.none")}</p>`}
    <ul>${live.hello.tables.map(({ table, title }) => html`<li>${tableLine(table, title, all.filter((one) => one.table === table))}</li>`)}</ul>
  </section>`;
}

function tableLine(table, title, waits) {
  const picture = live.picture(table);
  const heard = isHeard(live, table);
  return html`<button type="button" class="one-table" aria-label=${say("floor.look_at", { table })} aria-current=${looked?.table === table} @click=${() => look({ table, tab: looked?.tab ?? "table" })}>
    <strong>${table}</strong> <span class="quiet title">${picture?.title ?? title}</span>
    <span class="state">${standingOf(table, picture, heard)}</span>
    <span class="count">${waits.some((one) => one.kind === "hold") ? html`<span class="alarm">${sign("hold")} ${say("index.holds", { holds: waits.filter((one) => one.kind === "hold").length })}</span>` : nothing}</span>
  </button>`;
}

function standingOf(table, picture, heard) {
  if (picture === null && heard) return say("waiting.table", { table });
  if (!heard) return html`<span class="noted">${sign("cut")} ${spoken(live.lost.get(table)?.why) ?? say("floor.not_heard")}</span>`;
  const ill = picture.devices.filter((one) => !isInOrder(one)).length;
  return html`${say("index.round", { round: picture.round, phase: word("phase", picture.phase) })}${ill ? html`, <span class="noted">${sign("warn")} ${say("devices.wrong", { count: ill })}</span>` : nothing}`;
}

// --- One of it, from near ----------------------------------------------------------------------

function detail(all, shown) {
  if (signing !== null) {
    return html`<div class="inside signing-on"><div class="head">${back(() => { signing = null; live.draw(); })}<h2>${say("sign_on.title")}</h2></div>${signing.view(pictures())}
      ${live.hello.tables.some((one) => one.bench) ? html`<p class="quiet">${say("floor.bench_pins")}</p>` : nothing}</div>`;
  }
  if (looked?.proposal !== undefined) return proposalView(looked.proposal);
  if (looked?.key !== undefined) return matterView(all);
  if (looked?.table !== undefined) return oneTable(looked);
  return html`<div class="inside empty"><p class="quiet">${shown.length ? say("floor.choose") : say("floor.choose_table")}</p></div>`;
}

const back = (leave) => html`<button type="button" class="plain back" aria-label=${say("floor.back")} @click=${leave}>${sign("back")}</button>`;

function matterView(all) {
  const here = all.find((one) => one.key === looked.key);
  if (here !== undefined) seen = here;
  if (seen?.key !== looked.key) {
    look(null);
    return nothing;
  }
  if (here === undefined && asking !== null) drop();
  const { picture, table } = seen;
  const hold = holdOf(seen);
  const first = all.find((one) => one.table === table && one.kind === "hold");
  const title = titleOf(seen);
  return html`<article class="inside ${here === undefined ? "over" : ""}" aria-label=${title}>
    <div class="head">${back(() => look(null))}<span class="kind ${seen.kind === "hold" && here ? "alarm" : ""}">${sign(SHAPES[seen.kind])} ${title}</span></div>
    <h2>${said(seen)}</h2>
    ${here === undefined ? html`<p class="gone" role="status">${sign("done")} ${say("floor.gone")}</p>` : nothing}
    ${facts(
      ["since", html`${clockTime(seen.since)} <span class="quiet">${say("ago", { time: lasting(seen.waits_s) })}</span>`],
      ["entry", seen.entry],
      ["who", word("role", seen.who)],
      ["clause", voiced(seen.clause)],
      ["stops", voiced(hold?.stops)],
      ["seen_by", hold?.seen_by ? `${hold.seen_by}, ${clockTime(hold.seen_at)}` : ""],
    )}
    ${hold ? remedy(hold) : nothing}
    ${here === undefined ? nothing : answers(here)}
    ${hold && first?.key === seen.key ? followers(all) : nothing}
    ${hold && first !== undefined && first.key !== seen.key ? html`<p class="quiet">${say("floor.first", { what: said(first) })} <button type="button" class="plain" @click=${() => look({ key: first.key })}>${say("floor.look")}</button></p>` : nothing}
    ${evidence(seen)}
    <p class="row"><button type="button" @click=${() => look({ table, tab: "table" })}>${say("floor.to_table", { table })}</button>
      <button type="button" @click=${() => toRound(table, picture)}>${say("floor.to_round")}</button></p>
  </article>`;
}

const remedy = (hold) => (hold.next_step ? html`<p class="step"><strong>${say("floor.remedy")}</strong> ${voiced(hold.next_step)}</p>` : nothing);

/** What answers a matter: each offer with all that it asks for. */
function answers(matter) {
  const { picture, table } = matter;
  const some = offersOf(matter, matter.offers);
  if (!matter.heard) return html`<p class="noted">${sign("cut")} ${say("floor.not_heard")}</p>`;
  const also = offersOf(matter, matter.also);
  if (!some.length && !also.length) return html`<p class="quiet">${say("floor.no_answer")}</p>`;
  const only = some.length === 1 ? some[0] : null;
  const isOpen = only !== null && !isPlain(only) && !standing(table, picture, only).words;
  const other = also.some((one) => one.id === asking?.offer.id);
  if (isOpen && asking?.offer.id !== only.id && !other && !busy()) fill(table, only);
  return html`<section class="answers" aria-label=${say("floor.answers")}>
    ${some.length ? nothing : html`<p class="quiet">${say("floor.not_yet")}</p>`}
    ${some.map((offer) => offerRow(table, picture, offer, isOpen && !other))} ${also.map((offer) => offerRow(table, picture, offer))}
  </section>`;
}

const offersOf = (matter, ids) => ids.map((id) => matter.picture.offers.find((one) => one.id === id)).filter(Boolean);

function followers(all) {
  const some = all.filter((one) => one.table === seen.table && one.kind === "hold" && one.key !== seen.key);
  if (!some.length) return nothing;
  return html`<section class="followers" aria-label=${say("floor.followers")}>
    <h3>${say("floor.followed", { count: some.length })}</h3>
    <ul>${some.map((one) => html`<li><button type="button" @click=${() => look({ key: one.key })}>${said(one)} <span class="quiet">${clockTime(one.since)}</span></button></li>`)}</ul>
  </section>`;
}

/** What is known about it, of whatever it is about. */
function evidence(matter) {
  const { picture, seat } = matter;
  const hold = holdOf(matter);
  const offers = offersOf(matter, matter.offers);
  const known = Object.assign({}, ...offers.flatMap((one) => one.acts.map((act) => act.with)));
  const device = picture.devices.find((one) => one.device === matter.device);
  const deck = picture.decks.find((one) => one.id === known.deck || `deck ${one.id}` === hold?.where);
  const locked = picture.credentials.find((one) => one.person === known.person);
  const meter = Object.keys(picture.meters).filter((name) => hold?.where === `meter ${name}`);
  return html`${device ? deviceView(device) : nothing} ${seat ? seatEvidence(picture, seat) : nothing} ${deck ? deckView(picture, deck) : nothing}
    ${locked ? credentialView(locked) : nothing} ${meter.length ? meters(picture, meter) : nothing}`;
}

// --- Acts for two on two screens ------------------------------------------------------------------

/** The second person's PIN, and why it was not taken. */
let agreeing = { pin: "", words: "" };

const offerOf = (one) => live.picture(one.table)?.offers.find((offer) => offer.id === one.offer) ?? null;

function proposalLine(one) {
  const offer = offerOf(one);
  const text = one.mine ? say("second.waits", { who: one.second.id }) : say("second.asks", { who: one.first.id });
  return html`<button type="button" class="matter" aria-current=${looked?.proposal === one.id} @click=${() => { agreeing = { pin: "", words: "" }; look({ proposal: one.id }); }}>
    <span class="kind">${sign("person")} ${say("second.kind")}</span><span class="at">${one.table}</span>
    <span class="text">${offer ? titled(offer) : say("second.stale")}</span><span class="more quiet">${text}</span>
  </button>`;
}

function proposalView(id) {
  const one = live.proposals.find((some) => some.id === id);
  if (one === undefined) return html`<article class="inside over" aria-label=${say("second.title")}><div class="head">${back(() => look(null))}</div><p class="gone" role="status">${sign("done")} ${say("floor.gone")}</p></article>`;
  const offer = offerOf(one);
  const withdraw = async () => {
    await live.withdraw(id);
    look(null);
  };
  return html`<article class="inside" aria-label=${say("second.title")}>
    <div class="head">${back(() => look(null))}<span class="kind">${sign("person")} ${say("second.kind")}: ${one.table}</span></div>
    <h2>${offer ? titled(offer) : say("second.stale")}</h2>
    ${facts(["first", `${one.first.id} (${word("role", one.first.role)})`], ["second", `${one.second.id} (${word("role", one.second.role)})`], ["reason", one.fields.reason ?? ""])}
    ${offer?.follows ? html`<p class="step">${offer.follows}</p>` : nothing}
    ${agreeing.words ? html`<p class="noted" role="alert">${sign("warn")} ${agreeing.words}</p>` : nothing}
    ${one.mine || offer === null ? nothing : html`<div class="second">${pinPad({ pin: agreeing.pin, busy: false, typed: (pin) => { agreeing.pin = pin.slice(0, 12); live.draw(); }, entered: () => agree(id) })}</div>`}
    <p class="row">${one.mine ? nothing : html`<button type="button" class="act" aria-disabled=${!agreeing.pin} @click=${() => agreeing.pin && agree(id)}>${say("second.agree")}</button>`}
      <button type="button" @click=${withdraw}>${say(one.mine ? "second.withdraw" : "second.refuse")}</button></p>
  </article>`;
}

async function agree(id) {
  const answer = await live.agree(id, agreeing.pin);
  agreeing = { pin: "", words: answer.ok ? "" : answer.error };
  live.draw();
}

// --- A table -----------------------------------------------------------------------------------

function recallOf(table) {
  if (!recalls.has(table)) recalls.set(table, new Recall(live, table));
  return recalls.get(table);
}

function toRound(table, picture) {
  look({ table, tab: "rounds" });
  recallOf(table).show(Math.max(1, picture.round));
}

function oneTable({ table, tab }) {
  const picture = live.picture(table);
  if (picture === null) return html`<div class="inside"><div class="head">${back(() => look(null))}<h2>${table}</h2></div><p>${spoken(live.lost.get(table)?.why) ?? say("waiting.table", { table })}</p></div>`;
  const heard = isHeard(live, table);
  return html`<article class="inside" aria-label=${say("floor.table", { table })}>
    <div class="head on-screen">${back(() => look(null))}<h2>${table} <span class="quiet">${picture.title}</span></h2></div>
    <div class="tabs on-screen" role="tablist" aria-label=${say("floor.table", { table })}>
      ${TABS.map((one) => html`<button type="button" role="tab" aria-selected=${one === tab} @click=${() => look({ table, tab: one })}>${say(`tab.${one}`)}</button>`)}
    </div>
    <div role="tabpanel" class="panel" aria-label=${say(`tab.${tab}`)}>
      ${tab === "table" ? facts(["phase", word("phase", picture.phase)], ["round", picture.round], ["void", picture.void], ["method", word("method", picture.method)], ["on_duty", Object.entries(picture.on_duty).map(([role, who]) => `${word("role", role)}: ${who}`).join(", ")], ["entry", picture.seq], ["rulebook", picture.rulebook]) : nothing}
      ${heard ? nothing : html`<p class="noted" role="alert">${sign("cut")} ${spoken(live.lost.get(table)?.why) ?? say("floor.not_heard")} ${spoken(live.lost.get(table)?.next_step ?? "")}</p>`}
      ${tableView(picture, tab, { act: (offer) => (heard ? offerRow(table, picture, offer) : nothing), recall: recallOf(table) })}
    </div>
  </article>`;
}

// --- What became of the last press ---------------------------------------------------------------

function receipt() {
  const { last } = live;
  if (last === null) return html`<p class="receipt" role="status"></p>`;
  const bad = last.state === "refused" || last.state === "unknown";
  const shape = { pressed: "sent", asked: "person", recorded: "done", confirmed: "done", refused: "warn", unknown: "warn" }[last.state];
  return html`<p class="receipt ${last.state} ${bad ? "noted" : ""}" role=${bad ? "alert" : "status"}>
    ${sign(shape)} <strong>${word("press", last.state)}</strong> <span>${last.table}: ${titled(last.offer)}${bad ? `. ${spoken(last.words)}` : ""}</span>
    ${last.seq ? html`<span class="quiet">${say("entry", { seq: last.seq })}</span>` : nothing}
  </p>`;
}

document.addEventListener("keydown", (event) => {
  if (live.hello === null || event.target.closest("input")) return;
  if (event.key === "Escape") look(null);
  else if (signing !== null) signing.key(event, pictures());
  else if (live.session === null) badge(event);
});
live.draw();
