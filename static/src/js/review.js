// Decisions about pairs and entries of work lists: the next one is shown at once, while the server is notified.
import { base, problem, say } from "./shell.js";

const main = () => document.querySelector("[data-review]");
const fragment = { headers: { "HX-Request": "true", Accept: "application/json" } };

let sent = Promise.resolve(); // decisions are sent one after the other
let waiting = 0; // those not answered yet
let undo = false; // it was requested while a decision was being sent

async function read(answer) {
  const text = await answer.text();
  if (!answer.ok) throw new Error(problem(answer.status, text));
  return text;
}

// send posts a form after the earlier ones are answered, and inserts the response in its place.
function send(form, button) {
  const body = new URLSearchParams(new FormData(form));
  if (button?.name) body.set(button.name, button.value);
  waiting++;
  document.getElementById("undo").replaceChildren(); // its button belongs to an earlier decision
  main().dataset.waiting = waiting;
  sent = sent.then(async () => {
    try {
      place(await read(await fetch(form.action, { method: "POST", body, ...fragment })), waiting === 1);
    } catch (failed) {
      undo = false;
      say(failed instanceof TypeError ? problem(0) : failed.message);
      pages.clear();
    }
    main().dataset.waiting = --waiting;
    if (waiting === 0 && undo) {
      undo = false;
      document.querySelector('#undo [data-key="u"]')?.click();
    }
  });
  return sent;
}

// place replaces the parts of the page in a response. Only the last response, which includes all decisions,
// replaces the queue.
function place(html, last) {
  const parts = document.createElement("template");
  parts.innerHTML = html;
  for (const part of [...parts.content.children]) {
    if (part.id === "queue" && !last) continue;
    const old = document.getElementById(part.id);
    if (part.id === "undo") old.replaceChildren(...part.childNodes); // keep the region that is read aloud
    else old?.replaceWith(part);
  }
  if (last && main().dataset.review === "pairs") mark();
}

/* Pairs */

const pages = new Map(); // address → its pair, as HTML

function fetched(address) {
  if (!pages.has(address)) {
    const page = fetch(address, fragment).then(read);
    page.catch(() => pages.delete(address));
    pages.set(address, page);
  }
  return pages.get(address);
}

const lines = () => [...document.querySelectorAll("#queue [data-pair]")];
const shown = () => document.getElementById("bench")?.dataset.pair;

// mark marks the shown pair in the queue, and fetches the following ones. A pair that has left the queue makes
// room for the first.
function mark() {
  const list = lines();
  const at = list.findIndex((line) => line.dataset.pair === shown());
  if (at < 0) return void (list.length > 0 ? show(list[0]) : location.assign(`${base()}/review`));
  list.forEach((line, i) => line.setAttribute("aria-current", i === at));
  list[at].scrollIntoView({ block: "nearest", inline: "nearest" });
  for (const next of list.slice(at + 1, at + 3)) fetched(next.href).catch(() => {});
}

let turn = 0;

async function show(line) {
  const mine = ++turn;
  try {
    const html = await fetched(line.href);
    if (mine !== turn) return;
    const parts = document.createElement("template");
    parts.innerHTML = html;
    const fresh = parts.content.querySelector("#bench");
    document.getElementById("bench").replaceWith(fresh);
    fresh.querySelector("#bench-title").focus({ preventScroll: true });
    history.replaceState(history.state, "", line.href);
    mark();
  } catch (failed) {
    say(failed instanceof TypeError ? problem(0) : failed.message);
  }
}

function step(by) {
  const list = lines();
  const next = list[list.findIndex((line) => line.dataset.pair === shown()) + by];
  if (next) show(next);
}

function decide(form, button) {
  const list = lines();
  const at = list.findIndex((line) => line.dataset.pair === shown());
  const next = list[at + 1] ?? list[at - 1];
  const answered = send(form, button);
  if (at >= 0) {
    pages.delete(list[at].href);
    list[at].closest("li").remove();
  }
  if (next) show(next);
  else answered.then(() => waiting === 0 && location.assign(`${base()}/review`));
}

/* Work lists */

const rows = () => [...document.querySelectorAll("[data-row]:not(.done)")];
const row = () => document.querySelector("[data-row][data-current]");

function choose(next) {
  if (!next) return;
  row()?.removeAttribute("data-current");
  next.setAttribute("data-current", "");
  next.focus();
  next.scrollIntoView({ block: "nearest" });
}

function go(by) {
  const list = rows();
  const at = list.indexOf(row());
  choose(at < 0 ? list[0] : list[at + by]);
}

function work(form, button) {
  const mine = form.closest("[data-row]");
  const list = rows();
  const at = list.indexOf(mine);
  mine.classList.add("done");
  choose(list[at + 1] ?? list[at - 1]);
  send(form, button);
}

function rowKey(key) {
  const button = row()?.querySelector(`[data-row-key="${CSS.escape(key)}"]`);
  button?.click();
  return Boolean(button);
}

/* Keys */

// pressed handles a key and reports whether it has a meaning here.
function pressed(e) {
  const key = e.key.length === 1 ? e.key.toLowerCase() : e.key;
  const pairs = main().dataset.review === "pairs";
  const move = pairs ? step : go;
  if (key === "?") document.getElementById("keys").showModal();
  else if (key === "u" && waiting > 0) undo = true;
  else if (key === "j") move(e.shiftKey ? -1 : 1);
  else if ((key === "ArrowDown" || key === "ArrowUp") && e.target.closest(pairs ? "#queue" : "[data-row]")) move(key === "ArrowDown" ? 1 : -1);
  else return !pairs && rowKey(key);
  return true;
}

export function start() {
  if (!main()) return;
  // Before the keys of all pages, which ignore Shift.
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing || document.querySelector("dialog[open]")) return;
    if (e.target.closest("input:not([type=radio]):not([type=checkbox]), textarea, select, .menu")) return;
    if (!pressed(e)) return;
    e.preventDefault();
    e.stopImmediatePropagation();
  }, true);
  document.addEventListener("submit", (e) => {
    if (!e.target.matches("[data-decide]")) return;
    e.preventDefault();
    if (main().dataset.review === "pairs") decide(e.target, e.submitter);
    else work(e.target, e.submitter);
  });
  document.addEventListener("click", (e) => {
    if (e.target.closest("[data-show-keys]")) document.getElementById("keys").showModal();
    const line = e.target.closest("#queue [data-pair]");
    if (!line || e.ctrlKey || e.metaKey || e.shiftKey) return;
    e.preventDefault();
    show(line);
  });
  document.addEventListener("focusin", (e) => {
    const mine = e.target.closest("[data-row]:not(.done)");
    if (mine && mine !== row()) {
      row()?.removeAttribute("data-current");
      mine.setAttribute("data-current", "");
    }
  });
  if (main().dataset.review === "pairs" && lines().length > 0) mark();
}
