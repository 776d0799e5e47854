// The picture as a file.
import { dots } from "./picture.js";

const escape = (text) => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

// svg returns the picture as the text of an SVG file.
function svg(picture) {
  const s = picture.sigma;
  const { width, height } = s.getDimensions();
  const c = picture.colours;
  const at = (id) => {
    const d = s.getNodeDisplayData(id);
    return { ...s.framedGraphToViewport(d), r: Math.max(s.scaleSize(d.size), 1) };
  };
  const out = [`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif">`,
    `<rect width="${width}" height="${height}" fill="${c.paper}"/>`];
  for (const l of picture.roads()) {
    const drawn = l.weak ? `stroke-dasharray="${dots.join(" ")}"` : `stroke-width="${l.width.toFixed(1)}" opacity=".45"`;
    out.push(`<path d="M${l.x1.toFixed(1)} ${l.y1.toFixed(1)}L${l.x2.toFixed(1)} ${l.y2.toFixed(1)}" stroke="${c.strong}" ${drawn}/>`);
  }
  for (const p of picture.data.places) {
    out.push(`<path d="${picture.curve(p)}" fill="${c.tint[p.tint - 1]}" stroke="${c.line}"/>`);
  }
  picture.graph.forEachEdge((e, a, x, y) => {
    const p = at(x);
    const q = at(y);
    const drawn = a.weak ? `stroke="${c.strong}" stroke-dasharray="${dots.join(" ")}"` : `stroke="${escape(a.color)}" stroke-width="${a.size}"`;
    out.push(`<path d="M${p.x.toFixed(1)} ${p.y.toFixed(1)}L${q.x.toFixed(1)} ${q.y.toFixed(1)}" ${drawn}/>`);
  });
  const { shapes, nodes } = picture.data;
  picture.graph.forEachNode((id, a) => {
    const p = at(id);
    const shape = shapes[nodes.label[a.index]];
    const paint = shape.class.includes("hollow") ? `fill="${c.paper}" stroke="${a.color}" stroke-width="2"` : `fill="${a.color}"`;
    out.push(`<path transform="translate(${p.x.toFixed(1)} ${p.y.toFixed(1)}) scale(${(p.r / 7).toFixed(3)})" d="${shape.path}" ${paint}/>`);
  });
  for (const [text, x, y, size, bold, colour, , title] of picture.names.written) {
    out.push(`<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" font-size="${size}" font-weight="${bold ? 600 : 400}"${title ? ' font-family="serif" font-style="italic"' : ""} text-anchor="middle" dominant-baseline="central" fill="${colour}" stroke="${c.paper}" stroke-width="4" stroke-linejoin="round" paint-order="stroke">${escape(text)}</text>`);
  }
  out.push("</svg>");
  return out.join("\n");
}

// save offers the picture as a file of the given kind.
export async function save(picture, kind, name) {
  const text = svg(picture);
  const file = kind === "svg" ? new Blob([text], { type: "image/svg+xml" }) : await raster(text, picture.sigma.getDimensions());
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(file), download: `${name}.${kind}` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// raster renders an SVG file at double resolution.
async function raster(text, { width, height }) {
  const image = new Image(width, height);
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: width * 2, height: height * 2 });
  canvas.getContext("2d").drawImage(image, 0, 0, width * 2, height * 2);
  return new Promise((done, fail) => canvas.toBlob((b) => (b ? done(b) : fail(new Error("empty"))), "image/png"));
}
