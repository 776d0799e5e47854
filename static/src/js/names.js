// The switch between plain words and the names of the graph: both stand in the page, and the server remembers which.
export function start() {
  document.addEventListener("submit", (e) => {
    const form = e.target;
    if (!form.matches("[data-names-switch]")) return;
    e.preventDefault();
    const names = e.submitter.value;
    document.documentElement.dataset.names = names;
    form.querySelector(`button:not([value="${names}"])`).focus({ preventScroll: true });
    fetch(form.action, { method: "POST", body: new URLSearchParams({ names }), redirect: "manual" }).catch(() => {}); // it is as chosen until the page is left
  });
}
