// What can be done now, as the table offers it, sorted for a screen. Nothing here knows a game: an
// offer has its words, its seat and what it asks for, and that is all that is looked at.

import { spoken } from "/static/js/spoken.js";
import { say } from "/static/js/words.js";

/** What an offer is called wherever it can be pressed: the seat is always named. */
export function titled(offer) {
  const { seat, title } = offer;
  if (seat === null || seat === undefined) return spoken(title);
  return new RegExp(`\\bseat ${seat}\\b`, "i").test(title) ? spoken(title) : say("offer.seat", { seat, title: spoken(title) });
}

const does = (offer, action) => offer.acts.some((act) => act.action === action);

/** The offer behind one of the two buttons that never move. */
export const lockOut = (picture) => picture.offers.find((one) => does(one, "lock_out_pressed")) ?? null;
export const deal = (picture) => picture.offers.find((one) => does(one, "deal_pressed")) ?? null;
export const isButton = (offer) => does(offer, "lock_out_pressed") || does(offer, "deal_pressed");

/** What is asked of people in a role, one step each: the lines that one answer answers, with all of its choices. */
export function steps(picture, roles) {
  const found = [];
  const byId = new Map(picture.offers.map((one) => [one.id, one]));
  for (const prompt of picture.prompts) {
    if (!roles.includes(prompt.who)) continue;
    const same = found.find((one) => prompt.offer && one.choices.some((offer) => offer.id === prompt.offer));
    if (same) {
      same.lines.push(prompt);
      continue;
    }
    found.push({ prompt, lines: [prompt], choices: choices(picture, prompt, byId.get(prompt.offer)) });
  }
  return found;
}

function choices(picture, prompt, own) {
  if (own === undefined) return [];
  const others = picture.offers.filter(
    (one) =>
      one.group === "due" && one.who === own.who && one.seat === own.seat && one.acts[0]?.action === own.acts[0]?.action,
  );
  const some = others.includes(own) ? others : [own, ...others];
  // What a text fixes as a sequence is told as done; its next step alone stands beside it.
  return some.toSorted((a, b) => b.acts.length - a.acts.length);
}

/** What several seats do at once, where the step asks for it of each of them. */
export function together(picture, step) {
  return picture.offers.filter(
    (one) =>
      one.seat === null && one.acts.length > 1 && isPlain(one) && step.prompt.answer !== "" &&
      one.who === step.prompt.who && one.group !== "irregular" && one.acts[0].action === step.prompt.answer &&
      !step.choices.includes(one),
  );
}

/** The one step that is shown large: the first that can be answered, or else the first of all. */
export function foremost(all) {
  return all.find((one) => one.choices.length) ?? all[0] ?? null;
}

/** Whether an offer can be taken as it stands. */
export const isPlain = (offer) => !offer.asks.some((ask) => ask.required);
