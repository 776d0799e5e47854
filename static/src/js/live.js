// Streams that keep parts of a page up to date. An element names its stream in data-live; streams carry HTML
// whose elements replace those with the same id. Nothing is drawn here: the server sends the same parts as in a
// page.
import htmx from "htmx.org";
import { ended, follow } from "./ask.js";
import * as figure from "./figure.js";
import { write } from "./writing.js";
import { t } from "./words.js";

const streams = new Map();

// connect opens the streams named on the page and closes the others.
export function connect() {
  for (const [element, stream] of streams) {
    if (!element.isConnected || element.dataset.live !== stream.url) stream.close();
  }
  for (const element of document.querySelectorAll("[data-live]")) {
    if (element.dataset.live && !streams.has(element)) open(element);
  }
}

function open(element) {
  const url = element.dataset.live;
  const text = element.querySelector("[data-text]");
  const state = { url, written: text?.dataset.text ?? "", complete: false, last: "", source: null, close };
  const gone = lost();
  let retry;
  let looks = 0; // since the server refused a stream

  function close() {
    clearTimeout(retry);
    gone.remove();
    state.source.close();
    streams.delete(element);
  }
  function listen() {
    const at = new URL(url, location.href);
    if (state.last) at.searchParams.set("after", state.last);
    if (looks) at.searchParams.set("look", "1");
    for (const row of element.querySelectorAll('.doc[data-status="waiting"], .doc[data-status="working"]')) {
      at.searchParams.append("shown", row.id.slice("doc-".length));
      if (row.dataset.becomes) at.searchParams.append("shown", row.dataset.becomes);
    }
    state.source = new EventSource(at);
    for (const [name, handle] of Object.entries(handlers)) {
      state.source.addEventListener(name, (e) => {
        state.last = e.lastEventId || state.last;
        handle(e.data, element, state);
      });
    }
    state.source.addEventListener("open", () => gone.remove());
    // The browser reconnects automatically unless the server refused: then the page looks for news at intervals,
    // and asks for a stream again once a minute.
    state.source.addEventListener("error", () => {
      if (element.isConnected && !looks && state.source.readyState === EventSource.CONNECTING) tellLoss(element, gone);
      if (!looks && state.source.readyState !== EventSource.CLOSED) return;
      state.source.close();
      looks = (looks + 1) % 12;
      if (element.isConnected) retry = setTimeout(listen, 5000);
    });
  }
  streams.set(element, state);
  if (state.written) {
    write(text, state.written);
    follow(element);
  }
  listen();
}

// lost returns the sentence shown next to live parts while the server is away. Pulses stop meanwhile.
function lost() {
  const said = document.createElement("p");
  said.className = "away";
  said.dataset.testid = "away";
  said.setAttribute("role", "status");
  return said;
}

function tellLoss(element, said) {
  if (said.isConnected) return;
  const totals = document.getElementById(`totals-${element.dataset.run}`);
  if (element.matches(".turn")) element.append(said);
  else if (totals && element.contains(totals)) totals.after(said);
  else element.before(said);
  said.textContent = t("The server does not answer. This page goes on by itself when it does.");
}

const handlers = {
  graph: (html, element, state) => { swap(html); tellWork(); tellWords(element, state.written); },
  totals: (html) => swap(html),
  sources: (html) => swap(html),
  counts: (html) => { swap(html); tellCounts(); tellShown(); },
  step: (html, element) => swap(html, document.getElementById(`steps-${element.dataset.run}`)),
  row: (html, element) => { swap(html, element.dataset.insert ? document.getElementById(element.dataset.insert) : null); tellShown(); },
  gone: (id) => { document.getElementById(id.replace(/^"|"$/g, ""))?.remove(); tellShown(); },
  token: (json, element, state) => { state.complete = false; say(element, state, state.written + JSON.parse(json)); },
  text: (json, element, state) => { state.complete = false; say(element, state, JSON.parse(json)); },
  written: (_, element, state) => { state.complete = true; say(element, state, state.written); },
  figure: (html, element, state) => {
    swap(html, element.querySelector("[data-text]"));
    say(element, state, state.written);
  },
  answer: (html, element) => { swap(html); follow(element); },
  end: (_, element, state) => {
    state.close();
    delete element.dataset.live;
    element.querySelector("[aria-busy]")?.setAttribute("aria-busy", "false");
    if (element.dataset.reload) return void next(element.dataset.reload);
    if ("reload" in element.dataset) return void location.reload();
    travel(element);
    if (!element.querySelector(".draft")) document.querySelector("[data-stop-summary]")?.remove();
    ended(element);
  },
};

// next reloads the page, or loads the one that follows it if it is gone.
async function next(address) {
  const here = await fetch(location.href);
  if (here.ok) location.reload();
  else location.assign(address);
}

// travel replaces the drawing of an ended run by its rail, and shows the possible actions next to its name,
// without losing the reader's place.
async function travel(page) {
  const drawing = page.matches("main.run") && page.querySelector("[data-until-end]");
  if (!drawing) return;
  const answer = await fetch(location.pathname);
  if (!answer.ok) return;
  const ended = new DOMParser().parseFromString(await answer.text(), "text/html");
  const head = ended.querySelector(".run-head");
  if (head) replace(page.querySelector(".run-head"), head);
  const rail = ended.querySelector("[data-travel]");
  if (!rail) return; // its steps are gone
  const held = document.activeElement;
  const steps = drawing.querySelector("#trace");
  steps.classList.add("below");
  drawing.before(rail);
  rail.after(steps);
  drawing.remove();
  if (held?.isConnected) held.focus({ preventScroll: true });
}

function say(element, state, text) {
  state.written = text;
  const place = element.querySelector("[data-text]");
  if (!place) return;
  write(place, text, state.complete);
  tellWords(element, text);
  follow(element);
}

// swap replaces elements by those of the HTML with the same id; a new one is added to the list, if there is one.
function swap(html, list) {
  const parts = document.createElement("template");
  parts.innerHTML = html;
  for (const fresh of [...parts.content.children]) {
    const old = fresh.id && document.getElementById(fresh.id);
    if (old) {
      replace(old, fresh);
    } else if (list) {
      document.querySelector("[data-when-empty]")?.remove();
      add(fresh, list);
    }
    htmx.process(fresh);
  }
  figure.draw();
}

// add puts an element at the end of a list or, if it has a time, before the older ones: one that is older than
// all belongs on a later page.
function add(fresh, list) {
  const { at } = fresh.dataset;
  const older = at && [...list.children].find((e) => e.dataset.at < at || (e.dataset.at === at && e.id > fresh.id));
  if (older) older.before(fresh);
  else if (!at || !list.children.length) list.append(fresh);
}

// replace keeps unfolded parts, selections, typed text and the focus.
function replace(old, fresh) {
  const folds = (of) => [of, ...of.querySelectorAll("details")].filter((e) => e.localName === "details");
  const before = folds(old);
  folds(fresh).forEach((fold, i) => { if (before[i]) fold.open = before[i].open || (fold === fresh && fold.open); });
  const chosen = new Map([...old.querySelectorAll('input[type="checkbox"]')].map((box) => [box.value, box.checked]));
  fresh.querySelectorAll('input[type="checkbox"]').forEach((box) => { box.checked = chosen.get(box.value) ?? box.checked; });
  const typed = "input[type=text], input[type=search]";
  for (const field of old.querySelectorAll(typed)) {
    const same = field.value !== field.defaultValue && fresh.querySelector(`[name="${field.name}"]`);
    if (same) same.value = field.value;
  }
  keepPictures(old, fresh);
  const held = old.contains(document.activeElement) ? document.activeElement : null;
  const name = held?.matches("[data-act]") ? "data-act" : held?.matches(typed) && "name";
  const all = held && [...old.querySelectorAll(held.localName)].indexOf(held);
  old.replaceWith(fresh);
  if (!held) return;
  const again = name ? fresh.querySelector(`[${name}="${held.getAttribute(name)}"]`) : fresh.querySelectorAll(held.localName)[all];
  again?.focus({ preventScroll: true });
}

// keepPictures leaves drawn charts unchanged.
function keepPictures(old, fresh) {
  for (const chart of fresh.querySelectorAll(".figure[data-script]")) {
    const same = [...old.querySelectorAll(".figure[data-script]")].find((f) => f.id === chart.id);
    if (same) chart.replaceWith(same);
  }
}

// tellCounts shows the number of documents from a part of the page in the navigation.
export function tellCounts() {
  const told = document.querySelector("[data-documents]");
  if (!told) return;
  const n = Number(told.dataset.documents);
  for (const count of document.querySelectorAll(".nav-documents")) count.textContent = n > 0 ? n.toLocaleString("en") : "";
}

// tellShown reports the rows of the list on the page, as rows come and go.
function tellShown() {
  const pager = document.querySelector("[data-pager]");
  if (!pager) return;
  const rows = document.querySelectorAll("#rows > .doc").length;
  const first = Number(pager.dataset.pager);
  const all = Math.max(Number(document.querySelector("[data-matching]")?.dataset.matching ?? 0), first + rows);
  const [from, to, of] = [first + 1, first + rows, all].map((n) => n.toLocaleString("en"));
  pager.hidden = !rows;
  pager.querySelector(".num").textContent = `${from} to ${to} of ${of}`;
}

// tellWords counts the words written so far, at the node that writes.
function tellWords(element, text) {
  const figure = document.querySelector(`#graph-${element.dataset.run} [data-node="generate"][data-state="now"] .m`);
  const said = text.replace(/\[\d+\]/g, " ").match(/\S+/g);
  if (figure && said) figure.textContent = said.length > 1 ? t("%s words", said.length) : t("1 word");
}

const words = {
  condense: t("Reading the question"),
  retrieve: t("Searching for passages"),
  grade_documents: t("Grading what was found"),
  decide: t("Grading what was found"),
  transform_query: t("Rewording the question"),
  generate: t("Writing"),
  check_support: t("Checking each sentence"),
  pre_process: t("Splitting the texts into parts"),
  generate_summary: t("Summarising each part"),
  collect_summaries: t("Collecting the summaries"),
  collapse_summaries: t("Combining the summaries"),
  generate_final_summary: t("Writing the summary"),
};

// tellWork describes the active node until the first text arrives.
function tellWork() {
  const node = document.querySelector('.tg [data-state="now"]')?.dataset.node;
  const place = document.querySelector(".turn:last-child .pending span:last-child, .summary .pending span:last-child");
  if (place && words[node] && place.textContent !== words[node]) place.textContent = words[node];
}
