// Shows the pages of a PDF file with the cited words marked. Loaded separately, on pages that show one.
import { getDocument, GlobalWorkerOptions } from "pdfjs-dist/legacy/build/pdf.mjs";
import { Sheet } from "./pdf/sheet.js";
import { t } from "./js/words.js";

// near is how far outside the view pages are drawn, and far is how many of them around it keep their pictures.
const near = "800px";
const far = 6;

// steps are the widths of a page, as fractions of the available space.
const steps = [0.5, 0.67, 0.8, 1, 1.25, 1.5, 2, 3];

class Viewer {
  constructor(place) {
    this.place = place;
    this.sheets = [];
    this.zoom = steps.indexOf(1);
    this.at = 1;
    this.pane = place.querySelector("[data-pdf-pages]");
    this.says = place.querySelector("[data-pdf-says]");
  }

  async open() {
    GlobalWorkerOptions.workerSrc = this.place.dataset.worker;
    this.show("pages");
    this.file = await getDocument({ url: this.place.dataset.pdf, isEvalSupported: false, useWasm: false, enableXfa: false, rangeChunkSize: 1 << 18 }).promise;
    const size = (await this.file.getPage(1)).getViewport({ scale: 1 });
    for (let n = 1; n <= this.file.numPages; n++) this.sheets.push(new Sheet(n, this.file.numPages, size));
    this.pane.replaceChildren(...this.sheets.map((s) => s.place));
    this.say("");
    this.listen();
    const wanted = JSON.parse(this.place.dataset.marks || "[]");
    if (wanted.length) await this.mark(wanted, "on");
    else if (this.place.dataset.page) this.go(Number(this.place.dataset.page));
    this.place.dataset.state = "open";
  }

  say(words) {
    this.says.textContent = words;
    this.says.hidden = !words;
  }

  // show shows the pages or the text, which is next to them.
  show(which) {
    this.place.parentElement.dataset.shows = which;
    for (const b of this.place.parentElement.querySelectorAll("[data-pdf-show]")) b.setAttribute("aria-pressed", String(b.dataset.pdfShow === which));
  }

  // mark marks words on their pages and brings the first into view. It reports if a page does not contain them.
  async mark(wanted, name) {
    this.sheets.forEach((s) => s.clear());
    let first;
    let missed = 0;
    for (const { page, words, at } of wanted) {
      const sheet = this.sheets[page - 1];
      if (!sheet) continue;
      if (!first) this.go(page);
      await sheet.draw(this.file);
      const mark = sheet.mark(words, at, name);
      if (!mark) missed++;
      first ??= mark;
    }
    this.place.dataset.marked = first ? "yes" : "no";
    if (first) this.center(first);
    if (missed) this.say(t("The words could not be found on the page as it is printed. The text has them marked."));
    this.place.dispatchEvent(new CustomEvent("pdf-marked", { bubbles: true }));
  }

  center(mark) {
    this.place.scrollIntoView({ block: "nearest" });
    const to = mark.getBoundingClientRect();
    const pane = this.pane.getBoundingClientRect();
    this.pane.scrollBy(to.left < pane.left || to.right > pane.right ? to.left - pane.left - 40 : 0, to.top - pane.top - pane.height / 3);
  }

  go(n) {
    const sheet = this.sheets[Math.min(Math.max(n, 1), this.sheets.length) - 1];
    this.pane.scrollTop = sheet.place.offsetTop - 8;
    this.turn(sheet.number);
  }

  // turn records the page in view.
  turn(n) {
    this.at = n;
    this.place.querySelector("[data-pdf-at]").textContent = t("Page %s of %s", n, this.sheets.length);
    this.sheets.forEach((s) => { if (Math.abs(s.number - n) > far) s.forget(); });
  }

  resize(by) {
    this.zoom = Math.min(Math.max(this.zoom + by, 0), steps.length - 1);
    this.pane.style.setProperty("--zoom", steps[this.zoom]);
    const at = this.sheets[this.at - 1].place;
    const share = (this.pane.scrollTop - at.offsetTop) / at.offsetHeight;
    this.sheets.forEach((s) => s.resize());
    requestAnimationFrame(() => { this.pane.scrollTop = at.offsetTop + share * at.offsetHeight; });
    for (const s of this.sheets) if (s.drawn) s.draw(this.file);
  }

  listen() {
    const draws = new IntersectionObserver((seen) => {
      for (const e of seen) if (e.isIntersecting) this.sheets[e.target.dataset.page - 1].draw(this.file);
    }, { root: this.pane, rootMargin: near });
    const middle = new IntersectionObserver((seen) => {
      for (const e of seen) if (e.isIntersecting) this.turn(Number(e.target.dataset.page));
    }, { root: this.pane, rootMargin: "-50% 0px" });
    for (const s of this.sheets) [draws, middle].forEach((o) => o.observe(s.place));
    this.turn(1);
    let width = 0;
    new ResizeObserver(() => {
      if (this.pane.clientWidth === width) return;
      width = this.pane.clientWidth;
      this.resize(0);
    }).observe(this.pane);
    this.place.addEventListener("click", (e) => {
      const by = e.target.closest("[data-pdf-turn], [data-pdf-zoom]")?.dataset;
      if (by?.pdfTurn) this.go(this.at + Number(by.pdfTurn));
      if (by?.pdfZoom) this.resize(Number(by.pdfZoom));
    });
    this.pane.addEventListener("keydown", (e) => this.key(e));
  }

  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const does = {
      "+": () => this.resize(1), "=": () => this.resize(1), "-": () => this.resize(-1), 0: () => this.resize(steps.indexOf(1) - this.zoom),
      ArrowRight: () => this.go(this.at + 1), ArrowLeft: () => this.go(this.at - 1), Home: () => this.go(1), End: () => this.go(this.sheets.length),
    }[e.key];
    if (!does || ((e.key === "ArrowLeft" || e.key === "ArrowRight") && this.pane.scrollWidth > this.pane.clientWidth)) return;
    e.preventDefault();
    does();
  }
}

// show shows the file at a place, or its text with a sentence if that fails.
export async function show(place) {
  if (place.dataset.state) return;
  place.dataset.state = "loading";
  const viewer = new Viewer(place);
  place.hidden = false;
  place.parentElement.addEventListener("click", (e) => {
    const which = e.target.closest("[data-pdf-show]")?.dataset.pdfShow;
    if (which) viewer.show(which);
  });
  try {
    await viewer.open();
  } catch (problem) {
    console.warn(problem);
    viewer.show("text");
    place.dataset.state = "failed";
    viewer.say(problem.name === "PasswordException" ? t("The pages are locked by a password. Here is the text.") : t("The pages could not be shown. Here is the text."));
  }
}

for (const place of document.querySelectorAll("[data-pdf]")) show(place);
