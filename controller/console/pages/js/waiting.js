// What waits over all tables, oldest first: the order is that of the moments at which it began, so it
// never changes by itself. Of a table's holds the first stands for all; those that followed are counted.

import { SAYS_SO } from "/static/js/live.js";

const isHold = (matter) => matter.kind === "hold";

/** Every matter of every table, each with its table and how long it has waited by now. */
export function matters(live) {
  const now = performance.now();
  const found = [];
  for (const [table, { picture, came, age }] of live.pictures) {
    const older = (now - came + age) / 1000;
    for (const one of picture.matters) {
      found.push({ ...one, table, picture, key: `${table} ${one.id}`, waits_s: one.age_s + older, heard: isHeard(live, table) });
    }
  }
  return found.sort((a, b) => a.since - b.since || a.table.localeCompare(b.table));
}

/** One line each: the first hold of a table stands for those that came after it. */
export function lines(all) {
  const firsts = new Map();
  const found = [];
  for (const one of all) {
    const first = isHold(one) ? firsts.get(one.table) : undefined;
    if (first !== undefined) {
      first.followed.push(one);
      continue;
    }
    const line = { ...one, followed: [] };
    if (isHold(one)) firsts.set(one.table, line);
    found.push(line);
  }
  return found;
}

export const isHeard = (live, table) => !live.lost.has(table) && live.age(table) < SAYS_SO;

/** The roles that may take an offer, as the table says it. */
export const mayTake = (picture, who) => picture.stands_in[who] ?? [who];
