// The keys for the picture.
const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export function keys(place, act) {
  const { picture } = act;
  const field = document.querySelector('.graph-search [data-combo]');
  const help = document.getElementById("graph-keys");

  // walk moves between places, in order.
  function walk(key) {
    let at = picture.pointed;
    const leads = picture.data.places;
    if (key === "Enter" && leads[at]) return act.enter(leads[at].lead);
    const step = key === "ArrowRight" || key === "ArrowDown" ? 1 : -1;
    at = Math.max(0, at + step + leads.length) % leads.length;
    const p = leads[at];
    document.getElementById("graph-said").textContent = `${p.names.join(", ")}: ${p.members} ${p.members === 1 ? "entity" : "entities"}. Enter walks in.`;
    picture.pointAt(at);
  }

  place.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const id = picture.selected;
    if (arrows[e.key]) {
      e.preventDefault();
      if (picture.data.mode === "overview") return void walk(e.key);
      const next = picture.beside(id, ...arrows[e.key]);
      if (next) act.select(next, true);
    } else if (e.key === "Enter") {
      e.preventDefault();
      if (picture.data.mode === "overview") walk(e.key);
      else if (id) act.expand(id);
    }
  });

  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing || help.open) return;
    if (e.target.closest("input, textarea, select, [contenteditable]")) return;
    const id = picture.selected;
    const key = e.key.length === 1 ? e.key.toLowerCase() : e.key;
    const does = {
      "/": () => field.focus(), "?": () => help.showModal(), u: act.undo, t: act.table, "+": () => act.zoom("in"), "=": () => act.zoom("in"),
      "-": () => act.zoom("out"), 0: () => act.zoom("fit"), 1: () => act.steps(1), 2: () => act.steps(2), 3: () => act.steps(3),
      o: () => id && act.around(id), h: () => id && act.hide(id), p: () => id && act.pin(id), Escape: () => id && act.select(""),
    }[key];
    if (!does) return;
    e.preventDefault();
    does();
  });
}
