// The text of an answer while it is written: paragraphs, numbered marks, caret.

const marks = /\[(\d{1,3})\]/g;
const unfinished = /\[\d{0,3}$/; // the beginning of a mark whose end is still to come

// write shows the text so far; nothing at all before the first word.
export function write(place, text) {
  if (!text) {
    place.replaceChildren();
    return;
  }
  const paragraphs = text.replace(unfinished, "").split(/\n{2,}/).map(paragraph);
  const caret = document.createElement("span");
  caret.className = "caret";
  paragraphs.at(-1).append(caret);
  place.replaceChildren(...paragraphs);
}

function paragraph(text) {
  const p = document.createElement("p");
  let at = 0;
  for (const found of text.matchAll(marks)) {
    const cite = document.createElement("span");
    cite.className = "cite";
    cite.textContent = found[1];
    p.append(text.slice(at, found.index).trimEnd(), cite);
    at = found.index + found[0].length;
  }
  p.append(text.slice(at));
  return p;
}
