// Lists of links and open menus that can be navigated with the arrow keys.

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
