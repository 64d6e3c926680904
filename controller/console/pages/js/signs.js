// The shapes that go with a word, of our own drawing: each is another outline, not another colour.

import { html, svg } from "/static/vendor/lit-html.js";

const SHAPES = {
  hold: svg`<path d="M7 1h10l6 6v10l-6 6H7l-6-6V7z M11 6v8h2V6z M11 16v2.5h2V16z" fill-rule="evenodd"/>`,
  warn: svg`<path d="M12 1l11.5 21H.5z M11 8v7h2V8z M11 17v2.5h2V17z" fill-rule="evenodd"/>`,
  cut: svg`<path d="M2 11h6v2H2z M16 11h6v2h-6z M9 5l2 6-2 .7-2-6z M15 19l-2-6 2-.7 2 6z"/>`,
  done: svg`<path d="M9.5 20L2 12.5l2.6-2.6 4.9 4.9L19.4 5 22 7.600z"/>`,
  sent: svg`<path d="M12 3a9 9 0 100 18 9 9 0 000-18zm0 3a6 6 0 110 12 6 6 0 010-12z" fill-rule="evenodd"/>`,
  shut: svg`<path d="M6 10V7a6 6 0 0112 0v3h2v12H4V10zm3 0h6V7a3 3 0 00-6 0z" fill-rule="evenodd"/>`,
  open: svg`<path d="M6 10V6a6 6 0 0111.700-1.900l-2.700 1.200A3 3 0 009 6v4h11v12H4V10z" fill-rule="evenodd"/>`,
  back: svg`<path d="M14.500 3L17 5.500 10.500 12 17 18.500 14.500 21l-9-9z"/>`,
  right: svg`<path d="M9.500 3L7 5.500 13.500 12 7 18.500 9.500 21l9-9z"/>`,
  more: svg`<path d="M3 5h18v3H3z M3 10.500h18v3H3z M3 16h18v3H3z"/>`,
  play: svg`<path d="M6 3l15 9-15 9z"/>`,
  pause: svg`<path d="M5 3h5v18H5z M14 3h5v18h-5z"/>`,
  next: svg`<path d="M4 4l10 8-10 8z M16 4h4v16h-4z"/>`,
  previous: svg`<path d="M20 4L10 12l10 8z M8 4H4v16h4z"/>`,
  next_part: svg`<path d="M2 5l8 7-8 7z M10 5l8 7-8 7z M19 5h3v14h-3z"/>`,
  previous_part: svg`<path d="M22 5l-8 7 8 7z M14 5l-8 7 8 7z M5 5H2v14h3z"/>`,
  closer: svg`<path d="M10 1a9 9 0 017.200 14.400L23 21.200 21.200 23l-5.800-5.800A9 9 0 1110 1zm0 2.500a6.500 6.500 0 100 13 6.500 6.500 0 000-13z M9 6h2v3h3v2h-3v3H9v-3H6V9h3z" fill-rule="evenodd"/>`,
  farther: svg`<path d="M10 1a9 9 0 017.200 14.400L23 21.200 21.200 23l-5.800-5.800A9 9 0 1110 1zm0 2.500a6.500 6.500 0 100 13 6.500 6.500 0 000-13z M6 9h8v2H6z" fill-rule="evenodd"/>`,
  person: svg`<path d="M12 2a5 5 0 110 10 5 5 0 010-10z M2 22c0-5 4-8.500 10-8.500S22 17 22 22z"/>`,
};

const LAMPS = {
  off: svg`<circle cx="12" cy="12" r="8.500" fill="none" stroke="currentColor" stroke-width="2" stroke-dasharray="3 3"/>`,
  invite: svg`<circle cx="12" cy="12" r="8.500" fill="none" stroke="currentColor" stroke-width="3"/>`,
  placed: svg`<circle cx="12" cy="12" r="8.500" fill="none" stroke="currentColor" stroke-width="3"/><path d="M12 3.500a8.500 8.500 0 010 17z"/>`,
  accepted: svg`<path d="M12 2a10 10 0 110 20 10 10 0 010-20z M10.600 17.500L18.500 9.600l-2-2-5.900 5.900-2.600-2.600-2 2z" fill-rule="evenodd"/>`,
};

export const sign = (name) => html`<svg class="sign" viewBox="0 0 24 24" aria-hidden="true">${SHAPES[name]}</svg>`;

export const lamp = (name, label) =>
  html`<svg class="sign lamp" viewBox="0 0 24 24" role="img" aria-label=${label}>${LAMPS[name] ?? LAMPS.off}</svg>`;
