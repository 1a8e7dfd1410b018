// Annotation: a document in its frame, passages marked by their beginning and their end.
import { ask, change, el, later, tell, typing, who, Refused } from "/static/common.js";

const $ = (id) => document.getElementById(id);
const frame = $("page");
const OTHER = "other";
let rows = [];        // the queue
let place = 0;        // of the document in it
let doc = null;       // what the desk said of the document
let labels = [];      // of each unit
let proposed = [];    // whether a unit's label is still only proposed
let elements = [];    // of each unit, those in the frame
let current = OTHER;  // label to mark with
let begun = null;     // first unit of a passage
let here = -1;        // unit of the keyboard
let past = [];        // to undo
let future = [];
let clicks = 0, keys = 0, since = 0, spent = 0;
let saving = Promise.resolve();

// --------------------------------------------------------------------------------------------------- marks and units

function fromMarks(marks) {
  const found = new Array(doc.units.length).fill(OTHER);
  let at = 0;
  for (const [start, end, label] of marks) {
    while (at < doc.units.length && doc.units[at][0] < start && doc.units[at][1] <= start) at += 1;
    for (let unit = at; unit < doc.units.length && doc.units[unit][0] < end; unit += 1) if (doc.units[unit][0] >= start) found[unit] = label;
  }
  return found;
}

function toMarks() {
  const found = [];
  let before = OTHER;
  labels.forEach((label, unit) => {
    if (label !== OTHER) {
      const [start, end] = doc.units[unit];
      if (label === before) found[found.length - 1][1] = end;
      else found.push([start, end, label]);
    }
    before = label;
  });
  return found;
}

const passages = () => labels.filter((label, unit) => label !== OTHER && label !== (labels[unit - 1] ?? OTHER)).length;

function paint(from = 0, to = labels.length - 1) {
  for (let unit = from; unit <= to; unit += 1) {
    for (const one of elements[unit] || []) {
      if (labels[unit] === OTHER) delete one.dataset.l;
      else one.dataset.l = labels[unit];
      if (proposed[unit]) one.dataset.p = "";
      else delete one.dataset.p;
    }
  }
  counts();
}

function counts() {
  const all = passages();
  $("counts").textContent = `${all} passage${all === 1 ? "" : "s"}`;
  $("undo").disabled = !past.length;
  $("redo").disabled = !future.length;
}

function say(text, bad = false) {
  $("state").textContent = text;
  $("state").className = bad ? "bad" : "";
}

function remember() {
  past.push({ labels: [...labels], proposed: [...proposed] });
  if (past.length > 200) past.shift();
  future = [];
}

function mark(from, to, label) {
  const [first, last] = from <= to ? [from, to] : [to, from];
  remember();
  for (let unit = first; unit <= last; unit += 1) {
    labels[unit] = label;
    proposed[unit] = false;
  }
  paint(first, last);
  keep(false);
}

// A passage that begins at a mark of the same label removes it: wrong proposals need no other button.
const meant = (unit) => (labels[unit] === current ? OTHER : current);

function click(unit) {
  if (begun === null) {
    begun = unit;
    for (const one of elements[unit] || []) one.dataset.b = "";
    say(`Beginning set; now click the end of the passage (${meant(unit)}).`);
  } else {
    const from = begun, label = meant(begun);
    drop();
    mark(from, unit, label);
    say(label === OTHER ? "Unmarked." : `Marked as ${label}.`);
  }
}

function drop() {
  if (begun !== null) for (const one of elements[begun] || []) delete one.dataset.b;
  begun = null;
}

function back(stack, other) {
  if (!stack.length) return;
  drop();
  other.push({ labels: [...labels], proposed: [...proposed] });
  ({ labels, proposed } = stack.pop());
  paint();
  keep(false);
  say("");
}

// ---------------------------------------------------------------------------------------------------------- saving

function snapshot(done) {
  const seconds = spent + (performance.now() - since) / 1000;
  return { source: doc.source, id: doc.id, marks: toMarks(), done, clicks, keys, seconds: Math.min(seconds, 1e6) };
}

// One after the other, so that no version is passed over; kept and tried again while the desk is away.
function keep(done) {
  const one = doc, body = snapshot(done), as = who();
  doc.done = done;
  saving = saving.then(() => send(one, body, as));
  return saving;
}

async function send(one, body, as) {
  for (let wait = 500; ; wait = Math.min(8000, wait * 2)) {
    try {
      const saved = await change("/api/save", { ...body, version: one.version });
      one.version = saved.version;
      document.body.dataset.saved = `${one.id} ${saved.version}`;
      if (one === doc && $("state").className === "bad") say("Saved.");
      return true;
    } catch (problem) {
      if (problem instanceof Refused && problem.status !== 502 && problem.status !== 503) {
        if (problem.status === 409) {
          tell(`${problem.message}. Both versions are in the history; reload to see the saved one.`, {
            bad: true, label: "Save mine on top", act: async () => {
              one.version = (await ask("/api/document", { source: one.source, id: one.id, as, proposals: 0 })).version;
              send(one, body, as);
            },
          });
        } else tell(problem.message, { bad: true });
        say(`Not saved: ${problem.message}`, true);
        return false;
      }
      say("The desk does not answer; your marks are kept in this window and sent again.", true);
      await new Promise((done) => setTimeout(done, wait));
    }
  }
}

// ---------------------------------------------------------------------------------------------------------- documents

async function queue() {
  rows = await ask("/api/queue", { source: $("source").value, as: who() });
  const sign = { done: "✓", begun: "·", new: " " };
  $("which").replaceChildren(...rows.map((row, at) => el("option", { value: at }, `${sign[row.state]} ${row.title || row.id}${row.others.length ? ` (${row.others.join(", ")})` : ""}`)));
  const asked = $("annotate").dataset.id;
  const first = asked ? rows.findIndex((row) => row.id === asked) : rows.findIndex((row) => row.state !== "done");
  $("annotate").dataset.id = "";
  await open(first >= 0 ? first : 0);
}

async function open(at) {
  if (!rows.length) { say("There are no documents."); return; }
  await saving;
  place = Math.max(0, Math.min(rows.length - 1, at));
  const row = rows[place];
  delete document.body.dataset.open;
  $("which").value = place;
  window.history.replaceState(null, "", `/annotate?${new URLSearchParams({ source: $("source").value, id: row.id })}`);
  try {
    doc = await ask("/api/document", { source: row.source, id: row.id, as: who(), proposals: $("propose").checked ? 1 : 0 });
  } catch (problem) {
    say(problem.message, true);
    return;
  }
  const fresh = doc.version === 0 && doc.proposed.length > 0;
  labels = fromMarks(fresh ? doc.proposed : doc.marks);
  proposed = labels.map((label) => fresh && label !== OTHER);
  past = doc.past.map((marks) => ({ labels: fromMarks(marks), proposed: labels.map(() => false) }));
  future = [];
  begun = null;
  here = -1;
  clicks = doc.clicks;
  keys = doc.keys;
  spent = doc.seconds;
  buttons();
  const url = `/frame?${new URLSearchParams({ source: row.source, id: row.id, plain: $("styled").checked ? 0 : 1 })}`;
  await new Promise((done) => {
    frame.addEventListener("load", done, { once: true });
    frame.src = url;
  });
  attach();
  since = performance.now();
  const what = fresh ? "Proposed marks are hatched: correct what is wrong, then Done." : doc.done ? "Finished." : "";
  say(`${place + 1} of ${rows.length}. ${what}`);
  document.body.dataset.open = doc.id;
}

function attach() {
  const inner = frame.contentDocument;
  elements = doc.units.map(() => null);
  for (const one of inner.querySelectorAll("tm-t")) {
    const unit = Number(one.dataset.u);
    if (unit < elements.length) (elements[unit] ??= []).push(one);
  }
  inner.addEventListener("click", (event) => {
    event.preventDefault();
    clicks += 1;
    const one = event.target.closest?.("tm-t");
    if (one) { reach(Number(one.dataset.u), false); click(Number(one.dataset.u)); }
    counts();
  }, true);
  for (const name of ["submit", "auxclick", "dragstart"]) inner.addEventListener(name, (event) => event.preventDefault(), true);
  inner.addEventListener("keydown", pressed);
  paint();
}

function reach(unit, scroll = true) {
  for (const one of elements[here] || []) delete one.dataset.h;
  here = unit;
  for (const one of elements[here] || []) one.dataset.h = "";
  if (scroll) elements[here]?.[0]?.scrollIntoView({ block: "nearest" });
}

function walk(by) {
  let unit = here < 0 && by < 0 ? elements.length : here;
  do unit += by; while (unit >= 0 && unit < elements.length && !elements[unit]);
  if (unit >= 0 && unit < elements.length) reach(unit);
}

// To the next beginning or end of a mark: where proposals go wrong.
function jump(by) {
  let unit = here < 0 ? (by > 0 ? 0 : elements.length - 1) : here + by;
  while (unit >= 0 && unit < elements.length && (!elements[unit] || labels[unit] === (labels[unit - 1] ?? OTHER))) unit += by;
  if (unit >= 0 && unit < elements.length) reach(unit);
}

async function finish() {
  drop();
  proposed = proposed.map(() => false);
  paint();
  rows[place].state = "done";
  const option = $("which").options[place];
  option.text = `✓${option.text.slice(1)}`;
  const at = place;
  if (!await keep(true)) return;
  const after = rows.findIndex((row, number) => number > at && row.state !== "done");
  const next = after >= 0 ? after : rows.findIndex((row) => row.state !== "done");
  if (next < 0) { say("All documents of the queue are finished."); tell("All documents are finished."); }
  else await open(next);
}

// ------------------------------------------------------------------------------------------------------------ tools

function buttons() {
  const all = [...doc.labels, { name: OTHER, what: "eraser: back to other" }];
  if (!all.some((one) => one.name === current) || current === OTHER) current = all[0].name;
  $("labels").replaceChildren(...all.map((one, at) => el("button", {
    class: `l-${one.name}`, role: "radio", title: one.what, "aria-checked": one.name === current ? "true" : "false",
    onclick: () => { clicks += 1; pick(one.name); counts(); },
  }, one.name, el("kbd", {}, one.name === OTHER ? "0" : String(at + 1)))));
  const meanings = doc.labels.flatMap((one) => [el("b", {}, one.name), ` ${one.what}; `]);
  const boilerplate = doc.kind === "article" ? ` Boilerplate is ${doc.kinds.slice(0, -1).join(", ")} or ${doc.kinds.at(-1)}.` : "";
  $("meanings").replaceChildren(...meanings, el("b", {}, OTHER), ` all else.${boilerplate}`);
}

function pick(name) {
  current = name;
  for (const one of $("labels").children) one.setAttribute("aria-checked", one.classList.contains(`l-${name}`) ? "true" : "false");
}

function pressed(event) {
  if (typing(event) && !(event.ctrlKey && event.key === "Enter")) return;
  const on = event.target.closest?.("button, a, input[type=checkbox]");
  if (on && (event.key === " " || event.key === "Enter") && !event.ctrlKey) return;
  const article = doc?.kind === "article";
  const call = {
    j: () => walk(1), k: () => walk(-1), ArrowDown: () => walk(article ? 10 : 1), ArrowUp: () => walk(article ? -10 : -1),
    ArrowRight: () => walk(1), ArrowLeft: () => walk(-1),
    "]": () => jump(1), "[": () => jump(-1),
    " ": () => here >= 0 && click(here), Escape: () => { drop(); say(""); },
    u: () => back(past, future), U: () => back(future, past),
    d: finish, Enter: () => (event.ctrlKey ? finish() : here >= 0 && click(here)),
    n: () => open(place + 1), p: () => open(place - 1),
    0: () => pick(OTHER), "?": help,
  }[event.key] ?? (doc && /^[1-9]$/.test(event.key) && doc.labels[event.key - 1] ? () => pick(doc.labels[event.key - 1].name) : null);
  if (!call || !doc) return;
  event.preventDefault();
  keys += 1;
  counts();
  call();
}

function help() {
  $("keys").hidden = !$("keys").hidden;
  $("help").setAttribute("aria-expanded", String(!$("keys").hidden));
}

document.addEventListener("keydown", pressed);
// What the mouse has used shall not catch the keys that follow.
document.querySelector(".tools").addEventListener("click", (event) => {
  if (event.detail > 0) event.target.closest("button, input[type=checkbox]")?.blur();
});
for (const id of ["source", "which"]) $(id).addEventListener("change", () => $(id).blur());
$("undo").addEventListener("click", () => { clicks += 1; back(past, future); });
$("redo").addEventListener("click", () => { clicks += 1; back(future, past); });
$("done").addEventListener("click", () => { clicks += 1; finish(); });
$("before").addEventListener("click", () => open(place - 1));
$("next").addEventListener("click", () => open(place + 1));
$("which").addEventListener("change", () => open(Number($("which").value)));
$("source").addEventListener("change", queue);
$("styled").addEventListener("change", () => open(place));
$("propose").addEventListener("change", () => open(place));
$("help").addEventListener("click", help);
document.addEventListener("name", later(50, queue));
window.addEventListener("beforeunload", (event) => { if ($("state").className === "bad") event.preventDefault(); });

try {
  await queue();
} catch (problem) {
  say(problem.message, true);
}
