// The picture: shapes and lines by WebGL, names above them, places below.
import { DirectedGraph } from "graphology";
import Sigma from "sigma";
import { EdgeLineProgram, EdgeRectangleProgram } from "sigma/rendering";
import { look, mixed } from "./look.js";
import { Names } from "./names.js";
import { DotProgram, ShapeProgram, form, motion } from "./shapes.js";

// large is the number of lines from which they are hidden while the picture moves.
const large = 4000;

// many is the number of entities from which they are drawn as points, because shapes can't be seen.
const many = 6000;

// dots is the pattern of lines that don't represent a relation.
export const dots = [1.5, 3.5];

// holds reports whether a point is inside a closed curve.
function holds(outline, x, y) {
  let inside = false;
  for (const [i, [x1, y1]] of outline.entries()) {
    const [x2, y2] = outline[(i + 1) % outline.length];
    if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) inside = !inside;
  }
  return inside;
}

const words = (type) => (type ?? "").replaceAll("_", " ").toLowerCase();

export class Picture {
  constructor(place, on) {
    this.place = place;
    this.on = on;
    this.graph = new DirectedGraph();
    this.colours = look();
    ShapeProgram.paper = this.colours.paper;
    this.selected = "";
    this.hovered = "";
    this.data = { places: [], path: [], centre: [], pinned: [] };
    this.across = [];
    this.ranked = []; // the entities, most important first
    this.sigma = new Sigma(this.graph, place, {
      allowInvalidContainer: true, renderLabels: false, zIndex: true, enableEdgeEvents: true, minCameraRatio: 0.02, maxCameraRatio: 3,
      defaultNodeType: "shape", nodeProgramClasses: { shape: ShapeProgram, dot: DotProgram }, nodeHoverProgramClasses: { shape: ShapeProgram, dot: DotProgram },
      defaultEdgeType: "line", edgeProgramClasses: { line: EdgeRectangleProgram, hair: EdgeLineProgram }, minEdgeThickness: 1.2, antiAliasingFeather: 0.8,
      defaultDrawNodeHover: () => {}, doubleClickZoomingRatio: 1, doubleClickTimeout: 280, stagePadding: 64,
      zoomDuration: matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 150, inertiaDuration: 0,
    });
    this.sigma.createCanvasContext("ground", { beforeLayer: "edges", style: { pointerEvents: "none" } });
    this.sigma.createCanvasContext("names", { afterLayer: "nodes", style: { pointerEvents: "none" } });
    const canvases = this.sigma.getCanvases();
    this.ground = canvases.ground.getContext("2d");
    this.names = new Names(canvases.names.getContext("2d"));
    this.sigma.resize(true);
    this.sigma.on("beforeRender", () => {
      motion.on = this.moving();
      place.toggleAttribute("data-moving", motion.on);
    });
    this.sigma.on("afterRender", () => this.annotate());
    this.listen();
  }

  listen() {
    const s = this.sigma;
    s.on("clickNode", ({ node, event }) => {
      event.preventSigmaDefault();
      if (!this.dragged) this.on.select(node);
    });
    s.on("doubleClickNode", ({ node, event }) => {
      event.preventSigmaDefault();
      this.on.expand(node);
    });
    s.on("clickStage", ({ event }) => {
      this.on.stage();
      this.walkIn(event);
    });
    s.on("enterNode", ({ node }) => {
      this.hovered = node;
      this.place.style.cursor = "pointer";
      this.mark();
    });
    s.on("leaveNode", () => {
      this.hovered = "";
      this.place.style.cursor = "";
      this.mark();
    });
    s.on("enterEdge", ({ edge, event }) => this.on.edge(this.graph.extremities(edge), event, this.graph.getEdgeAttribute(edge, "text")));
    s.on("leaveEdge", () => this.on.edge(null));
    s.on("clickEdge", ({ edge }) => this.on.pair(...this.graph.extremities(edge)));
    s.on("downNode", ({ node }) => {
      if (this.data.mode !== "around") return;
      this.dragging = node;
      this.dragged = false;
    });
    s.on("moveBody", ({ event }) => {
      if (this.data.places.length) this.pointAt(this.placeAt(event));
      if (!this.dragging) return;
      this.dragged = true;
      const p = s.viewportToGraph(event);
      this.graph.mergeNodeAttributes(this.dragging, { x: p.x, y: p.y });
      event.preventSigmaDefault();
      event.original.preventDefault();
      event.original.stopPropagation();
    });
    const drop = () => {
      if (this.dragging && this.dragged) this.on.pin(this.dragging, this.position(this.dragging));
      this.dragging = null;
    };
    s.on("upNode", drop);
    s.on("upStage", drop);
    let resting;
    s.getCamera().on("updated", (state) => {
      this.on.edge(null);
      clearTimeout(resting);
      resting = setTimeout(() => {
        this.on.camera(state);
        if (this.big) s.scheduleRender();
      }, 300);
    });
  }

  // placeAt returns the number of the community under the pointer, or -1.
  placeAt(at) {
    const { x, y } = this.sigma.viewportToGraph(at);
    return this.data.places.findIndex((p) => holds(p.outline, x, -y));
  }

  // pointAt marks a community.
  pointAt(i) {
    if (this.pointed === i) return;
    this.pointed = i;
    this.place.style.cursor = i < 0 ? "" : "pointer";
    this.mark();
  }

  walkIn(event) {
    const p = this.data.places[this.placeAt(event)];
    if (p) this.on.enter(p.lead);
  }

  position(node) {
    const { x, y } = this.graph.getNodeAttributes(node);
    return { x: Math.round(x), y: Math.round(-y) };
  }

  // show draws the columns of a view.
  show(data) {
    this.data = { places: [], ...data, path: data.path ?? [], centre: data.centre ?? [], pinned: data.pinned ?? [] };
    this.graph.clear();
    this.pointed = -1;
    const n = data.nodes.id?.length ?? 0;
    this.big = n > 800;
    this.onPath = new Set(this.data.path);
    this.forms = (data.shapes ?? []).map(form);
    this.tints = (data.shapes ?? []).map((s) => this.colours.label(s));
    this.leads = new Set(this.data.places.map((p) => p.lead));
    const box = this.bounds();
    const { width, height } = this.sigma.getDimensions();
    this.fit = box ? Math.min(1, width / (box.x[1] - box.x[0]), height / (box.y[1] - box.y[0])) : 1;
    for (let i = 0; i < n; i++) this.add(i, n);
    this.across = []; // the lines between places in an overview
    this.weak = false;
    this.lines();
    this.sigma.setSettings({
      stagePadding: data.mode === "overview" ? 12 : 64,
      hideEdgesOnMove: this.graph.size > large, enableEdgeEvents: this.graph.size <= large, defaultEdgeType: this.graph.size > large ? "hair" : "line",
    });
    this.order();
    this.sigma.setCustomBBox(box);
    this.sigma.refresh();
  }

  // bounds is the extent of the picture, with room for a single entity.
  bounds() {
    let [x1, y1, x2, y2] = [Infinity, Infinity, -Infinity, -Infinity];
    const grow = (x, y) => {
      [x1, y1, x2, y2] = [Math.min(x1, x), Math.min(y1, y), Math.max(x2, x), Math.max(y2, y)];
    };
    const { x, y } = this.data.nodes;
    for (let i = 0; i < (x?.length ?? 0); i++) grow(x[i], -y[i]);
    for (const p of this.data.places) for (const at of p.outline) grow(at[0], -at[1]);
    const least = (a, b) => (b - a < 240 ? [(a + b) / 2 - 120, (a + b) / 2 + 120] : [a, b]);
    return x1 <= x2 ? { x: least(x1, x2), y: least(y1, y2) } : null;
  }

  add(i, n) {
    const { id, name, label, x, y, weight, depth } = this.data.nodes;
    if (this.graph.hasNode(id[i])) return;
    const crowd = Math.min(1, Math.max(0.6, Math.sqrt(70 / n)));
    let size = [13, 8.5, 6, 5, 5][depth[i]] ?? 5;
    if (this.data.mode === "overview") size = Math.min(10, 3.2 + Math.sqrt(weight[i]) * 1.4) * Math.max(0.5, this.fit) / crowd;
    else if (this.big) size = Math.min(7, 1.2 + Math.sqrt(weight[i]) * 0.45);
    else if (this.data.mode !== "around") size = Math.min(13, 5 + Math.sqrt(weight[i]));
    else if (!this.data.centre.includes(id[i]) && depth[i] === 0) size = 8.5;
    this.graph.addNode(id[i], {
      type: n > many ? "dot" : "shape", x: x[i], y: -y[i], size: this.big ? size : size * crowd, color: this.tints[label[i]], form: this.forms[label[i]],
      name: name[i], level: depth[i], weight: weight[i], index: i,
    });
  }

  lines() {
    const { from, to, type, more, evidence } = this.data.edges;
    const ids = this.data.nodes.id;
    const hairs = (from?.length ?? 0) > large;
    const steps = new Set(this.data.path.slice(1).flatMap((id, i) => [`${this.data.path[i]} ${id}`, `${id} ${this.data.path[i]}`]));
    const tone = (part) => mixed(this.colours.strong, this.colours.paper, part);
    const line = { near: tone(0.8), far: tone(0.62), hair: tone(0.26) };
    for (let i = 0; i < (from?.length ?? 0); i++) {
      const a = ids[from[i]];
      const b = ids[to[i]];
      if (this.graph.hasEdge(a, b)) continue;
      const lit = steps.has(`${a} ${b}`);
      const far = this.data.nodes.depth[from[i]] > 0 && this.data.nodes.depth[to[i]] > 0;
      const weak = type[i] < 0;
      if (this.data.in && this.data.in[from[i]] !== this.data.in[to[i]]) {
        this.across.push({ a, b, weak, places: [this.data.in[from[i]], this.data.in[to[i]]] });
        continue;
      }
      if (weak) {
        this.weak = true;
        // Drawn on the ground, dotted; this line is only for pointing at.
        this.graph.addDirectedEdge(a, b, { text: "mentioned together", weak, evidence: evidence[i], type: hairs ? "hair" : "line", zIndex: 0, size: 2, color: "rgba(0,0,0,0)" });
        continue;
      }
      const text = words(this.data.types[type[i]]) + (more[i] ? ` and ${more[i]} more` : "");
      this.graph.addDirectedEdge(a, b, {
        text, lit, evidence: evidence[i], type: hairs ? "hair" : "line", zIndex: lit ? 1 : 0,
        size: lit ? 3.4 : hairs ? 0.5 : this.data.in ? Math.min(3.4, 1.6 + Math.log2(evidence[i]) / 2) : far ? 1.8 : 2,
        color: lit ? this.colours.thread : hairs ? line.hair : far ? line.far : line.near,
      });
    }
  }

  // order sorts entities by the importance of their names.
  order() {
    const rank = (a) => (this.onPath.has(a.id) ? 0 : this.leads.has(a.id) ? 9 : 10) + (a.level ?? 0);
    this.ranked = this.graph.mapNodes((id, a) => ({ id, ...a }));
    this.ranked.sort((a, b) => rank(a) - rank(b) || b.weight - a.weight || (a.id < b.id ? -1 : 1));
  }

  // mark shows the chosen entity or the one under the pointer.
  mark() {
    this.sigma.scheduleRender();
  }

  select(id) {
    this.selected = id;
    this.mark();
  }

  // moving reports whether a large picture is moving; it is then drawn in less detail.
  moving() {
    const mouse = this.sigma.getMouseCaptor();
    return this.big && (this.sigma.getCamera().isAnimated() || mouse.isMoving || mouse.draggedEvents > 0 || mouse.currentWheelDirection !== 0);
  }

  // annotate draws everything above and below the shapes.
  annotate() {
    if (motion.on) return;
    const s = this.sigma;
    const ratio = window.devicePixelRatio || 1;
    const c = this.colours;
    this.drawGround(ratio);
    const items = [];
    const at = (id) => {
      const d = s.getNodeDisplayData(id);
      return { ...s.framedGraphToViewport(d), r: s.scaleSize(d.size) };
    };
    this.placeNames(items);
    const first = [this.selected, this.hovered].filter((id) => id && this.graph.hasNode(id));
    const few = this.data.places.length > 0 && this.scale() < 0.5; // only the regions are named until the reader zooms in
    const list = [...new Set([...first, ...this.near(), ...this.ranked.slice(0, few ? 0 : this.big ? 700 : this.ranked.length).map((a) => a.id)])];
    if (few) for (const a of this.ranked) if (!list.includes(a.id)) items.push({ ...at(a.id), name: "" });
    for (const id of list) items.push(this.item(id, at(id)));
    this.names.draw(items, this.texts(at), c, ratio);
    this.place.dataset.names = this.names.shown;
  }

  // near returns the neighbours of the entity under the pointer.
  near() {
    return this.hovered && this.graph.hasNode(this.hovered) ? this.graph.neighbors(this.hovered).slice(0, 40) : [];
  }

  item(id, at) {
    const a = this.graph.getNodeAttributes(id);
    const c = this.colours;
    const level = id === this.selected || this.data.centre.includes(id) || this.leads.has(id) ? 0 : id === this.hovered || this.data.mode !== "around" ? 1 : Math.min(3, Math.max(1, a.level ?? 1));
    let ring = null;
    if (id === this.selected) ring = { away: 5, colour: this.onPath.has(id) ? c.thread : c.ink, width: 1.75 };
    else if (this.onPath.has(id)) ring = { away: 4, colour: c.thread, width: 2 };
    else if (id === this.hovered) ring = { away: 3, colour: c.strong, width: 1 };
    else if (this.data.pinned.includes(id)) ring = { away: 3, colour: c.strong, width: 1, dash: [2, 2] };
    return { ...at, r: at.r + (ring ? ring.away : 0), ring: ring && { ...ring, away: 0 }, name: a.name, level, inside: this.data.places.length > 0 };
  }

  // scale is the number of pixels per unit of the layout.
  scale() {
    return Math.abs(this.sigma.graphToViewport({ x: 1, y: 0 }).x - this.sigma.graphToViewport({ x: 0, y: 0 }).x);
  }

  // placeNames names the communities at the upper edges of their regions.
  placeNames(items) {
    for (const p of this.data.places) {
      const at = this.sigma.graphToViewport({ x: p.title[0], y: -p.title[1] });
      items.push({ ...at, r: 0, name: p.names[0], level: 1, title: this.scale() < 0.6 ? 13 : 16, ground: this.colours.tint[p.tint - 1] });
    }
  }

  // roads are the bundled lines between communities: those that don't pass under a third one, and those of the
  // one under the pointer.
  roads() {
    const middle = this.data.places.map((p) => {
      const [x, y] = p.outline.reduce((sum, at) => [sum[0] + at[0], sum[1] + at[1]], [0, 0]);
      return this.sigma.graphToViewport({ x: x / p.outline.length, y: -y / p.outline.length });
    });
    return (this.data.roads ?? []).filter((r) => !r.under || this.pointed === r.a || this.pointed === r.b).map((r) => ({
      x1: middle[r.a].x, y1: middle[r.a].y, x2: middle[r.b].x, y2: middle[r.b].y, weak: r.facts === 0,
      width: r.facts === 0 ? 1 : Math.min(7, 2.5 + Math.log2(r.facts)), lit: this.pointed === r.a || this.pointed === r.b,
    }));
  }

  // curve is the outline of a region on the screen, as an SVG path.
  curve(p) {
    const points = p.outline.map(([x, y]) => this.sigma.graphToViewport({ x, y: -y }));
    const between = (a, b) => `${((a.x + b.x) / 2).toFixed(1)} ${((a.y + b.y) / 2).toFixed(1)}`;
    return points.map((a, i) => `${i ? "" : `M${between(points.at(-1), a)}`}Q${a.x.toFixed(1)} ${a.y.toFixed(1)} ${between(a, points[(i + 1) % points.length])}`).join("") + "Z";
  }

  drawGround(ratio) {
    const c = this.ground;
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.clearRect(0, 0, c.canvas.width, c.canvas.height);
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    const at = (id) => this.sigma.framedGraphToViewport(this.sigma.getNodeDisplayData(id));
    for (const l of this.roads()) {
      c.beginPath();
      c.moveTo(l.x1, l.y1);
      c.lineTo(l.x2, l.y2);
      c.strokeStyle = this.colours.strong;
      c.globalAlpha = l.weak ? 0.9 : l.lit ? 0.75 : 0.45;
      c.lineWidth = l.width;
      c.setLineDash(l.weak ? dots : []);
      c.stroke();
      c.globalAlpha = 1;
    }
    c.setLineDash([]);
    for (const [i, p] of this.data.places.entries()) {
      const curve = new Path2D(this.curve(p));
      c.fillStyle = this.colours.tint[p.tint - 1];
      c.fill(curve);
      c.strokeStyle = i === this.pointed ? this.colours.ink : this.colours.line;
      c.lineWidth = i === this.pointed ? 1.75 : 1;
      c.stroke(curve);
    }
    if (this.weak) this.stroke(c, at, this.graph.filterEdges((_, a) => a.weak).map((e) => this.graph.extremities(e)), dots);
    const mine = this.across.filter((l) => l.places.includes(this.pointed));
    this.stroke(c, at, mine.filter((l) => !l.weak).map((l) => [l.a, l.b]), []);
    this.stroke(c, at, mine.filter((l) => l.weak).map((l) => [l.a, l.b]), dots);
  }

  // stroke draws lines of one kind at once.
  stroke(c, at, lines, dash) {
    if (!lines.length) return;
    c.beginPath();
    for (const [x, y] of lines) {
      const [p, q] = [at(x), at(y)];
      c.moveTo(p.x, p.y);
      c.lineTo(q.x, q.y);
    }
    c.strokeStyle = this.colours.strong;
    c.lineWidth = 1;
    c.setLineDash(dash);
    c.stroke();
    c.setLineDash([]);
  }

  // texts are the relations written along lines: those of the path, and those of the entity under the pointer.
  texts(at) {
    const out = [];
    const add = (edge, a, x, y) => {
      const p = at(x);
      const q = at(y);
      out.push({ at: (part) => ({ x: p.x + (q.x - p.x) * part, y: p.y + (q.y - p.y) * part }), text: a.text, colour: a.lit ? this.colours.thread : this.colours.ink2 });
    };
    if (this.big) return out;
    this.graph.forEachEdge((e, a, x, y) => {
      if (a.lit) add(e, a, x, y);
    });
    if (this.hovered && this.graph.hasNode(this.hovered) && this.graph.degree(this.hovered) < 13) {
      this.graph.forEachEdge(this.hovered, (e, a, x, y) => {
        if (!a.lit) add(e, a, x, y);
      });
    }
    return out;
  }

  // beside returns the entity that an arrow key leads to: the nearest neighbour in that direction, or any entity
  // if there is no neighbour there.
  beside(id, dx, dy) {
    if (!this.graph.hasNode(id)) return this.ranked[0]?.id ?? "";
    const from = this.graph.getNodeAttributes(id);
    const best = (list) => {
      let found = "";
      let least = Infinity;
      for (const other of list) {
        const a = this.graph.getNodeAttributes(other);
        const x = a.x - from.x;
        const y = -(a.y - from.y);
        const far = Math.hypot(x, y);
        const along = (x * dx + y * dy) / far;
        if (other === id || !(along > 0.38)) continue;
        const score = far * (2 - along);
        if (score < least) [found, least] = [other, score];
      }
      return found;
    };
    return best(this.graph.neighbors(id)) || best(this.ranked.map((a) => a.id));
  }

  // reveal moves the picture so that an entity is visible.
  reveal(id) {
    if (!this.graph.hasNode(id)) return;
    const d = this.sigma.getNodeDisplayData(id);
    const p = this.sigma.framedGraphToViewport(d);
    const { width, height } = this.sigma.getDimensions();
    if (p.x > 40 && p.y > 60 && p.x < width - 40 && p.y < height - 60) return;
    this.sigma.getCamera().setState({ x: d.x, y: d.y });
  }

  repaint() {
    this.colours = look();
    ShapeProgram.paper = this.colours.paper;
    this.show(this.data);
  }
}
