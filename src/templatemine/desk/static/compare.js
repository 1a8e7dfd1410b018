// One document under several systems.
import { ask, el, later, tell, typing, who } from "/static/common.js";

const $ = (id) => document.getElementById(id);
let rows = [];
let place = 0;
let on = new Set();
let own = false; // somebody chose the columns
let known = {};

async function queue() {
  rows = await ask("/api/queue", { source: $("source").value, as: who() });
  $("which").replaceChildren(...rows.map((row, at) => el("option", { value: at }, `${row.gold ? "★ " : ""}${row.title || row.id}`)));
  const asked = $("compare").dataset.id;
  $("compare").dataset.id = "";
  // Where there is a choice, one with gold: that is what can be measured.
  await open(Math.max(0, rows.findIndex((row) => (asked ? row.id === asked : row.gold))));
}

async function open(at) {
  if (!rows.length) { $("state").textContent = "The sample has no documents of this source."; $("grid").replaceChildren(); return; }
  place = Math.max(0, Math.min(rows.length - 1, at));
  $("which").value = place;
  const { source, id } = rows[place];
  window.history.replaceState(null, "", `/compare?${new URLSearchParams({ source, id })}`);
  known = await ask("/api/systems", { source, id });
  const names = Object.keys(known);
  // Two columns: what is judged, and the best there is to judge it by.  Whoever chose others keeps them.
  if (!own || !names.some((name) => on.has(name))) on = new Set([names[0], names.at(-1)]);
  $("systems").replaceChildren(el("legend", { class: "unseen" }, "Systems"), ...names.map((name, at) => el("label", { class: "small", title: `${known[name]} (${at + 1})` },
    el("input", { type: "checkbox", checked: on.has(name), onchange: (event) => { own = true; if (event.target.checked) on.add(name); else on.delete(name); run(); } }), name)));
  await run();
}

async function run() {
  const { source, id } = rows[place];
  const systems = Object.keys(known).filter((name) => on.has(name)).join("|");
  delete document.body.dataset.open;
  $("state").textContent = "…";
  let found;
  try {
    found = await ask("/api/compare", { source, id, systems });
  } catch (problem) {
    $("state").textContent = problem.message;
    return;
  }
  const differing = found.segments.filter((row) => row.differs).length;
  const failed = Object.entries(found.errors).map(([name, why]) => ` ${name} did not run: ${why}.`).join("");
  $("state").textContent = `${place + 1} of ${rows.length}. ${found.segments.length} ${found.kind === "page" ? "blocks" : "pieces"}, ${differing} differ. F1: ${found.gold}.${failed}`;
  const only = $("only").checked;
  const head = el("tr", {}, ...found.systems.map((name) => {
    const score = found.scores[name];
    return el("th", { scope: "col", title: known[name] || "" }, name, el("b", {}, score === null || score === undefined ? "" : `F1 ${(100 * score).toFixed(1)} %`));
  }));
  const body = found.segments.filter((row) => row.text.trim() && (!only || row.differs)).map((row) => el("tr", { class: row.differs ? "differs" : "" },
    ...row.keeps.map((kept, at) => el("td", { class: row.notes[at] === "dynamic" ? "dynamic" : kept ? "" : "cut", dir: "auto", title: row.notes[at] || (kept ? "kept" : "cut") }, row.text.trimEnd()))));
  const table = el("table", { class: "cmp" }, el("thead", {}, head), el("tbody", {}, ...body));
  table.style.minWidth = `${10 * found.systems.length}rem`; // two columns fit a phone
  $("grid").replaceChildren(table);
  document.body.dataset.open = id;
}

$("before").addEventListener("click", () => open(place - 1));
$("next").addEventListener("click", () => open(place + 1));
$("which").addEventListener("change", () => open(Number($("which").value)));
$("source").addEventListener("change", queue);
$("only").addEventListener("change", run);
document.addEventListener("keydown", (event) => {
  if (typing(event)) return;
  const box = /^[1-9]$/.test(event.key) && $("systems").querySelectorAll("input")[event.key - 1];
  if (box) { event.preventDefault(); box.click(); return; }
  const call = { n: () => open(place + 1), p: () => open(place - 1), o: () => { $("only").checked = !$("only").checked; run(); } }[event.key];
  if (call) { event.preventDefault(); call(); }
});
document.addEventListener("name", later(50, queue));

try {
  await queue();
} catch (problem) {
  tell(problem.message, { bad: true });
}
