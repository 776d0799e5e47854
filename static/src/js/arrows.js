// Lists of links that can be navigated with the arrow keys.

export function start() {
  document.addEventListener("keydown", (e) => {
    const list = e.target.closest("[data-arrows]");
    const by = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (!list || !by || e.altKey || e.ctrlKey || e.metaKey) return;
    const links = [...list.querySelectorAll("a")];
    const next = links[links.indexOf(document.activeElement) + by];
    if (!next) return;
    e.preventDefault();
    next.focus();
  });
}
