// A meter that climbs: what is shown goes up to the true value, and never past it.

/** Milliseconds in which most of the way is made. */
const PACE = 500;

export class Climbing {
  constructor() {
    /** By name of a level: what is shown, and what is true, in cents. */
    this._levels = new Map();
  }

  /** What is true now. The first word on a level, and every fall, is shown at once. */
  told(name, cents) {
    const one = this._levels.get(name);
    if (one === undefined || cents < one.shown) this._levels.set(name, { shown: cents, truth: cents });
    else one.truth = cents;
  }

  /** After so many milliseconds; whether anything still climbs. */
  pass(milliseconds) {
    let climbs = false;
    for (const one of this._levels.values()) {
      const left = one.truth - one.shown;
      if (left > 0 && milliseconds > 0) {
        // A cent at the least, or the last of them would never be made.
        const way = Math.max(1, Math.floor(left * (1 - Math.exp(-milliseconds / PACE))));
        one.shown = Math.min(one.truth, one.shown + way);
      }
      climbs ||= one.shown < one.truth;
    }
    return climbs;
  }

  shown(name) {
    return this._levels.get(name)?.shown ?? 0;
  }
}
