// Forms that change something without leaving the page, and small helpers.
import { problem, say } from "./shell.js";
import { t } from "./words.js";

// post sends a form and stays on the page. Its changes arrive over the stream.
async function post(form, button) {
  if (button) button.disabled = true;
  try {
    const answer = await fetch(form.action, {
      method: "POST",
      body: new URLSearchParams(new FormData(form)),
      headers: { Accept: "application/json" },
      redirect: "manual",
    });
    if (answer.status >= 400) say(problem(answer.status, await answer.text()));
  } catch {
    say(problem(0));
  }
  if (button) button.disabled = false;
}

// chartText returns a chart as lines of text: its name, and its table.
function chartText(figure) {
  const rows = [...figure.querySelectorAll("tr")].map((row) => [...row.cells].map((cell) => {
    const clone = cell.cloneNode(true);
    for (const aside of clone.querySelectorAll(".cite, .vh")) aside.remove();
    return clone.textContent.trim();
  }).join("\t"));
  return [figure.querySelector("figcaption").textContent.replace(/\s+/g, " ").trim(), ...rows].join("\n");
}

// plain returns the text of elements in one line.
const plain = (elements) => [...elements].map((e) => e.textContent).join(" ").replace(/\s+/g, " ").trim();

// copy puts an answer with its sources on the clipboard as plain text.
async function copy(button) {
  const part = document.querySelector(button.dataset.copy);
  const lines = [...part.querySelectorAll(".answer > :is(p, .figure), .unk")].map((p) => {
    if (p.matches(".unk")) return [...p.children].map((li) => plain(li.querySelectorAll(":scope > :is(b, span)"))).join("\n");
    if (p.localName === "figure") return chartText(p);
    const clone = p.cloneNode(true);
    for (const cite of clone.querySelectorAll(".cite")) cite.textContent = ` [${cite.textContent}]`;
    return clone.textContent.replace(/\s+/g, " ").trim();
  });
  const sources = [...part.querySelectorAll(".sources li, .near > li")].map((li) => {
    const words = plain(li.querySelectorAll("q, blockquote .has, .near-rows .on > *"));
    return `[${li.querySelector(".knot, .stop-dot").textContent}] ${li.querySelector("b").textContent}${words ? `: “${words}”` : ""}`;
  });
  await keep(button, [...lines, sources.join("\n")].join("\n\n"));
}

// keep puts text on the clipboard, and confirms it on the button.
async function keep(button, text) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = t("Copied");
  } catch {
    say(t("The browser did not allow copying. Mark the text and copy it by hand."));
  }
}

export function start() {
  document.addEventListener("submit", (e) => {
    const button = e.submitter;
    // A document's own page has no list; there the form reloads the page.
    if (e.target.matches("[data-quiet]") && !e.target.closest(".one-row")) {
      e.preventDefault();
      post(e.target, button);
    } else if (button?.dataset.busy) {
      button.textContent = button.dataset.busy;
      button.setAttribute("aria-disabled", "true");
    }
  });
  // A letter presses the button that names it, unless it is being typed.
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target.closest("input:not([type=radio]):not([type=checkbox]), textarea, select")) return;
    const button = document.querySelector(`[data-key="${CSS.escape(e.key.toLowerCase())}"]`);
    if (!button) return;
    e.preventDefault();
    button.click();
  });
  document.addEventListener("click", (e) => {
    const button = e.target.closest("[data-copy]");
    if (button) copy(button);
    const text = e.target.closest("[data-copy-text]");
    if (text) keep(text, document.querySelector(text.dataset.copyText).textContent);
  });
}
