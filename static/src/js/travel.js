// Travelling through an ended run: the rail's links are fetched and replace the current moment, the arrow keys,
// Home and End move along it, and Play or the space bar shows the run again at its own pace or faster.

import htmx from "htmx.org";
import { say } from "./shell.js";
import { t } from "./words.js";

let playing = 0; // changes when something else is to be shown
let plays = 0; // the current playback
let speed = 1;
let wanted = 0;
let going = null; // to wanted; a promise

const section = () => document.querySelector("[data-travel]");

async function go(address, step) {
  const answer = await fetch(address, { headers: { "HX-Request": "true" } });
  if (!answer.ok) {
    location.assign(address);
    return new Promise(() => {}); // the page is being left
  }
  const at = section();
  const focused = at.contains(document.activeElement) && document.activeElement.dataset;
  at.outerHTML = await answer.text();
  htmx.process(section());
  tell();
  history.replaceState(history.state, "", address);
  const stop = section().querySelector(`[data-stop="${step}"]`);
  stop.scrollIntoView({ block: "nearest", inline: "nearest" });
  if (focused) (section().querySelector(control(focused)) ?? stop).focus({ preventScroll: true });
}

// control finds a button or link again by its function.
function control({ go, speed, play }) {
  if (go) return `[data-go="${go}"]`;
  if (speed) return `[data-speed="${speed}"]`;
  return play === undefined ? "[data-nothing]" : "[data-play]";
}

// to goes to a step. Steps requested meanwhile follow; those in between are skipped.
function to(step) {
  wanted = Math.min(Math.max(step, 0), Number(section().dataset.last));
  going ??= follow().finally(() => (going = null));
  return going;
}

async function follow() {
  while (shown() !== wanted) {
    await go(section().querySelector(`[data-stop="${wanted}"]`).getAttribute("href"), wanted);
  }
}

const shown = () => Number(section().dataset.step);
const from = () => (going ? wanted : shown());

// play continues from the start, or from here if there is more to come. A pause lasts as long as the step did,
// but at least long enough to be seen and at most two seconds. In single steps, at speed 0, it waits for the
// next request.
async function play() {
  if (!speed) return to(from() === Number(section().dataset.last) ? 0 : from() + 1);
  const own = plays = ++playing;
  tell();
  if (shown() === Number(section().dataset.last)) await to(0);
  while (own === playing && shown() < Number(section().dataset.last)) {
    const next = shown() + 1;
    const took = Number(section().querySelector(`[data-stop="${next}"]`).dataset.took);
    await new Promise((done) => setTimeout(done, Math.min(Math.max(took, 400), 2000) / speed));
    if (own === playing) await to(next);
  }
  if (own === plays) plays = 0;
  tell();
}

// stop ends the playback when the reader asks for something else.
function stop() {
  playing++;
  plays = 0;
  tell();
}

// tell shows the speed and state of the playback on the buttons.
function tell() {
  for (const pace of section().querySelectorAll("[data-speed]")) pace.setAttribute("aria-pressed", String(Number(pace.dataset.speed) === speed));
  section().querySelector("[data-plays]").textContent = plays ? t("Pause") : speed ? t("Play") : t("Next");
}

const turn = () => (plays ? stop() : play());

const keys = {
  ArrowLeft: (step) => step - 1,
  ArrowRight: (step) => step + 1,
  Home: () => 0,
  End: () => Infinity,
};

async function copyFrom(button) {
  try {
    await navigator.clipboard.writeText(await (await fetch(button.dataset.copyFrom)).text());
    button.textContent = t("Copied");
  } catch {
    say(t("The browser did not allow copying. Open the JSON and copy it by hand."));
  }
}

function clicked(e) {
  const pace = e.target.closest("[data-speed]");
  if (pace) {
    speed = Number(pace.dataset.speed);
    return speed ? tell() : stop();
  }
  if (e.target.closest("[data-play]")) return turn();
  const copying = e.target.closest("[data-copy-from]");
  if (copying) return copyFrom(copying);
  const place = e.target.closest("a[data-stop], a[data-go]");
  if (!place || e.ctrlKey || e.metaKey || e.shiftKey) return;
  e.preventDefault();
  stop();
  to(place.dataset.stop ? Number(place.dataset.stop) : from() + (place.dataset.go === "back" ? -1 : 1));
}

export function start() {
  document.querySelector("[data-travel] [aria-current=step]")?.scrollIntoView({ block: "nearest", inline: "center" });
  document.addEventListener("click", (e) => {
    if (e.target.closest("[data-travel]")) clicked(e);
  });
  document.addEventListener("keydown", (e) => {
    if (!section() || e.altKey || e.ctrlKey || e.metaKey || e.target.closest("input, textarea, select")) return;
    if (e.key === " " && !e.target.closest("button, a, summary, dialog[open]")) {
      e.preventDefault();
      return turn();
    }
    if (!keys[e.key]) return;
    e.preventDefault();
    stop();
    to(keys[e.key](from()));
  });
}
