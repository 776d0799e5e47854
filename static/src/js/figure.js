// Charts in answers: their picture next to their table. The drawing code is loaded with the first chart.
import { height, read } from "../chart/read.js";
import { say } from "./shell.js";
import { t } from "./words.js";

const shown = new Map(); // figure → its picture, from the moment it is started
const views = new Map(); // id → the reader's choice

let drawing; // promise of the drawing code

const load = (figure) => (drawing ??= import(figure.dataset.script));

// draw starts the pictures of new figures and removes those of deleted ones.
export function draw() {
  for (const [figure, picture] of shown) {
    if (figure.isConnected) continue;
    picture.end();
    shown.delete(figure);
  }
  for (const figure of document.querySelectorAll(".figure[data-script]")) {
    if (!shown.has(figure)) shown.set(figure, begin(figure));
  }
}

function begin(figure) {
  const place = figure.querySelector(".figure-picture");
  const chart = read(figure);
  const picture = { width: 0, drawn: null, end };
  const watch = new ResizeObserver(() => {
    const width = place.clientWidth;
    if (!width || width === picture.width) return;
    picture.width = width;
    place.style.height = `${height(chart, width)}px`;
    if (picture.drawn) picture.drawn.again();
    else start();
  });
  function end() {
    watch.disconnect();
    picture.drawn?.remove();
  }
  async function start() {
    try {
      const { draw: drawChart } = await load(figure);
      if (figure.isConnected && !picture.drawn) picture.drawn = drawChart(place, chart, (link) => link?.click());
    } catch {
      drawing = undefined;
      view(figure, "table");
      say(t("The picture of the chart could not be loaded. Its table is here."));
    }
  }
  if (views.has(figure.id)) view(figure, views.get(figure.id));
  watch.observe(place);
  return picture;
}

// view shows the picture or the table.
function view(figure, which) {
  figure.dataset.view = which;
  for (const button of figure.querySelectorAll("[data-figure-view]")) {
    button.setAttribute("aria-pressed", String(button.dataset.figureView === which));
  }
}

async function copy(button) {
  try {
    const answer = await fetch(button.dataset.figureCopy);
    if (!answer.ok) throw new Error(String(answer.status));
    await navigator.clipboard.writeText((await answer.text()).replace(/^\ufeff/, ""));
    button.textContent = t("Copied");
  } catch {
    say(t("The table could not be copied. Download it as CSV, or mark it and copy it by hand."));
  }
}

// save offers the picture as a file.
async function save(figure, kind) {
  try {
    const { file } = await load(figure);
    const chart = read(figure);
    const width = 800;
    const high = height(chart, width) + 40;
    const svg = new Blob([file(chart, width, high)], { type: "image/svg+xml" });
    const made = kind === "svg" ? svg : await raster(svg, width, high);
    const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(made), download: `${figure.dataset.name}.${kind}` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  } catch {
    say(t("The chart could not be saved as %s.", kind.toUpperCase()));
  }
}

// raster renders an SVG file at double resolution.
async function raster(svg, width, high) {
  const image = new Image(width, high);
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(await svg.text())}`;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: width * 2, height: high * 2 });
  canvas.getContext("2d").drawImage(image, 0, 0, width * 2, high * 2);
  return new Promise((done, fail) => canvas.toBlob((b) => (b ? done(b) : fail(new Error("empty"))), "image/png"));
}

export function start() {
  document.addEventListener("click", (e) => {
    const button = e.target.closest(".figure button");
    const figure = button?.closest(".figure");
    if (!button) return;
    if (button.dataset.figureView) {
      views.set(figure.id, button.dataset.figureView);
      view(figure, button.dataset.figureView);
    } else if (button.dataset.figureCopy) {
      copy(button);
    } else if (button.dataset.figureSave) {
      save(figure, button.dataset.figureSave);
    }
  });
  const again = () => shown.forEach((picture) => picture.drawn?.again());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
  new MutationObserver(again).observe(document.documentElement, { attributeFilter: ["data-theme"] });
}
