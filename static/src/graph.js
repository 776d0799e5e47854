// The explorer. The address describes the view; every step changes the address and loads the parts of the page
// and the picture that belong to it.
import { combos } from "./graph/find.js";
import { keys } from "./graph/keys.js";
import { rail } from "./graph/rail.js";
import { Picture } from "./graph/picture.js";
import { save } from "./graph/save.js";
import { base, problem, say } from "./js/shell.js";
import { t } from "./js/words.js";

const main = document.querySelector("[data-explore]");
const place = document.getElementById("graph-picture");
const parts = ["graph-chosen", "graph-bar", "graph-tables", "graph-rail", "graph-foot", "graph-card", "graph-filters", "graph-path"];
const phone = matchMedia("(max-width: 719px)");

const said = (text) => { document.getElementById("graph-said").textContent = text; };
const query = (address) => new URL(address, location.href).searchParams;

const picture = new Picture(place, {
  select, expand, pin, camera,
  enter: (lead) => go(`${base()}/graph?in=${encodeURIComponent(lead)}`),
  stage: () => place.focus({ preventScroll: true }),
  edge: hoverEdge,
  pair: (a, b) => select(a, false, b),
});
place.picture = picture;

let turn = 0;

// go navigates to another view.
function go(address) {
  const to = new URL(address, location.href);
  history.pushState({ steps: (history.state?.steps ?? 0) + 1 }, "", to.pathname + to.search);
  return load(false);
}

// change navigates with other parameters.
function change(edit) {
  const q = query(location.href);
  q.delete("cam");
  edit(q);
  return go(`${base()}/graph?${q}`);
}

// load shows the view of the address. If the page has just been opened, its parts are already there.
async function load(fresh) {
  const mine = ++turn;
  const began = performance.now();
  const q = query(location.href);
  if (phone.matches && q.has("at") && !q.has("steps")) q.set("steps", "1");
  place.dataset.state = "loading";
  const page = fresh && q.toString() === query(location.href).toString() ? null : fetch(`${base()}/graph?${q}`, { headers: { "HX-Request": "true" } });
  const answers = await Promise.all([fetch(`${base()}/graph/data?${q}`, { headers: { Accept: "application/json" } }), page]).catch(() => null);
  if (mine !== turn) return;
  const failed = answers ? answers.find((a) => a && !a.ok) : { status: 0, text: () => "" };
  if (failed) {
    say(problem(failed.status, await failed.text()));
    place.dataset.state = "failed";
    return;
  }
  const data = await answers[0].json();
  const field = main.querySelector('#graph-search [name="q"]');
  if (document.activeElement !== field) field.value = q.get("q") ?? "";
  if (answers[1]) swap(await answers[1].text());
  if (mine !== turn) return;
  document.title = `${data.title} · Clew`;
  picture.selected = main.dataset.card === "true" ? q.get("sel") ?? (q.getAll("at").length === 1 ? q.get("at") : "") : "";
  picture.show(data);
  const cam = (q.get("cam") ?? "").split(",").map(Number);
  picture.sigma.getCamera().setState(cam.length === 3 && cam.every(Number.isFinite) ? { x: cam[0], y: cam[1], ratio: cam[2] } : { x: 0.5, y: 0.5, ratio: 1, angle: 0 });
  picture.sigma.refresh();
  const shows = document.querySelector("#graph-foot p")?.textContent ?? "";
  if (!fresh) said(`${data.title}: ${shows}`);
  Object.assign(place.dataset, { state: "ready", nodes: picture.ranked.length, edges: picture.graph.size, took: Math.round(performance.now() - began) });
  place.setAttribute("aria-label", t("Picture of %s: %s. The table has the same content.", data.title, shows));
}

// narrow lists the entities with the typed text in their names, and keeps it in the address.
async function narrow(text) {
  const q = query(location.href);
  q.delete("offset");
  if (text) q.set("q", text);
  else q.delete("q");
  history.replaceState(history.state, "", `${base()}/graph?${q}`);
  const mine = ++turn;
  const answer = await fetch(`${base()}/graph?${q}`, { headers: { "HX-Request": "true" } }).catch(() => null);
  if (mine !== turn) return;
  if (!answer?.ok) return say(problem(answer?.status ?? 0, await answer?.text() ?? ""));
  swap(await answer.text());
  said(document.querySelector("#graph-foot p")?.textContent ?? "");
}

// swap replaces the parts of the page, and keeps the focus and unfolded parts.
function swap(html) {
  const next = new DOMParser().parseFromString(html, "text/html");
  const focused = document.activeElement;
  const mark = focused?.name ? `[name="${focused.name}"]${focused.type === "checkbox" ? `[value="${CSS.escape(focused.value)}"]` : ""}` : focused?.dataset.testid ? `[data-testid="${focused.dataset.testid}"]` : "";
  const inside = parts.some((id) => document.getElementById(id)?.contains(focused));
  for (const id of parts) {
    const part = next.getElementById(id);
    if (!part) continue;
    for (const fold of document.querySelectorAll(`#${id} .fold[open][data-testid]`)) part.querySelector(`[data-testid="${fold.dataset.testid}"]`)?.setAttribute("open", "");
    document.getElementById(id).replaceWith(part);
  }
  const shown = next.querySelector("[data-explore]");
  main.dataset.view = shown.dataset.view;
  main.dataset.list = shown.dataset.list;
  main.dataset.card = shown.dataset.card;
  main.querySelector("h1").textContent = shown.querySelector("h1").textContent;
  if (inside) (mark && main.querySelector(mark) || place).focus({ preventScroll: true });
}

// select opens the card of one or two entities without a step.
async function select(id, keyboard, other) {
  const q = query(location.href);
  if (id) q.set("sel", id);
  else q.delete("sel");
  if (other) q.set("with", other);
  else q.delete("with");
  history.replaceState(history.state, "", `${base()}/graph?${q}`);
  picture.select(id);
  const mine = ++turn;
  if (!id) {
    main.dataset.card = "false";
    return;
  }
  if (keyboard) picture.reveal(id);
  const answer = await fetch(`${base()}/graph/card/${encodeURIComponent(id)}?${q}`).catch(() => null);
  if (mine !== turn) return;
  if (!answer?.ok) return say(problem(answer?.status ?? 0, await answer?.text() ?? ""));
  const card = document.getElementById("graph-card");
  card.replaceChildren(...new DOMParser().parseFromString(await answer.text(), "text/html").body.childNodes);
  card.scrollTop = 0;
  main.dataset.card = "true";
  const a = picture.graph.hasNode(id) ? picture.graph.getNodeAttributes(id) : null;
  if (other) said(card.querySelector('[data-testid="pair-joined"]')?.textContent ?? "");
  else if (a) said(`${a.name}, ${a.weight} ${a.weight === 1 ? "relation" : "relations"}, ${picture.graph.degree(id)} shown`);
}

function expand(id) {
  change((q) => {
    if (!q.has("at")) q.append("at", id);
    else if (!q.getAll("open").includes(id)) q.append("open", id);
    q.delete("in");
    q.delete("all");
    q.delete("answer");
    q.set("sel", id);
    q.delete("with");
  });
}

// pin fixes an entity where it is, or where it was dragged to.
function pin(id, at) {
  change((q) => {
    const pins = q.getAll("pin").filter((p) => !p.startsWith(`${id},`));
    const taken = !at && pins.length < q.getAll("pin").length;
    q.delete("pin");
    for (const p of pins) q.append("pin", p);
    if (!taken) {
      const p = at ?? picture.position(id);
      q.append("pin", `${id},${p.x},${p.y}`);
    }
  });
}

function hide(id) {
  change((q) => {
    q.append("hide", id);
    q.delete("sel");
    q.delete("with");
    if (q.getAll("at").length === 1 && q.get("at") === id) q.delete("hide");
  });
}

function undo() {
  if ((history.state?.steps ?? 0) > 0) history.back();
  else said(t("There is no step to undo."));
}

// camera keeps the camera's position in the address.
function camera({ x, y, ratio }) {
  if (place.dataset.state !== "ready") return;
  const q = query(location.href);
  const home = Math.abs(x - 0.5) + Math.abs(y - 0.5) + Math.abs(ratio - 1) < 0.002;
  if (home) q.delete("cam");
  else q.set("cam", [x, y, ratio].map((n) => n.toFixed(4)).join(","));
  history.replaceState(history.state, "", `${base()}/graph${q.size ? `?${q}` : ""}`);
}

let pointing;

// hoverEdge shows the sentences that state the relations under the pointer.
async function hoverEdge(ends, event, text) {
  const box = document.getElementById("graph-hover");
  clearTimeout(pointing);
  if (!ends) {
    box.hidden = true;
    return;
  }
  pointing = setTimeout(async () => {
    const [a, b] = ends;
    const few = picture.graph.getNodeAttribute(a, "weight") <= picture.graph.getNodeAttribute(b, "weight") ? [a, b] : [b, a];
    const answer = await fetch(`${base()}/graph/stated?a=${encodeURIComponent(few[0])}&b=${encodeURIComponent(few[1])}`).catch(() => null);
    if (!answer?.ok) return;
    const html = new DOMParser().parseFromString(await answer.text(), "text/html");
    box.replaceChildren(...html.body.childNodes);
    box.hidden = false;
    const room = place.parentElement.getBoundingClientRect();
    box.style.left = `${Math.max(8, Math.min(event.x + 12, room.width - box.offsetWidth - 8))}px`;
    box.style.top = `${Math.max(8, Math.min(event.y + place.offsetTop + 12, room.height - box.offsetHeight - 8))}px`;
    box.title = text;
  }, 120);
}

function zoom(how) {
  const c = picture.sigma.getCamera();
  if (how === "fit") c.setState({ x: 0.5, y: 0.5, ratio: 1 });
  else c.setState({ ratio: Math.max(0.02, Math.min(3, c.ratio * (how === "in" ? 0.72 : 1.39))) });
}

// applyFilters takes the filters from their form; if all boxes are ticked, there is no filter.
function applyFilters(form) {
  const data = new FormData(form);
  change((q) => {
    for (const name of ["label", "type", "tag", "since", "until", "as_of", "min", "mentions"]) q.delete(name);
    if (data.has("mentions") && !data.getAll("mentions").includes("on")) q.set("mentions", "off");
    for (const name of ["label", "type"]) {
      const boxes = [...form.querySelectorAll(`[name="${name}"]`)];
      const on = boxes.filter((b) => b.checked);
      if (on.length && on.length < boxes.length) for (const b of on) q.append(name, b.value);
      if (boxes.length && !on.length) q.append(name, "-");
    }
    for (const name of ["tag", "since", "until", "as_of", "min"]) if (data.get(name)) q.set(name, data.get(name));
  });
}

function onClick(e) {
  const link = e.target.closest("a");
  const plain = !e.ctrlKey && !e.metaKey && !e.shiftKey && e.button === 0;
  if (link && plain && "select" in link.dataset) {
    e.preventDefault();
    const id = link.dataset.select;
    if (id && !picture.graph.hasNode(id)) return void go(link.href);
    return void select(id, false, link.dataset.with);
  }
  if (link && plain && "go" in link.dataset) {
    e.preventDefault();
    return void go(link.href);
  }
  const button = e.target.closest("button");
  if (!button) return;
  const d = button.dataset;
  if (d.graphZoom) zoom(d.graphZoom);
  if ("graphUndo" in d) undo();
  if ("graphKeys" in d) document.getElementById("graph-keys").showModal();
  if ("graphMore" in d) {
    button.closest("fieldset").classList.add("all");
    button.setAttribute("aria-expanded", "true");
  }
  if (d.graphPin) pin(d.graphPin);
  if (d.graphSave) save(picture, d.graphSave, "graph").catch(() => say(t("The picture could not be saved as %s.", d.graphSave.toUpperCase())));
  if ("graphFilters" in d) {
    const open = main.toggleAttribute("data-filters");
    button.setAttribute("aria-expanded", String(open));
  }
}

main.addEventListener("click", onClick);

// The filter of types shows only the types that contain the typed text.
main.addEventListener("input", (e) => {
  if (!("graphTypes" in e.target.dataset)) return;
  const set = e.target.closest("fieldset"), wanted = e.target.value.trim().toLowerCase();
  set.classList.toggle("narrowed", wanted !== "");
  for (const li of set.querySelectorAll("li")) li.hidden = !li.dataset.words.toLowerCase().includes(wanted);
});
main.addEventListener("change", (e) => {
  if ("graphMentions" in e.target.dataset) {
    for (const a of e.target.closest(".menu-list").querySelectorAll("a[download]")) {
      const to = new URL(a.href);
      if (e.target.checked) to.searchParams.set("mentions", "on");
      else to.searchParams.delete("mentions");
      a.href = to.pathname + to.search;
    }
    return;
  }
  const form = e.target.closest("#graph-filters");
  if (form) applyFilters(form);
});
main.addEventListener("submit", (e) => {
  if (!e.target.matches(".graph-search, .graph-path, .graph-filters")) return;
  e.preventDefault();
  if (e.target.matches(".graph-search")) go(`${base()}/graph?q=${encodeURIComponent(new FormData(e.target).get("q"))}&view=table`);
  if (e.target.matches(".graph-path")) change((q) => q.set("to", new FormData(e.target).get("to")));
});
combos(main, (field, id) => {
  main.removeAttribute("data-filters");
  if (field === "to") return change((q) => q.set("to", id));
  if (field === "from") return change((q) => { q.delete("at"); q.append("at", id); });
  place.focus({ preventScroll: true });
  const q = query(location.href);
  const next = new URLSearchParams({ at: id });
  for (const name of ["label", "type", "doc", "tag", "since", "until", "as_of", "min", "steps", "mentions"]) for (const v of q.getAll(name)) next.append(name, v);
  if (main.dataset.view === "table") next.set("view", "table");
  go(`${base()}/graph?${next}`);
}, (field, text) => {
  if (field !== "q" || main.dataset.list !== "true") return false;
  narrow(text);
  return true;
});
keys(place, {
  picture, select, expand, hide, pin, undo, zoom,
  around: (id) => go(`${base()}/graph?at=${encodeURIComponent(id)}`),
  enter: (lead) => go(`${base()}/graph?in=${encodeURIComponent(lead)}`),
  steps: (n) => query(location.href).has("at") && change((q) => q.set("steps", n)),
  table: () => change((q) => (main.dataset.view === "table" ? q.delete("view") : q.set("view", "table"))),
});
rail(main, (asOf) => {
  const q = query(location.href);
  q.delete("cam");
  if (asOf) q.set("as_of", asOf);
  else q.delete("as_of");
  history.replaceState(history.state, "", `${base()}/graph${q.size ? `?${q}` : ""}`);
  return load(false);
});
addEventListener("popstate", () => load(false));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => picture.repaint());
new MutationObserver(() => picture.repaint()).observe(document.documentElement, { attributeFilter: ["data-theme"] });
new ResizeObserver(() => picture.sigma.resize()).observe(place);
load(true);
