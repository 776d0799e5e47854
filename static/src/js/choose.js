// Choosing documents in their list: by click, with Shift a range, by keys, or the whole page.
const picks = () => [...document.querySelectorAll("#rows .pick")];
const chosen = () => picks().filter((pick) => pick.checked);
let last = null; // value of the document chosen last, where a range begins: its row may be replaced

// tell shows how many are chosen, and whether that is the whole page.
function tell() {
  const said = document.querySelector("[data-chosen]");
  if (!said) return;
  const all = picks();
  const n = chosen().length;
  const words = `${n} chosen`;
  if (n && said.textContent !== words) said.textContent = words;
  const whole = document.querySelector("[data-choose-page]");
  whole.checked = n > 0 && n === all.length;
  whole.indeterminate = n > 0 && n < all.length;
  keep();
}

// keep keeps the rows in place while the bar above them appears; further down the browser does that.
let shown = false;

function keep() {
  const bar = document.getElementById("bulk");
  const was = shown;
  shown = Boolean(bar?.offsetHeight);
  if (shown && !was && !scrollY) scrollBy(0, bar.offsetHeight + parseFloat(getComputedStyle(bar).marginTop));
}

// clear removes all ticks.
function clear() {
  for (const pick of chosen()) pick.checked = false;
  const all = document.querySelector('#bulk [name="all"]');
  if (all) all.checked = false;
  tell();
}

// range sets everything from the last chosen one to the pick at its end to the pick's state.
function range(to) {
  const all = picks();
  const ends = [all.findIndex((pick) => pick.value === last), all.indexOf(to)].sort((a, b) => a - b);
  if (ends[0] < 0) return;
  for (const pick of all.slice(ends[0], ends[1] + 1)) pick.checked = to.checked;
}

// move focuses the next or previous pick.
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
  else if (key === "escape" && chosen().length) clear();
  else return false;
  return true;
}

let changing = ""; // id of a row changed by a form in its menu, until the reader moves on

// refocus returns the focus to the menu of a row that was replaced after its form was sent. More than once: the
// list follows too.
export function refocus() {
  if (changing && document.activeElement === document.body) document.getElementById(changing)?.querySelector('[data-act="more"]')?.focus({ preventScroll: true });
}

export function start() {
  document.addEventListener("click", (e) => {
    if (e.target.closest?.("[data-choose-none]")) clear();
    if (!e.target.matches?.("#rows .pick")) return;
    if (e.shiftKey && last) range(e.target);
    last = e.target.value;
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
  document.addEventListener("htmx:beforeRequest", (e) => { changing = e.target.closest?.(".doc .menu") ? e.target.closest(".doc").id : changing; });
  for (const event of ["keydown", "pointerdown"]) document.addEventListener(event, () => { changing = ""; }, true);
  const rows = document.getElementById("list");
  if (rows) new MutationObserver(() => { tell(); refocus(); }).observe(rows, { childList: true, subtree: true });
  addEventListener("pageshow", tell); // the browser keeps ticks on going back
}
