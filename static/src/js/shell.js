// Common to all pages: theme switch, menus, bars, errors.

import { t } from "./words.js";

const dark = () => {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
};

export function switchTheme() {
  const theme = dark() ? "light" : "dark";
  document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem("theme", theme);
  } catch {
    // Storage is disabled: the choice applies to this page only.
  }
}

// base returns the prefix of the workspace's addresses.
export const base = () => /^.*?\/w\/[^/]+/.exec(location.pathname)?.[0] ?? "";

let fading;

// say shows a sentence that needs attention, for a while.
export function say(sentence) {
  const box = document.getElementById("alert");
  if (!box) return;
  box.textContent = sentence;
  box.hidden = false;
  clearTimeout(fading);
  fading = setTimeout(() => { box.hidden = true; }, 12000);
}

// problem returns the sentence in a response of the server.
export function problem(status, body) {
  try {
    const said = JSON.parse(body);
    if (said.error) return said.error;
  } catch {
    // Not JSON: a page, or nothing.
  }
  return status ? t("The server refused this (%s).", status) : t("The server does not answer. Is Clew still running?");
}

function closeMenus(except) {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (menu !== except) menu.open = false;
  }
}

// show reveals the password next to a button, or hides it again.
function show(button) {
  const field = button.parentElement.querySelector("input");
  const shown = field.type === "password";
  field.type = shown ? "text" : "password";
  button.setAttribute("aria-pressed", shown);
  button.textContent = shown ? "Hide" : "Show";
}

export function start() {
  document.addEventListener("click", (e) => {
    closeMenus(e.target.closest("details.menu"));
    if (e.target.closest("[data-theme-switch]")) switchTheme();
    if (e.target.closest("[data-dismiss]")) e.target.closest(".undo").remove();
    const reveal = e.target.closest("[data-reveal]");
    if (reveal) show(reveal);
  });
  document.addEventListener("focusin", (e) => closeMenus(e.target.closest("details.menu")));
  document.addEventListener("keydown", (e) => {
    const menu = document.querySelector("details.menu[open]");
    if (e.key !== "Escape" || !menu) return;
    menu.open = false;
    menu.querySelector("summary").focus();
    e.stopImmediatePropagation();
  });
  for (const bar of document.querySelectorAll("[data-passing]")) setTimeout(() => bar.remove(), Number(bar.dataset.passing) || 30000);
  const asked = (e) => !e.detail.elt?.matches?.('[hx-trigger^="every"]'); // by a person, not by a page that polls
  document.addEventListener("htmx:responseError", (e) => asked(e) && say(problem(e.detail.xhr.status, e.detail.xhr.responseText)));
  document.addEventListener("htmx:sendError", (e) => asked(e) && say(problem(0)));
}
