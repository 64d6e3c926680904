// The simulated devices of a bench, drawn and alive: each with its door, its cable, its power and
// the faults that it can have. What is done to them goes through `work`; nothing is decided here.

import { html, nothing, svg } from "/static/vendor/lit-html.js";
import { money, say, word } from "/static/js/words.js";
import { lamp, sign } from "/static/js/signs.js";
import { spoken, voiced } from "/static/js/spoken.js";

const DECK = 52;
const MODES = ["shuffle", "sort", "other"];
/** What somebody brings to a terminal, or takes from it, in one go. */
const BRINGS = 50_000;

export class Hardware {
  /** `work(what, given)` does something at the bench; `redraw` shows what was opened. */
  constructor(work, redraw) {
    this._work = work;
    this._redraw = redraw;
    /** The device or wire whose menu is open. */
    this.opened = null;
    /** What is won from each meter, in the rulebook's words. */
    this.titles = {};
  }

  open(name) {
    this.opened = this.opened === name ? null : name;
    this._redraw();
  }

  // --- One device ------------------------------------------------------------------

  device(one) {
    const bad = !one.plugged || one.status === "faulted" || one.trouble.length || one.door;
    return html`<article class="device a-${one.kind} ${bad ? "ill" : ""}" role="group" aria-label=${spoken(one.name)}>
      ${this._head(one)} ${this._face(one)} ${this._cable(one.name, one.plugged)}
      ${this.opened === one.name ? this._menu(one) : nothing}
    </article>`;
  }

  _head(one) {
    return html`<button type="button" class="plain name" aria-expanded=${this.opened === one.name} aria-label=${say("bench.menu", { device: spoken(one.name) })} @click=${() => this.open(one.name)}>
      <span>${voiced(one.name)}</span> ${stands(one)} ${sign("more")}
    </button>`;
  }

  _face(one) {
    const faces = { shuffler: shuffler, shoe: shoe, sign: board, acceptor: acceptor, terminal: terminal };
    if (one.kind === "panel") return this._panel(one);
    return html`${faces[one.kind]?.(one, this.titles) ?? nothing}${this._hands(one)}`;
  }

  /** What a hand does at the device itself. */
  _hands(one) {
    if (one.kind === "shuffler") return html`<div class="some"><button type="button" class="green" @click=${() => this._work("press", { button: "green" })}>${say("bench.green")}</button></div>`;
    if (one.kind === "acceptor") {
      const chip = one.slot.length > 0;
      return html`<div class="some">
        <button type="button" aria-label=${say(chip ? "bench.chip.out.of" : "bench.chip.in.of", { seat: one.seat })} @click=${() => this._work(chip ? "take_chip" : "chip", { seat: one.seat })}>${say(chip ? "bench.chip.out" : "bench.chip.in")}</button>
      </div>`;
    }
    if (one.kind === "terminal") return html`<div class="some"><button type="button" aria-label=${say("bench.buy_in.of", { amount: money(BRINGS), seat: one.seat })} @click=${() => this._work("buy_in", { seat: one.seat, amount: BRINGS })}>${say("bench.buy_in", { amount: money(BRINGS) })}</button></div>`;
    return nothing;
  }

  _panel(one) {
    const light = { lock_out: one.lights.lock_out, deal: one.lights.deal, void: "none", floor_key: "none" };
    return html`<div class="panel-buttons">
        ${one.buttons.map(
          (button) => html`<button type="button" class="cap ${light[button]}" aria-label=${say("bench.press", { button: say(`bench.button.${button}`) })} @click=${() => this._work("press", { button })}>
            ${say(`bench.button.${button}`)}${light[button] === "none" ? nothing : html`<span class="unseen">${say("lamp.is", { lamp: say(`bench.light.${light[button]}`) })}</span>`}
          </button>`,
        )}
      </div>
      <p class="warning-light ${one.lights.warning}">${sign("warn")} ${say("bench.warning", { light: say(`bench.light.${one.lights.warning}`) })}</p>`;
  }

  _cable(name, plugged) {
    return html`<button type="button" class="cable ${plugged ? "" : "out"}" aria-label=${say(plugged ? "bench.cable.pull.of" : "bench.cable.plug.of", { device: spoken(name) })} @click=${() => this._work("cable", { name, plugged: !plugged })}>
      ${cable(plugged)}<span>${say(plugged ? "bench.cable.in" : "bench.cable.out")}</span>
    </button>`;
  }

  // --- Its menu ----------------------------------------------------------------------

  _menu(one) {
    return html`<div class="sheet" role="region" aria-label=${say("bench.menu", { device: spoken(one.name) })}>
      <div class="row"><h3 class="grow">${voiced(one.name)}</h3>
        <button type="button" class="plain" aria-label=${say("bench.close")} @click=${() => this.open(one.name)}>${sign("back")}</button></div>
      <p class="quiet">${word("device", one.status)}${one.reason ? html`: ${voiced(one.reason)}` : ""}${one.trouble.length ? `; ${one.trouble.map(spoken).join(", ")}` : ""}</p>
      <div class="some">
        ${one.door === null ? nothing : html`<button type="button" @click=${() => this._work("door", { device: one.name, open: !one.door })}>${say(one.door ? "bench.door.close" : "bench.door.open")}</button>`}
        <button type="button" @click=${() => this._work("power_cut", { device: one.name })}>${say("bench.power")}</button>
        <button type="button" @click=${() => this._work("put_right", { where: one.name })}>${say("bench.put_right")}</button>
        ${one.kind === "terminal" ? html`<button type="button" @click=${() => this._work("cash_out", { seat: one.seat, amount: one.balance })}>${say("bench.cash_out")}</button>` : nothing}
      </div>
      ${one.kind === "shuffler" ? html`<div class="some" role="group" aria-label=${say("bench.mode")}>${MODES.map((mode) => html`<button type="button" aria-pressed=${one.mode === mode} @click=${() => this._work("mode", { mode })}>${say(`bench.mode.${mode}`)}</button>`)}</div>` : nothing}
      ${this._faults(one.faults, { device: one.name })}
    </div>`;
  }

  _faults(faults, where) {
    return html`<h4>${say("bench.faults")}</h4>
      <ul class="faults">
        ${faults.map(
          (one) => html`<li><button type="button" aria-label=${say("bench.fault.of", { fault: spoken(one.name) })} aria-description=${spoken(one.what)} aria-pressed=${one.on} @click=${() => this._work("fault", { ...where, name: one.name, on: !one.on })}>
            <strong>${voiced(one.name)}</strong><span>${voiced(one.what)}${one.number ? ` (${spoken(one.number)}: ${one.usual})` : ""}</span>
            <span class="is">${one.on ? html`${sign("warn")} ${say(one.lasts ? "bench.fault.on" : "bench.fault.waits")}` : one.struck ? say("bench.fault.struck", { times: one.struck }) : ""}</span>
          </button></li>`,
        )}
      </ul>`;
  }

  // --- Wires ---------------------------------------------------------------------------

  wires(some) {
    return html`<section class="wires" aria-label=${say("bench.wires")}>
      ${some.map(
        (one) => html`<div class="wire ${one.plugged ? "" : "ill"}" role="group" aria-label=${say("bench.wire", { wire: spoken(one.name) })}>
          <button type="button" class="plain name" aria-expanded=${this.opened === `wire ${one.name}`} @click=${() => this.open(`wire ${one.name}`)}>${say("bench.wire", { wire: spoken(one.name) })} ${one.faults.some((fault) => fault.on) ? html`<span class="noted">${sign("warn")}</span>` : nothing} ${sign("more")}</button>
          ${one.devices.length > 1 ? this._cable(one.name, one.plugged) : nothing}
          ${this.opened === `wire ${one.name}` ? html`<div class="sheet up" role="region" aria-label=${say("bench.wire", { wire: spoken(one.name) })}>${this._faults(one.faults, { wire: one.name })}</div>` : nothing}
        </div>`,
      )}
      <button type="button" @click=${() => this._work("power_cut", {})}>${say("bench.power.all")}</button>
    </section>`;
  }
}

function stands(one) {
  if (!one.plugged) return html`<span class="noted">${sign("cut")} ${say("bench.cable.out")}</span>`;
  if (one.starting) return html`<span class="quiet">${say("bench.starting")}</span>`;
  if (one.status === "ready" && !one.trouble.length && !one.door) return html`<span class="quiet">${word("device", "ready")}</span>`;
  return html`<span class="noted">${sign("warn")} ${one.trouble.map(spoken).join(", ") || (one.door ? say("bench.door.is_open") : word("device", one.status))}</span>`;
}

// --- Drawings ------------------------------------------------------------------------------

const high = (cards, most) => Math.round((Math.min(cards, DECK) / DECK) * most);

/** A pile seen from the side, standing on `floor`. */
function pile(cards, x, floor, width, most) {
  const height = cards ? Math.max(2, high(cards, most)) : 0;
  const lines = Array.from({ length: Math.floor(height / 4) }, (_, n) => svg`<path class="edge" d="M${x} ${floor - 4 * n - 2}h${width}" />`);
  return svg`<rect class="paper" x=${x} y=${floor - height} width=${width} height=${height} rx="2" />${lines}`;
}

function shuffler(one) {
  const label = say("bench.shuffler", { cards: one.cards, mode: say(`bench.mode.${one.mode}`), cycle: say(`bench.cycle.${one.cycle}`) });
  return html`<svg class="drawing ${one.cycle}" viewBox="0 0 220 120" role="img" aria-label=${label}>
      <rect class="body" x="14" y="22" width="192" height="90" rx="12" />
      <rect class="slot" x="66" y="16" width="88" height="8" rx="3" />
      <rect class="window" x="30" y="36" width="96" height="64" rx="5" />
      ${pile(one.cards, 44, 98, 68, 52)}
      <g class="wheel"><circle cx="165" cy="54" r="17" /><path d="M165 37v34M148 54h34" /></g>
      ${one.door ? svg`<path class="flap" d="M206 84l14-14v34l-14 8z" />` : svg`<rect class="flap" x="146" y="82" width="52" height="22" rx="4" />`}
    </svg>
    <dl class="facts">
      <div><dt>${say("bench.fact.mode")}</dt><dd class=${one.mode === "shuffle" ? "" : "noted"}>${say(`bench.mode.${one.mode}`)}</dd></div>
      <div><dt>${say("bench.fact.cycle")}</dt><dd class=${one.cycle === "failed" ? "noted" : ""}>${say(`bench.cycle.${one.cycle}`)}</dd></div>
      <div><dt>${say("bench.fact.inside")}</dt><dd>${one.deck ? say("bench.deck", { deck: one.deck, cards: one.cards }) : one.cards}</dd></div>
      <div><dt>${say("bench.fact.counted")}</dt><dd>${one.count ?? "–"}</dd></div>
    </dl>`;
}

function shoe(one) {
  const label = say("bench.shoe", { cards: one.cards, tray: one.tray });
  return html`<svg class="drawing" viewBox="0 0 220 120" role="img" aria-label=${label}>
      <path class="body" d="M14 112V34q0-8 8-10l96-10q8 0 12 8l36 82q2 8-8 8z" />
      <path class="window" d="M28 100V48q0-5 5-6l66-7q5 0 7 5l22 60z" />
      ${pile(one.cards, 34, 98, 64, 50)}
      ${one.door ? svg`<path class="flap" d="M14 34L2 20l8-6 16 10z" />` : svg`<path class="flap" d="M18 31l96-11v5l-96 11z" />`}
      <path class="slot" d="M166 108h48v5h-48z" />
      ${pile(one.tray, 172, 107, 38, 36)}
      ${one.coming ? svg`<path class="coming" d="M148 92l14 10-14 10z" />` : nothing}
    </svg>
    <dl class="facts">
      <div><dt>${say("bench.fact.inside")}</dt><dd>${one.deck ? say("bench.deck", { deck: one.deck, cards: one.cards }) : one.cards}</dd></div>
      <div><dt>${say("bench.fact.exit")}</dt><dd>${one.tray}</dd></div>
      <div><dt>${say("bench.fact.stacks")}</dt><dd>${one.stacks.length ? say("bench.stacks", { given: one.given, all: one.stacks.length }) : "–"}</dd></div>
      <div><dt>${say("bench.fact.reads")}</dt><dd>${say(one.reads ? "bench.yes" : "bench.no")}</dd></div>
    </dl>`;
}

function board(one, titles) {
  return html`<div class="board" role="img" aria-label=${say("bench.sign")}>
    ${one.notice && one.notice !== "none" ? html`<p class="notice">${voiced(one.notice.replaceAll("_", " "))}</p>` : nothing}
    ${one.meters.map((meter) => html`<p><span>${spoken(titles[meter.meter] ?? meter.meter)}${meter.level === "main" ? "" : `, ${word("level", meter.level)}`}</span> <strong>${money(meter.cents)}</strong></p>`)}
    ${one.win ? html`<p class="win">${say("bench.win", { seat: one.win.seat, amount: money(one.win.cents) })}</p>` : nothing}
  </div>`;
}

function acceptor(one) {
  const label = say("bench.acceptor", { lamp: word("lamp", one.lamp), lock: say(one.locked ? "bench.locked" : "bench.unlocked"), slot: one.slot.map(money).join(", ") || say("bench.empty") });
  return html`<svg class="drawing" viewBox="0 0 120 58" role="img" aria-label=${label}>
      <rect class="body" x="4" y="6" width="112" height="48" rx="10" />
      <circle class="window" cx="44" cy="30" r="19" />
      ${one.slot.length ? svg`<circle class="coin" cx="44" cy="30" r="15" /><text x="44" y="35" text-anchor="middle">${one.slot[0] / 100}</text>` : nothing}
      ${one.locked ? svg`<path class="bar" d="M22 30h44" />` : nothing}
      ${one.door ? svg`<path class="flap" d="M104 12l14-8v40l-14 8z" />` : nothing}
    </svg>
    <p class="lit">${lamp(one.lamp, say("lamp.is", { lamp: word("lamp", one.lamp) }))} ${sign(one.locked ? "shut" : "open")} <span class="quiet">${word("lamp", one.lamp)}, ${say(one.locked ? "bench.locked" : "bench.unlocked")}</span></p>`;
}

function terminal(one) {
  return html`<div class="screen" role="img" aria-label=${say("bench.terminal", { balance: money(one.balance), text: spoken(one.text) })}>
    <strong>${money(one.balance)}</strong><span title=${spoken(one.text)}>${voiced(one.text) || "–"}</span>
  </div>
  <p class="lit">${sign(one.locked ? "shut" : "open")} <span class="quiet">${say(one.locked ? "bench.locked" : "bench.unlocked")}</span></p>`;
}

const cable = (plugged) =>
  plugged
    ? html`<svg class="cord" viewBox="0 0 96 16" aria-hidden="true"><path d="M0 8h96" /><rect x="38" y="2" width="20" height="12" rx="3" /></svg>`
    : html`<svg class="cord" viewBox="0 0 96 16" aria-hidden="true"><path d="M0 8h26M70 8h26" /><rect x="24" y="2" width="14" height="12" rx="3" /><rect x="58" y="2" width="14" height="12" rx="3" /></svg>`;
