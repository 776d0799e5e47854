// Files and folders dropped anywhere or chosen: each file is sent separately and shows its progress. Limit and
// kind are checked before anything is sent.
import htmx from "htmx.org";
import { base, problem } from "./shell.js";
import { t } from "./words.js";

const atOnce = 3;
const waiting = [];
let sending = 0;
let added = 0;

const form = () => document.querySelector("[data-upload]");

const held = () => form()?.elements.hold?.checked;

function size(bytes) {
  return bytes >= 1e6 ? `${Math.round(bytes / 1e5) / 10} MB` : `${Math.ceil(bytes / 1000)} KB`;
}

// line adds a file to the list of uploads and returns functions that update its entry.
function line(name) {
  const item = document.createElement("li");
  const label = Object.assign(document.createElement("span"), { className: "name", textContent: name });
  const says = Object.assign(document.createElement("span"), { className: "says" });
  const bar = Object.assign(document.createElement("progress"), { max: 1, value: 0 });
  bar.setAttribute("aria-label", t("Sending %s", name));
  says.append(bar);
  item.append(label, says);
  document.getElementById("uploads").append(item);
  return {
    progress: (part) => { bar.value = part; },
    waits: (message) => { says.textContent = message; },
    leave: () => { item.remove(); },
    done: ({ outcome, message, document_id: id, same_as: same, hash }) => {
      item.className = outcome;
      item.dataset.outcome = outcome;
      says.textContent = message;
      tell(outcome, id, hash, name);
      if (!id) return;
      item.dataset.document = id;
      if (hash) item.dataset.hash = hash;
      const open = Object.assign(document.createElement("a"), { href: `${base()}/documents/${encodeURIComponent(id)}`, textContent: "Open" });
      says.append(" ", open);
      if (same) says.append(renames(id, name));
    },
  };
}

// renames returns a form that gives a known document the name of the file with the same content.
function renames(id, name) {
  const rename = Object.assign(document.createElement("form"), { method: "post", action: `${base()}/documents/${encodeURIComponent(id)}/rename` });
  rename.dataset.testid = "rename-known";
  rename.append(Object.assign(document.createElement("input"), { type: "hidden", name: "name", value: name }));
  rename.append(Object.assign(document.createElement("button"), { className: "btn plain small", textContent: t("Call it %s", name) }));
  return rename;
}

// tally counts the files since the list was empty. Not all have a line: see finish.
const zero = { all: 0, added: 0, versions: 0, existing: 0, refused: 0, bytes: 0, before: 0, since: 0 };
const tally = { ...zero, kinds: new Map(), ids: new Set(), now: new Map() };

function reset() {
  Object.assign(tally, zero, { kinds: new Map(), ids: new Set(), now: new Map(), since: performance.now() });
}

// tells reports whether anything of an upload is shown.
const shows = () => document.querySelector("#uploads > *, #uploads-sum > *");

const part = (name, className, ...parts) => {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...parts);
  return made;
};

// pace describes the speed of the upload and the remaining time; "" if not yet known.
function pace(sent) {
  const seconds = (performance.now() - tally.since) / 1000;
  if (seconds < 1 || !sent || sent >= tally.bytes) return "";
  const left = Math.ceil((tally.bytes - sent) * seconds / sent);
  return `${size(sent / seconds)} a second, ${left >= 90 ? `${Math.round(left / 60)} min` : `${left} s`} left`;
}

// kinds names the kinds of new entries, most frequent first.
const kinds = () => [...tally.kinds].sort(([, a], [, b]) => b - a).map(([kind, n]) => `${number(n)} ${kind}`).join(", ");

// count shows the state of the upload, and lets its lines be cleared.
function count() {
  const list = document.getElementById("uploads");
  if (!list || !tally.all) return;
  let sum = document.getElementById("uploads-sum");
  if (!sum) list.before(sum = Object.assign(part("div", "num"), { id: "uploads-sum" }));
  const done = tally.added + tally.existing + tally.refused;
  const over = done === tally.all;
  const sent = tally.before + [...tally.now.values()].reduce((a, b) => a + b, 0);
  const bar = Object.assign(document.createElement("progress"), { max: Math.max(1, tally.bytes), value: over ? Math.max(1, tally.bytes) : sent });
  bar.setAttribute("aria-label", t("Sent"));
  const lines = [[done, `sent of ${number(tally.all)}`, over ? "" : `${number(tally.all - done)} still to go`]];
  if (tally.added - tally.versions) lines.push([tally.added - tally.versions, held() ? "new, held until you say yes" : "new", kinds()]);
  if (tally.versions) lines.push([tally.versions, tally.versions === 1 ? "new version of a document" : "new versions of documents", ""]);
  if (tally.existing) lines.push([tally.existing, "known already, left out", ""]);
  if (tally.refused) lines.push([tally.refused, "refused", "", "care"]);
  const parts = [
    part("p", "head", part("b", "", `${number(tally.all)} ${tally.all === 1 ? "file" : "files"}`), part("span", "meta", pace(sent))), bar,
    part("ul", "tally", ...lines.map(([n, what, more, mark]) => part("li", mark ?? "", part("b", "", number(n)), part("span", "", what), part("span", "meta", more)))),
  ];
  const said = [[tally.added, "added"], [tally.existing, "known already"], [tally.refused, "left out"]].filter(([n]) => n).map(([n, what]) => `${number(n)} ${what}`).join(", ");
  const says = sum.querySelector("[role=status]") ?? part("p", "vh");
  says.setAttribute("role", "status");
  const words = done ? `${said}, of ${number(tally.all)} ${tally.all === 1 ? "file" : "files"}.` : "";
  if (says.textContent !== words) says.textContent = words;
  if (over) {
    const ends = part("p", "row");
    if (added && tally.refused && leaves()) ends.append(Object.assign(part("a", "", t("Open the documents")), { href: `${base()}/documents` }));
    const clear = Object.assign(part("button", "btn plain small", "Clear"), { type: "button" });
    clear.dataset.clearUploads = "";
    ends.append(clear);
    parts.push(ends);
  }
  for (const old of [...sum.children]) if (old !== says) old.remove();
  if (!says.isConnected) sum.append(says);
  says.before(...parts);
  sum.hidden = false;
}

// sumUp has the server report the progress of the added documents, and questions to ask of them.
let summed = "";

function sumUp(ids) {
  const place = document.getElementById("uploads-added");
  const asked = [...ids].join();
  if (!place || !asked || asked === summed) return;
  summed = asked;
  const address = new URLSearchParams([...ids].map((id) => ["id", id]));
  htmx.ajax("GET", `${base()}/documents/added?${address}`, { target: "#uploads-added", swap: "outerHTML" });
}

// carry goes to the list, which then sums up the documents added here.
function carry() {
  try {
    sessionStorage.setItem("added", [...tally.ids].join());
  } catch {
    // Storage is disabled: the list shows only the documents.
  }
  location.assign(`${base()}/documents`);
}

// carried sums up the documents that another page has added.
function carried() {
  if (!document.getElementById("uploads-added")) return;
  try {
    const ids = sessionStorage.getItem("added");
    sessionStorage.removeItem("added");
    if (ids) sumUp(ids.split(","));
  } catch {
    // Storage is disabled: nothing was carried.
  }
}

const number = (n) => n.toLocaleString("en");

// leaves reports that the page does not show the added documents.
const leaves = () => held() || !document.getElementById("rows");

// passes is how long the line of a finished file stays.
const passes = 6000;

// follow shows the state of each added file next to it, taken from its row in the list. A file that was read
// leaves the panel; a failed one stays, with the reason.
function follow() {
  for (const item of document.querySelectorAll("#uploads [data-document]")) {
    let row = document.getElementById(`doc-${item.dataset.document}`);
    const { hash } = item.dataset; // of a new version, which has its own row until it replaces the document
    if (hash && row?.dataset.hash !== hash) row = document.querySelector(`.doc[data-becomes="${item.dataset.document}"]`);
    const status = row?.dataset.status;
    if (!status || status === item.dataset.status || item.dataset.outcome !== "added") continue;
    item.dataset.status = status;
    const says = item.querySelector(".says");
    if (status === "failed" || status === "stopped") {
      says.textContent = status === "stopped" ? t("Stopped, not in the graph.") : row.querySelector(".note")?.textContent.replace(/\s+/g, " ").trim() ?? t("Could not be read.");
      item.classList.add("refused");
    } else if (status === "ready" || status === "empty") {
      says.textContent = t("Read. %s", [...row.querySelectorAll(".found > div")].map((e) => e.textContent.trim()).join(", "));
      setTimeout(() => { item.remove(); }, passes);
    }
  }
}

// tell counts the outcome of a file.
function tell(outcome, id, hash, name) {
  tally[outcome]++;
  if (outcome === "added" && id) {
    tally.ids.add(id);
    const kind = (/\.([^./]+)$/.exec(name)?.[1] ?? "text").toUpperCase();
    if (hash) tally.versions++;
    else tally.kinds.set(kind, (tally.kinds.get(kind) ?? 0) + 1);
  }
  count();
}

const refused = (message) => ({ outcome: "refused", message });

// send sends a file: the name of one from a folder is its path there.
function send(upload) {
  const { file, path } = upload;
  const row = upload.row ??= line(path);
  const request = new XMLHttpRequest();
  const body = new FormData();
  const schema = form().elements.schema?.value;
  if (schema) body.append("schema", schema); // before the file: the server reads the form as it arrives
  for (const name of ["named", "chunk", "chunk-tokens", "text-field", "encoding", "limit_to"]) {
    const value = form().elements[name]?.value;
    if (value) body.append(name, value);
  }
  if (held()) body.append("hold", "1");
  // A header can't contain control characters; the server would reject the form.
  body.append(path.includes("/") ? "folder" : "files", file, path.replace(/\p{Cc}/gu, "") || "file");
  request.open("POST", form().action);
  request.setRequestHeader("Accept", "application/json");
  request.upload.addEventListener("progress", (e) => {
    if (!e.lengthComputable) return;
    row.progress(e.loaded / e.total);
    tally.now.set(upload, Math.min(file.size, e.loaded));
    count();
  });
  request.addEventListener("load", () => (request.status === 429 ? later(upload, request) : finish(upload, answer(request))));
  request.addEventListener("error", () => finish(upload, [refused(t("The connection was lost during the upload. The file was not saved. Try again."))]));
  request.send(body);
}

// later sends a file again after the queue had no room.
function later(upload, request) {
  upload.row.waits(answer(request).at(-1).message);
  setTimeout(() => send(upload), Math.min(30, Number(request.getResponseHeader("Retry-After")) || 5) * 1000);
}

function answer(request) {
  try {
    const results = JSON.parse(request.responseText).results;
    if (results?.length) return results;
  } catch {
    // Not JSON: reported below.
  }
  return [refused(problem(request.status, request.responseText))];
}

// finish shows the outcome of a file. An archive has a result for each file in it. If there are many files,
// those in the list, or known by their own path in the folder, have no line.
function finish(upload, [first, ...others]) {
  const { path, row, many, file } = upload;
  sending--;
  tally.now.delete(upload);
  tally.before += file.size;
  const listed = first.outcome === "added" && many || first.outcome === "existing" && !first.same_as;
  if (listed && path.includes("/")) {
    row.leave();
    tell(first.outcome, first.document_id, first.hash, path);
  } else row.done(first);
  tally.all += others.length;
  for (const result of others) line(result.name).done(result);
  if ([first, ...others].some((result) => result.outcome !== "refused")) added++;
  next();
  count();
  if (sending || waiting.length) return;
  if (added && !tally.refused && leaves()) carry();
  else sumUp(tally.ids);
}

function next() {
  while (sending < atOnce && waiting.length) {
    sending++;
    send(waiting.shift());
  }
}

// few is the number of files up to which each has a line, and most is the maximum accepted at once.
const few = 30;
const most = 5000;

// add queues files for upload, each with its path in a folder, and reports at once why any of them can't be
// added.
function add(files) {
  if (!sending && !waiting.length && !shows()) reset();
  tally.since ||= performance.now();
  const { maxBytes } = form().dataset;
  const readable = form().elements.files.accept.split(",");
  const unreadable = [];
  let hidden = 0;
  const taken = files.filter(({ path }) => {
    const skip = path.includes("/") && path.split("/").some((name) => name.startsWith("."));
    if (skip) hidden++;
    return !skip;
  });
  taken.forEach(({ file, path }, i) => {
    const ending = /\.[^./]+$/.exec(path)?.[0].toLowerCase();
    const no = (message) => { tally.all++; line(path).done(refused(message)); };
    if (i >= most) {
      if (i === most) leftOut(taken.length - most, t("Only %s files are taken at once. Add the rest separately.", number(most)));
    } else if (ending && !readable.includes(ending)) {
      unreadable.push(path);
    } else if (file.size > Number(maxBytes)) {
      no(t("It has %s, the limit is %s (MAX_UPLOAD_MB). Nothing was sent.", size(file.size), size(Number(maxBytes))));
    } else if (file.size === 0) {
      no(t("It is empty. Nothing was sent."));
    } else {
      tally.all++;
      tally.bytes += file.size;
      const many = taken.length > few;
      waiting.push({ file, path, many, row: many ? undefined : line(path) });
    }
  });
  if (unreadable.length === 1) leftOut(unreadable[0], t("Clew can't read files of this kind. Nothing was sent."));
  else if (unreadable.length) leftOut(unreadable.length, t("Clew can't read files of these kinds: %s.", some(unreadable)));
  if (hidden) leftOut(hidden, t("Hidden files and what hidden folders hold are left out."));
  if (!files.length) leftOut(t("The folder"), t("It contains no files."));
  next();
}

// some lists the first of many.
const some = (names) => names.slice(0, 20).join(", ") + (names.length > 20 ? ` and ${number(names.length - 20)} more` : "");

// leftOut says why files are omitted, by the name of one or the number of several.
function leftOut(what, why) {
  const files = typeof what === "number" ? what : 1;
  tally.all += files;
  tally.refused += files - 1; // done counts one
  line(typeof what === "number" ? `${number(what)} ${what === 1 ? "file" : "files"}` : what).done(refused(why));
}

// walk calls each for the dropped files, with their paths.
async function walk(entry, each) {
  if (entry.isFile) return each(await new Promise((done, fail) => { entry.file(done, fail); }), entry.fullPath.slice(1));
  const reader = entry.createReader();
  for (;;) {
    const inner = await new Promise((done, fail) => { reader.readEntries(done, fail); });
    if (!inner.length) return;
    for (const one of inner) await walk(one, each);
  }
}

// drop adds dropped files. The browser forgets them after the event, so folders must be requested at once.
async function drop(data) {
  const entries = [...data.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.some((entry) => entry.isDirectory)) return add([...data.files].map((file) => ({ file, path: file.name })));
  const files = [];
  try {
    for (const entry of entries) await walk(entry, (file, path) => files.push({ file, path }));
  } catch {
    leftOut(t("The folder"), t("A file in it could not be opened. What was found before it is added."));
  }
  add(files);
}

const hasFiles = (e) => form() && document.querySelector("[data-drop-anywhere]") && [...(e.dataTransfer?.types ?? [])].includes("Files");

// optionsLast moves the reading options behind the ways to add files. In a form sent without scripts they come
// before the files, because the server reads it as it arrives.
function optionsLast() {
  const options = form()?.querySelector(".upload-options");
  const ways = options && [...form().parentElement.querySelectorAll(":scope > .paste")];
  if (!ways?.length) return;
  for (const field of options.querySelectorAll("input, select")) field.setAttribute("form", form().id);
  ways.at(-1).after(options);
}

export function start() {
  optionsLast();
  const list = document.getElementById("list");
  if (list && form()) new MutationObserver(follow).observe(list, { childList: true, subtree: true });
  document.addEventListener("click", (e) => {
    if (!e.target.closest("[data-clear-uploads]")) return;
    for (const item of document.querySelectorAll("#uploads [data-outcome]")) item.remove();
    document.getElementById("uploads-sum").replaceChildren();
    document.getElementById("uploads-added")?.replaceWith(Object.assign(document.createElement("div"), { id: "uploads-added" }));
    summed = "";
    reset();
  });
  carried();
  let inside = 0;
  const light = () => document.body.classList.toggle("dropping", inside > 0);
  document.addEventListener("change", (e) => {
    if (!e.target.matches("[data-upload] input[type=file]")) return;
    add([...e.target.files].map((file) => ({ file, path: file.webkitRelativePath || file.name })));
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
    drop(e.dataTransfer);
  });
}
