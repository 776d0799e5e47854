// The palette: everything with a name, found by the server during typing. Ctrl K or ⌘ K opens it anywhere.
import { switchTheme } from "./shell.js";

const box = () => document.getElementById("palette");
const field = () => box().querySelector("[data-find]");
const finds = () => document.getElementById("finds");
const options = () => [...finds().querySelectorAll('[role="option"]')];

let asked; // aborts the request under way

function mark(to) {
  for (const o of options()) o.setAttribute("aria-selected", String(o === to));
  if (to) {
    field().setAttribute("aria-activedescendant", to.id);
    to.scrollIntoView({ block: "nearest" });
  } else {
    field().removeAttribute("aria-activedescendant");
  }
}

async function find() {
  asked?.abort();
  asked = new AbortController();
  const said = box().querySelector("[data-finds-said]");
  try {
    const answer = await fetch(`${field().dataset.find}?q=${encodeURIComponent(field().value)}`, { signal: asked.signal });
    if (answer.redirected) return location.reload(); // signed out
    finds().innerHTML = answer.ok ? await answer.text() : '<p class="meta">The search failed. Try again.</p>';
  } catch (e) {
    if (e.name === "AbortError") return; // overtaken
    finds().innerHTML = '<p class="meta">The server does not answer. Is Clew still running?</p>';
  }
  mark(options()[0]);
  said.textContent = `${options().length} found`;
}

export function open() {
  if (!box() || box().open) return;
  for (const other of document.querySelectorAll("dialog[open]")) other.close();
  field().value = "";
  finds().replaceChildren();
  box().showModal();
  find();
}

// shut closes the palette. If nothing had the focus before, its field keeps it until the page is drawn again,
// and would swallow the next keys.
function shut() {
  box().close();
  if (box().contains(document.activeElement)) document.activeElement.blur();
}

const acts = { theme: switchTheme, keys: showKeys };

function take(option, e) {
  if (!option) return;
  if (!option.dataset.act) {
    if (e.type === "keydown") option.click();
    return;
  }
  shut();
  acts[option.dataset.act]();
}

// showKeys opens the keys of the page, or those of all pages.
function showKeys() {
  (document.querySelector("#graph-keys, #keys") ?? document.getElementById("all-keys"))?.showModal();
}

function onKey(e) {
  if (!box().open) return;
  e.stopPropagation(); // Escape closes the palette without stopping an answer too
  const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
  const all = options();
  const at = all.findIndex((o) => o.getAttribute("aria-selected") === "true");
  if (e.isComposing) return;
  if (step && all.length) mark(all[(at + step + all.length) % all.length]);
  else if (e.key === "Enter" && e.target === field()) take(all[at], e);
  else if ((e.ctrlKey || e.metaKey) && e.key === "k") shut();
  else return;
  e.preventDefault();
}

export function start() {
  document.addEventListener("keydown", (e) => {
    const typing = e.target.closest?.("input, textarea, select, [contenteditable]");
    if ((e.ctrlKey || e.metaKey) && !e.altKey && !e.shiftKey && e.key.toLowerCase() === "k") {
      e.preventDefault();
      open();
    } else if (e.key === "?" && !typing && !e.ctrlKey && !e.metaKey && !e.altKey && !document.querySelector("dialog[open], #graph-keys, #keys")) {
      e.preventDefault();
      showKeys();
    }
  });
  document.addEventListener("click", (e) => {
    if (e.target.closest("[data-palette]")) open();
    else if (e.target === box() || e.target.closest("[data-palette-close]")) shut();
    else take(e.target.closest("#finds [data-act]"), e);
  });
  box()?.addEventListener("keydown", onKey);
  box()?.addEventListener("cancel", (e) => { e.preventDefault(); shut(); });
  box()?.addEventListener("input", find);
}
