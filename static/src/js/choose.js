// Choosing documents in their list: by click, with Shift a range, by keys, or all of the page.
const picks = () => [...document.querySelectorAll("#rows .pick")];
const chosen = () => picks().filter((pick) => pick.checked);
let last = null; // the one that was chosen last, where a range begins

// tell says how many are chosen, and whether that is the whole page.
function tell() {
  const said = document.querySelector("[data-chosen]");
  if (!said) return;
  const all = picks();
  const n = chosen().length;
  const words = n ? `${n} chosen` : said.dataset.none;
  if (said.textContent !== words) said.textContent = words;
  const whole = document.querySelector("[data-choose-page]");
  whole.checked = n > 0 && n === all.length;
  whole.indeterminate = n > 0 && n < all.length;
}

// range chooses, like the pick at its end, all from the last one that was chosen.
function range(to) {
  const all = picks();
  const ends = [all.indexOf(last), all.indexOf(to)].sort((a, b) => a - b);
  if (ends[0] < 0) return;
  for (const pick of all.slice(ends[0], ends[1] + 1)) pick.checked = to.checked;
}

// move puts the focus on the next pick, or the one before.
function move(by) {
  const all = picks();
  const at = all.indexOf(document.activeElement?.closest(".doc")?.querySelector(".pick"));
  const next = all[at < 0 ? 0 : at + by];
  if (!next) return;
  next.focus();
  next.closest(".doc").scrollIntoView({ block: "nearest" });
}

function pressed(e) {
  const key = e.key.toLowerCase();
  if (key === "j") move(1);
  else if (key === "k") move(-1);
  else if (key === "x") document.activeElement?.closest(".doc")?.querySelector(".pick")?.dispatchEvent(new MouseEvent("click", { shiftKey: e.shiftKey, bubbles: true, cancelable: true }));
  else if (key === "escape" && chosen().length) {
    for (const pick of chosen()) pick.checked = false;
    tell();
  } else return false;
  return true;
}

export function start() {
  document.addEventListener("click", (e) => {
    if (!e.target.matches?.("#rows .pick")) return;
    if (e.shiftKey && last) range(e.target);
    last = e.target;
    tell();
  });
  document.addEventListener("change", (e) => {
    if (!e.target.matches?.("[data-choose-page]")) return;
    for (const pick of picks()) pick.checked = e.target.checked;
    tell();
  });
  document.addEventListener("keydown", (e) => {
    if (!document.getElementById("rows") || e.ctrlKey || e.metaKey || e.altKey || e.isComposing || document.querySelector("dialog[open]")) return;
    if (e.target.closest?.("input:not([type=radio]):not([type=checkbox]), textarea, select, .menu")) return;
    if (pressed(e)) e.preventDefault();
  });
  const rows = document.getElementById("list");
  if (rows) new MutationObserver(tell).observe(rows, { childList: true, subtree: true });
  addEventListener("pageshow", tell); // the browser keeps ticks when it goes back
}
