// Marked words of a document offer to become an entity or a relation; the text can be searched. A slash focuses
// the page's search.
const longest = 1000;

const length = (text) => [...text].length;

// place returns where a selection begins in the document's text, in code points.
function place(range) {
  const from = range.startContainer;
  const block = (from.nodeType === Node.ELEMENT_NODE ? from : from.parentElement)?.closest("[data-at]");
  if (!block) return 0;
  const before = document.createRange();
  before.setStart(block, 0);
  before.setEnd(range.startContainer, range.startOffset);
  return Number(block.dataset.at) + length(before.toString());
}

function offer() {
  const bar = document.querySelector("[data-mark-bar]");
  if (!bar) return;
  const selection = getSelection();
  const words = selection.toString().replace(/\s+/g, " ").trim();
  const range = selection.rangeCount > 0 ? selection.getRangeAt(0) : null;
  bar.hidden = !words || length(words) > longest || !bar.parentElement.contains(range.commonAncestorContainer);
  if (bar.hidden) return;
  bar.elements.words.value = words;
  bar.elements.near.value = place(range);
}

const finder = () => document.querySelector("[data-find-within]");

export function start() {
  document.addEventListener("selectionchange", offer);
  document.addEventListener("keydown", (e) => {
    const field = document.querySelector("[data-slash]");
    if (e.key !== "/" || e.ctrlKey || e.metaKey || e.altKey || !field || e.target.closest("input:not([type=radio]):not([type=checkbox]), textarea, select, dialog")) return;
    e.preventDefault();
    field.select();
  });
  addEventListener("load", () => { if (finder()?.value) finder().focus({ preventScroll: true }); });
}
