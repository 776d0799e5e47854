// The statements that were run in this tab, to run again. They stay in the
// browser until the tab is closed.
const key = "cypher";
const most = 30;

const past = () => JSON.parse(sessionStorage.getItem(key) ?? "[]");

export function start() {
  const page = document.querySelector("[data-cypher]");
  const form = page?.querySelector("form");
  if (!form) return;
  const list = page.querySelector("[data-cypher-past]");
  for (const text of past()) {
    const item = document.createElement("li");
    const button = Object.assign(document.createElement("button"), { type: "button", className: "linkish mono", textContent: text });
    button.addEventListener("click", () => {
      form.statement.value = text;
      form.statement.focus();
    });
    item.className = "line";
    item.append(button);
    list.querySelector("ul").append(item);
    list.hidden = false;
  }
  form.addEventListener("submit", () => {
    const text = form.statement.value.trim();
    sessionStorage.setItem(key, JSON.stringify([text, ...past().filter((p) => p !== text)].slice(0, most)));
  });
  form.statement.addEventListener("keydown", (e) => {
    if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) form.requestSubmit();
  });
}
