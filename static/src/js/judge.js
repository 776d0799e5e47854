// Tables of questions: J and K go down and up, O opens the focused one, V opens the verdicts of its row.

const rows = () => [...document.querySelectorAll("main .qs tbody tr")];
const links = (row) => [...row.querySelectorAll("[data-opens]")];

function move(by) {
  const all = rows();
  const at = all.findIndex((row) => row.contains(document.activeElement));
  const next = all[at < 0 ? 0 : Math.min(Math.max(at + by, 0), all.length - 1)];
  links(next)[0]?.focus();
}

function pressed(key) {
  const row = document.activeElement?.closest("main .qs tbody tr");
  if (key === "j" || key === "k") return move(key === "j" ? 1 : -1), true;
  if (!row) return false;
  if (key === "o") return (document.activeElement.closest("[data-opens]") ?? links(row)[0])?.click(), true;
  if (key !== "v") return false;
  const cell = document.activeElement.closest("td");
  const judge = cell?.querySelector(".judge") ?? [...row.querySelectorAll(".judge")].at(-1);
  if (!judge) return false;
  judge.open = true;
  judge.querySelector("button").focus();
  return true;
}

export function start() {
  if (rows().length === 0) return;
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing || document.querySelector("dialog[open]")) return;
    if (e.target.closest("input, textarea, select")) return;
    if (pressed(e.key.toLowerCase())) e.preventDefault();
  });
}
