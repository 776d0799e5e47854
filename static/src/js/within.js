// The scope of a question: chips below the field, and completion of #tag and @document during typing.

let area; // the field that is being completed
const list = () => area?.form?.querySelector("[data-options]");
const chips = () => area.form.querySelector("[data-chips]");
const options = () => [...list().querySelectorAll("[data-option]")];

let asked; // aborts the request under way
let listing = Promise.resolve(); // settles when the options match the typed text
let listed; // the word completed by the options

// typed returns the word before the caret if it begins with # or @.
function typed() {
  return /(?:^|\s)([#@][^\s#@]*)$/.exec(area.value.slice(0, area.selectionStart))?.[1];
}

// attend makes a field the one being completed.
function attend(field) {
  if (field !== area) close();
  area = field;
}

function close() {
  asked?.abort();
  const box = list();
  if (!box || box.hidden) return;
  box.replaceChildren();
  box.hidden = true;
  area.removeAttribute("aria-activedescendant");
}

// mark makes an option the one chosen by Enter.
function mark(to) {
  for (const o of options()) o.setAttribute("aria-selected", String(o === to));
  area.setAttribute("aria-activedescendant", to.id);
  to.scrollIntoView({ block: "nearest" });
}

async function complete() {
  const word = typed();
  if (!word) return close();
  asked?.abort();
  asked = new AbortController();
  try {
    const answer = await fetch(`${area.dataset.within}?q=${encodeURIComponent(word)}`, { signal: asked.signal });
    if (!answer.ok) return close();
    const html = await answer.text();
    if (typed() !== word) return;
    list().innerHTML = html;
    listed = word;
  } catch {
    return; // superseded, or the server is away: asking reports that
  }
  const [first] = options();
  list().hidden = !first;
  if (first) mark(first);
}

// take turns the word being typed into a chip.
function take(option) {
  const end = area.selectionStart;
  const start = end - typed().length;
  area.setRangeText("", start, end, "end");
  const chip = option.querySelector("template").content.cloneNode(true);
  const term = chip.querySelector("[data-chip]").value;
  const known = [...chips().querySelectorAll("[data-chip]")].some((c) => c.value === term);
  if (!known) chips().append(chip);
  tell(area.form);
  area.dispatchEvent(new Event("input", { bubbles: true }));
  area.focus();
}

// choose takes an option or, while the options are those of a shorter word, the first one for the current word.
async function choose(option) {
  if (listed === typed()) return take(option);
  await listing;
  const [first] = options();
  if (first && listed === typed()) take(first);
}

// tell has the selected part counted.
const tell = (form) => form.dispatchEvent(new Event("chips"));

function onKey(e) {
  if (!e.target.matches("[data-asking] textarea") || e.isComposing) return;
  attend(e.target);
  if (!list().hidden) {
    const all = options();
    const at = all.findIndex((o) => o.getAttribute("aria-selected") === "true");
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (step) mark(all[(at + step + all.length) % all.length]);
    else if (e.key === "Enter" || e.key === "Tab") choose(all[at]);
    else if (e.key === "Escape") close();
    else return;
    e.preventDefault();
    e.stopImmediatePropagation();
  } else if (e.key === "Backspace" && area.value === "") {
    chips().lastElementChild?.remove();
    tell(area.form);
  }
}

export function start() {
  document.addEventListener("keydown", onKey, true);
  document.addEventListener("input", (e) => {
    if (!e.target.matches("[data-asking] textarea")) return;
    attend(e.target);
    listing = complete();
  });
  document.addEventListener("click", (e) => {
    const option = e.target.closest("[data-option]");
    if (option) take(option);
    else if (!e.target.closest("[data-asking]")) close();
  });
  document.addEventListener("change", (e) => {
    if (!e.target.matches("[data-chip]") || e.target.checked) return;
    const field = e.target.form.querySelector("textarea");
    const { form } = e.target;
    e.target.closest("li").remove();
    tell(form);
    field.focus();
  });
}
