// Runs before the page is drawn, so that it never flashes in the wrong theme,
// and marks the page as scripted.
const root = document.documentElement;
root.classList.add("js");
try {
  const kept = localStorage.getItem("theme");
  if (kept === "light" || kept === "dark") root.dataset.theme = kept;
} catch {
  // Storage is switched off: the system decides.
}
