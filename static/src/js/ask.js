// The conversation: keys, the growing field, following the text.

const composer = () => document.querySelector("[data-composer]");
const scroller = () => document.querySelector("[data-scroll]");

const above = 32; // space above a question that stays at the top

let stays = true; // the reader is at the end and wants to stay there

// follow keeps the end of the text in view, unless the reader has scrolled away. If more is written than fits,
// the question stays at the top.
export function follow(turn) {
  const box = scroller();
  if (!box || !stays || !turn.classList.contains("turn")) return;
  const room = box.scrollHeight - box.clientHeight;
  if (room > 0) box.scrollTop = Math.min(room, turn.offsetTop - above);
}

// ended turns the stop button back into the ask button.
export function ended(element) {
  if (!element.classList.contains("turn") || element.nextElementSibling) return;
  if (element.querySelector(".asks")) {
    tell("waits for you");
    return;
  }
  const form = composer();
  form?.querySelector("[data-stop]")?.setAttribute("hidden", "");
  form?.querySelectorAll("[data-ask-button]").forEach((e) => { e.hidden = false; });
  const { status, next } = element.querySelector('[data-testid="answer"]')?.dataset ?? {};
  if (form && next) form.querySelector("textarea").placeholder = next;
  const word = status === "done" && !document.querySelector('.turn :is([data-cite], .figure[data-status="success"])') ? "nothing found" : status === "done" ? "" : status;
  tell(word);
}

// tell updates the state of the conversation in the lists.
function tell(word) {
  document.querySelectorAll('.convs [aria-current="true"] [data-state], .convs-list [aria-current="true"] [data-state]').forEach((e) => { e.textContent = word; });
}

// count shows the length of a question near the limit, in code points as the server counts.
function count(field) {
  const place = field.closest("[data-asking]").querySelector("[data-count]");
  const [n, most] = [[...field.value.trim()].length, Number(field.dataset.most)];
  const over = n - most;
  place.hidden = n < most * 0.8;
  place.classList.toggle("over", over > 0);
  const figures = `${n.toLocaleString("en")} of ${most.toLocaleString("en")} characters`;
  place.textContent = over > 0 ? `${figures}: ${over.toLocaleString("en")} too many. Shorten it, or add the text as a document.` : figures;
  return over <= 0;
}

// keep saves unsent text, so that a reload loses nothing.
function keep(field) {
  const { draft, sent } = field.form.dataset;
  if (!draft || sent) return;
  try {
    if (field.value.trim()) sessionStorage.setItem(draft, field.value);
    else sessionStorage.removeItem(draft);
  } catch {
    // Storage is disabled: a reload begins with an empty field.
  }
}

// restore puts a saved draft into an empty field.
function restore(form) {
  const field = form.querySelector("textarea");
  try {
    if (!field.value) field.value = sessionStorage.getItem(form.dataset.draft) ?? "";
  } catch {
    return;
  }
  written(field);
}

// forget drops the draft that was sent, once a page shows that it has arrived. Going back to the form means that
// it has not.
function forget() {
  try {
    const draft = sessionStorage.getItem("sent");
    sessionStorage.removeItem("sent");
    if (draft && performance.getEntriesByType("navigation")[0]?.type === "navigate") sessionStorage.removeItem(draft);
  } catch {
    // Storage is disabled: there is no draft.
  }
}

function sent(draft) {
  try {
    sessionStorage.setItem("sent", draft);
  } catch {
    // Storage is disabled: there is no draft.
  }
}

// written reacts to a change of a question's text.
function written(field) {
  grow(field);
  count(field);
  keep(field);
}

function grow(field) {
  if (CSS.supports("field-sizing", "content")) return;
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight}px`;
}

function onKey(e) {
  const form = composer();
  if (!form || e.isComposing || e.ctrlKey || e.metaKey || e.altKey) return;
  const field = form.querySelector("textarea");
  const typing = e.target.closest("input, textarea, select, [contenteditable]");
  if (e.key === "/" && !typing) {
    e.preventDefault();
    field.focus();
  } else if (e.key === "Enter" && !e.shiftKey && e.target.matches("[data-asking] textarea")) {
    e.preventDefault();
    if (e.target.value.trim()) e.target.form.requestSubmit();
  } else if (e.key === "Escape" && e.target.closest(".edit")) {
    fold(e.target.closest(".edit"));
  } else if ((e.key === "j" || e.key === "k") && !typing) {
    step(e.key === "j" ? 1 : -1);
  } else if (e.key === "Escape") {
    const stop = form.querySelector("[data-stop]:not([hidden])");
    const close = document.querySelector("[data-close-source]");
    if (stop) stop.click();
    else if (close) close.click();
    else field.blur();
  }
}

// edit opens the form for asking a turn again, in place of its question.
function edit(turn) {
  const form = turn.querySelector(".edit");
  form.open = true;
  form.scrollIntoView({ block: "nearest" });
}

// fold closes the form for asking a turn again.
function fold(edit) {
  edit.open = false;
  edit.closest(".turn").querySelector(".more > summary")?.focus();
}

const traced = () => document.getElementById("trace")?.dataset.of;

// step shows the steps of the next answer, or of the previous one.
function step(by) {
  const links = [...document.querySelectorAll("[data-steps]")];
  const next = links[links.findIndex((a) => a.dataset.steps === traced()) + by];
  next?.click();
  next?.closest(".turn").scrollIntoView({ block: "nearest" });
}

let asked; // how to show the steps being fetched; null if there are none

// show records the reader's position. The address of the steps names the turn, which would be scrolled to.
function show() {
  const top = scroller().scrollTop;
  asked = matchMedia("(max-width: 899px)").matches
    ? () => document.getElementById("trace").scrollIntoView()
    : () => { scroller().scrollTop = top; };
}

// mark marks the answer that the steps next to the conversation belong to.
export function mark() {
  if (asked) requestAnimationFrame(asked);
  asked = null;
  for (const a of document.querySelectorAll("[data-steps]")) a.setAttribute("aria-current", String(a.dataset.steps === traced()));
}

// attend focuses the field once the page has loaded: an anchor in the address takes the focus away before that.
// On a phone the keyboard would cover the page.
function attend() {
  const field = composer()?.querySelector("textarea");
  if (!field || document.activeElement !== document.body || document.querySelector(".source") || matchMedia("(pointer: coarse), (max-width: 719px)").matches) return;
  field.focus({ preventScroll: true });
}

// begin scrolls to the question of the last turn.
function begin() {
  forget();
  const form = composer();
  if (form) restore(form);
  const box = scroller();
  const last = document.querySelector(".turn:last-child");
  if (!box || !last) return;
  const to = document.getElementById(location.hash.slice(1)) ?? last;
  if (getComputedStyle(box).overflowY === "visible") {
    if (to.previousElementSibling || location.hash) to.scrollIntoView();
  } else {
    box.scrollTop = to.offsetTop - above;
  }
  box.addEventListener("scroll", () => {
    stays = box.scrollHeight - box.clientHeight - box.scrollTop < 96;
  }, { passive: true });
}

// askWaiting asks the question that waited for the documents, once. A reader who returns later finds it in the
// field.
export function askWaiting() {
  const form = document.getElementById("waits");
  if (!form?.dataset.asked || !document.querySelector("#waits-for[data-read]")) return;
  history.replaceState(null, "", form.dataset.asked);
  delete form.dataset.asked;
  form.requestSubmit();
}

export function start() {
  document.addEventListener("keydown", onKey);
  document.addEventListener("input", (e) => {
    if (e.target.matches("[data-asking] textarea")) written(e.target);
  });
  document.addEventListener("submit", (e) => {
    const field = e.target.matches("[data-asking]") && e.target.querySelector("textarea");
    if (!field) return;
    if (!count(field)) {
      e.preventDefault();
      field.focus();
    } else if (e.target.dataset.draft) {
      sent(e.target.dataset.draft);
      e.target.dataset.sent = "yes";
    }
  });
  document.addEventListener("toggle", (e) => {
    if (e.target.matches?.(".after .more[open]")) e.target.querySelector(".menu-list").scrollIntoView({ block: "nearest" });
    if (!e.target.matches?.(".edit[open]")) return;
    const field = e.target.querySelector("textarea");
    field.focus();
    field.setSelectionRange(field.value.length, field.value.length);
    grow(field);
  }, true);
  document.addEventListener("click", (e) => {
    if (e.target.closest("[data-edit]")) edit(e.target.closest(".turn"));
    if (e.target.closest("[data-fold]")) fold(e.target.closest(".edit"));
    if (e.target.closest("[data-print]")) print();
    const steps = e.target.closest("[data-steps]");
    if (!steps || e.metaKey || e.ctrlKey) return;
    document.getElementById("source").replaceChildren();
    show();
  });
  addEventListener("load", () => requestAnimationFrame(attend));
  addEventListener("pageshow", (e) => { if (e.persisted) delete composer()?.dataset.sent; });
  document.addEventListener("DOMContentLoaded", begin);
}
