// The one connection of a page to the console: pictures come, presses go. What is shown is true and
// says how old it is; when nothing is heard the page is covered and takes no touch.

import { html, render, nothing } from "/static/vendor/lit-html.js";
import { say } from "/static/js/words.js";
import { sign } from "/static/js/signs.js";
import { voiced } from "/static/js/spoken.js";

/** Milliseconds without a word of the table until the page says so, and until it shows nothing else. */
export const SAYS_SO = 2000;
export const HIDES = 5000;
/** A control that has changed its meaning is dead for so long. */
export const SETTLES = 400;
/** What was pressed has an answer by then, or nobody knows. */
const ANSWERED = 10_000;
const TICK = 200;
/** A touch that is no press is told so often at the most. */
const HERE = 15_000;
const AGAIN = [250, 500, 1000, 2000];

export class Live {
  /** `face` is what the page is to the console; `tables` it looks at, none for all of them. */
  constructor(face, tables, drawn) {
    this.face = face;
    /** What the cover says to do where nobody has said it. */
    this.waits = "cover.wait";
    this.tables = tables;
    this.hello = null;
    this.session = null;
    this.why = "";
    /** By table: its picture, when it came and how old it was then. */
    this.pictures = new Map();
    /** By table: when the console last heard of it. */
    this.heard = new Map();
    /** By table: why it can't be reached, and what to do. */
    this.lost = new Map();
    this.benches = new Map();
    /** The school, if one is kept here: its drills, and the one that runs. */
    this.school = null;
    /** Acts for two that this person has asked for, or is asked for. */
    this.proposals = [];
    /** By press: what became of it. */
    this.presses = new Map();
    this.last = null;
    this.listeners = [];
    /** What the cover says, where it is not for people who can do something about it. */
    this.covered = null;
    this._drawn = drawn;
    this._waiting = new Map();
    this._build = null;
    this._tries = 0;
    /** While it is covered, nothing that is pressed, typed or held down on the page counts. */
    this.deaf = false;
    this._opened = performance.now();
    this._alive = -Infinity;
    this._due = false;
    this._connect();
    setInterval(() => this._tick(), TICK);
    document.addEventListener("visibilitychange", () => this._tick());
    // A long touch is for what is held down; the browser's own menu would lie over it.
    if (face !== "bench") document.addEventListener("contextmenu", (event) => event.preventDefault());
    for (const kind of ["pointerdown", "keydown"]) document.addEventListener(kind, () => this.here());
    // A page that is covered takes no touch; keys are heard by the whole document, and end here.
    for (const kind of ["keydown", "keyup"]) document.addEventListener(kind, (event) => this._swallow(event), true);
  }

  picture(table = this.tables[0]) {
    return this.pictures.get(table)?.picture ?? null;
  }

  bench(table = this.tables[0]) {
    return this.benches.get(table) ?? null;
  }

  /** Milliseconds since a table itself was last heard. */
  age(table) {
    const now = performance.now();
    const one = this.heard.get(table);
    return one === undefined ? now - this._opened : now - one;
  }

  /** Milliseconds since the console was last heard. */
  silence() {
    return performance.now() - Math.max(this._alive, this._opened);
  }

  /** Draw the page again, soon, once for all that has happened until then. */
  draw() {
    if (this._due) return;
    this._due = true;
    requestAnimationFrame(() => {
      this._due = false;
      steadily(() => this._drawn(this));
    });
  }

  // --- What people do ----------------------------------------------------------

  /** Take an offer. What became of it is in `presses` and, of the last one, in `last`. */
  take(table, offer, fields = {}, second = null) {
    const picture = this.picture(table);
    const press = {
      id: made(),
      table,
      offer,
      state: "pressed",
      words: "",
      seq: null,
      locks: offer.acts.some((act) => act.action === "lock_out_pressed"),
    };
    this.last = press;
    this.presses.set(press.id, press);
    if (this.presses.size > 32) this.presses.delete(this.presses.keys().next().value);
    const message = { kind: "take", table, press: press.id, offer: offer.id, fields, round: picture.round, seq: picture.seq, second };
    this._asked(press.id, message).then((answer) => {
      if (answer.ok) {
        press.state = "recorded";
        press.seq = answer.result?.seq ?? null;
        this._confirm(table);
      } else {
        press.state = answer.code === "unknown" ? "unknown" : "refused";
        press.code = answer.code;
        press.words = answer.error;
      }
      this.draw();
    });
    this.draw();
    return press;
  }

  /** Ask a second person to agree at their own screen: nothing is done before they have. */
  propose(table, offer, fields, second) {
    const picture = this.picture(table);
    const press = { id: made(), table, offer, state: "pressed", words: "", seq: null, locks: false };
    this.last = press;
    const { id, role } = second;
    this._asked(press.id, { kind: "propose", table, press: press.id, offer: offer.id, fields, round: picture.round, seq: picture.seq, second: { id, role } }).then((answer) => {
      press.state = answer.ok ? "asked" : answer.code === "unknown" ? "unknown" : "refused";
      press.words = answer.ok ? "" : answer.error;
      this.draw();
    });
    this.draw();
    return press;
  }

  /** The second person's word on what they were asked for. */
  agree(proposal, pin) {
    const press = made();
    return this._asked(press, { kind: "agree", press, proposal, pin });
  }

  withdraw(proposal) {
    const press = made();
    return this._asked(press, { kind: "withdraw", press, proposal });
  }

  ask(table, action, given = {}) {
    const press = made();
    return this._asked(press, { kind: "ask", table, press, action, with: given });
  }

  work(table, what, given = {}) {
    const press = made();
    return this._asked(press, { kind: "bench", table, press, do: what, with: given });
  }

  /** Something at the school: begin a drill, end it, leave it. */
  attend(what, given = {}) {
    const press = made();
    return this._asked(press, { kind: "school", press, do: what, with: given });
  }

  /** Resolves to {ok, error}: whether this person is signed on now, and if not, why. */
  signOn(person, role, pin) {
    const press = made();
    return this._asked(press, { kind: "sign_on", press, person, role, pin });
  }

  /** Resolves to {ok, result, error}: whose badge this is, or why it is nobody's. */
  whose(badge) {
    const press = made();
    return this._asked(press, { kind: "badge", press, badge });
  }

  /** `lock` leaves the person on duty at the table, and only locks the screen. */
  signOff(lock = false) {
    this._send({ kind: "sign_off", lock });
  }

  /** Somebody is before the screen, and presses nothing: the session goes on. */
  here() {
    const now = performance.now();
    if (this.session === null || now - (this._here ?? -Infinity) < HERE) return;
    this._here = now;
    this._send({ kind: "here" });
  }

  _send(message) {
    if (this._socket?.readyState === WebSocket.OPEN) this._socket.send(JSON.stringify(message));
  }

  _asked(press, message) {
    return new Promise((resolve) => {
      if (this.deaf || this._socket?.readyState !== WebSocket.OPEN) {
        resolve({ ok: false, code: "unknown", error: say("press.not_sent") });
        return;
      }
      const timer = setTimeout(() => this._answered(press, { ok: false, code: "unknown", error: say("press.unknown") }), ANSWERED);
      this._waiting.set(press, { resolve, timer });
      this._send(message);
    });
  }

  _answered(press, answer) {
    const one = this._waiting.get(press);
    if (one === undefined) return;
    this._waiting.delete(press);
    clearTimeout(one.timer);
    one.resolve(answer);
  }

  /** Recorded is confirmed once the picture shows it, and the locks once the devices say so. */
  _confirm(table) {
    const picture = this.picture(table);
    for (const press of this.presses.values()) {
      if (press.table !== table || press.state !== "recorded" || picture === null) continue;
      const shown = press.seq === null || picture.seq >= press.seq;
      if (shown && (!press.locks || locked(picture))) press.state = "confirmed";
    }
  }

  // --- The wire -------------------------------------------------------------------

  _connect() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/live`);
    this._socket = socket;
    this._begun = performance.now();
    clearTimeout(this._again);
    socket.onopen = () => {
      if (this._socket !== socket) return;
      this._tries = 0;
      this._send({ kind: "look", face: this.face, tables: this.tables });
    };
    socket.onmessage = (message) => this._socket === socket && this._told(JSON.parse(message.data));
    socket.onclose = () => {
      if (this._socket !== socket) return;
      this._nobody_answers();
      const wait = AGAIN[Math.min(this._tries++, AGAIN.length - 1)];
      this._again = setTimeout(() => this._connect(), wait * (0.75 + Math.random() / 2));
      this.draw();
    };
  }

  /** A socket can look open for hours and be dead: one that has been silent for long is left for another. */
  _leave_the_dead() {
    if (Math.min(this.silence(), performance.now() - this._begun) < HIDES) return;
    const dead = this._socket;
    this._nobody_answers();
    this._connect();
    dead.close();
  }

  _nobody_answers() {
    for (const press of [...this._waiting.keys()]) {
      this._answered(press, { ok: false, code: "unknown", error: say("press.unknown") });
    }
  }

  _told(message) {
    const told = this[`_on_${message.kind}`];
    if (told !== undefined) told.call(this, message);
    for (const listen of this.listeners) listen(message);
    if (message.kind !== "alive") this.draw();
  }

  _on_hello(message) {
    // Pages that are newer than this one: taken now, as the server answers.
    if (this._build !== null && this._build !== message.build) location.reload();
    this._build = message.build;
    this.hello = message;
    this.session = message.session;
    this._alive = performance.now();
  }

  _on_session(message) {
    this.session = message.session;
    this.why = message.why ?? "";
  }

  _on_picture(message) {
    const now = performance.now();
    const age = message.age_ms ?? 0;
    this.pictures.set(message.table, { picture: message.picture, came: now, age });
    this.heard.set(message.table, Math.max(this.heard.get(message.table) ?? -Infinity, now - age));
    this.lost.delete(message.table);
    this._alive = now;
    this._confirm(message.table);
  }

  _on_alive(message) {
    const now = performance.now();
    this._alive = now;
    for (const [table, one] of Object.entries(message.tables)) {
      if (one.heard_ms === null) continue;
      this.heard.set(table, now - one.heard_ms);
    }
  }

  _on_lost(message) {
    this.lost.set(message.table, message);
  }

  _on_answer(message) {
    this._answered(message.press, message);
  }

  _on_proposals(message) {
    this.proposals = message.proposals;
  }

  _on_bench(message) {
    this.benches.set(message.table, message.bench);
  }

  _on_school(message) {
    this.school = message.school;
  }

  // --- The cover ---------------------------------------------------------------------

  _swallow(event) {
    if (this.deaf) event.stopImmediatePropagation();
  }

  /** How long nothing was heard, where the whole page hangs on it: one table, or the console. */
  _tick() {
    const one = this.tables.length === 1 ? this.age(this.tables[0]) : 0;
    const age = Math.max(one, this.silence());
    this.deaf = age >= SAYS_SO;
    cover(age, this);
    this._leave_the_dead();
    this.listeners.forEach((listen) => listen({ kind: "tick" }));
  }
}

function cover(age, live) {
  const place = document.getElementById("cover");
  const page = document.getElementById("page");
  const is = live.deaf;
  page.inert = is;
  place.hidden = !is;
  if (!is) {
    render(nothing, place);
    return;
  }
  place.className = age >= HIDES ? "cover whole" : "cover";
  if (live.covered !== null) {
    render(live.covered(), place);
    return;
  }
  const gone = live.tables.length === 1 ? live.lost.get(live.tables[0]) : undefined;
  render(
    html`<div>
      <h2>${sign("cut")} ${say("cover.title")}</h2>
      <p>${say("cover.since", { seconds: Math.floor(age / 1000) })}</p>
      ${gone ? html`<p>${voiced(gone.why)}</p><p>${voiced(gone.next_step)}</p>` : html`<p>${say(live.waits)}</p>`}
    </div>`,
    place,
  );
}

/** Whether the devices of all seats say that they are locked. */
export function locked(picture) {
  return picture.seats.every((seat) => seat.acceptor_locked && seat.terminal_locked);
}

export function made() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((one) => one.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

// --- Nothing changes its meaning under a finger ---------------------------------------

/**
 * Draw, and leave the keyboard's focus where it was: on the same element, on the one that has its place
 * now (`data-place`), or on the first thing that can be pressed there (`data-keeps`).
 */
function steadily(draw) {
  const had = document.activeElement;
  const around = had?.closest?.("[data-keeps]");
  draw();
  if (had === null || had === document.body || had.isConnected) return;
  const { place } = had.dataset;
  const next = place ? document.querySelector(`[data-place="${CSS.escape(place)}"]`) : null;
  (next ?? around?.querySelector("button, input"))?.focus({ preventScroll: true });
}

const meanings = new Map();

/**
 * Whether the control at `place` means `meaning` for long enough to be touched. While it does not,
 * the page is drawn again when it does.
 */
export function settled(place, meaning, live) {
  const now = performance.now();
  const one = meanings.get(place);
  if (one === undefined || one.meaning !== meaning) {
    meanings.set(place, { meaning, since: now });
    setTimeout(() => live.draw(), SETTLES + 10);
    return false;
  }
  return now - one.since >= SETTLES;
}
