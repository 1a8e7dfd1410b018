// Review of a source: templates, cut-off, rules, expressions, history.
import { ask, change, el, later, number, percent, Refused, tell, typing } from "/static/common.js";

const $ = (id) => document.getElementById(id);
const source = $("review").dataset.source;
const SIGN = { kept: "", added: "+", out: "×" };
let state = null;
let chosen = null;

// ------------------------------------------------------------------------------------------------------- decisions

async function decide(op, done) {
  try {
    show(await change("/api/decide", { source, version: state.version, ...op }));
    if (done) tell(done, { act: () => decide({ kind: "undo" }, "Undone"), label: "Undo" });
    return true;
  } catch (problem) {
    if (problem instanceof Refused && problem.status === 409) {
      show(await ask("/api/review", { source }));
      tell(`${problem.message}. Your decision was not saved; this is the present pack.`, {
        bad: true, act: () => decide(op, done), label: "Decide anyway",
      });
    } else tell(problem.message, { bad: true });
    return false;
  }
}

const add = (rule, done) => decide({ kind: "add", rule }, done);

function verdict(row, accept) {
  const action = accept ? "accept" : "reject";
  const rule = { action, id: row.id };
  if (row.tokens) Object.assign(rule, { tokens: row.tokens, df: row.df, count: row.count, example: row.example, anchor: row.anchor });
  if (row.state === "added" && !row.tokens) {
    const own = state.rules.find((one) => one.action === "add" && one.regex === row.regex);
    if (own) return decide({ kind: "remove", rule: own }, "Expression removed");
  }
  if (accept && row.state === "kept" || !accept && row.state === "out") return null;
  return add(rule, accept ? "Accepted" : "Rejected");
}

// ------------------------------------------------------------------------------------------------------------ show

function show(fresh) {
  state = fresh;
  const decided = state.rules.length;
  const dates = state.dates[0] ? `, ${state.dates[0]} to ${state.dates[1]}` : "";
  $("facts").textContent = `${number(state.documents)} documents${dates}; method ${state.method}: ${state.note}; ${decided} decision${decided === 1 ? "" : "s"}; ${state.articles} articles in the sample`;
  $("undo").disabled = !state.history.some((one) => one.undoes === null && !one.undone);
  const slider = $("cutoff");
  slider.max = steps();
  slider.value = position(current());
  forget();
  list();
  rules();
  history();
  if (chosen) chosen = state.templates.find((row) => row.id === chosen.id) || null;
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

function list() {
  const wanted = $("filter").value.trim().toLowerCase();
  const only = $("only-decided").checked;
  const rows = state.templates.filter((row) => (!only || row.state !== "kept") && (!wanted || row.text.toLowerCase().includes(wanted)));
  $("count").textContent = `${number(rows.length)} of ${number(state.templates.length)}`;
  $("list").replaceChildren(...rows.map((row) => {
    const quick = el("button", { class: "quick", tabindex: "-1", onclick: (event) => { event.stopPropagation(); choose(row); verdict(row, row.state === "out"); } }, row.state === "out" ? "accept" : "reject");
    return el("div", {
      class: `item ${row.state}`, role: "option", "data-id": row.id, "aria-selected": chosen?.id === row.id ? "true" : "false",
      onclick: () => choose(row), title: row.text.slice(0, 500),
    }, el("span", { class: "sign", title: { kept: "as mined", added: "added by a decision", out: "removed by a decision" }[row.state] }, SIGN[row.state]), el("span", { class: "df" }, number(row.df)), el("span", { class: "say", dir: "auto" }, row.text), quick);
  }));
}

function choose(row, focus = true) {
  chosen = row;
  for (const one of $("list").children) {
    const own = one.dataset.id === row.id;
    one.setAttribute("aria-selected", own ? "true" : "false");
    if (own) one.scrollIntoView({ block: "nearest" });
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
  pane.replaceChildren(
    el("p", { class: "big", dir: "auto" }, row.text),
    row.grounds ? el("p", { class: "dim" }, row.grounds) : null,
    el("div", { class: "acts" },
      el("button", { class: out ? "main" : "", disabled: !out, onclick: () => verdict(row, true) }, "Accept (a)"),
      el("button", { disabled: out, onclick: () => verdict(row, false) }, "Reject (r)"),
      el("button", { onclick: () => { $("rule-text").value = row.text; tab("rules"); $("rule-text").focus(); } }, "Rule for these words …"),
      el("button", { onclick: () => edit(row, found.edit) }, "Edit its expression …")),
    el("dl", { class: "facts" },
      el("dt", {}, "documents"), el("dd", {}, `${number(row.df)} of ${number(state.documents)} (${percent(row.df, state.documents)}), ${number(row.count)} occurrences`),
      el("dt", {}, "articles in the sample"), el("dd", {}, `${found.touched} of ${found.articles}, ${found.matches} matches`),
      el("dt", {}, "position"), el("dd", {}, { "": "anywhere", start: "at the beginning of a line", end: "at the end of a line", line: "on a line of its own" }[row.anchor]),
      el("dt", {}, "id"), el("dd", { class: "mono" }, row.id)),
    el("div", { class: "regex mono", dir: "ltr" }, row.regex),
    snippets(found.snippets));
});

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
  const row = instead && state.templates.find((one) => one.id === instead.id && one.regex !== regex);
  if (row && row.state !== "out") await verdict(row, false);
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
    el("button", { onclick: () => add({ action: "accept", tokens: row.tokens, df: row.df, count: row.count }, "Accepted") }, "Accept"),
    el("div", { dir: "auto" }, row.text)))) : el("p", { class: "dim" }, "No rejected candidate contains these words."));
}));

// --------------------------------------------------------------------------------------------------------- questions

const SAY = { boilerplate: "Boilerplate", label: "The label only", story: "Story" };
const TODAY = { "": "kept today", label: "removed today", boilerplate: "removed today" };

async function questions() {
  let rows;
  try {
    rows = await ask("/api/questions", { source });
  } catch (problem) {
    $("questions").replaceChildren(el("p", { class: "problem" }, problem.message));
    return;
  }
  $("questions").replaceChildren(...(rows.length ? rows.map((row) => {
    const filled = row.today === "boilerplate" && row.filled ? ", with the rest of its line" : "";
    return el("section", { class: "question" },
      el("p", { class: "big", dir: "auto" }, row.text),
      el("p", { class: "dim" }, `${number(row.df)} documents; ${TODAY[row.today]}${filled}; ${Math.round(100 * row.score)} % likely boilerplate`),
      snippets(row.snippets),
      el("div", { class: "acts" }, ...row.answers.map((answer) => el("button", {
        title: answer === "boilerplate" && row.filled ? "remove it with the rest of its line" : null,
        onclick: () => decide({ kind: "answer", tokens: row.tokens, answer }, "Answered"),
      }, answer === "boilerplate" && row.filled ? (row.filled === "end" ? "Boilerplate, with what follows on its line" : "Boilerplate, with what is before it on its line") : SAY[answer]))));
  }) : [el("p", { class: "dim" }, "Nothing to ask: all questions are answered, or the pack is of a method without scores.")]));
}

// ---------------------------------------------------------------------------------------------------------- articles

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
        if (piece.templates.length) {
          const row = state.templates.find((each) => each.id === piece.templates[0]);
          part.tabIndex = 0;
          part.title = piece.templates.join(", ");
          part.addEventListener("click", () => row && choose(row));
          part.addEventListener("keydown", (event) => event.key === "Enter" && row && choose(row));
        }
        body.append(part);
      }
    }
    return el("article", { class: "art" }, el("h3", { dir: "auto" }, [one.date, one.title || one.id].filter(Boolean).join(" · ")), body);
  });
  if (again) $("articles").replaceChildren(...(cards.length ? cards : [el("p", { class: "dim" }, "No article of the sample changes.")]));
  else $("articles").append(...cards);
}
$("more").addEventListener("click", () => articles(false));
$("cut-only").addEventListener("change", () => articles(true));

// -------------------------------------------------------------------------------------------------------- tabs, keys

function tab(name) {
  for (const one of document.querySelectorAll("[role=tab]")) {
    const own = one.id === `tab-${name}`;
    one.setAttribute("aria-selected", own ? "true" : "false");
    one.tabIndex = own ? 0 : -1;
    $(one.getAttribute("aria-controls")).hidden = !own;
  }
  if (name === "articles") articles(true);
  if (name === "questions") questions();
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
  const place = chosen ? ids.indexOf(chosen.id) : -1;
  const next = Math.min(ids.length - 1, Math.max(0, place + by));
  choose(state.templates.find((row) => row.id === ids[next]));
}

document.addEventListener("keydown", (event) => {
  if (typing(event)) return;
  const slider = event.target === $("cutoff");
  const inList = event.target === $("list");
  const call = {
    j: () => step(1), k: () => step(-1),
    a: () => chosen && verdict(chosen, true), r: () => chosen && verdict(chosen, false),
    u: () => decide({ kind: "undo" }, null),
    "/": () => $("filter").focus(),
    ...(inList && !slider ? { ArrowDown: () => step(1), ArrowUp: () => step(-1), Home: () => step(-1e9), End: () => step(1e9) } : {}),
  }[event.key];
  if (call) { event.preventDefault(); call(); }
});
$("filter").addEventListener("input", later(80, list));
$("only-decided").addEventListener("change", list);
$("undo").addEventListener("click", () => decide({ kind: "undo" }, null));

try {
  show(await ask("/api/review", { source }));
  // The first look at a large source takes seconds, later ones none: let it be done before it is asked for.
  ask("/api/moved", { source, df: current() }).catch(() => {});
} catch (problem) {
  tell(problem.message, { bad: true });
}
