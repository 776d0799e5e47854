// The thread from a citation to the cited characters: a knot in the margin at each end, joined by straight lines
// with round corners. It never crosses text.

const svg = (name, attributes, text) => {
  const e = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  if (text) e.textContent = text;
  return e;
};

// inSight reports whether a height is within the visible part of a box.
const inSight = (y, box) => {
  const r = box.getBoundingClientRect();
  return y >= r.top && y <= r.bottom;
};

// end returns the open citation, or the name of its chart while its table is hidden behind the picture.
function end() {
  const cites = [...document.querySelectorAll(".ask .turn .cite.on")];
  return cites.find((c) => c.checkVisibility()) ?? cites[0]?.closest(".figure")?.querySelector("figcaption");
}

// ends returns the two places to join, or null if one is out of view.
function ends(phone) {
  const cite = end();
  const mark = [...document.querySelectorAll(".ask .source mark.on")].find((m) => m.checkVisibility());
  if (!cite || !mark) return null;
  const from = cite.getBoundingClientRect();
  const to = mark.getClientRects()[0];
  const y1 = from.top + from.height / 2;
  const y2 = to.top + to.height / 2;
  if (!phone && !(inSight(y1, cite.closest(".scroll")) && inSight(y2, mark.closest(".pdf-pages, .sheet-scroll")))) return null;
  return { cite, mark, y1, y2 };
}

function path({ cite, mark, y1, y2 }, frame, phone) {
  if (phone) {
    const x = frame.width - 20;
    return { x1: x, x2: x, d: `M${x} ${y1}V${y2}` };
  }
  const answer = cite.closest(".answer").getBoundingClientRect();
  const x1 = answer.right - frame.left + 20;
  const x2 = mark.closest("p, h3, h4, h5, td, .pdf-page").getBoundingClientRect().left - frame.left - 24;
  const mid = (answer.right + mark.closest(".source").getBoundingClientRect().left) / 2 - frame.left + 16;
  const r = Math.min(14, Math.abs(y2 - y1) / 2);
  const way = y2 < y1 ? -1 : 1;
  const d = `M${x1} ${y1}H${mid - r}Q${mid} ${y1} ${mid} ${y1 + way * r}V${y2 - way * r}Q${mid} ${y2} ${mid + r} ${y2}H${x2}`;
  return { x1, x2, d };
}

// draw redraws the thread, animated the first time.
export function draw(first = false) {
  const layer = document.querySelector("[data-thread]");
  if (!layer) return;
  const phone = matchMedia("(max-width: 899px)").matches;
  const joined = ends(phone);
  if (!joined) {
    layer.replaceChildren();
    return;
  }
  const frame = layer.getBoundingClientRect();
  joined.y1 -= frame.top;
  joined.y2 -= frame.top;
  const { x1, x2, d } = path(joined, frame, phone);
  if (!first && layer.firstElementChild?.getAttribute("d") === d) return;
  const n = document.querySelector(".ask .turn .cite.on").textContent.trim();
  const knot = (x, y) => [svg("circle", { cx: x, cy: y, r: 9 }), svg("text", { x, y: y + 4 }, n)];
  layer.replaceChildren(
    svg("path", { d, pathLength: 1, class: first ? "drawn" : "" }),
    ...knot(x1, joined.y1), ...knot(x2, joined.y2),
  );
}
