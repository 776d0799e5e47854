import { base } from "../js/shell.js";

// Search fields with completion: a list of entities below the field, navigated with arrow keys, chosen with
// Enter or a click. If takes returns true, it has used the typed text in another way.
export function combos(root, chosen, takes) {
  let asked = 0;
  const listOf = (field) => document.getElementById(field.getAttribute("aria-controls"));

  function close(field) {
    const list = listOf(field);
    if (!list) return;
    list.hidden = true;
    field.setAttribute("aria-expanded", "false");
    field.removeAttribute("aria-activedescendant");
  }

  function mark(field, option) {
    for (const o of listOf(field).children) o.setAttribute("aria-selected", String(o === option));
    if (!option) return;
    option.id ||= `option-${Math.random().toString(36).slice(2)}`;
    field.setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
  }

  async function suggest(field) {
    const text = field.value.trim();
    const turn = ++asked;
    if (takes(field.name, text) || !text) return close(field);
    const answer = await fetch(`${base()}/graph/find?q=${encodeURIComponent(text)}`).catch(() => null);
    if (!answer?.ok || turn !== asked || document.activeElement !== field) return;
    const list = listOf(field);
    const parsed = new DOMParser().parseFromString(await answer.text(), "text/html");
    list.replaceChildren(...parsed.body.children);
    list.hidden = false;
    list.dataset.text = text;
    field.setAttribute("aria-expanded", "true");
    mark(field, list.querySelector("[data-id]"));
  }

  // outdated reports whether a list belongs to earlier text.
  const outdated = (field, list) => list.dataset.text !== field.value.trim();

  function choose(field, option) {
    if (!option?.dataset.id) return;
    field.value = option.dataset.name;
    close(field);
    chosen(field.name, option.dataset.id);
  }

  let typing;
  root.addEventListener("input", (e) => {
    if (!e.target.matches("[data-combo]")) return;
    clearTimeout(typing);
    typing = setTimeout(() => suggest(e.target), 90);
  });
  root.addEventListener("keydown", (e) => {
    const field = e.target;
    if (!field.matches?.("[data-combo]") || e.isComposing) return;
    const list = listOf(field);
    const options = [...list.querySelectorAll("[data-id]")];
    const now = options.findIndex((o) => o.getAttribute("aria-selected") === "true");
    if (e.key === "ArrowDown" || e.key === "ArrowUp") {
      e.preventDefault();
      if (list.hidden || outdated(field, list)) return void suggest(field);
      const step = e.key === "ArrowDown" ? 1 : -1;
      mark(field, options[(now + step + options.length) % options.length]);
    } else if (e.key === "Enter" && !list.hidden && options[now]) {
      e.preventDefault();
      if (outdated(field, list)) return void suggest(field).then(() => { if (!list.hidden && !outdated(field, list)) choose(field, list.querySelector("[data-id]")); });
      choose(field, options[now]);
    } else if (e.key === "Escape") {
      e.stopPropagation();
      if (list.hidden) field.blur();
      close(field);
    }
  });
  root.addEventListener("mousedown", (e) => {
    const option = e.target.closest(".combo-list [data-id]");
    if (!option) return;
    e.preventDefault();
    const list = option.parentElement;
    choose(root.querySelector(`[aria-controls="${list.id}"]`), option);
  });
  root.addEventListener("focusout", (e) => {
    if (e.target.matches("[data-combo]")) close(e.target);
  });
}
