// One page of a PDF file: its picture, and its text over it, for marking and copying.
import { TextLayer } from "pdfjs-dist/legacy/build/pdf.mjs";
import { locate, page as textOf } from "./match.js";
import { t } from "../js/words.js";

// most is the maximum number of pixels in a picture: phones refuse larger ones.
const most = 1 << 24;

export class Sheet {
  constructor(number, of, size) {
    this.number = number;
    this.place = document.createElement("div");
    this.place.className = "pdf-page";
    this.place.setAttribute("role", "group");
    this.place.setAttribute("aria-label", t("Page %s of %s", number, of));
    this.place.dataset.page = number;
    this.fit(size);
  }

  // fit gives the place the proportions of a page in points.
  fit({ width, height }) {
    this.width = width;
    this.place.style.aspectRatio = `${width} / ${height}`;
  }

  // draw draws the page at the width of its place; its text only once.
  async draw(file) {
    const pixels = Math.round(this.place.clientWidth * devicePixelRatio);
    if (!pixels || this.drawn === pixels) return this.ready;
    this.drawn = pixels;
    this.ready = this.paint(file, pixels);
    return this.ready;
  }

  async paint(file, pixels) {
    const page = await file.getPage(this.number);
    const plain = page.getViewport({ scale: 1 });
    this.fit(plain);
    const scale = Math.min(pixels / plain.width, Math.sqrt(most / (plain.width * plain.height)));
    const viewport = page.getViewport({ scale });
    const canvas = document.createElement("canvas");
    canvas.width = Math.floor(viewport.width);
    canvas.height = Math.floor(viewport.height);
    canvas.setAttribute("aria-hidden", "true");
    this.resize();
    const writing = this.text ?? this.write(page, plain);
    await Promise.all([writing, page.render({ canvas, viewport, background: "#fff" }).promise]);
    if (this.drawn !== pixels) return; // it was drawn in another size, or released, meanwhile
    this.place.querySelector("canvas")?.remove();
    this.place.prepend(canvas);
    this.place.dataset.drawn = "yes";
  }

  // write puts the text of the page over it.
  write(page, viewport) {
    this.text = (async () => {
      const layer = document.createElement("div");
      layer.className = "pdf-text";
      const text = new TextLayer({ textContentSource: page.streamTextContent(), container: layer, viewport });
      await text.render();
      this.pieces = text.textDivs;
      this.words = textOf(text.textContentItemsStr);
      this.place.append(layer);
    })();
    return this.text;
  }

  // resize adapts the text to the size of the page.
  resize() {
    this.place.style.setProperty("--total-scale-factor", this.place.clientWidth / this.width);
  }

  // forget releases the picture to free memory; the text stays.
  forget() {
    if (!this.drawn) return;
    this.drawn = 0;
    this.place.querySelector("canvas")?.remove();
    delete this.place.dataset.drawn;
  }

  // mark marks words and returns the first mark; undefined if the page does not contain them.
  mark(words, share, name) {
    const marks = locate(this.words, words, share).map(([n, from, to]) => {
      const range = document.createRange();
      const text = this.pieces[n].firstChild;
      range.setStart(text, from);
      range.setEnd(text, to);
      const mark = document.createElement("mark");
      mark.className = name;
      range.surroundContents(mark);
      return mark;
    });
    return marks[0];
  }

  // clear removes the marks.
  clear() {
    this.place.querySelectorAll("mark").forEach((mark) => {
      const piece = mark.parentNode;
      mark.replaceWith(...mark.childNodes);
      piece.normalize();
    });
  }
}
