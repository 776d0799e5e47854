// Files dropped anywhere or chosen: each is sent by itself and shows how far
// it is. The limit is checked before anything is sent.
import { problem } from "./shell.js";

const atOnce = 3;
const waiting = [];
let sending = 0;
let added = 0;

const form = () => document.querySelector("[data-upload]");

const held = () => form()?.elements.hold?.checked;

function size(bytes) {
  return bytes >= 1e6 ? `${Math.round(bytes / 1e5) / 10} MB` : `${Math.ceil(bytes / 1000)} KB`;
}

// line adds a file to the list of uploads and returns how to speak of it.
function line(name) {
  const item = document.createElement("li");
  const label = Object.assign(document.createElement("span"), { className: "name", textContent: name });
  const says = Object.assign(document.createElement("span"), { className: "says" });
  const bar = Object.assign(document.createElement("progress"), { max: 1, value: 0 });
  bar.setAttribute("aria-label", `Sending ${name}`);
  says.append(bar);
  item.append(label, says);
  document.getElementById("uploads").append(item);
  return {
    progress: (part) => { bar.value = part; },
    done: ({ outcome, message, document_id: id }) => {
      item.className = outcome;
      item.dataset.outcome = outcome;
      says.textContent = message;
      count();
      if (!id) return;
      item.dataset.document = id;
      const open = Object.assign(document.createElement("a"), { href: `/documents/${encodeURIComponent(id)}`, textContent: "Open" });
      says.append(" ", open);
    },
  };
}

// count says how the upload stands, and lets its lines be cleared away.
function count() {
  const list = document.getElementById("uploads");
  const of = (outcome) => list.querySelectorAll(`[data-outcome="${outcome}"]`).length;
  const [all, added, known, no] = [list.children.length, of("added"), of("existing"), of("refused")];
  let sum = document.getElementById("uploads-sum");
  if (!all || !list.querySelector("[data-outcome]")) return void sum?.remove();
  if (!sum) {
    sum = Object.assign(document.createElement("p"), { id: "uploads-sum", className: "meta num" });
    sum.setAttribute("role", "status");
    list.before(sum);
  }
  const clear = Object.assign(document.createElement("button"), { type: "button", className: "btn plain small", textContent: "Clear" });
  clear.dataset.clearUploads = "";
  const said = [`${added + known + no} of ${all} sent`];
  if (known) said.push(`${known} known already`);
  if (no) said.push(`${no} refused`);
  sum.replaceChildren(`${said.join(", ")}. `, clear);
}

// passes is how long the line of a file that was read stays.
const passes = 6000;

// follow says beside each file that was added what became of it, as its row in the list says. A
// file that was read leaves the panel; one that failed stays, with the reason.
function follow() {
  for (const item of document.querySelectorAll("#uploads [data-document]")) {
    const row = document.getElementById(`doc-${item.dataset.document}`);
    const status = row?.dataset.status;
    if (!status || status === item.dataset.status || item.dataset.outcome !== "added") continue;
    item.dataset.status = status;
    const says = item.querySelector(".says");
    if (status === "failed" || status === "stopped") {
      says.textContent = status === "stopped" ? "Stopped, not in the graph." : row.querySelector(".note")?.textContent.replace(/\s+/g, " ").trim() ?? "Could not be read.";
      item.classList.add("refused");
    } else if (status === "ready" || status === "empty") {
      says.textContent = `Read. ${row.querySelector(".found")?.textContent.replace(/\s+/g, " ").trim() ?? ""}`;
      setTimeout(() => { item.remove(); count(); }, passes);
    }
  }
}

const refused = (message) => ({ outcome: "refused", message });

function send(file, row) {
  const request = new XMLHttpRequest();
  const body = new FormData();
  const schema = form().elements.schema?.value;
  if (schema) body.append("schema", schema); // before the file: the server reads the form as it arrives
  for (const name of ["named", "chunk", "chunk-tokens", "text-field"]) {
    const value = form().elements[name]?.value;
    if (value) body.append(name, value);
  }
  if (held()) body.append("hold", "1");
  // A header can't hold control characters; the server would refuse the form.
  body.append("files", file, file.name.replace(/\p{Cc}/gu, "") || "file");
  request.open("POST", form().action);
  request.setRequestHeader("Accept", "application/json");
  request.upload.addEventListener("progress", (e) => { if (e.lengthComputable) row.progress(e.loaded / e.total); });
  request.addEventListener("load", () => finish(row, answer(request)));
  request.addEventListener("error", () => finish(row, [refused("The connection was lost during the upload. The file was not saved. Try again.")]));
  request.send(body);
}

function answer(request) {
  try {
    const results = JSON.parse(request.responseText).results;
    if (results?.length) return results;
  } catch {
    // Not JSON: said below.
  }
  return [refused(problem(request.status, request.responseText))];
}

// finish shows what became of a file. An archive has a result for each file in it.
function finish(row, [first, ...others]) {
  sending--;
  row.done(first);
  for (const result of others) line(result.name).done(result);
  if ([first, ...others].some((result) => result.outcome !== "refused")) added++;
  next();
  if (!sending && !waiting.length && added && (held() || !document.getElementById("rows"))) location.assign("/documents");
}

function next() {
  while (sending < atOnce && waiting.length) {
    const [file, row] = waiting.shift();
    sending++;
    send(file, row);
  }
}

// add queues files for upload and rejects at once those over the limits.
function add(files) {
  const { maxBytes, maxFiles } = form().dataset;
  [...files].forEach((file, i) => {
    const row = line(file.name);
    if (Number(maxFiles) && i >= Number(maxFiles)) {
      row.done(refused(`Only ${maxFiles} files at once. Add this one separately.`));
    } else if (file.size > Number(maxBytes)) {
      row.done(refused(`It has ${size(file.size)}, the limit is ${size(Number(maxBytes))} (MAX_UPLOAD_MB). Nothing was sent.`));
    } else if (file.size === 0) {
      row.done(refused("It is empty or a folder. Choose files instead."));
    } else {
      waiting.push([file, row]);
    }
  });
  next();
}

const hasFiles = (e) => form() && document.querySelector("[data-drop-anywhere]") && [...(e.dataTransfer?.types ?? [])].includes("Files");

export function start() {
  const list = document.getElementById("list");
  if (list && form()) new MutationObserver(follow).observe(list, { childList: true, subtree: true });
  document.addEventListener("click", (e) => {
    if (!e.target.closest("[data-clear-uploads]")) return;
    for (const item of document.querySelectorAll("#uploads [data-outcome]")) item.remove();
    count();
  });
  let inside = 0;
  const light = () => document.body.classList.toggle("dropping", inside > 0);
  document.addEventListener("change", (e) => {
    if (!e.target.matches("[data-upload] input[type=file]")) return;
    add(e.target.files);
    e.target.value = "";
  });
  document.addEventListener("dragenter", (e) => { if (hasFiles(e)) { inside++; light(); } });
  document.addEventListener("dragleave", (e) => { if (hasFiles(e)) { inside = Math.max(0, inside - 1); light(); } });
  document.addEventListener("dragover", (e) => { if (hasFiles(e)) e.preventDefault(); });
  document.addEventListener("drop", (e) => {
    if (!hasFiles(e)) return;
    e.preventDefault();
    inside = 0;
    light();
    add(e.dataTransfer.files);
  });
}
