// Lists of links, and menus that are open, in which the arrow keys go up and down.

export function start() {
  document.addEventListener("keydown", (e) => {
    const list = e.target.closest("[data-arrows], .menu[open]");
    const by = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (!list || !by || e.altKey || e.ctrlKey || e.metaKey) return;
    const stops = [...list.querySelectorAll("summary, a, button")].filter((stop) => stop.checkVisibility());
    const at = stops.indexOf(e.target);
    const next = at >= 0 && stops[at + by];
    if (!next) return;
    e.preventDefault();
    next.focus();
  });
}
