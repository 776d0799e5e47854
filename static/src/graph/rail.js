// The rail of years below the picture: a slider whose left end means any time. Play steps through the years in
// which something begins or ends, and then returns to any time.
import { t } from "../js/words.js";

const pause = 1200;

export function rail(main, show) {
  let playing = 0; // changes when something else is to be shown
  let plays = false;

  const slider = () => main.querySelector("[data-rail]");
  const turns = () => slider().dataset.rail.split(" ").map((turn) => turn.split(",").map(Number));
  const asOf = (year) => (year < 0 ? "-" : "") + String(Math.abs(year)).padStart(4, "0");
  const time = (at) => (at.value === at.min ? "" : asOf(Number(at.value) || 1)); // there is no year 0

  function tell() {
    const at = slider();
    const turn = turns().find(([year]) => year === Number(at.value));
    const says = !time(at) ? t("Any time") : turn ? t("%s: %s begin, %s end", time(at), turn[1], turn[2]) : time(at);
    at.setAttribute("aria-valuetext", says);
    main.querySelector("#graph-rail output").textContent = says;
  }

  function button() {
    const play = main.querySelector("[data-rail-play] span");
    if (play) play.textContent = plays ? t("Pause") : t("Play");
  }

  function stop() {
    playing++;
    plays = false;
    button();
  }

  async function play() {
    const own = ++playing;
    plays = true;
    const from = time(slider()) ? Number(slider().value) : -Infinity;
    const all = turns().map(([year]) => year);
    const ahead = all.filter((year) => year > from);
    for (const year of ahead.length ? ahead : all) {
      await show(asOf(year));
      if (own !== playing || !slider()) return;
      button();
      await new Promise((done) => setTimeout(done, pause));
      if (own !== playing) return;
    }
    stop();
  }

  main.addEventListener("input", (e) => {
    if (!("rail" in e.target.dataset)) return;
    stop();
    tell();
  });
  main.addEventListener("change", (e) => {
    if ("rail" in e.target.dataset) show(time(e.target));
  });
  main.addEventListener("click", (e) => {
    if (e.target.closest("[data-rail-play]")) return plays ? stop() : play();
    if (e.target.closest("#graph-rail a")) stop();
  });
}
