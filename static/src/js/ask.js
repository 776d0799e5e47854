// The conversation: keys, the growing field, staying with the text.

const composer = () => document.querySelector("[data-composer]");
const scroller = () => document.querySelector("[data-scroll]");

let stays = true; // the reader is at the end and wants to stay there

// follow keeps the end of the text in sight, unless the reader has scrolled
// away. Once more is written than fits, the question stays on top.
export function follow(turn) {
  const box = scroller();
  if (!box || !stays || !turn.classList.contains("turn")) return;
  const room = box.scrollHeight - box.clientHeight;
  if (room > 0) box.scrollTop = room;
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
  const status = element.querySelector('[data-testid="answer"]')?.dataset.status;
  const word = status === "done" && !document.querySelector('.turn :is([data-cite], .figure[data-status="success"])') ? "nothing found" : status === "done" ? "" : status;
  tell(word);
}

// tell says in the lists how the conversation stands.
function tell(word) {
  document.querySelectorAll('.convs [aria-current="true"] .state, .convs-list [aria-current="true"] .state').forEach((e) => { e.textContent = word; });
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
  } else if (e.key === "Enter" && !e.shiftKey && e.target === field) {
    e.preventDefault();
    if (field.value.trim()) form.requestSubmit();
  } else if (e.key === "Escape") {
    const stop = form.querySelector("[data-stop]:not([hidden])");
    const close = document.querySelector("[data-close-source]");
    if (stop) stop.click();
    else if (close) close.click();
    else field.blur();
  }
}

// begin shows the last turn from its question on.
function begin() {
  const box = scroller();
  const last = document.querySelector(".turn:last-child");
  if (!box || !last) return;
  const to = document.getElementById(location.hash.slice(1)) ?? last;
  if (getComputedStyle(box).overflowY === "visible") {
    if (to.previousElementSibling || location.hash) to.scrollIntoView();
  } else {
    box.scrollTop = to.offsetTop - 32;
  }
  box.addEventListener("scroll", () => {
    stays = box.scrollHeight - box.clientHeight - box.scrollTop < 96;
  }, { passive: true });
}

// askWaiting asks the question that waited for the documents, once. Who comes back finds it in the field.
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
    if (e.target.matches("[data-composer] textarea")) grow(e.target);
  });
  document.addEventListener("DOMContentLoaded", begin);
}
