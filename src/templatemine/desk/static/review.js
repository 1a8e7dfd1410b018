// Review of a source: templates, cut-off, rules, expressions, history.
import { ask, change, el, later, number, percent, Refused, tell, typing } from "/static/common.js";

const $ = (id) => document.getElementById(id);
const source = $("review").dataset.source;
const SIGN = { kept: "", added: "+", out: "×" };
const MEANS = { kept: "cut, as mined", added: "cut, by a decision", out: "left in, by a decision" };
const BEGAN = `templatemine-desk-began-${source}`;
let state = null;
let chosen = null;
const unfolded = new Set(); // heads of families whose variants are shown
let offered = null; // the row that a decision led to: nobody has looked past it yet
let last = 0; // where the chosen row stood in the list, for when a filter takes it away

let byId = new Map(); // of the present state
let families = new Map(); // head -> its family

const rowOf = (id) => byId.get(id);
const familyOf = (id) => families.get(rowOf(id)?.head) || [];
const counted = (value, word) => `${number(value)} ${word}${value === 1 ? "" : "s"}`;

// ------------------------------------------------------------------------------------------------------- decisions

// One decision at a time: each is made of the state that the one before it left, so that no click is lost and nobody
// is in conflict with himself.  Those that wait behind a conflict with somebody else are dropped, and said to be.
let line = Promise.resolve();
let waiting = 0;
let era = 0;
const asked = new Set(); // templates about which something waits

function decide(make, done) {
  const own = era;
  waiting += 1;
  document.body.dataset.waiting = waiting;
  const turn = line.then(async () => {
    try {
      if (own !== era) return false;
      const op = typeof make === "function" ? make() : make;
      return op ? await send(op, make, done) : false;
    } finally {
      waiting -= 1;
      document.body.dataset.waiting = waiting;
    }
  });
  line = turn.catch(() => {});
  return turn;
}

async function send(op, make, done) {
  try {
    const found = await change("/api/decide", { source, version: state.version, changed: true, ...op });
    show(merge(found));
    const said = typeof done === "function" ? done() : done;
    const back = op.kind === "undo" ? {} : { act: () => decide({ kind: "undo" }, "Undone"), label: "Undo" };
    if (said) tell(`${said}. ${effect(found.did)}`, back);
    return true;
  } catch (problem) {
    if (problem instanceof Refused && problem.status === 409) {
      const dropped = waiting - 1;
      era += 1;
      show(await ask("/api/review", { source }));
      const more = dropped ? `, nor ${counted(dropped, "decision")} after it` : "";
      tell(`${problem.message}. Your decision was not saved${more}; this is the present pack.`, {
        bad: true, act: () => decide(make, done), label: "Decide anyway",
      });
    } else tell(problem.message, { bad: true });
    return false;
  }
}

function effect(did) {
  if (!did?.articles) return "No article of the sample changes by it.";
  const what = did.characters < 0 ? "keep" : "lose";
  return `${counted(did.articles, "article")} of the sample ${did.articles === 1 ? `${what}s` : what} ${counted(Math.abs(did.characters), "character")} more.`;
}

const add = (rule, done) => decide({ kind: "add", rule }, done);
const undo = () => decide({ kind: "undo" }, "Undone");

function ruleOf(row, action) {
  const rule = { action, id: row.id };
  if (row.tokens) Object.assign(rule, { tokens: row.tokens, df: row.df, count: row.count, example: row.example, anchor: row.anchor });
  return rule;
}

// What a key or a click means is found out when its turn comes: the one before it may have changed the row.
function verdict(id, accept, whole = false) {
  let said = null;
  const about = whole ? familyOf(id).map((one) => one.id) : [id];
  for (const one of about) asked.add(one);
  return decide(() => {
    const row = rowOf(id);
    if (!row) return null;
    const rows = whole ? familyOf(id) : [row];
    const there = rows.filter((one) => one.state !== "out");
    if (!accept) {
      said = whole ? "Family left in" : "Left in";
      const own = !row.tokens && row.state === "added" && state.rules.find((one) => one.action === "add" && one.regex === row.text);
      if (own && !whole) return { kind: "remove", rule: own };
      return there.length ? { kind: "add", rules: there.map((one) => ruleOf(one, "reject")) } : null;
    }
    if (!whole && row.state === "out") {
      said = "Cut";
      return { kind: "add", rule: ruleOf(row, "accept") };
    }
    const ids = there.filter((one) => !one.reviewed).map((one) => one.id);
    return ids.length ? { kind: "review", ids } : null;
  }, () => said).finally(() => { for (const one of about) asked.delete(one); });
}

// ------------------------------------------------------------------------------------------------------------ show

// Of thousands of templates a decision changes a few: the others are those of the state before.
function merge(found) {
  if (!found.since) return found;
  const rows = new Map(byId);
  for (const id of found.gone) rows.delete(id);
  for (const one of found.templates) rows.set(one.id, one);
  return { ...found, templates: [...rows.values()] };
}

function show(fresh) {
  // Where scores decide, the cut-off is no part of the method; it is there for those who want one all the same.
  if (!state) $("cut").open = fresh.cutoff !== null || fresh.moved !== null;
  state = fresh;
  byId = new Map(state.templates.map((one) => [one.id, one]));
  families = new Map();
  for (const one of state.templates) {
    if (!families.has(one.head)) families.set(one.head, []);
    families.get(one.head).push(one);
  }
  if (sessionStorage.getItem(BEGAN) === null) sessionStorage.setItem(BEGAN, state.seq);
  const decided = state.rules.length;
  const dates = state.dates[0] ? `, ${state.dates[0]} to ${state.dates[1]}` : "";
  $("facts").textContent = `${number(state.documents)} documents${dates}; method ${state.method}: ${state.note}; ${counted(decided, "decision")}`;
  const { articles: all, touched, characters, cut } = state.sample;
  $("sample").textContent = `In the sample ${number(touched)} of ${counted(all, "article")} change and lose ${percent(cut, characters)} of their characters.`
    + (state.left_out ? ` ${counted(state.left_out, "article")} left out: an expression takes too long for ${state.left_out === 1 ? "it" : "them"}.` : "")
    + (state.html ? " So it is in clean --html strip alone: the main text of pages is not chosen by templates." : "");
  $("undo").disabled = !state.history.some((one) => one.undoes === null && !one.undone);
  const slider = $("cutoff");
  slider.max = steps();
  slider.value = position(current());
  forget();
  list();
  rules();
  history();
  if (chosen) chosen = rowOf(chosen.id) || null;
  details();
  if (!$("pane-articles").hidden) articles(true);
  if (!$("pane-questions").hidden) questions();
  document.body.dataset.ready = state.version;
}

const current = () => state.moved ?? state.cutoff ?? 1;
const steps = () => 1000;
// The slider is logarithmic: what matters lies among the rare strings.
const position = (df) => Math.round((Math.log(Math.max(1, df)) / Math.log(Math.max(2, state.documents))) * steps());
const frequency = (place) => Math.max(1, Math.round(Math.exp((place / steps()) * Math.log(Math.max(2, state.documents)))));

// The order of packs, which no decision changes: what is left in keeps its place among others of the same frequency.
const words = (row) => (row.tokens || []).join("\0");
function rank(a, b) {
  return b.df - a.df || (b.tokens || []).length - (a.tokens || []).length || (words(a) < words(b) ? -1 : words(a) > words(b) ? 1 : a.id < b.id ? -1 : 1);
}

// Riskiest or most frequent first; the variants of a template stand below the head of their family.
function ordered() {
  const by = $("order").value === "df" ? (row) => row.df : (row) => row.effect.risk;
  const sorted = [...families.values()].map((family) => {
    const rows = [...family].sort((a, b) => (b.id === b.head) - (a.id === a.head) || by(b) - by(a) || rank(a, b));
    return [$("order").value === "df" ? rows[0].df : atRisk(rows), rows];
  });
  sorted.sort((a, b) => b[0] - a[0] || rank(a[1][0], b[1][0]));
  return sorted.flatMap((one) => one[1]);
}

// Of a family: that of the worst of them, for they mostly match the same places.
const atRisk = (rows) => Math.max(0, ...rows.filter((row) => row.state !== "out").map((row) => row.effect.risk));

function fold(how) {
  if (!chosen) return;
  const head = chosen.head;
  if (how ?? !unfolded.has(head)) unfolded.add(head);
  else {
    unfolded.delete(head);
    chosen = rowOf(head);
    details();
  }
  list();
}

// What kind of boilerplate a template is; a person may say otherwise.
function kindBox(row, out) {
  const options = ["", ...state.kinds].map((one) => el("option", { value: one, selected: one === row.kind, disabled: !one }, one || "not known"));
  return el("select", { "aria-label": "kind of boilerplate", disabled: out, onchange: (event) => add({ action: "kind", id: row.id, kind: event.target.value }, `Now of kind ${event.target.value}`) }, ...options);
}

// Facets: what templates have in common, a value each; of numbers, the band they are in.
const band = (bounds) => (value) => {
  const place = bounds.findIndex((one) => value < one);
  if (place < 0) return `${bounds.at(-1)} and more`;
  return place ? `${bounds[place - 1]} to below ${bounds[place]}` : `below ${bounds[0]}`;
};
const DF = band([5, 20, 100, 1000]), WORDS = band([2, 4, 8, 16]), SCORE = band([0.6, 0.8, 0.95]);
const FACETS = {
  kind: (row) => row.kind || "not known",
  position: (row) => row.anchor,
  df: (row) => DF(row.df),
  words: (row) => WORDS((row.tokens || row.text.split(/\s+/)).length),
  score: (row) => (row.score === null ? "none" : SCORE(row.score)),
};
const inFacets = (row, but) => Object.entries(FACETS).every(([name, of]) => name === but || $(name).value === "" || of(row) === $(name).value);
const anyFacet = () => Object.keys(FACETS).some((name) => $(name).value !== "");

// The values of each facet, with how many templates the others leave them; and one decision about all that are shown.
function facets(rows) {
  for (const [name, of] of Object.entries(FACETS)) {
    const counts = new Map();
    for (const row of state.templates) if (row.state !== "out" && inFacets(row, name)) counts.set(of(row), (counts.get(of(row)) || 0) + 1);
    const box = $(name), value = box.value;
    const values = [...counts.keys()].sort((a, b) => (name === "kind" ? state.kinds.indexOf(a) - state.kinds.indexOf(b) : a.localeCompare(b, "en", { numeric: true })));
    if (value && !counts.has(value)) values.push(value); // what was chosen stays so when its last template goes
    box.replaceChildren(el("option", { value: "" }, "all"), ...values.map((one) => el("option", { value: one }, `${one} (${counts.get(one) || 0})`)));
    box.value = value;
  }
  const there = rows.filter((row) => row.state !== "out");
  for (const name of ["reject-shown", "keep-shown", "kind-shown"]) $(name).hidden = !anyFacet() || !there.length;
  $("reject-shown").textContent = `Leave in all ${number(there.length)}`;
  $("keep-shown").textContent = `Cut all ${number(there.length)}`;
  $("kind-shown").replaceChildren(el("option", { value: "" }, `kind of all ${number(there.length)} …`), ...state.kinds.map((one) => el("option", { value: one }, one)));
}

let listed = [];

function list() {
  const wanted = $("filter").value.trim().toLowerCase();
  const only = $("only-decided").checked;
  const open = $("only-open").checked;
  const folds = !wanted && !only && !open && !anyFacet();
  const shown = (row) => row.id === row.head || unfolded.has(row.head) || row.state !== "kept" || row.id === chosen?.id;
  const rows = ordered().filter((row) => (!folds || shown(row)) && inFacets(row) && (!only || row.state !== "kept") && (!open || !row.reviewed) && (!wanted || row.text.toLowerCase().includes(wanted)));
  const done = state.templates.filter((row) => row.reviewed || row.state !== "kept").length;
  listed = rows;
  facets(rows);
  $("count").textContent = `${number(rows.length)} of ${number(state.templates.length)}`;
  $("progress").textContent = `${number(done)} of ${counted(state.templates.length, "template")} decided`;
  const box = $("list"), top = box.scrollTop;
  box.replaceChildren(...rows.map(drawn));
  box.scrollTop = top;
  mark();
}

// Of thousands of rows only those that changed are drawn anew.
const items = new Map(); // id -> [row, number of its variants, its risk, element]

function drawn(row) {
  const variants = row.id === row.head ? familyOf(row.id).length - 1 : 0;
  const risk = variants && !unfolded.has(row.id) ? atRisk(familyOf(row.id)) : row.effect.risk;
  const known = items.get(row.id);
  if (known && known[0] === row && known[1] === variants && known[2] === risk) return known[3];
  const element = item(row, variants, risk);
  items.set(row.id, [row, variants, risk, element]);
  return element;
}

function item(row, variants, risk) {
  const sign = row.state === "kept" && row.reviewed ? "✓" : SIGN[row.state];
  const means = MEANS[row.state] + (row.reviewed ? `; reviewed by ${row.reviewed}` : "");
  // A button within an option cannot be reached by those who cannot see it; a and r do the same.
  const quick = el("span", { class: "quick", "aria-hidden": "true", onclick: (event) => { event.stopPropagation(); choose(row); verdict(row.id, rowOf(row.id).state === "out"); } }, row.state === "out" ? "cut" : "leave in");
  return el("div", {
    class: `item ${row.state}${row.reviewed ? " reviewed" : ""}${row.id === row.head ? "" : " variant"}`, id: `o-${row.id}`, role: "option", "data-id": row.id, "aria-selected": "false",
    onclick: () => choose(row), title: row.text.slice(0, 500),
  },
    el("span", { class: "sign", "aria-hidden": "true", title: means }, sign),
    el("span", { class: "df", title: "documents of the archive" }, number(row.df)),
    el("span", { class: "say", dir: "auto" }, row.text),
    variants ? el("span", { class: "more", title: "variants of it (f)", onclick: (event) => { event.stopPropagation(); choose(row); fold(); } }, `+${variants}`) : el("span"),
    el("span", { class: "risk", title: "characters of the sample at risk" }, row.state === "out" ? "–" : number(Math.round(risk))),
    el("span", { class: "out" }, ` (${means})`), quick);
}

// The selection outlives what is decided about it.  If a filter takes the row away, its place is where one goes on.
function mark(look = false) {
  const box = $("list");
  let found = null;
  for (const [place, one] of [...box.children].entries()) {
    const own = one.dataset.id === chosen?.id;
    one.setAttribute("aria-selected", own ? "true" : "false");
    if (own) { found = one; last = place; }
  }
  if (found) box.setAttribute("aria-activedescendant", found.id);
  else box.removeAttribute("aria-activedescendant");
  if (found && look) found.scrollIntoView({ block: "nearest" });
  return found;
}

function choose(row, focus = true) {
  chosen = row;
  if (!mark(true)) { // a variant of a family that is folded
    unfolded.add(row.head);
    list();
    mark(true);
  }
  if (focus) tab("template");
  details();
}

const details = later(60, async () => {
  const pane = $("pane-template");
  if (!chosen) return;
  const row = chosen;
  let found;
  try {
    found = await ask("/api/template", { source, id: row.id });
  } catch (problem) {
    pane.replaceChildren(el("p", { class: "problem" }, problem.message));
    return;
  }
  if (row !== chosen) return;
  const out = row.state === "out";
  const kin = familyOf(row.id);
  const held = pane.contains(document.activeElement) ? document.activeElement.textContent.slice(-3) : "";
  const opened = pane.dataset.id === row.id && Boolean(pane.querySelector("details.full[open]")); // stays open when redrawn
  // Another row may be chosen while its own pane is on the way: what is pressed then is meant for neither.
  const act = (what) => () => { if (row === chosen) what(); };
  const parts = [
    el("p", { class: "big", dir: "auto" }, row.text),
    found.reasons ? el("p", { class: "dim" }, found.reasons) : null,
    row.reviewed ? el("p", { class: "dim" }, `Reviewed by ${row.reviewed}.`) : null,
    el("p", { class: "effect" }, told(row)),
    el("div", { class: "acts" },
      el("button", { class: "main", disabled: !out && Boolean(row.reviewed), onclick: act(() => judge(true)) }, !out && row.reviewed ? "Reviewed" : "Cut (a)"),
      el("button", { disabled: out, onclick: act(() => judge(false)) }, "Leave in (r)"),
      kin.length > 1 ? el("button", { onclick: act(() => judge(true, true)) }, `Cut all ${kin.length} (A)`) : null,
      kin.length > 1 ? el("button", { onclick: act(() => judge(false, true)) }, `Leave in all ${kin.length} (R)`) : null,
      el("button", { onclick: () => { $("rule-text").value = row.text; tab("rules"); $("rule-text").focus(); } }, "Rule for these words …"),
      el("button", { onclick: act(() => edit(row, found.edit)) }, "Edit its expression …")),
    el("dl", { class: "facts" },
      el("dt", {}, "documents"), el("dd", {}, `${number(row.df)} of ${number(state.documents)} (${percent(row.df, state.documents)}), ${number(row.count)} occurrences`),
      el("dt", {}, "articles in the sample"), el("dd", {}, `${found.touched} of ${found.articles}, ${found.matches} matches`),
      el("dt", {}, "position"), el("dd", {}, { "": "anywhere", start: "at the beginning of a line", end: "at the end of a line", line: "on a line of its own" }[row.anchor]),
      el("dt", {}, "kind"), el("dd", {}, kindBox(row, out)),
      el("dt", {}, "id"), el("dd", { class: "mono" }, row.id)),
    kin.length > 1 ? el("div", { class: "kin" }, el("b", {}, `Family of ${kin.length}`), el("ul", { class: "plain" }, ...kin.filter((one) => one.id !== row.id).slice(0, 20).map((one) => el("li", {},
      el("button", { class: "link", dir: "auto", onclick: () => choose(one) }, `${SIGN[one.state]} ${one.text.slice(0, 160)}`.trim()), el("span", { class: "dim" }, ` ${number(one.df)}`))))) : null,
    expression("expression", found.short),
    found.short !== found.regex ? el("details", { class: "full", open: opened }, el("summary", {}, "Expression in full"), expression("expression in full", found.regex)) : null,
    snippets(found.snippets)];
  pane.replaceChildren(...parts.filter(Boolean));
  pane.dataset.id = row.id;
  // Who pressed a button there goes on from the same one.
  if (held) ([...pane.querySelectorAll(".acts button")].find((one) => one.textContent.slice(-3) === held && !one.disabled) || pane.querySelector(".acts button:not(:disabled)"))?.focus();
});

function expression(label, text) {
  return el("div", { class: "regex mono", dir: "ltr", tabindex: "0", role: "region", "aria-label": label }, text);
}

// What would happen, before it is decided.
function told(row) {
  const { articles: some, characters: size, seen, risk } = row.effect;
  const all = number(state.sample.articles);
  if (!seen) return `It is in none of the ${all} articles of the sample.`;
  if (row.state === "out") return some ? `If cut: ${some} of ${all} articles of the sample lose ${counted(size, "character")} more.` : "If cut: nothing changes in the sample; other templates remove it there.";
  const does = some ? `If left in: ${some} of ${all} articles of the sample keep ${counted(size, "character")}.` : "If left in: nothing changes in the sample; other templates remove it there, too.";
  return state.scored && row.score !== null ? `${does} About ${counted(Math.round(risk), "character")} of what it matches may be story, by its score.` : does;
}

function snippets(rows) {
  return el("ul", { class: "snips" }, ...rows.map((row) => el("li", { dir: "auto" }, row.before, el("mark", {}, row.match), row.after)));
}

function rules() {
  $("rules").replaceChildren(...(state.rules.length ? state.rules.map((rule) => el("li", {},
    el("b", {}, rule.action), " ", el("span", { dir: "auto" }, rule.text || rule.regex || (rule.tokens || []).join(" ") || (rule.action === "cutoff" ? `${rule.df} documents` : rule.id)),
    el("span", { class: "dim" }, ` ${rule.by || ""} ${rule.time || ""} `),
    el("button", { onclick: () => decide({ kind: "remove", rule }, "Removed") }, "Remove"))) : [el("li", { class: "dim" }, "No decisions yet: the pack is as mined.")]));
}

function history() {
  $("history").replaceChildren(...state.history.map((one) => el("li", {},
    el("time", { class: "dim" }, one.time.replace("T", " ").replace("Z", " UTC")), " ", el("b", {}, one.name), " ",
    el(one.undone ? "s" : "span", { dir: "auto" }, one.what))));
}

// ----------------------------------------------------------------------------------------------------------- cut-off

function chart(df) {
  const counts = state.histogram.counts, own = state.histogram.templates;
  const bins = counts.length || 1, top = Math.log1p(Math.max(...counts, 1));
  const width = 600, height = 80;
  const parts = [];
  const x = (share) => (Math.log(Math.max(1, share * state.documents)) / Math.log(Math.max(2, state.documents))) * width;
  const bar = (place, count, name) => {
    const tall = (Math.log1p(count) / top) * height;
    const left = place ? x(place / bins) : 0;
    return `<rect class="${name}" x="${left.toFixed(1)}" y="${(height - tall).toFixed(1)}" width="${Math.max(0.8, x((place + 1) / bins) - left - 0.5).toFixed(1)}" height="${tall.toFixed(1)}"/>`;
  };
  counts.forEach((count, place) => { if (count) parts.push(bar(place, count, "all")); });
  own.forEach((count, place) => { if (count) parts.push(bar(place, count, "own")); });
  const line = (at, name) => `<line class="${name}" x1="${x(at / state.documents).toFixed(1)}" x2="${x(at / state.documents).toFixed(1)}" y1="0" y2="${height}"/>`;
  if (df !== current()) parts.push(line(current(), "line was"));
  parts.push(line(df, "line"));
  // Numbers only: nothing of an article comes here.
  $("chart").innerHTML = `<svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="Strings by number of documents, templates in front; both scales are logarithmic">${parts.join("")}</svg>`;
  const scale = el("div", { class: "scale", "aria-hidden": "true" });
  for (const one of [1, 10, 100, 1000, 10000, 100000].filter((each) => each <= state.documents)) {
    const mark = el("span", {}, number(one));
    const share = (100 * x(one / state.documents)) / width;
    if (share > 92) mark.style.right = `${100 - share}%`;
    else mark.style.left = `${share}%`;
    scale.append(mark);
  }
  $("chart").append(scale);
}

function forget() {
  wanted = null;
  $("cutoff").value = position(current());
  $("moved").replaceChildren();
  pending(false);
  for (const name of ["cutoff-save", "cutoff-forget"]) $(name).hidden = true;
  $("cutoff-reset").hidden = state.moved === null;
  label(current());
  chart(current());
}

function label(df) {
  const at = state.moved === null && state.cutoff === null && df === 1 ? "all evidence" : `${number(df)} documents (${percent(df, state.documents)})`;
  $("cutoff-at").textContent = at;
  $("cutoff").setAttribute("aria-valuetext", at);
}

let wanted = null;
// Until the answer arrives, the figures belong to another cut-off, so it cannot be saved.
function pending(is) {
  $("moved").setAttribute("aria-busy", is);
  $("cutoff-save").disabled = is;
}
const look = later(90, async (df) => {
  let found;
  try {
    found = await ask("/api/moved", { source, df });
  } catch (problem) {
    if (wanted === df) {
      $("moved").replaceChildren(el("p", { class: "problem" }, problem.message));
      pending(false);
    }
    return;
  }
  if (wanted !== df) return;
  const { before, after } = found;
  const names = (rows, all) => el("ul", {}, ...rows.slice(0, 60).map((row) => el("li", { dir: "auto", title: row.text }, el("span", { class: "dim" }, `${number(row.df)} `), row.text)), all > 60 ? el("li", { class: "dim" }, `and ${number(all - 60)} more`) : null);
  $("moved").replaceChildren(
    el("p", {}, `Templates ${number(before.templates)} → `, el("b", {}, number(after.templates)), `; articles that change ${percent(before.touched, before.articles)} → `, el("b", {}, percent(after.touched, after.articles)), `; characters removed ${percent(before.cut, before.characters)} → `, el("b", {}, percent(after.cut, after.characters))),
    el("div", { class: "two" },
      el("div", {}, el("b", { class: "come" }, `${number(found.comes)} added`), names(found.come, found.comes)),
      el("div", {}, el("b", { class: "gone" }, `${number(found.goes)} removed`), names(found.go, found.goes))));
  $("cutoff-save").hidden = $("cutoff-forget").hidden = df === current() && state.moved !== null;
  pending(false);
});

$("cutoff").addEventListener("input", () => {
  const df = frequency(Number($("cutoff").value));
  wanted = df;
  pending(true);
  if (!$("moved").firstChild) $("moved").textContent = "…";
  label(df);
  chart(df);
  look(df);
});
$("cutoff-save").addEventListener("click", () => add({ action: "cutoff", df: frequency(Number($("cutoff").value)) }, "Cut-off moved"));
$("cutoff-forget").addEventListener("click", forget);
$("cutoff-reset").addEventListener("click", () => decide({ kind: "reset-cutoff" }, "Cut-off reset"));

// ------------------------------------------------------------------------------------------------------ expressions

let edited = null; // the template whose expression is being changed

function edit(row, regex) {
  edited = row;
  $("regex").value = regex;
  $("instead-of").textContent = row.text.length > 60 ? `${row.text.slice(0, 60)}…` : row.text;
  $("try-instead").hidden = false;
  tab("try");
  $("regex").focus();
  attempt();
}

const attempt = later(350, async () => {
  const regex = $("regex").value;
  const place = $("trial");
  $("try-add").disabled = true;
  if (!regex.trim()) { place.replaceChildren(); return; }
  let found;
  try {
    found = await change("/api/try", { source, regex });
  } catch (problem) {
    place.replaceChildren(el("p", { class: "problem" }, problem.message));
    return;
  }
  if (regex !== $("regex").value) return;
  if (found.refused) {
    place.replaceChildren(el("p", { class: "problem" }, `Refused: ${found.refused}`));
    return;
  }
  $("try-add").disabled = !found.matches;
  const figure = (value, what, bad) => el("div", { class: bad ? "harm" : "" }, el("b", {}, value), el("span", {}, what));
  const shown = [
    el("div", { class: "figures" },
      figure(number(found.matches), `matches in ${found.touched} of ${found.articles} articles`),
      figure(number(found.new), "more characters removed"),
      figure(number(found.harm), "of these in lines of prose", found.harm > 0),
      figure(`${found.milliseconds} ms`, "for the sample")),
    found.matches ? null : el("p", { class: "dim" }, "It has no match in the sample, so it cannot be added: there is no example."),
    snippets(found.snippets)];
  place.replaceChildren(...shown.filter(Boolean));
});
$("regex").addEventListener("input", attempt);
$("try-add").addEventListener("click", async () => {
  const regex = $("regex").value;
  const instead = edited && $("instead").checked ? edited : null;
  if (!await add({ action: "add", regex, example: regex }, instead ? null : "Expression added")) return;
  const row = instead && state.templates.find((one) => one.id === instead.id && (one.tokens || one.text !== regex));
  if (row && row.state !== "out") await verdict(row.id, false);
  $("regex").value = "";
  $("trial").replaceChildren();
  $("try-instead").hidden = true;
  edited = null;
});

// ----------------------------------------------------------------------------------------------------- rules, search

$("rule-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const action = event.submitter?.value || "never";
  const text = $("rule-text").value.trim();
  if (text && await add({ action, text }, "Rule added")) $("rule-text").value = "";
});

$("find").addEventListener("input", later(300, async () => {
  const text = $("find").value.trim();
  if (!text) { $("found").replaceChildren(); return; }
  const rows = await ask("/api/found", { source, text });
  $("found").replaceChildren(rows.length ? el("ul", { class: "plain" }, ...rows.map((row) => el("li", {},
    el("span", { class: "dim" }, `${number(row.df)} documents · ${row.reason} `),
    el("button", { onclick: () => add({ action: "accept", tokens: row.tokens, df: row.df, count: row.count }, "Cut") }, "Cut"),
    el("div", { dir: "auto" }, row.text)))) : el("p", { class: "dim" }, "No rejected candidate contains these words."));
}));

// --------------------------------------------------------------------------------------------------------- questions

const SAY = { boilerplate: "Cut", label: "Cut the label only", story: "Leave in" };
const TODAY = { "": "left in today", label: "cut today", boilerplate: "cut today" };

async function questions() {
  try {
    put(await ask("/api/questions", { source }));
  } catch (problem) {
    $("questions").replaceChildren(el("p", { class: "problem" }, problem.message));
  }
}

function put(rows) {
  const at = $("questions").contains(document.activeElement);
  $("questions").replaceChildren(...(rows.length ? rows.map((row) => {
    const filled = row.today === "boilerplate" && row.filled ? ", with the rest of its line" : "";
    return el("section", { class: "question" },
      el("p", { class: "big", dir: "auto" }, row.text),
      el("p", { class: "dim" }, `${number(row.df)} documents; ${TODAY[row.today]}${filled}; ${Math.round(100 * row.score)} % likely boilerplate`),
      snippets(row.snippets),
      el("p", { class: "effect", "data-tokens": row.tokens.join("\n") }),
      el("div", { class: "acts" }, ...row.answers.map((answer) => el("button", {
        title: answer === "boilerplate" && row.filled ? "cut it with the rest of its line" : null, "data-answer": answer,
        onclick: () => decide({ kind: "answer", tokens: row.tokens, answer }, "Answered"),
      }, answer === "boilerplate" && row.filled ? (row.filled === "end" ? "Cut, with what follows on its line" : "Cut, with what is before it on its line") : SAY[answer]))));
  }) : [el("p", { class: "dim" }, "Nothing to ask: all questions are answered, or the pack is of a method without scores.")]));
  if (at) $("questions").querySelector("button")?.focus();
  measure(era, state.version);
}

// What each answer would change, a question after the other: the first is read while the last is measured.
async function measure(own, version) {
  for (const place of $("questions").querySelectorAll(".effect")) {
    try {
      const found = await ask("/api/answers", { source, tokens: place.dataset.tokens });
      if (own !== era || version !== state.version) return;
      place.textContent = Object.entries(found).map(([answer, did]) => `${SAY[answer]}: ${effect(did).replace(/ by it\.$/, ".")}`).join(" ");
    } catch { return; } // answered meanwhile
  }
}

// ---------------------------------------------------------------------------------------------------------- articles

// The kinds of what an article loses, with how many stretches and characters; names stand beside colours.
function legend(pieces) {
  const counts = new Map();
  for (const piece of pieces) {
    if (!piece.templates.length) continue;
    const own = counts.get(piece.kind) || [0, 0];
    counts.set(piece.kind, [own[0] + 1, own[1] + piece.html.replace(/<[^>]*>/g, "").replace(/&[^;]+;/g, "x").length]);
  }
  const rows = [...counts].map(([kind, [stretches, characters]]) => el("li", {}, el("span", kind ? { "data-kind": kind } : {}, kind || "no known kind"), ` ${number(stretches)} (${counted(characters, "character")})`));
  return counts.size && !(counts.size === 1 && counts.has("")) ? el("ul", { class: "legend", "aria-label": "kinds of what is removed" }, ...rows) : "";
}

let following = 0;
async function articles(again) {
  if (again) following = 0;
  if (following === null) return;
  const found = await ask("/api/sample", { source, first: following, cut: $("cut-only").checked ? 1 : 0 });
  following = found.next;
  $("more").hidden = found.next === null;
  const cards = found.articles.map((one) => {
    const body = el("div", { dir: "auto" });
    for (const piece of one.pieces) {
      if (piece.hidden) body.append(el("span", { class: "gap" }, ` … ${number(piece.hidden)} characters … `));
      else {
        const part = el(piece.templates.length ? "mark" : "span");
        part.innerHTML = piece.html; // escaped by the desk
        if (piece.kind) part.dataset.kind = piece.kind;
        if (piece.templates.length) {
          // One cut, one template: the longest that is there.  The others only matched as well.
          const row = rowOf(piece.templates[0]);
          const also = piece.templates.slice(1).map((id) => rowOf(id)?.text || id);
          part.tabIndex = 0;
          part.setAttribute("role", "button");
          part.title = [row?.text || piece.templates[0], ...(also.length ? [`also matched: ${also.slice(0, 5).join("; ")}${also.length > 5 ? ` and ${also.length - 5} more` : ""}`] : [])].join("\n");
          part.addEventListener("click", () => row && choose(row));
          part.addEventListener("keydown", (event) => event.key === "Enter" && row && choose(row));
        }
        body.append(part);
      }
    }
    return el("article", { class: "art" }, el("h2", { dir: "auto" }, [one.date, one.title || one.id].filter(Boolean).join(" · ")), legend(one.pieces), body);
  });
  if (again) $("articles").replaceChildren(...(cards.length ? cards : [el("p", { class: "dim" }, "No article of the sample changes.")]));
  else $("articles").append(...cards);
}
$("more").addEventListener("click", () => articles(false));
$("cut-only").addEventListener("change", () => articles(true));

// -------------------------------------------------------------------------------------------------------- tabs, keys

function tab(name, load = true) {
  for (const one of document.querySelectorAll("[role=tab]")) {
    const own = one.id === `tab-${name}`;
    one.setAttribute("aria-selected", own ? "true" : "false");
    one.tabIndex = own ? 0 : -1;
    $(one.getAttribute("aria-controls")).hidden = !own;
  }
  if (name === "articles") articles(true);
  if (name === "questions" && load) questions();
}
const tabs = [...document.querySelectorAll("[role=tab]")];
for (const [place, one] of tabs.entries()) {
  one.addEventListener("click", () => tab(one.id.slice(4)));
  one.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = tabs[(place + step + tabs.length) % tabs.length];
    tab(next.id.slice(4));
    next.focus();
  });
}

function step(by) {
  const ids = [...$("list").children].map((one) => one.dataset.id);
  if (!ids.length) return;
  const there = chosen ? ids.indexOf(chosen.id) : -1;
  const place = there >= 0 ? there : chosen ? last - (by > 0 ? 1 : 0) : -1;
  choose(rowOf(ids[Math.min(ids.length - 1, Math.max(0, place + by))]));
}

// The first row, as long as nobody has gone elsewhere.
function offer() {
  if (!listed.length || (chosen && chosen.id !== offered)) return;
  choose(listed[0], false);
  offered = listed[0].id;
}

// A decision, and on to the next row: that of the list, so that what a key means next is what one sees.
function judge(accept, whole = false) {
  if (!chosen) return;
  const { id, head } = chosen;
  const ids = [...$("list").children].map((one) => one.dataset.id);
  const there = ids.indexOf(id);
  const next = ids.slice(there + 1).map(rowOf).find((row) => !whole || row.head !== head);
  verdict(id, accept, whole);
  if (there < 0 || !next) return;
  choose(next, !$("pane-template").hidden);
  offered = next.id;
}

// The riskiest template that nobody looked at, wherever it stands in the list.
function next() {
  const open = state.templates.filter((row) => !row.reviewed && !asked.has(row.id) && row.state !== "out");
  open.sort((a, b) => b.effect.risk - a.effect.risk || b.df - a.df);
  const row = open.find((one) => one.id !== chosen?.id || one.id === offered) || open[0];
  offered = null;
  if (!row) { tell("All templates are reviewed."); return; }
  if ($("filter").value || $("only-decided").checked) {
    $("filter").value = "";
    $("only-decided").checked = false;
    list();
  }
  choose(row);
}

// ----------------------------------------------------------------------------------------------------------- summary

async function summary() {
  await line; // what was decided counts
  const found = await ask("/api/summary", { source, since: sessionStorage.getItem(BEGAN) || 0 });
  const { before, after } = found;
  const left = after.templates - found.reviewed;
  const change = (what, one, other) => el("li", {}, `${what}: `, one === other ? other : `${one} → `, one === other ? null : el("b", {}, other));
  $("summary-text").replaceChildren(
    el("p", {}, el("b", {}, found.decisions.length ? counted(found.decisions.length, "decision") : "No decisions"), ` in this session. ${number(found.reviewed)} of ${counted(after.templates, "template")} are reviewed${left && state.scored ? `; the other ${number(left)} hold ${percent(found.open_risk, found.risk)} of the risk` : ""}.`),
    el("ul", {},
      change("Templates", number(before.templates), number(after.templates)),
      change(`Articles of the sample that change, of ${number(after.articles)}`, number(before.touched), number(after.touched)),
      change(`Characters removed, of ${number(after.characters)}`, number(before.cut), number(after.cut))),
    found.decisions.length ? el("ol", { class: "decisions" }, ...found.decisions.slice(0, 200).map((one) => el("li", { dir: "auto" }, `${one.what} `, el("span", { class: "dim" }, one.name)))) : el("p", { class: "dim" }, "The pack is as it was."),
    found.next.length ? el("p", {}, "Next, by risk: ", ...found.next.flatMap((one, at) => [at ? "; " : "", el("q", { dir: "auto" }, one.text.slice(0, 80))])) : el("p", {}, "Nothing is left to review."),
    el("p", { class: "dim" }, "All is saved in the pack and beside it. The next mine or update keeps it."));
  $("summary").showModal();
}
$("finish").addEventListener("click", summary);
$("summary-on").addEventListener("click", () => $("summary").close());
$("summary-end").addEventListener("click", () => {
  sessionStorage.removeItem(BEGAN);
  location.href = "/";
});

// -------------------------------------------------------------------------------------------------------------- keys

function answer(which) {
  if ($("pane-questions").hidden) return;
  $("questions").querySelector(`.question [data-answer=${which}]`)?.click();
}

function keys() {
  const now = $("keys").hidden;
  $("keys").hidden = !now;
  $("help").setAttribute("aria-expanded", String(now));
}
$("help").addEventListener("click", keys);

document.addEventListener("keydown", (event) => {
  if (typing(event) || $("summary").open) return;
  const slider = event.target === $("cutoff");
  const inList = event.target === $("list");
  const call = {
    j: () => step(1), k: () => step(-1), n: next,
    a: () => judge(true), r: () => judge(false), A: () => judge(true, true), R: () => judge(false, true),
    f: () => fold(), u: undo, e: summary, "?": keys,
    b: () => answer("boilerplate"), l: () => answer("label"), s: () => answer("story"),
    c: () => { $("cut").open = true; $("cutoff").focus(); },
    "/": () => $("filter").focus(),
    ...Object.fromEntries(tabs.map((one, place) => [String(place + 1), () => { tab(one.id.slice(4)); one.focus(); }])),
    ...(inList && !slider ? { ArrowDown: () => step(1), ArrowUp: () => step(-1), ArrowRight: () => fold(true), ArrowLeft: () => fold(false), Home: () => step(-1e9), End: () => step(1e9) } : {}),
  }[event.key];
  if (call) { event.preventDefault(); call(); }
});
$("filter").addEventListener("input", later(80, list));
$("filter").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" && event.key !== "Escape") return;
  event.preventDefault();
  if (event.key === "Escape") $("filter").value = "";
  list(); // now, and not when typing has paused: the next key is meant for what is found
  $("list").focus();
});
$("reject-shown").addEventListener("click", () => {
  const rules = listed.filter((row) => row.state !== "out").map((row) => ruleOf(row, "reject"));
  decide({ kind: "add", rules }, `${counted(rules.length, "template")} left in`);
});
$("keep-shown").addEventListener("click", () => {
  const ids = listed.filter((row) => row.state !== "out").map((row) => row.id);
  decide({ kind: "review", ids }, `${counted(ids.length, "template")} reviewed`);
});
$("kind-shown").addEventListener("change", (event) => {
  const kind = event.target.value;
  const rules = listed.filter((row) => row.state !== "out" && row.kind !== kind).map((row) => ({ action: "kind", id: row.id, kind }));
  if (kind && rules.length) decide({ kind: "add", rules }, `${counted(rules.length, "template")} now of kind ${kind}`);
});
for (const name of ["only-decided", "only-open", "order", ...Object.keys(FACETS)]) $(name).addEventListener("change", list);
$("order").addEventListener("change", offer);
$("undo").addEventListener("click", undo);

try {
  const [found, asked] = await Promise.all([ask("/api/review", { source }), ask("/api/questions", { source })]);
  show(found);
  offer();
  put(asked);
  // Ten questions say more than ten templates: who comes first to a source begins with them.
  if (asked.length && !state.rules.length && !state.html) tab("questions", false);
  // The first look at a large source takes seconds, later ones none: let it be done before it is asked for.
  ask("/api/moved", { source, df: current() }).catch(() => {});
} catch (problem) {
  tell(problem.message, { bad: true });
}
