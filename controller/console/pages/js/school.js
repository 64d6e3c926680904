// The school: a list of drills, the goal of the one that runs, and what it came to. What was right
// and what was not is the table's word; this page only shows it.

import { html, nothing, render } from "/static/vendor/lit-html.js";
import { spoken, voiced } from "/static/js/spoken.js";
import { learn, say, word } from "/static/js/words.js";
import { dress, switchTheme, theme } from "/static/js/look.js";
import { Live } from "/static/js/live.js";
import { lying } from "/static/js/drill.js";
import { sign } from "/static/js/signs.js";

const page = document.getElementById("page");
const ROLE = "dealer";
/** The list is in two parts, in this order. */
const GROUPS = ["rounds", "irregularities"];
const SIGNS = { right: "done", refused: "cut", wrong: "cut", late: "warn", "left out": "sent" };

/** Why the last thing that was done here was not taken, if it was not. */
let refused = "";
let busy = false;
let all = false;

await learn();
dress();
const live = new Live("school", [], draw);

async function does(what, given = {}) {
  busy = true;
  live.draw();
  const answer = await live.attend(what, given);
  busy = false;
  refused = answer.ok ? "" : spoken(answer.error);
  live.draw();
}

const signedOn = (trainee) => live.session?.person === trainee.person && live.session.role === ROLE;

/** On duty as the trainee, and at the dealer's page of the drill's table. */
async function takePlace(school) {
  const trainee = school.trainee;
  const address = `/dealer/${encodeURIComponent(school.table)}`;
  // Opened in the click itself: later a browser would take it for an advertisement.
  const opened = window.open(signedOn(trainee) ? address : "about:blank", "felt drill dealer");
  if (!signedOn(trainee)) {
    const answer = await live.signOn(trainee.person, ROLE, trainee.pin);
    refused = answer.ok ? "" : spoken(answer.error);
    if (!answer.ok) {
      opened?.close();
      live.draw();
      return;
    }
  }
  // A browser that opens no second window goes there in this one.
  if (opened === null) location.assign(address);
  else {
    opened.location = address;
    opened.focus();
  }
  live.draw();
}

// --- The page ----------------------------------------------------------------------

function draw() {
  document.title = say("school.title");
  const school = live.school;
  if (live.hello === null || school === null) {
    const text = live.hello === null || live.hello.school ? "waiting.console" : "school.none";
    render(html`<p class="waiting quiet" role="status">${say(text)}</p>`, page);
    return;
  }
  const running = school.running;
  render(
    html`<header class="head">
        <h1>${running ? running.title : say("school.title")}</h1>
        <nav class="row">
          ${running ? nothing : html`<a class="button" href="/">${say("school.tables")}</a>`}
          <button type="button" @click=${() => (switchTheme(), live.draw())}>${say(theme() === "light" ? "look.dark" : "look.light")}</button>
        </nav>
        <p class="quiet">${running ? played(running) : say("school.what")}</p>
      </header>
      <p class="noted" role="alert">${refused ? html`${sign("warn")} ${refused}` : nothing}</p>
      ${running === null ? list(school) : PARTS[running.stage](school, running)}`,
    page,
  );
}

const played = (drill) => `${drill.game}, ${drill.jurisdiction}, ${word("method", drill.method)}`;

const PARTS = { setting, running: goes, over: over, failed };

// --- Which drills there are -----------------------------------------------------------

function list(school) {
  return GROUPS.map((group) => {
    const some = school.drills.filter((one) => one.group === group);
    return html`<section aria-label=${say(`school.${group}`)}>
      <h2>${say(`school.${group}`)}</h2>
      <ul class="drills">
        ${some.map(
          (one) => html`<li class="panel">
            <h3>${one.title}</h3>
            <p>${one.teaches}</p>
            <p class="quiet">${played(one)}</p>
            <button type="button" aria-label=${say("school.begin.of", { drill: one.title })} aria-disabled=${busy}
              @click=${() => busy || does("begin", { drill: one.id })}>${say("school.begin")}</button>
          </li>`,
        )}
      </ul>
    </section>`;
  });
}

// --- One that runs --------------------------------------------------------------------

function goal(running) {
  return html`<section class="goal" aria-label=${say("school.goal")}>
    <h2>${say("school.goal")}</h2>
    <p>${running.goal}</p>
  </section>`;
}

function setting(school, running) {
  return html`${goal(running)}
    <p class="place" role="status">${say("school.setting")}</p>
    <div class="row foot">${leaving()}</div>`;
}

function goes(school, running) {
  const is = signedOn(school.trainee);
  return html`${goal(running)}
    <p class="place"><button type="button" class="act" @click=${() => takePlace(school)}>${say(is ? "school.open" : "school.take")}</button>
      <span class="quiet">${say(is ? "school.signed_on" : "school.one_click")}</span></p>
    <div class="row foot"><button type="button" aria-disabled=${busy} @click=${() => busy || does("end")}>${say("school.end")}</button></div>
    ${lying(running)}`;
}

function failed(school, running) {
  return html`<section class="verdict failed" role="status"><h2>${sign("warn")} ${say("school.broken")}</h2><p>${running.wrong}</p></section>
    <div class="row foot">${again(running)} ${leaving()}</div>`;
}

const again = (running) =>
  html`<button type="button" class="act" aria-disabled=${busy} @click=${() => busy || does("begin", { drill: running.id })}>${say("school.again")}</button>`;
const leaving = () => html`<button type="button" aria-disabled=${busy} @click=${() => busy || does("leave")}>${say("school.all")}</button>`;

// --- What it came to --------------------------------------------------------------------

function over(school, running) {
  const report = running.report;
  if (report === null) return html`<p class="place" role="status">${say("school.reading")}</p>`;
  const is = report.passed ? "passed" : "failed";
  const rows = report.acts.filter((row) => all || row.mine || row.verdict);
  return html`<section class="verdict ${is}" role="status">
      <h2>${sign(report.passed ? "done" : "cut")} ${say(`school.${is}`)}</h2>
      <p>${voiced(report.reason)}</p>
      <dl>${["right", "refused", "wrong", "late", "left_out"].map((one) => html`<div><dt>${say(`school.count.${one}`)}</dt><dd>${report.counts[one]}</dd></div>`)}</dl>
    </section>
    <div class="row foot">${again(running)} ${leaving()} <a class="button" href="/api/school" target="_blank">${say("school.json")}</a></div>
    <section aria-label=${say("school.wanted")}>
      <h2>${say("school.wanted")}</h2>
      <ul class="wanted">${report.wanted.map((one) => html`<li class=${css(one.verdict)}>${verdict(one.verdict)} <span>${voiced(one.words)}</span> ${clause(one)}</li>`)}</ul>
    </section>
    ${report.left_out.length > report.wanted.filter((one) => one.verdict === "left out").length
      ? html`<section aria-label=${say("school.asked")}>
          <h2>${say("school.asked")}</h2>
          <ul class="wanted">${report.left_out.filter((one) => !report.wanted.some((other) => other.words === one.words)).map((one) => html`<li class="left-out">${verdict("left out")} <span>${voiced(one.words)}</span> ${clause(one)}</li>`)}</ul>
        </section>`
      : nothing}
    <section aria-label=${say("school.acts")}>
      <h2>${say("school.acts")}</h2>
      <label class="row"><input type="checkbox" .checked=${all} @change=${(event) => ((all = event.target.checked), live.draw())} /> ${say("school.everybody")}</label>
      <table>
        <thead><tr><th scope="col">${say("school.who")}</th><th scope="col">${say("school.act")}</th><th scope="col">${say("school.verdict")}</th></tr></thead>
        <tbody>${rows.map(act)}</tbody>
      </table>
    </section>`;
}

const css = (name) => name.replace(" ", "-");
const verdict = (name) => (name ? html`<strong class="mark ${css(name)}">${sign(SIGNS[name])} ${say(`school.mark.${css(name)}`)}</strong>` : nothing);
const clause = (one) => (one.clause ? html`<cite>${one.clause}</cite>` : nothing);

function act(row) {
  return html`<tr class="${row.mine ? "mine" : ""} ${css(row.verdict)}">
    <td>${row.mine ? say("school.you") : row.who}</td>
    <td>${voiced(row.words)} ${clause(row)}${row.why ? html`<p class="why">${voiced(row.why)}</p>` : nothing}</td>
    <td>${verdict(row.verdict)}</td>
  </tr>`;
}

live.draw();
