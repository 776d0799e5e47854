// A form is sent once, however often Enter is pressed, and a form with text only while the server answers: a
// page that the browser can't load would replace the text.
import { say } from "./shell.js";
import { t } from "./words.js";

const states = new Map(); // form → "asking" whether the server answers, "answers", or "sent"

const guarded = (form) => form.getAttribute("method") === "post" && !form.hasAttribute("target") && !form.matches("[data-quiet]");

async function answers() {
  try {
    await fetch(document.documentElement.dataset.alive, { method: "HEAD", cache: "no-store", signal: AbortSignal.timeout(10000) });
    return true;
  } catch {
    return false;
  }
}

async function send(form, submitter) {
  states.set(form, "asking");
  if (!(await answers())) {
    states.delete(form);
    say(t("The server does not answer, so nothing was sent. Your text is still here: check the connection, and send it again."));
    return;
  }
  states.set(form, "answers");
  if (form.isConnected) form.requestSubmit(submitter?.form === form ? submitter : null);
}

// before blocks forms that were already sent, and those that may not arrive.
function before(e) {
  const form = e.target;
  if (!guarded(form)) return;
  const state = states.get(form);
  if (state === "answers" || (!state && !form.querySelector("textarea"))) return;
  e.preventDefault();
  e.stopImmediatePropagation();
  if (!state) send(form, e.submitter);
}

// after records that a form is being sent, unless its own script has stopped it. A form that is answered with a
// file leaves the page unchanged, and can be sent again after a while.
function after(e) {
  const form = e.target;
  if (!guarded(form)) return;
  if (e.defaultPrevented) return void states.delete(form);
  states.set(form, "sent");
  setTimeout(() => states.delete(form), 30000);
}

export function start() {
  addEventListener("submit", before, true);
  addEventListener("submit", after);
  addEventListener("pageshow", () => states.clear());
}
