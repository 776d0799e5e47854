// Names and rings, on a canvas above the shapes. Names never overlap: the most important come first, and a name
// that finds no room is left out.
const sizes = [15, 12.5, 11.5, 11];

// places are possible positions for an edge's relation: the fraction of its length, and on it or to which side.
const places = [0, 1, -1].flatMap((side) => [0.5, 0.4, 0.6, 0.3, 0.7].map((part) => [part, side]));

// titles are possible positions for the name of a region, relative to its place.
const titles = [0, -6, 6, -12, 12, -18, 18].map((dy) => [0, dy]);

// most is the number of names that are tried in one picture.
const most = 500;

export class Names {
  constructor(context) {
    this.context = context;
    this.widths = new Map();
  }

  // draw draws items, given in order of importance, each with {x, y, r, name, size, weight, colour, ring}, and
  // lines with {at, text}, where at returns the point at a fraction of the line.
  draw(items, lines, colours, ratio) {
    const c = this.context;
    const { width, height } = c.canvas;
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.clearRect(0, 0, width, height);
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    const wide = width / ratio;
    const high = height / ratio;
    this.taken = new Grid();
    for (const i of items) {
      if (i.ring) ring(c, i);
    }
    const seen = items.filter((i) => i.x > -40 && i.y > -20 && i.x < wide + 40 && i.y < high + 20);
    if (seen.length < 900) for (const i of seen) this.taken.add(i.x - i.r * 0.8, i.y - i.r * 0.8, i.x + i.r * 0.8, i.y + i.r * 0.8, i);
    c.textBaseline = "middle";
    c.lineJoin = "round";
    this.shown = 0;
    this.written = [];
    for (const i of seen.slice(0, most)) {
      if (i.name) this.place(i, colours, wide, high);
    }
    for (const l of lines) this.along(l, colours, wide);
  }

  width(font, text) {
    const key = font + text;
    let w = this.widths.get(key);
    if (w === undefined) {
      this.context.font = font;
      w = this.context.measureText(text).width;
      if (this.widths.size > 20000) this.widths.clear();
      this.widths.set(key, w);
    }
    return w;
  }

  // place writes a name below, above or next to its entity.
  place(i, colours, wide, high) {
    const c = this.context;
    const size = i.title || (sizes[i.level] ?? 11);
    const font = i.title ? `italic 400 ${size}px ${colours.serif}` : `${i.level === 0 ? 600 : 400} ${size}px ${colours.font}`;
    const text = i.name.length > 34 ? `${i.name.slice(0, 32)}…` : i.name;
    const w = this.width(font, text);
    const h = size * 1.15;
    const away = i.r + 4 + h / 2;
    const spots = i.title ? titles : i.inside ? [[0, away], [0, -away]] : [[0, away], [0, -away], [i.r + 5 + w / 2, 0], [-i.r - 5 - w / 2, 0]];
    for (const [dx, dy] of spots) {
      const x = i.x + dx;
      const y = i.y + dy;
      if ((x - w / 2 < 2 || x + w / 2 > wide - 2) && (i.level > 0 || i.inside)) continue;
      if (y + h / 2 > high) continue;
      if (!this.taken.free(x - w / 2 - 3, y - h / 2, x + w / 2 + 3, y + h / 2, i)) continue;
      this.taken.add(x - w / 2 - 3, y - h / 2, x + w / 2 + 3, y + h / 2);
      c.font = font;
      c.textAlign = "center";
      c.strokeStyle = i.ground ?? colours.paper;
      c.lineWidth = 4;
      c.strokeText(text, x, y);
      c.fillStyle = i.level > 1 ? colours.ink2 : colours.ink;
      c.fillText(text, x, y);
      this.shown++;
      this.written.push([text, x, y, size, i.level === 0, c.fillStyle, w, Boolean(i.title)]);
      return;
    }
  }

  // along writes the relation of an edge near its middle.
  along(l, colours, wide) {
    const c = this.context;
    const font = `italic 400 11.5px ${colours.font}`;
    const w = this.width(font, l.text);
    const spot = places.map(([part, side]) => ({ x: l.at(part).x + side * (w / 2 + 6), y: l.at(part).y }))
      .find(({ x, y }) => x - w / 2 > 2 && x + w / 2 < wide - 2 && this.taken.free(x - w / 2, y - 7, x + w / 2, y + 7));
    if (!spot) return;
    const { x, y } = spot;
    this.taken.add(x - w / 2, y - 7, x + w / 2, y + 7);
    c.font = font;
    c.textAlign = "center";
    c.strokeStyle = colours.paper;
    c.lineWidth = 4;
    c.strokeText(l.text, x, y);
    c.fillStyle = l.colour;
    c.fillText(l.text, x, y);
    this.written.push([l.text, x, y, 11.5, false, l.colour]);
  }
}

function ring(c, i) {
  c.beginPath();
  c.arc(i.x, i.y, i.r + i.ring.away, 0, 2 * Math.PI);
  c.strokeStyle = i.ring.colour;
  c.lineWidth = i.ring.width;
  c.setLineDash(i.ring.dash ?? []);
  c.stroke();
  c.setLineDash([]);
}

// Grid finds boxes that overlap.
class Grid {
  constructor() {
    this.cells = new Map();
  }

  * keys(x1, y1, x2, y2) {
    for (let x = Math.floor(x1 / 64); x <= Math.floor(x2 / 64); x++) {
      for (let y = Math.floor(y1 / 64); y <= Math.floor(y2 / 64); y++) yield x * 4096 + y;
    }
  }

  add(x1, y1, x2, y2, owner) {
    for (const k of this.keys(x1, y1, x2, y2)) {
      if (!this.cells.has(k)) this.cells.set(k, []);
      this.cells.get(k).push([x1, y1, x2, y2, owner]);
    }
  }

  free(x1, y1, x2, y2, owner) {
    for (const k of this.keys(x1, y1, x2, y2)) {
      for (const [a1, b1, a2, b2, whose] of this.cells.get(k) ?? []) {
        if (whose !== owner || whose === undefined) {
          if (x1 < a2 && x2 > a1 && y1 < b2 && y2 > b1) return false;
        }
      }
    }
    return true;
  }
}
