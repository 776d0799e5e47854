// The text of an answer being written: paragraphs, numbered marks, caret, and the charts after their paragraphs.

const marks = /\[(\d{1,3})\]/g;
const emphasis = /(?<![\p{L}\p{N}*])(\*[^\s*](?:[^*]*[^\s*])?\*|\*\*[^\s*](?:[^*]*[^\s*])?\*\*)(?![\p{L}\p{N}*])/u;
const unfinished = /\[\d{0,3}$/; // the beginning of an unfinished mark

const raw = new WeakMap(); // paragraph → the text it was made from

// write shows the text so far; no paragraph before the first word. Unchanged parts stay, so that charts keep
// their picture and the focus its place. The caret disappears once everything is written.
export function write(place, text, complete) {
  const old = [...place.querySelectorAll(":scope > p")];
  const texts = text ? text.replace(unfinished, "").split(/\n{2,}/) : [];
  const paragraphs = texts.map((t, i) => (old[i] && raw.get(old[i]) === t ? old[i] : paragraph(t)));
  place.querySelector(".caret")?.remove();
  if (paragraphs.length && !complete) paragraphs.at(-1).append(Object.assign(document.createElement("span"), { className: "caret" }));
  arrange(place, woven(paragraphs, [...place.querySelectorAll(":scope > .figure")]));
}

// woven puts each chart after the number of paragraphs it states.
function woven(paragraphs, figures) {
  const behind = (n) => figures.filter((f) => Math.min(Number(f.dataset.paragraph), paragraphs.length) === n);
  return [...behind(0), ...paragraphs.flatMap((p, i) => [p, ...behind(i + 1)])];
}

// arrange makes the nodes the children of place without moving those already in position.
function arrange(place, nodes) {
  const kept = new Set(nodes);
  for (const child of [...place.childNodes]) {
    if (!kept.has(child)) child.remove();
  }
  let at = place.firstChild;
  for (const node of nodes) {
    if (node === at) at = at.nextSibling;
    else place.insertBefore(node, at);
  }
}

function paragraph(text) {
  const p = document.createElement("p");
  raw.set(p, text);
  let at = 0;
  let signs = ""; // after the marks between them and their word
  for (const found of text.matchAll(marks)) {
    const cite = document.createElement("span");
    cite.className = "cite";
    cite.textContent = found[1];
    const [, words, ends] = /^(.*?)([.,;:!?…]*)\s*$/su.exec(signs + text.slice(at, found.index));
    p.append(...said(words), cite);
    signs = ends;
    at = found.index + found[0].length;
  }
  p.append(...said(signs + text.slice(at)));
  return p;
}

// said formats text between asterisks.
function said(text) {
  return text.split(emphasis).map((part) => {
    const mark = /^\*+/.exec(part)?.[0].length;
    if (!mark || !part.endsWith("*") || part.length <= 2 * mark) return part;
    return Object.assign(document.createElement(mark > 1 ? "strong" : "em"), { textContent: part.slice(mark, -mark) });
  });
}
