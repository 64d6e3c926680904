// Light or dark, two or four colours of suits: as the room needs it, kept in this browser.

import { remember, remembered } from "/static/js/words.js";

const root = document.documentElement;
const light = matchMedia("(prefers-color-scheme: light)");

/** A page of the pit says itself what is usual there: it is dark. */
export const theme = () => remembered("felt.theme") || root.dataset.usual || (light.matches ? "light" : "dark");
export const suits = () => remembered("felt.suits") || "two";

export function dress() {
  root.dataset.theme = theme();
  root.dataset.suits = suits();
}

export function switchTheme() {
  remember("felt.theme", theme() === "light" ? "dark" : "light");
  dress();
}

export function switchSuits() {
  remember("felt.suits", suits() === "four" ? "two" : "four");
  dress();
}

light.addEventListener("change", dress);
