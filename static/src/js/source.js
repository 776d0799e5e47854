// The source of a citation next to the answer, and the thread between them.
import { draw } from "./thread.js";

const source = () => document.querySelector(".ask .source");
const turnOf = (panel) => document.getElementById(`turn-${panel.dataset.message}`);

let shown = null;

// show marks the citation whose source is open and brings both ends into view.
export function show() {
  const panel = source();
  if (panel === shown) return;
  shown = panel;
  for (const on of document.querySelectorAll(".turn [data-cite].on")) on.classList.remove("on");
  if (!panel) {
    draw();
    return;
  }
  const turn = turnOf(panel);
  for (const end of turn?.querySelectorAll(`[data-cite="${panel.dataset.source}"]`) ?? []) end.classList.add("on");
  const phone = matchMedia("(max-width: 899px)").matches;
  const cite = turn?.querySelector(".cite.on") ?? turn?.querySelector("[data-cite].on");
  if (!phone) cite?.scrollIntoView({ block: "center" });
  panel.querySelector("mark.on")?.scrollIntoView({ block: "center" });
  pages(panel.querySelector("[data-pdf]"));
  panel.focus({ preventScroll: true });
  panel.querySelector(".sheet-scroll").addEventListener("scroll", () => draw(), { passive: true });
  draw(true);
}

// pages shows the pages of a file in place of its text.
async function pages(place) {
  if (!place) return;
  try {
    (await import(place.dataset.script)).show(place);
  } catch {
    // The text is there.
  }
}

function close(link) {
  const cite = source() && turnOf(source())?.querySelector(":is(.cite, .near a).on");
  document.getElementById("source").replaceChildren();
  history.pushState(null, "", link.dataset.closeSource);
  show();
  cite?.scrollIntoView({ block: "nearest" });
  cite?.focus({ preventScroll: true });
}

export function start() {
  document.addEventListener("click", (e) => {
    const link = e.target.closest("[data-close-source]");
    if (!link || e.metaKey || e.ctrlKey) return;
    e.preventDefault();
    close(link);
  });
  document.addEventListener("pdf-marked", () => draw());
  addEventListener("resize", () => draw());
  const turns = document.getElementById("turns");
  if (turns) new ResizeObserver(() => draw()).observe(turns); // parts that appear or open above move the ends
  document.addEventListener("scroll", () => draw(), { passive: true, capture: true });
}
