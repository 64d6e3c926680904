// A line of time with the entries of a round on it, and a playhead: where each entry lies, which one the
// playhead is at, which part of the line is seen, and how it plays. Arithmetic only; nothing is drawn here.
//
// Each entry is a frame, which lasts until the next one. Places on the line are milliseconds, with waits
// cut and what came at once drawn apart, so that every frame can be hit. Play goes by the clock of the
// round, in which what came at once takes no time.

/** The shortest and the longest frame on the line, and the last one, which nothing follows. */
const LEAST = 250;
export const MOST = 8000;
const LAST = 1000;

export class Timeline {
  /** Of each frame when it began, in milliseconds, and to which part of the round it belongs. */
  constructor(times, parts) {
    this.parts = parts;
    this.count = times.length;
    /** How long each frame lasted, with waits cut; a clock that was set back lasts nothing. */
    this._lasts = times.map((at, index) => (index + 1 < times.length ? Math.min(Math.max(times[index + 1] - at, 0), MOST) : 0));
    /** Where each frame begins. */
    this.places = [];
    this.length = 0;
    this._lasts.forEach((lasts, index) => {
      this.places.push(this.length);
      this.length += index + 1 < this.count ? Math.max(lasts, LEAST) : LAST;
    });
    /** Where the playhead is; whether it plays, and how many times as fast as it was. */
    this.head = 0;
    this.plays = false;
    this.pace = 1;
    /** The part that is seen. */
    this.from = 0;
    this.to = this.length;
    /** Whether exactly one frame is seen, whichever it is. */
    this.one = false;
    /** Whether somebody has moved the view away from the playhead. */
    this.away = false;
  }

  // --- The playhead --------------------------------------------------------------------

  /** The frame that a place is in. */
  frame(place) {
    let [low, high] = [0, this.count - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.places[middle] <= place) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  get index() {
    return this.frame(this.head);
  }

  /** Where a frame ends. */
  end(index) {
    return index + 1 < this.count ? this.places[index + 1] : this.length;
  }

  /**
   * The one way in which the playhead moves: by finger, key and button, and by play itself. Whoever moves
   * it pauses play, and sees it again if they had looked elsewhere.
   */
  seek(place, plays = false) {
    this.head = Math.min(Math.max(place, 0), this.length);
    this.plays = plays;
    if (!plays) this.away = false;
    if (!this.away) this._follow();
  }

  step(by) {
    this.seek(this.places[Math.min(Math.max(this.index + by, 0), this.count - 1)]);
  }

  first() {
    this.seek(0);
  }

  last() {
    this.seek(this.places[this.count - 1]);
  }

  /** To where the next part begins; or to where this one began, and the one before it. */
  part(by) {
    const begins = (index) => index === 0 || this.parts[index] !== this.parts[index - 1];
    let index = this.index + by;
    while (index > 0 && index < this.count && !begins(index)) index += by;
    this.seek(this.places[Math.min(Math.max(index, 0), this.count - 1)]);
  }

  // --- Play ----------------------------------------------------------------------------

  /** From where it is; from the beginning where nothing is left. */
  play() {
    this.seek(this.index === this.count - 1 ? 0 : this.head, true);
  }

  pause() {
    this.plays = false;
  }

  /** So many milliseconds pass before the screen. It stops by itself at the last entry. */
  pass(milliseconds) {
    if (!this.plays) return;
    let left = milliseconds * this.pace;
    let place = this.head;
    let index = this.index;
    while (index + 1 < this.count) {
      const [begins, ends, lasts] = [this.places[index], this.end(index), this._lasts[index]];
      const rest = lasts * ((ends - place) / (ends - begins));
      if (left < rest) {
        place += (left / lasts) * (ends - begins);
        break;
      }
      left -= rest;
      index += 1;
      place = ends;
    }
    this.seek(place, index + 1 < this.count);
  }

  // --- The view ------------------------------------------------------------------------

  /** Where a place is in the view: 0 at its left, 1 at its right; and what place is there. */
  share(place) {
    return (place - this.from) / (this.to - this.from);
  }

  at(share) {
    return this.from + share * (this.to - this.from);
  }

  sees(place) {
    return place >= this.from && place <= this.to;
  }

  /** So many times as much of the line is seen; what the playhead is at stays where it is. */
  zoom(times) {
    const frame = this.end(this.index) - this.places[this.index];
    const wide = (this.to - this.from) * times;
    if (times < 1 && wide <= frame) {
      this.zoomToOne();
      return;
    }
    const held = this.sees(this.head) ? this.head : this.at(0.5);
    const share = this.share(held);
    this.one = false;
    const length = Math.min(wide, this.length);
    this._see(held - share * length, length);
  }

  zoomToAll() {
    this.one = false;
    this.away = false;
    this._see(0, this.length);
  }

  zoomToOne() {
    this.one = true;
    this.away = false;
    this._follow();
  }

  /** Whether nothing is left to see more of, or less. */
  get isAll() {
    return this.to - this.from >= this.length;
  }

  /** The view by a share of what it shows: so somebody asks to look elsewhere than at the playhead. */
  pan(share) {
    const length = this.to - this.from;
    this.one = false;
    this._see(this.from + share * length, length);
    this.away = !this.sees(this.head);
  }

  /** Back to the playhead, in the middle. */
  find() {
    this.away = false;
    if (this.one) this._follow();
    else this._see(this.head - (this.to - this.from) / 2, this.to - this.from);
  }

  _see(from, length) {
    this.from = Math.min(Math.max(from, 0), Math.max(this.length - length, 0));
    this.to = this.from + length;
    // A sum may be off by a hair; what is at an edge is seen.
    if (this.length - this.to < 1e-6) this.to = this.length;
  }

  /** The playhead does not leave the view; while it plays, what comes is ahead of it. */
  _follow() {
    if (this.one) {
      const { index } = this;
      [this.from, this.to] = [this.places[index], this.end(index)];
      return;
    }
    if (this.sees(this.head)) return;
    const length = this.to - this.from;
    const before = this.head < this.from ? 0 : this.plays ? length / 8 : length;
    this._see(this.head - before, length);
    // Rounding must not leave it outside.
    this.from = Math.min(this.from, this.head);
    this.to = Math.max(this.to, this.head);
  }
}
