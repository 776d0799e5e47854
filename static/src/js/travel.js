// Travelling through a run that has ended: the rail's links are fetched and take the place of the moment shown, the arrow
// keys, Home and End go along it, and Play shows the run again at its own pace or faster.

import htmx from "htmx.org";
import { say } from "./shell.js";

let playing = 0; // changes when something else is to be shown
let wanted = 0;
let going = null; // to wanted; a promise

const section = () => document.querySelector("[data-travel]");

async function go(address, step) {
  const answer = await fetch(address, { headers: { "HX-Request": "true" } });
  if (!answer.ok) {
    location.assign(address);
    return new Promise(() => {}); // the page is going away
  }
  const at = section();
  const focused = at.contains(document.activeElement) && document.activeElement.dataset;
  at.outerHTML = await answer.text();
  htmx.process(section());
  history.replaceState(history.state, "", address);
  const stop = section().querySelector(`[data-stop="${step}"]`);
  stop.scrollIntoView({ block: "nearest", inline: "nearest" });
  if (focused) (section().querySelector(`[data-go="${focused.go}"]`) ?? stop).focus({ preventScroll: true });
}

// to goes to a step. Steps that are asked for meanwhile follow; those in between are left out.
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

// play goes on from the start, or from here if there is more to come. A pause lasts as long as the step did, but at least
// long enough to be seen and at most two seconds.
async function play(speed) {
  const own = ++playing;
  if (shown() === Number(section().dataset.last)) await to(0);
  while (own === playing && shown() < Number(section().dataset.last)) {
    const next = shown() + 1;
    const took = Number(section().querySelector(`[data-stop="${next}"]`).dataset.took);
    await new Promise((done) => setTimeout(done, Math.min(Math.max(took, 400), 2000) / speed));
    if (own === playing) await to(next);
  }
}

const keys = {
  ArrowLeft: (step) => step - 1,
  ArrowRight: (step) => step + 1,
  Home: () => 0,
  End: () => Infinity,
};

async function copyFrom(button) {
  try {
    await navigator.clipboard.writeText(await (await fetch(button.dataset.copyFrom)).text());
    button.textContent = "Copied";
  } catch {
    say("The browser did not allow copying. Open the JSON and copy it by hand.");
  }
}

function clicked(e) {
  const button = e.target.closest("[data-play]");
  if (button) return play(Number(button.dataset.play));
  const copying = e.target.closest("[data-copy-from]");
  if (copying) return copyFrom(copying);
  const stop = e.target.closest("a[data-stop], a[data-go]");
  if (!stop || e.ctrlKey || e.metaKey || e.shiftKey) return;
  e.preventDefault();
  playing++;
  to(stop.dataset.stop ? Number(stop.dataset.stop) : from() + (stop.dataset.go === "back" ? -1 : 1));
}

export function start() {
  document.querySelector("[data-travel] [aria-current=step]")?.scrollIntoView({ block: "nearest", inline: "center" });
  document.addEventListener("click", (e) => {
    if (e.target.closest("[data-travel]")) clicked(e);
  });
  document.addEventListener("keydown", (e) => {
    if (!section() || !keys[e.key] || e.altKey || e.ctrlKey || e.metaKey || e.target.closest("input, textarea, select")) return;
    e.preventDefault();
    playing++;
    to(keys[e.key](from()));
  });
}
