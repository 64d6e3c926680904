// The terminal of one seat, in its player's hands: the account, the wagers that are made here, the
// decision when it is due, and what became of all that was asked for. Whether it is open the
// terminal says, and the table decides: no rule of any game is here.

import { html, nothing, render } from "/static/vendor/lit-html.js";
import { keyed } from "/static/vendor/directives/keyed.js";
import { spoken, voiced } from "/static/js/spoken.js";
import { learn, money, say, word } from "/static/js/words.js";
import { dress, switchTheme, theme } from "/static/js/look.js";
import { Live, made, settled } from "/static/js/live.js";
import { chips, tray } from "/static/js/chips.js";
import { sign } from "/static/js/signs.js";

/** To the terminal the page is one, and says so often that it is still there. */
const NAME = "terminal";
const HERE = 2000;
/** The chips of an account, in cents: they only add up to a sum. */
const CHIPS = [100, 500, 2500, 10_000];
const SHOWN = 3;

class Terminal extends Live {
  constructor(drawn) {
    super(NAME, [NAME], drawn);
    this.waits = "terminal.cover.wait";
    setInterval(() => this._send({ kind: "here" }), HERE);
  }

  /** Resolves to {ok, error}: whether it is on its way to the table, and if not, why. */
  press(what, given) {
    const press = made();
    return this._asked(press, { kind: what, press, ...given });
  }
}

const page = document.getElementById("page");
/** Sums that are being made up, by what they are for. */
const sums = new Map();
/** Why the last press was not even asked, and requests whose refusal the player has read. */
let refused = "";
let read = 0;
/** The panel with money in and out is open. */
let transferring = false;

await learn();
dress();
const live = new Terminal(draw);

async function ask(what, given = {}) {
  refused = "";
  read = live.picture()?.requests[0]?.number ?? read;
  const answer = await live.press(what, given);
  refused = answer.ok ? "" : answer.error;
  live.draw();
  return answer.ok;
}

// --- The page -------------------------------------------------------------------------

function draw() {
  const it = live.picture();
  if (it === null) {
    const lost = live.lost.get(NAME);
    document.title = say("terminal.title");
    render(html`<p class="waiting" role="status">${lost ? html`${voiced(lost.why)}. ${voiced(lost.next_step)}.` : say("terminal.waiting")}</p>`, page);
    return;
  }
  document.title = say("terminal.title.seat", { seat: it.seat, table: it.table });
  render(
    html`${top(it)} ${standing(it)}
      <section class="account" aria-label=${say("terminal.account")}>${account(it)}</section>
      <section class="work" aria-label=${say("terminal.play")}>${transferring && it.player && it.decision === null ? transfers(it) : work(it)}</section>
      ${asked(it)}`,
    page,
  );
}

function top(it) {
  return html`<header class="top">
    <h1>${say("seat", { seat: it.seat })}</h1>
    <p class="quiet">${it.table}${it.player ? html`, <strong>${it.player}</strong>` : nothing}</p>
    <span class="grow"></span>
    <button type="button" class="plain" @click=${() => (switchTheme(), live.draw())}>${theme() === "light" ? say("look.dark") : say("look.light")}</button>
  </header>`;
}

/** Open or locked, in one look. */
function standing(it) {
  const due = it.decision !== null && !it.decision.chosen;
  const kind = it.held ? "held" : due ? "due" : it.locked ? "locked" : "open";
  const shape = { held: "hold", due: "right", locked: "shut", open: "open" }[kind];
  const words = { held: "terminal.held", due: "terminal.due", open: "terminal.open" }[kind] ?? `terminal.locked.${it.stage.replaceAll(" ", "_")}`;
  const lock = kind === "held" || kind === "due" ? word("terminal.lock", it.locked ? "locked" : "open") : "";
  return html`<div class="standing ${kind}" role="status">
    ${sign(shape)}
    <p><strong>${say(words)}</strong> ${lock ? html`<span>${lock}</span>` : nothing}</p>
    <p class="round">${it.round ? say("round", { round: it.round }) : nothing}</p>
  </div>`;
}

// --- The account -----------------------------------------------------------------------

function account(it) {
  return html`<p class="balance"><span class="quiet">${say("terminal.balance")}</span> <output aria-label=${say("terminal.balance")}>${money(it.balance)}</output></p>
    ${it.player
      ? html`<button type="button" class=${it.decision ? "off" : ""} aria-disabled=${it.decision !== null} aria-expanded=${transferring} @click=${() => it.decision || ((transferring = !transferring), live.draw())}>${say(transferring ? "terminal.back" : it.transfers ? "terminal.transfers" : "terminal.seat")}</button>`
      : nothing}`;
}

function transfers(it) {
  const cents = sums.get("transfer") ?? 0;
  const touched = (sum) => (sums.set("transfer", sum), live.draw());
  const move = (what, sum) => async () => {
    if (await ask(what, { cents: sum })) transferring = false;
    sums.delete("transfer");
    live.draw();
  };
  const leave = button("leave", "leave", say("terminal.leave"), () => ask("leave"));
  if (!it.transfers) return html`<div class="transfer">${leave}</div>`;
  return html`<div class="transfer" role="group" aria-label=${say("terminal.transfers")}>
    ${tray({ cents, denominations: CHIPS, touched })}
    <div class="some">
      ${button("buy_in", cents, say("terminal.buy_in", { amount: money(cents) }), move("buy_in", cents), { act: true, dead: !cents })}
      ${button("cash_out", cents, say("terminal.cash_out", { amount: money(cents) }), move("cash_out", cents), { dead: !cents || cents > it.balance })}
      ${button("cash_out_all", it.balance, say("terminal.cash_out_all", { amount: money(it.balance) }), move("cash_out", it.balance), { dead: !it.balance })}
      ${leave}
    </div>
  </div>`;
}

// --- What can be done -------------------------------------------------------------------

function work(it) {
  if (!it.player) return sitting(it);
  if (it.decision !== null) return decision(it);
  return html`<div class="wagers">${it.wagers.map((one) => wager(it, one))}</div>`;
}

function sitting(it) {
  const sit = (event) => {
    event.preventDefault();
    const player = new FormData(event.currentTarget).get("player").trim();
    if (player) ask("sit", { player });
  };
  return html`<form class="sit" @submit=${sit}>
    <p>${say("terminal.empty", { seat: it.seat })}</p>
    <label>${say("terminal.player")} <input name="player" maxlength="40" autocomplete="off" required /></label>
    <button class="act">${say("terminal.sit")}</button>
  </form>`;
}

function wager(it, one) {
  const open = !it.locked && one.stands === "offered";
  const fixed = one.least === one.most;
  const cents = fixed ? one.least : (sums.get(one.wager) ?? one.least);
  const amount = money(cents);
  const given = { wager: one.wager, round: it.round };
  const place = () => ask("wager", { ...given, cents });
  return html`<div class="wager ${one.down ? "down" : ""}" role="group" aria-label=${one.called}>
    <h2>${one.called}</h2>
    <p class="says">${one.down ? html`${chips(one.down, CHIPS)} <strong>${say("terminal.down", { amount: money(one.down) })}</strong>` : html`<span class="quiet">${stands(it, one)}</span>`}</p>
    ${!one.down && !fixed
      ? tray({ cents, denominations: CHIPS, of: one.called, least: one.least, most: one.most, touched: (sum) => (sums.set(one.wager, sum), live.draw()) })
      : nothing}
    ${one.down
      ? button(`wager ${one.wager}`, "back", say("terminal.take_back", { wager: one.called }), () => ask("take_back", given), { dead: it.locked, short: say("terminal.take_back.short") })
      : button(`wager ${one.wager}`, `place ${cents}`, say("terminal.wager", { wager: one.called, amount }), place, { act: true, dead: !open, short: say("terminal.wager.short", { amount }) })}
  </div>`;
}

/** Why a wager can't be placed now, or that it can. */
function stands(it, one) {
  if (one.stands === "withheld") return say("terminal.stands.withheld", { why: spoken(one.why) });
  if (one.stands !== "offered") return word("terminal.stands", one.stands.replaceAll(" ", "_"));
  return it.locked ? say("terminal.stands.locked") : say("terminal.stands.offered");
}

function decision(it) {
  const due = it.decision;
  const given = { round: it.round, street: due.street };
  if (due.chosen) {
    return html`<div class="decision chosen"><p>${say("terminal.chosen", { amount: money(due.chosen), wager: due.called })}</p>
      <p class="chosen-chips">${chips(due.chosen, CHIPS)}</p></div>`;
  }
  const otherwise = word("bench.choice", due.otherwise);
  return html`<div class="decision" role="group" aria-label=${say("terminal.decide")}>
    ${due.amounts.map((cents) => button(`decide ${cents}`, due.street, `${due.called} ${money(cents)}`, () => ask("decide", { ...given, choice: "wager", cents }), { act: true }))}
    ${button("decide otherwise", `${due.street} ${due.otherwise}`, otherwise, () => ask("decide", { ...given, choice: due.otherwise }))}
    <p class="quiet">${say("terminal.decide.chips")}</p>
  </div>`;
}

/** A control that changes its meaning is dead for a moment; one that can't be pressed looks it. */
function button(place, meaning, label, pressed, { act = false, dead = false, short = "" } = {}) {
  const still = !settled(place, `${meaning} ${dead}`, live);
  const kind = `${act && !dead ? "act" : ""} ${dead ? "off" : still ? "settling" : ""}`;
  const one = html`<button type="button" class=${kind} data-place=${place} aria-label=${label} aria-disabled=${dead || still} @click=${() => dead || still || pressed()}>${short || label}</button>`;
  return keyed(meaning, one);
}

// --- What became of it --------------------------------------------------------------------

function asked(it) {
  const last = it.requests[0];
  const no = last?.became === "refused" && last.number > read ? last : null;
  const why = refused || (no ? no.reason : "");
  const known = () => ((refused = ""), (read = last?.number ?? read), live.draw());
  return html`<section class="asked" aria-label=${say("terminal.asked")}>
    <div role="alert" class=${why ? "refused alarm" : "unseen"}>
      ${why
        ? html`${sign("warn")}
            <p><strong>${no && !refused ? say("terminal.refused.what", { what: what(it, no) }) : say("terminal.refused")}</strong> <span>${voiced(why)}</span></p>
            <button type="button" @click=${known}>${say("terminal.refused.read")}</button>`
        : nothing}
    </div>
    <ol>
      ${it.requests.slice(no ? 1 : 0, why ? 2 : SHOWN).map(
        (one) => html`<li class=${one.became}>
          ${sign({ sent: "sent", taken: "done", refused: "warn" }[one.became])}
          <span>${what(it, one)}</span> <span class="became">${word("terminal.became", one.became)}${one.became === "refused" ? html`: <span class="why">${voiced(one.reason)}</span>` : nothing}</span>
        </li>`,
      )}
    </ol>
  </section>`;
}

function what(it, one) {
  const wager = it.wagers.find((other) => other.wager === one.name)?.called ?? word("bench.choice", one.name);
  return say(`terminal.request.${one.what}`, { wager, amount: money(one.cents), player: one.name });
}

live.draw();
