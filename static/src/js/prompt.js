// The editor of prompts: variables are inserted at the caret, Ctrl+S saves.
export function start() {
  const form = document.querySelector("[data-prompt]");
  if (!form) return;
  const text = form.elements.text;
  form.addEventListener("click", (e) => {
    const button = e.target.closest("[data-insert]");
    if (!button) return;
    text.setRangeText(button.dataset.insert, text.selectionStart, text.selectionEnd, "end");
    text.focus();
  });
  form.elements.words?.addEventListener("keydown", (e) => {
    if (e.key !== "Enter") return; // the browser would save
    e.preventDefault();
    form.requestSubmit(form.querySelector("[data-testid=try]"));
  });
  document.addEventListener("keydown", (e) => {
    if ((e.ctrlKey || e.metaKey) && !e.altKey && !e.shiftKey && e.key.toLowerCase() === "s") {
      e.preventDefault();
      form.requestSubmit(form.querySelector("[data-testid=save]"));
    }
  });
}
