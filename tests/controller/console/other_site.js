// What a page of somebody else tries; each answers with what it came to. Before this stands `known`:
// where felt is, and all that a press has to name, as if somebody had seen it.
const { felt, table, pin, offer, round, seq } = known;
const press = { press: "p", offer, round, seq };
const fields = {deck: "A", colour: "red", design: "bee"};
const body = JSON.stringify({...press, fields});
const sign = JSON.stringify({person: "dealer-1", role: "dealer", pin});
const take = `${felt}api/tables/${table}/take`;
const post = (address, kind, mode, text) => fetch(address, {
  method: "POST", mode, credentials: "include", headers: kind ? {"content-type": kind} : {}, body: text,
}).then(async (answer) => `${answer.type} ${answer.status} ${await answer.text()}`);
const framed = (address) => new Promise((done) => {
  const frame = document.createElement("iframe");
  frame.onload = () => {
    let seen = "";
    try { seen = frame.contentDocument?.body?.innerHTML ?? ""; } catch { seen = ""; }
    done(`read "${seen}"`);
  };
  frame.src = address;
  document.body.append(frame);
});
const part = (tag, address) => new Promise((done) => {
  const one = document.createElement(tag);
  one.onload = () => done("loaded");
  one.onerror = () => done("refused");
  one.src = address;
  document.body.append(one);
});
const live = () => new Promise((done) => {
  const socket = new WebSocket(`${felt.replace("http", "ws")}live`);
  socket.onopen = () => done("open");
  socket.onerror = () => done("refused");
});
const form = (kind) => new Promise((done) => {
  const frame = Object.assign(document.createElement("iframe"), {name: `to ${kind}`});
  const one = Object.assign(document.createElement("form"), {
    method: "post", action: take, target: `to ${kind}`, enctype: kind,
  });
  const field = Object.assign(document.createElement("input"), {name: body.slice(0, -1), value: "}"});
  one.append(field);
  document.body.append(frame, one);
  frame.onload = () => done("sent");
  one.submit();
});
const tries = {
  "read a picture": () => fetch(`${felt}api/tables/${table}/picture`, {credentials: "include"}).then((a) => a.text()),
  "read who is signed on": () => fetch(`${felt}api/session`, {credentials: "include"}).then((a) => a.text()),
  "read without asking": () => fetch(`${felt}api/session`, {mode: "no-cors", credentials: "include"}).then((a) => `${a.type} ${a.status}`),
  "press": () => post(take, "application/json", "cors", body),
  "press as text": () => post(take, "text/plain", "no-cors", body),
  "press as nothing": () => post(take, "", "no-cors", new Blob([body])),
  "sign on": () => post(`${felt}api/sign-on`, "text/plain", "no-cors", sign),
  "sign off": () => post(`${felt}api/sign-off`, "text/plain", "no-cors", "{}"),
  "beacon": async () => `${navigator.sendBeacon(take, body)}`,
  "form as text": () => form("text/plain"),
  "form": () => form("application/x-www-form-urlencoded"),
  "live": live,
  "frame the dealer": () => framed(`${felt}dealer/${table}`),
  "frame a program's": () => framed(`${felt}api/session`),
  "script": () => part("script", `${felt}static/js/live.js`),
  "image": () => part("img", `${felt}static/felt.svg`),
};
const found = {};
for (const [name, does] of Object.entries(tries)) {
  found[name] = await does().catch((error) => `refused: ${error.message}`);
}
const opened = window.open(`${felt}dealer/${table}`, "felt");
found["open and read"] = "";
for (let tries = 0; tries < 200 && found["open and read"] !== "refused"; tries++) {
  await new Promise((done) => setTimeout(done, 50));
  try {
    // What was cut off from here says that it is closed.
    found["open and read"] = opened.closed ? "refused" : opened.document.body.innerHTML;
  } catch {
    found["open and read"] = "refused";
  }
}
window.found = found;
