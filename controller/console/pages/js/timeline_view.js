// A round gone through entry by entry: the line with its marks and its playhead, the buttons that move it,
// the entry in words, and the table as it lay after it. What lay there is told by the table's own machine,
// as changes from entry to entry; nothing is worked out here.

import { html, nothing, svg } from "/static/vendor/lit-html.js";
import { keyed } from "/static/vendor/directives/keyed.js";
import { voiced } from "/static/js/spoken.js";
import { clockTime, say, word } from "/static/js/words.js";
import { settled } from "/static/js/live.js";
import { sign } from "/static/js/signs.js";
import { factsOf, placeThen, seatThen, whoOf } from "/static/js/lay.js";
import { MOST, Timeline } from "/static/js/timeline.js";

const PACES = [1, 4, 16];
const ZOOM = 2;
/** A part of what is seen, by which one looks on. */
const PAN = 0.5;
/** Words stand beside a mark where there is room for them: before them, and of each letter, in pixels. */
const [BESIDE, LETTER] = [18, 8];
/** So many pixels are left above a round that is opened. */
const BELOW = 12;
/** More than that has not passed between two pictures: nobody looked. */
const LONGEST = 250;

const still = matchMedia("(prefers-reduced-motion: reduce)");

/** Each another outline. */
const MARKS = {
  person: svg`<path d="M0 -8L7 0 0 8-7 0z"/>`,
  told: svg`<path d="M-1.500 -7h3v14h-3z"/>`,
  refused: svg`<path d="M-8 -5.500L-5.500 -8 0 -2.500 5.500 -8 8 -5.500 2.500 0 8 5.500 5.500 8 0 2.500-5.500 8-8 5.500-2.500 0z"/>`,
  hold: svg`<path d="M-3.700 -9h7.400L9 -3.700v7.400L3.700 9h-7.400L-9 3.700v-7.400z M-1.200 -5v6h2.400v-6z M-1.200 3v2.400h2.400V3z" fill-rule="evenodd"/>`,
  cleared: svg`<path d="M-3 8L-9 2l2.300-2.300L-3 3.400 6.700 -6.300 9 -4z"/>`,
};

const mark = (name) => html`<svg class="mark" viewBox="-10 -10 20 20" aria-hidden="true">${MARKS[name]}</svg>`;

/** What a change makes of what lay before (a JSON merge patch). */
function merged(before, change) {
  const found = { ...before };
  for (const [name, value] of Object.entries(change)) {
    if (value === null) delete found[name];
    else if (typeof value === "object") found[name] = merged(found[name] ?? {}, value);
    else found[name] = value;
  }
  return found;
}

/** Each entry with how it lay after it, and what it is: by whom, whether refused, which holds came and went. */
function framesOf(round) {
  let lay = {};
  return round.events.filter((one) => one.lay !== undefined).map((one) => {
    const before = lay.holds ?? {};
    lay = merged(lay, one.lay);
    const after = lay.holds ?? {};
    const came = Object.keys(after).filter((number) => !(number in before));
    const went = Object.keys(before).filter((number) => !(number in after));
    const marks = [one.by || one.keyed_by ? "person" : "told", one.refused ? "refused" : "", came.length ? "hold" : "", went.length ? "cleared" : ""].filter(Boolean);
    return { one, lay, came, went, marks };
  });
}

export class TimelineView {
  /** `before` is what was looked at of the same round, until it was asked for again. */
  constructor(live, round, before = null) {
    this.live = live;
    this.round = round;
    this.frames = framesOf(round);
    this.holds = new Map(round.held.map((one) => [String(one.number), one]));
    // Every place and seat that anything is told of, so that none changes where it is.
    this.places = [...new Set(this.frames.flatMap(({ lay }) => Object.keys(lay.places ?? {})))];
    const most = Math.max(0, ...this.frames.flatMap(({ lay }) => Object.keys(lay.seats ?? {}).map(Number)));
    this.seats = Array.from({ length: most }, (_, index) => index + 1);
    this.line = new Timeline(this.frames.map(({ one }) => one.at), this.frames.map(({ lay }) => lay.phase));
    // What is under way is looked at as it lies now.
    if (before !== null) this.line.seek(this.line.places[this._nearest(before.frame.one.seq)]);
    else if (!round.finished) this.line.last();
    if (before !== null) this.line.pace = before.line.pace;
    this._dragged = null;
    this._focuses = before === null;
  }

  _nearest(seq) {
    return Math.max(0, this.frames.findLastIndex(({ one }) => one.seq <= seq));
  }

  get frame() {
    return this.frames[this.line.index];
  }

  /** Where the playhead is drawn: it does not glide where somebody wants nothing to move. */
  get place() {
    const { line } = this;
    return still.matches && this._dragged === null ? line.places[line.index] : line.head;
  }

  // --- What people do ------------------------------------------------------------------

  _does(what) {
    what(this.line);
    this.live.draw();
  }

  _plays() {
    this.line.play();
    this.live.draw();
    let last = performance.now();
    const { line } = this;
    const next = (now) => {
      // Whoever has left the page of the round does not play it.
      if (document.querySelector(".playhead") === null) line.pause();
      if (!line.plays) return;
      const { index } = line;
      line.pass(Math.min(Math.max(now - last, 0), LONGEST));
      last = now;
      if (!still.matches || line.index !== index || !line.plays) this.live.draw();
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  }

  _pauses() {
    this._does((line) => line.pause());
  }

  _grips(event) {
    if (event.button !== 0) return;
    const strip = event.currentTarget;
    const head = strip.querySelector(".playhead");
    strip.setPointerCapture(event.pointerId);
    const box = head.getBoundingClientRect();
    // Held beside its middle it does not jump to the finger.
    this._dragged = event.target.closest(".playhead") === null ? 0 : event.clientX - (box.left + box.right) / 2;
    head.focus({ preventScroll: true });
    this._drags(event);
  }

  _drags(event) {
    if (this._dragged === null) return;
    const box = event.currentTarget.getBoundingClientRect();
    const share = (event.clientX - this._dragged - box.left) / box.width;
    this._does((line) => line.seek(line.at(share)));
  }

  _lets() {
    this._dragged = null;
    this.live.draw();
  }

  _key(event) {
    const does = {
      ArrowLeft: (line) => line.step(-1),
      ArrowDown: (line) => line.step(-1),
      ArrowRight: (line) => line.step(1),
      ArrowUp: (line) => line.step(1),
      Home: (line) => line.first(),
      End: (line) => line.last(),
      PageUp: (line) => line.part(1),
      PageDown: (line) => line.part(-1),
      "+": (line) => line.zoom(1 / ZOOM),
      "-": (line) => line.zoom(ZOOM),
    }[event.key];
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === " ") {
      if (this.line.plays) this._pauses();
      else this._plays();
    } else if (does !== undefined) this._does(does);
    else return;
    event.preventDefault();
  }

  // --- What is drawn -------------------------------------------------------------------

  view(picture) {
    if (!this.frames.length) return nothing;
    if (this._focuses) requestAnimationFrame(() => this._isThere());
    const { frame } = this;
    const missing = this.round.events.length - this.frames.length;
    return html`<section class="timeline on-screen" aria-label=${say("timeline.title")}>
      ${missing ? html`<p class="quiet">${say("timeline.missing", { count: missing })}</p>` : nothing}
      ${this._strip()} ${this._buttons()} ${this._entry(picture)}
      <section class="then seats" aria-label=${say("timeline.then")}>
        ${this.places.map((name) => placeThen(name, frame.lay.places?.[name]))}
        ${this.seats.map((number) => seatThen(picture, number, frame.lay.seats?.[number]))}
      </section>
      ${this._legend()}
    </section>`;
  }

  /** The first time that it is drawn: the round is in sight, and keys move the playhead before a touch. */
  _isThere() {
    if (!this._focuses) return;
    this._focuses = false;
    const round = document.querySelector(".recalled");
    const box = round?.closest(".inside");
    // Nothing but its own box is scrolled: what is beside it stays.
    if (box) box.scrollTop += round.getBoundingClientRect().top - box.getBoundingClientRect().top - BELOW;
    document.querySelector(".playhead")?.focus({ preventScroll: true });
    // Now it is known how wide the line is.
    this.live.draw();
  }

  _strip() {
    const { line } = this;
    const box = document.querySelector(".strip");
    const wide = box?.clientWidth ?? 800;
    const share = Math.min(Math.max(line.share(this.place), 0), 1);
    return html`<div class="strip" @pointerdown=${(event) => this._grips(event)} @pointermove=${(event) => this._drags(event)} @pointerup=${() => this._lets()} @pointercancel=${() => this._lets()}>
        <svg class="line" aria-hidden="true">${this._parts()} ${this._held()} ${this._marks(wide)}</svg>
        <div class="playhead ${line.away ? "away" : ""}" role="slider" tabindex="0" aria-label=${say("timeline.head")} aria-valuemin="1" aria-valuemax=${this.frames.length} aria-valuenow=${line.index + 1} aria-valuetext=${this._said()}
          .style=${`left: ${100 * share}%`} @keydown=${(event) => this._key(event)}></div>
      </div>
      <svg class="seen" aria-hidden="true"><rect class="all" width="100%" height="6" rx="3"></rect>
        <rect class="part" x=${percent(line.from / line.length)} width=${percent((line.to - line.from) / line.length)} height="6" rx="3"></rect>
        <rect class="here" x=${percent(this.place / line.length)} y="-3" width="3" height="12"></rect></svg>`;
  }

  /** A place within the view, and how wide something is in it, cut off at its edges. */
  _within(from, to) {
    const [begins, ends] = [Math.max(this.line.share(from), 0), Math.min(this.line.share(to), 1)];
    return begins < 1 && ends > 0 ? { x: percent(begins), width: percent(ends - begins), share: ends - begins } : null;
  }

  /** The phases, each with its word. */
  _parts() {
    const { line } = this;
    const found = [];
    for (let first = 0, part = 0; first < line.count; part += 1) {
      let last = first;
      while (last + 1 < line.count && line.parts[last + 1] === line.parts[first]) last += 1;
      const at = this._within(line.places[first], line.end(last));
      if (at !== null) found.push(svg`<svg class="phase" x=${at.x} width=${at.width} height="28"><rect class=${part % 2 ? "odd" : "even"} width="100%" height="28"></rect><path d="M0 0v28"/><text x="6" y="19">${word("phase", line.parts[first])}</text></svg>`);
      first = last + 1;
    }
    return found;
  }

  /** How long each hold stood. */
  _held() {
    const { line } = this;
    const stood = new Map();
    const bar = (number, to) => {
      const at = this._within(line.places[stood.get(number)], to);
      stood.delete(number);
      return at === null ? nothing : svg`<rect class="stood" x=${at.x} y="39" width=${at.width} height="6"></rect>`;
    };
    const found = [];
    this.frames.forEach(({ came, went }, index) => {
      came.forEach((number) => stood.set(number, index));
      went.forEach((number) => found.push(bar(number, line.places[index])));
    });
    return [...found, ...[...stood.keys()].map((number) => bar(number, line.length))];
  }

  /** Every entry has a mark, and what is to be noted has another above it; words where there is room. */
  _marks(wide) {
    const { line } = this;
    return this.frames.map(({ one, marks }, index) => {
      const at = this._within(line.places[index], line.end(index));
      if (at === null) return nothing;
      const [kind, ...noted] = marks;
      const begins = line.sees(line.places[index]);
      return svg`${begins ? svg`<svg class="entry" x=${at.x} y="66">${MARKS[kind]}</svg>${noted.map((name, place) => svg`<svg class="entry" x=${at.x} y="42"><g transform="translate(${20 * place} 0)">${MARKS[name]}</g></svg>`)}` : nothing}
        ${at.share * wide >= BESIDE + LETTER * word("event", one.kind).length ? svg`<svg class="said" x=${at.x} y="52" width=${at.width} height="28"><text x="14" y="20">${word("event", one.kind)}</text></svg>` : nothing}`;
    });
  }

  _buttons() {
    const { line } = this;
    const is = line.plays ? "pause" : "play";
    const dead = !settled("timeline play", is, this.live);
    const [first, last] = [line.index === 0, line.index === line.count - 1];
    const one = (name, does, off = false, shape = "") => html`<button type="button" class=${off ? "off" : ""} aria-disabled=${off} aria-label=${say(`timeline.${name}`)} @click=${() => off || this._does(does)}>${shape ? sign(shape) : say(`timeline.${name}`)}</button>`;
    return html`<div class="moves">
      <div class="row">
        ${one("previous_part", (it) => it.part(-1), first, "previous_part")} ${one("previous", (it) => it.step(-1), first, "previous")}
        ${keyed(is, html`<button type="button" class="act ${dead ? "settling" : ""}" data-place="timeline play" aria-disabled=${dead} @click=${() => dead || (is === "play" ? this._plays() : this._pauses())}>${sign(is)} ${say(`timeline.${is}`)}</button>`)}
        ${one("next", (it) => it.step(1), last, "next")} ${one("next_part", (it) => it.part(1), last, "next_part")}
      </div>
      <div class="row" role="group" aria-label=${say("timeline.pace")}>
        ${PACES.map((times) => html`<button type="button" aria-pressed=${line.pace === times} aria-label=${say("timeline.pace_of", { times })} @click=${() => this._does((it) => (it.pace = times))}>${times}×</button>`)}
      </div>
      <div class="row views" role="group" aria-label=${say("timeline.view")}>
        ${one("all", (it) => it.zoomToAll(), line.isAll)} ${one("one", (it) => it.zoomToOne(), line.one)}
        ${one("zoom_out", (it) => it.zoom(ZOOM), line.isAll, "farther")} ${one("zoom_in", (it) => it.zoom(1 / ZOOM), line.one, "closer")}
        ${one("earlier", (it) => it.pan(-PAN), line.from <= 0, "back")} ${one("later", (it) => it.pan(PAN), line.to >= line.length, "right")} ${one("find", (it) => it.find(), !line.away)}
      </div>
    </div>`;
  }

  _legend() {
    const count = (name) => this.frames.filter(({ marks }) => marks.includes(name)).length;
    return html`<ul class="legend quiet" aria-label=${say("timeline.marks")}>
      ${Object.keys(MARKS).map((name) => html`<li>${mark(name)} ${say(`timeline.mark.${name}`, { count: count(name) })}</li>`)}
      <li>${say("timeline.cut", { seconds: MOST / 1000 })}</li>
    </ul>`;
  }

  /** What is read aloud of where the playhead is. */
  _said() {
    const { one, lay, marks } = this.frame;
    const noted = marks.slice(1).map((name) => say(`timeline.is.${name}`));
    return [say("timeline.entry", { seq: one.seq }), clockTime(one.at), word("phase", lay.phase), word("event", one.kind), whoOf(one), ...noted].filter(Boolean).join(", ");
  }

  _entry(picture) {
    const { one, lay, came, went, marks } = this.frame;
    const stands = Object.keys(lay.holds ?? {});
    const hold = (number) => (this.holds.has(number) ? html`${voiced(this.holds.get(number).where)}: ${voiced(this.holds.get(number).cause)}` : number);
    return html`<section class="this-entry" aria-label=${say("timeline.this")}>
      <p class="row"><strong>${say("timeline.entry", { seq: one.seq })}</strong> <span class="quiet">${say("timeline.of", { index: this.line.index + 1, count: this.frames.length })}</span>
        <span>${clockTime(one.at)}</span> <span class="in">${word("phase", lay.phase)}</span> <span class="quiet">${whoOf(one)}</span>${lay.void ? html` <span>${sign("warn")} ${say("round.void")}</span>` : nothing}</p>
      <p class="what">${mark(marks[0])} <strong>${word("event", one.kind)}</strong> ${factsOf(picture, one)}</p>
      ${one.refused ? html`<p>${mark("refused")} ${say("recall.refused", { why: one.refused })}</p>` : nothing}
      ${came.map((number) => html`<p>${mark("hold")} ${say("timeline.is.hold")}: ${hold(number)}</p>`)}
      ${went.map((number) => html`<p>${mark("cleared")} ${say("timeline.is.cleared")}: ${hold(number)}</p>`)}
      ${stands.filter((number) => !came.includes(number)).map((number) => html`<p>${sign("hold")} ${say("timeline.stands")}: ${hold(number)}</p>`)}
      ${one.clauses ? html`<p class="quiet">${say("fact.clause")}: ${one.clauses.map((clause) => voiced(clause)).reduce((all, clause) => [...all, all.length ? ", " : "", clause], [])}</p>` : nothing}
    </section>`;
  }
}

const percent = (share) => `${(100 * share).toFixed(3)}%`;
