// The switch between plain words and the names of the graph: both are in the page, and the server stores the
// choice.
export function start() {
  document.addEventListener("submit", (e) => {
    const form = e.target;
    if (!form.matches("[data-names-switch]")) return;
    e.preventDefault();
    const names = e.submitter.value;
    document.documentElement.dataset.names = names;
    form.querySelector(`button:not([value="${names}"])`).focus({ preventScroll: true });
    fetch(form.action, { method: "POST", body: new URLSearchParams({ names }), redirect: "manual" }).catch(() => {}); // if it fails, the choice lasts until the page is left
  });
}
