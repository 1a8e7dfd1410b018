// Review of a source: templates, cut-off, rules, expressions, history.
import { ask, change, el, later, number, percent, Refused, tell, typing } from "/static/common.js";

const $ = (id) => document.getElementById(id);
const source = $("review").dataset.source;
const SIGN = { kept: "", added: "+", out: "×" };
const MEANS = { kept: "cut, as mined", added: "cut, by a decision", out: "left in, by a decision" };
const BEGAN = `templatemine-desk-began-${source}`;
let state = null;
let seen = null; // of the list: a window of its rows, and figures over all of them
let chosen = null; // the row that keys decide about: of the list, or nothing
const unfolded = new Set(); // heads of families whose variants are shown
let offered = null; // the row that a decision led to: nobody has looked past it yet
let last = 0; // where the chosen row stood in the list, for when it goes
let sought = null; // what was chosen elsewhere, until it is in the list, and whether what narrows that gives way

const rowOf = (id) => seen.templates.find((one) => one.id === id);
const brief = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
const counted = (value, word) => `${number(value)} ${word}${value === 1 ? "" : "s"}`;

// ------------------------------------------------------------------------------------------------------- decisions

// One decision at a time: each is made of the state that the one before it left, so that no click is lost and nobody
// is in conflict with himself.  Those that wait behind a conflict with somebody else are dropped, and said to be.
let began = null;
let line = new Promise((done) => { began = done; }); // what there is to decide about has to be there
let waiting = 0;
let era = 0;
let conflict = null; // what is told of one, until something is decided
const asked = new Set(); // templates, and heads of families, about which something waits

// For whoever waits until all is done: tests, and readers of screens.
function busy() {
  document.body.dataset.waiting = waiting + loading;
  $("list").setAttribute("aria-busy", loading > 0);
}

function decide(op, done) {
  const own = era;
  waiting += 1;
  busy();
  const turn = line.then(async () => {
    try {
      if (own !== era) return false;
      return await send(op, done);
    } finally {
      waiting -= 1;
      busy();
    }
  });
  line = turn.catch(() => {});
  return turn;
}

async function send(op, done) {
  try {
    const wanted = view();
    const found = await change("/api/decide", { source, version: state.version, view: wanted, ...op });
    conflict?.remove();
    show(found, wanted);
    if (found.about) choose(found.about, false);
    const said = typeof done === "function" ? done(...found.judged) : done;
    const judged = typeof done === "string" || found.judged[0]; // else all is so already, and nothing was recorded
    const back = op.kind === "undo" ? {} : { act: undo, label: "Undo" };
    const end = /[.!?…。！？؟]$/u.test(said) ? "" : ".";
    if (said) tell(judged ? `${said}${end} ${effect(found.did)}` : said + end, judged ? back : {});
    return true;
  } catch (problem) {
    if (problem instanceof Refused && problem.status === 409) {
      const dropped = waiting - 1;
      era += 1;
      await lookAgain();
      const more = dropped ? `, nor ${counted(dropped, "decision")} after it` : "";
      conflict?.remove();
      conflict = tell(`${problem.message}. Your decision was not saved${more}; this is the present pack.`, {
        bad: true, act: () => decide(op, done), label: "Decide anyway",
      });
    } else tell(problem.message, { bad: true });
    return false;
  }
}

function effect(did) {
  if (!did?.articles) return "No article of the sample changes by it.";
  const size = Math.abs(did.characters), what = did.characters < 0 ? ["stays", "stay"] : ["goes", "go"];
  return `In ${counted(did.articles, "article")} of the sample ${counted(size, "more character")} ${what[Number(size !== 1)]}.`;
}

const add = (rule, done) => decide({ kind: "add", rule }, done);
const undo = () => {
  if (!sure?.isConnected) return decide({ kind: "undo" }, (what) => `Undone: ${brief(what, 100)}`);
  sure.remove(); // what was asked last is undone first
  return tell("Nothing was decided.");
};

// What a key or a click means is found out by the desk when its turn comes: the one before it may have changed the row.
function verdict(row, accept, whole = false) {
  const about = whole ? row.head : row.id;
  asked.add(about);
  const name = whole ? "The family" : "This";
  const said = { cut: whole ? "Family cut" : "Cut", reviewed: `${name} is ${stays(row) ? "a template" : "cut"} as before, and decided now`, "left in": whole ? "Family left in" : "Left in", "": `${name} is ${!accept ? "left in" : stays(row) ? "a template" : "cut"} and decided already` };
  return decide({ kind: "judge", verdict: accept ? "cut" : "leave", [whole ? "head" : "id"]: about }, (what) => said[what])
    .finally(() => asked.delete(about));
}

// ------------------------------------------------------------------------------------------------------------ show

function show(fresh, wanted) {
  // Where scores decide, the cut-off is no part of the method; it is there for those who want one all the same.
  if (!state) $("cut").open = fresh.cutoff !== null || fresh.moved !== null;
  state = fresh;
  if (sessionStorage.getItem(BEGAN) === null) sessionStorage.setItem(BEGAN, state.seq);
  const dates = state.dates[0] ? `, ${state.dates[0]} to ${state.dates[1]}` : "";
  $("facts").textContent = `${number(state.documents)} documents${dates}; method ${state.method}: ${state.note}`;
  const { articles: all, touched, characters, cut } = state.sample;
  $("sample").textContent = !all ? "No article of this source is in the archive: neither risks nor what decisions do can be seen." : `In the sample ${number(touched)} of ${counted(all, "article")} change, and ${percent(cut, characters)} of all characters go.`
    + (state.left_out ? ` ${counted(state.left_out, "article")} left out: an expression takes too long for ${state.left_out === 1 ? "it" : "them"}.` : "")
    + (state.html ? " So it is in clean --html strip alone: the main text of pages is not chosen by templates." : "");
  $("undo").disabled = !state.undoable;
  $("undo").title = state.undoable ? `Undo the last decision (u): ${state.undoable}` : "There is nothing to undo";
  const slider = $("cutoff");
  slider.max = steps();
  slider.value = position(current());
  forget();
  shows += 1;
  const same = alike(wanted, view());
  if (!seen || same) take(fresh, wanted);
  if (!same) list(0); // what is looked at has changed since it was asked for
  past("rules", state.rules, state.decisions > state.rules.length);
  past("history", state.history, state.history.length === TOLD);
  details();
  if (!$("pane-articles").hidden) articles(true);
  if (!$("pane-questions").hidden) questions();
  if (!$("pane-find").hidden) rejected();
  $("finish").disabled = false;
  document.body.dataset.ready = state.version;
  began();
}

const current = () => state.moved ?? state.cutoff ?? 1;
const steps = () => 1000;
// The slider is logarithmic: what matters lies among the rare strings.
const position = (df) => Math.round((Math.log(Math.max(1, df)) / Math.log(Math.max(2, state.documents))) * steps());
const frequency = (place) => Math.max(1, Math.round(Math.exp((place / steps()) * Math.log(Math.max(2, state.documents)))));

// ------------------------------------------------------------------------------------------------------------ list

// The desk has all templates; here is what the list shows of them, around the chosen row.
const FACETS = ["kind", "position", "df", "words", "score"];
const anyFacet = () => FACETS.some((name) => $(name).value !== "") || $("filter").value.trim() !== ""; // words are one
const narrowed = () => anyFacet() || $("only-open").checked || $("only-decided").checked;

function widen() {
  for (const name of ["filter", ...FACETS]) $(name).value = "";
  $("only-open").checked = $("only-decided").checked = false;
}

// From a place on; null is around the chosen row, as is nothing, unless that row is not drawn: then the list stays.
function view(first = seen && !(chosen && rowOf(chosen.id)) ? seen.first : null) {
  const found = { order: $("order").value, text: $("filter").value, undecided: $("only-open").checked, decided: $("only-decided").checked, folded: true, unfolded: [...unfolded], at: chosen?.id || "" };
  for (const name of FACETS) if ($(name).value) found[name] = $(name).value;
  return first === null ? found : { ...found, first };
}
// Whether two views are of one list, whatever is chosen there.
const alike = (one, other) => ["order", "text", "undecided", "decided", ...FACETS].every((name) => one[name] === other[name]);
const asValues = (wanted) => ({ source, view: JSON.stringify(wanted) });

async function lookAgain(first) {
  const wanted = view(first);
  show(await ask("/api/review", asValues(wanted)), wanted);
}

// What narrows the list has changed: it is shown from its beginning.
function anew() {
  last = 0;
  sure?.remove(); // it was about another list
  return list(0);
}

let loading = 0;
let arriving = Promise.resolve();
let lists = 0;
let shows = 0;

function list(first) {
  if (!state) return arriving; // the first look will have what narrows the list by then
  const own = ++lists, before = shows, wanted = view(first);
  loading += 1;
  busy();
  arriving = ask("/api/rows", asValues(wanted)).then((found) => {
    if (own !== lists) return null;
    return before === shows ? take(found, wanted) : list(first); // a decision came between
  }, (problem) => tell(problem.message, { bad: true })).finally(() => {
    loading -= 1;
    busy();
  });
  return arriving;
}

// Keys about the list wait until it is there: what they mean is what one sees.
let queue = Promise.resolve();
let queued = 0;
function inTurn(call) {
  if (!loading && !queued) return call();
  queued += 1;
  queue = queue.then(arrived).then(() => { queued -= 1; call(); });
  return queue;
}

// The list that was asked for last is there: one that was asked for before it is dropped when it comes.
async function arrived() {
  let one;
  do {
    one = arriving;
    await one;
  } while (one !== arriving);
}

function take(found, wanted) {
  const inView = isInView();
  seen = { ...found, view: wanted };
  const gone = chosen && wanted.at === chosen.id && seen.place === null;
  if (gone && sought?.id === chosen.id && sought.firmly) {
    sought = null;
    widen();
    list(null);
    return;
  }
  const row = chosen && rowOf(chosen.id), arrives = row && sought?.id === row.id;
  if (row) chosen = row;
  if (row || gone) sought = null;
  facets();
  $("count").textContent = `${number(seen.listed)} of ${number(seen.all)}${seen.folded ? `; ${counted(seen.folded, "variant")} folded` : ""}`;
  $("progress").textContent = `${number(seen.done)} of ${number(seen.all)} decided`;
  const box = $("list"), top = box.scrollTop;
  const space = (rows) => {
    const one = el("div", { role: "presentation" });
    one.style.height = `${rows * height()}px`;
    return one;
  };
  const after = seen.listed - seen.first - seen.templates.length;
  box.replaceChildren(space(seen.first), ...seen.templates.map(item), space(after));
  box.scrollTop = top;
  $("none").hidden = seen.listed > 0;
  $("widen").hidden = !narrowed();
  mark(inView || arrives);
  if (gone) onward();
  else if (!chosen && lists) { // nobody has looked past what is chosen now
    onward();
    offered = chosen?.id ?? null;
  } else if (chosen && wanted.at !== chosen.id && !rowOf(chosen.id)) list(null);
}

// What was chosen is in the list no more, or nothing was: go on where it stood, or with the first.
function onward() {
  chosen = null;
  if (seen.listed) go(Math.min(last, seen.listed - 1), false);
  else details();
}

function isInView() {
  const one = $("list").querySelector(".item[aria-selected=true]");
  if (!one) return false;
  const box = $("list").getBoundingClientRect(), own = one.getBoundingClientRect();
  return own.bottom > box.top + 1 && own.top < box.bottom - 1;
}

// Rows are of one height; what is not drawn takes as much space.
const height = () => $("list").querySelector(".item")?.offsetHeight || 30;

$("list").addEventListener("scroll", later(40, () => {
  const box = $("list"), top = Math.floor(box.scrollTop / height()), bottom = Math.ceil((box.scrollTop + box.clientHeight) / height());
  if (loading || !seen) return;
  if (top < seen.first || Math.min(bottom, seen.listed) > seen.first + seen.templates.length) list(Math.max(0, top - 40));
}));

function fold(how) {
  if (!chosen) return;
  const { head } = chosen;
  if (how ?? !unfolded.has(head)) unfolded.add(head);
  else {
    unfolded.delete(head);
    chosen = rowOf(head) || chosen;
    details();
  }
  list();
}

// What kind of boilerplate a template is; a person may say otherwise.
function kindBox(row, out) {
  const options = [el("option", { value: "", selected: !row.kind, disabled: true }, "not known"), ...state.kinds.map((one) => kindOption(one, row.kind))];
  return el("select", { "aria-label": "kind of boilerplate", disabled: out, onchange: (event) => add({ action: "kind", id: row.id, kind: event.target.value }, `Now of kind ${event.target.value}`) }, ...options);
}

// The values of each facet, with how many templates the others leave them; and one decision about all that are shown.
function facets() {
  for (const name of FACETS) {
    const box = $(name), { value, ariaLabel } = box;
    box.replaceChildren(el("option", { value: "" }, ariaLabel), ...seen.facets[name].map(([one, count]) => el("option", { value: one }, `${ariaLabel}: ${one} (${number(count)})`)));
    box.value = value;
  }
  // They stay where they are, whatever was decided: a decision about all can be turned round, and the list stays in place.
  for (const name of ["reject-shown", "keep-shown", "kind-shown"]) {
    $(name).hidden = !anyFacet();
    $(name).disabled = name === "keep-shown" ? !seen.listed : !seen.there;
  }
  $("reject-shown").textContent = seen.listed && !seen.there ? `All ${number(seen.listed)} left in` : `Leave in all ${number(seen.there)}`;
  $("keep-shown").textContent = `Cut all ${number(seen.listed)}`;
  $("kind-shown").replaceChildren(el("option", { value: "" }, `kind of all ${number(seen.there)} …`), ...state.kinds.map((one) => kindOption(one)));
}

function item(row, place) {
  const { variants } = row;
  const risk = variants && !unfolded.has(row.id) ? row.family_risk : row.effect.risk; // of a family, that of the worst
  const sign = row.state === "kept" && row.reviewed ? "✓" : SIGN[row.state];
  const means = (stays(row) ? `${row.kind}: ${KEPT}` : MEANS[row.state]) + (row.reviewed ? `; decided by ${row.reviewed}` : "");
  // A button within an option cannot be reached by those who cannot see it; a and r do the same.
  const quick = el("span", { class: "quick", "aria-hidden": "true", onclick: (event) => { event.stopPropagation(); choose(row); verdict(row, row.state === "out"); } }, row.state === "out" ? "cut" : "leave in");
  return el("div", {
    class: `item ${row.state}${row.reviewed ? " reviewed" : ""}${row.id === row.head ? "" : " variant"}`, id: `o-${row.id}`, role: "option", "data-id": row.id, "aria-selected": "false",
    "aria-setsize": seen.listed, "aria-posinset": seen.first + place + 1,
    onclick: () => { choose(row); $("pane-template").parentElement.scrollIntoView(); }, title: row.text,
  },
    el("span", { class: "sign", "aria-hidden": "true", title: means }, sign),
    el("span", { class: "df", title: "documents of the archive" }, number(row.df)),
    el("span", { class: "say", dir: "auto" }, ...words(row.text)),
    variants ? el("span", { class: "more", title: "variants of it (f)", onclick: (event) => { event.stopPropagation(); choose(row); fold(); } }, `+${variants}`) : el("span"),
    el("span", { class: "risk" }, row.state === "out" ? "–" : number(Math.round(risk))),
    el("span", { class: "unseen" }, ` (${means})`), quick);
}

// The selection outlives what is decided about it.
function mark(look = false) {
  const box = $("list");
  let found = null;
  for (const [place, row] of seen.templates.entries()) {
    const one = box.children[place + 1], own = row.id === chosen?.id;
    one.setAttribute("aria-selected", own ? "true" : "false");
    if (own) { found = one; last = seen.first + place; }
  }
  if (found) box.setAttribute("aria-activedescendant", found.id);
  else box.removeAttribute("aria-activedescendant");
  if (found && look) found.scrollIntoView({ block: "nearest" });
  return found;
}

function choose(row, focus = true, firmly = focus) {
  chosen = row;
  if (!mark(true)) { // it is not drawn, or a variant of a family that is folded
    if (row.id !== row.head) unfolded.add(row.head);
    sought = { id: row.id, firmly };
    list(null);
  } else if (last - seen.first < EDGE && seen.first || seen.first + seen.templates.length - last < EDGE && seen.first + seen.templates.length < seen.listed) list();
  if (focus) tab("template");
  details();
}
const EDGE = 20; // rows between the chosen one and the last drawn one, so that the next is there when a key asks for it

const details = later(60, async () => {
  const pane = $("pane-template");
  if (!chosen) {
    delete pane.dataset.id;
    pane.replaceChildren(el("p", { class: "dim" }, "Choose a template on the left."));
    return;
  }
  const { id } = chosen, before = shows;
  let row;
  try {
    row = await ask("/api/template", { source, id });
  } catch (problem) {
    if (problem.status === 404) chosen = null; // an expression that was taken back
    pane.replaceChildren(el("p", { class: "problem" }, problem.message));
    return;
  }
  if (id !== chosen?.id || before !== shows) return; // or it was decided about meanwhile, and is asked for again
  const out = row.state === "out";
  const held = pane.contains(document.activeElement) ? document.activeElement.textContent.slice(-3) : "";
  const opened = pane.dataset.id === id && Boolean(pane.querySelector("details.full[open]")); // stays open when redrawn
  // Another row may be chosen while its own pane is on the way: what is pressed then is meant for neither.
  const act = (what) => () => { if (id === chosen?.id) inTurn(what); };
  // Whoever decides sees first what is decided: the words, and an example, the worst if there is one.  No button stands
  // out where cutting may do harm, or was decided against.
  const { variant } = row; // of a family, which the list ranks by it
  const main = !row.doubt.length && !variant?.doubt.length && !out ? "main" : null;
  const [first, ...more] = row.snippets;
  const parts = [
    el("p", { class: "big", dir: "auto", tabindex: "0", role: "region", "aria-label": "template" }, ...(row.written ? [row.text] : words(row.text))),
    row.doubt.length ? el("p", { class: "doubt" }, row.doubt.join(" ")) : null,
    variant ? el("p", { class: "doubt" }, "The riskiest of its variants: ", el("button", { class: "link", dir: "auto", onclick: () => choose(variant) }, ...words(brief(variant.text, 160))), variant.doubt.length ? ` — ${variant.doubt.join(" ")}` : "") : null,
    el("div", { class: "acts" },
      el("button", { class: main, disabled: !out && Boolean(row.reviewed), onclick: act(() => judge(true)) }, !out && row.reviewed ? "Cut: decided" : "Cut (a)"),
      el("button", { disabled: out, onclick: act(() => judge(false)) }, "Leave in (r)"),
      row.family > 1 ? el("button", { onclick: act(() => judge(true, true)) }, `Cut all ${number(row.family)} (A)`) : null,
      row.family > 1 ? el("button", { onclick: act(() => judge(false, true)) }, `Leave in all ${number(row.family)} (R)`) : null,
      el("button", { onclick: () => { $("rule-text").value = row.text; tab("rules"); $("rule-text").focus(); } }, "Rule for these words …"),
      el("button", { onclick: act(() => edit(row)) }, row.words ? "Edit its words …" : "Edit its expression …")),
    first ? snippets([first]) : null,
    el("p", { class: "effect" }, told(row)),
    row.family > 1 ? el("div", { class: "family-effect" }) : null,
    row.reviewed ? el("p", { class: "dim" }, `Decided by ${row.reviewed}.`) : null,
    row.reasons ? el("p", { class: "dim" }, row.reasons) : null,
    row.written ? null : explained(row.text, PATTERN),
    el("dl", { class: "facts" },
      el("dt", {}, "documents"), el("dd", {}, `${number(row.df)} of ${number(state.documents)} (${percent(row.df, state.documents)}), ${counted(row.count, "occurrence")}`),
      el("dt", {}, "articles in the sample"), el("dd", {}, `${number(row.touched)} of ${number(row.articles)}, ${number(row.matches)} match${row.matches === 1 ? "" : "es"}`),
      el("dt", {}, "position"), el("dd", {}, row.position),
      el("dt", {}, "kind"), el("dd", {}, kindBox(row, out)),
      el("dt", {}, "id"), el("dd", { class: "mono" }, row.id)),
    row.family > 1 ? el("div", { class: "kin" }, el("b", {}, `Family of ${number(row.family)}`), el("ul", { class: "plain" }, ...row.kin.map((one) => el("li", {},
      el("button", { class: "link", dir: "auto", onclick: () => choose(one) }, SIGN[one.state] && `${SIGN[one.state]} `, ...words(brief(one.text, 160))), el("span", { class: "dim" }, ` ${counted(one.df, "document")}`))))) : null,
    expression("expression", row.short),
    row.written ? null : explained(row.short, NAMED),
    row.short !== row.regex ? el("details", { class: "full", open: opened }, el("summary", {}, "Expression in full"), expression("expression in full", row.regex)) : null,
    more.length ? snippets(more) : null];
  pane.replaceChildren(...parts.filter(Boolean));
  pane.dataset.id = id;
  if (row.family > 1) ofFamily(row, state.version);
  // Who pressed a button there goes on from the same one.
  if (held) ([...pane.querySelectorAll(".acts button")].find((one) => one.textContent.slice(-3) === held && !one.disabled) || pane.querySelector(".acts button:not(:disabled)"))?.focus();
});

// What decisions about a family would do, when somebody stays at one of it: there it takes as long as all else.
const ofFamily = later(150, async (row, version) => {
  const place = $("pane-template").querySelector(".family-effect"); // of this pane, whatever comes after it
  for (const [verdict, what] of [["leave", "left in"], ["cut", "cut"]]) {
    if (chosen?.id !== row.id || version !== state.version) return;
    const one = await change("/api/preview", { source, kind: "judge", verdict, head: row.head }).catch(() => null);
    if (!one || chosen?.id !== row.id || version !== state.version) return;
    if (one.judged && (verdict === "leave" || one.did.articles)) place?.append(el("p", {}, would(one, `all ${number(row.family)} are ${what}`)));
  }
});

function expression(label, text) {
  return el("div", { class: "regex mono", dir: "ltr", tabindex: "0", role: "region", "aria-label": label }, new Text(text)); // to be copied as it is
}

// A template as people read it.  Its patterns are set apart: their Latin letters say nothing about its direction.
const PATTERN = /(\{[A-Za-z_]\w*(?::\w+)?\})/;
const words = (text) => text.split(PATTERN).map((part, at) => (at % 2 ? el("bdi", { class: "pattern", title: meaning(part) }, part) : part));
const FILLERS = { date: "a date", duration: "a time span", url: "an address", names: "names", headlines: "the headlines that follow", dateline: "place and agency" };
// What short expressions name, too, as packs have it.
const NAMED = /\{[a-z][^{}\\]*\}/;
const BOUNDS = {
  "gap?": "blanks, or nothing", blank: "blanks within a line", "blank?": "the same, or nothing", start: "where a word begins", "start:": "the same, or behind a joint such as a colon",
  end: "where a word ends", "end:": "the same, or before a letter", "line start": "where a line begins", "line end": "where a line ends",
  "text head": "the first lines of an article", "new text": "what begins the story", "new text?": "the same",
};
// What patterns stand for whose names do not say it.
const PLAIN = {
  url: "any web address", email: "any e-mail address", handle: "any user name such as @name", iso_date: "any date such as 2024-05-31", uuid: "any identifier", hex: "any identifier",
  clock: "any time such as 12:30", date: "any date such as 31/05", numeric: "any figures with signs between them", time: "any time such as 5pm", meridiem: "a.m. or p.m.",
  upper: "any word in capitals", rule: "any row of signs such as ***", unit: "any unit of time such as minutes", by: "by", number_world: "any number in digits of another script",
  month_short: "any short month such as Jan", month_other: "any month in another language", month_world: "any month in another language",
  weekday_short: "any short weekday such as Mon", weekday_other: "any weekday in another language", weekday_world: "any weekday in another language",
};
function explained(text, names) {
  const found = [...new Set(text.match(new RegExp(names, "g")))];
  return found.length ? el("p", { class: "dim" }, `${found.map((one) => `${one} is ${meaning(one)}`).join(", ")}.`) : null;
}
function meaning(pattern) {
  const own = BOUNDS[pattern.slice(1, -1)];
  if (own) return own;
  const [name, filler] = pattern.slice(1, -1).split("~")[0].split(":");
  if (name !== "slot") return PLAIN[name] || `any ${name.replaceAll("_", " ")}`;
  if (!filler) return "anything else on the line";
  return FILLERS[filler] || (filler === "number" ? "figures" : `up to ${filler} characters`);
}

// What would happen, before it is decided.
function told(row) {
  if (row.problem) return row.problem;
  const all = number(state.sample.articles), what = row.state === "out" ? "cut" : "left in";
  if (!row.effect.seen) return `It is in none of the ${all} articles of the sample.`;
  if (row.did.articles) return would(row, what);
  return `If ${what}: nothing changes in the sample; ${stays(row) ? "it stays by its kind" : "other templates remove it there, too"}.`;
}

// `what` is done to one, or to "all 3".
function would(change, what) {
  const more = change.also - change.others.length;
  const others = change.also ? ` With ${what.startsWith("all") ? "them" : "it"}: ${change.others.join("; ")}${more ? `, and ${number(more)} more` : ""}.` : "";
  return `If ${what}: ${effect(change.did).replace(/ by it\.$/, ".").replace(/^./, (one) => one.toLowerCase())}${others}`;
}

// Whether clean leaves a template in for its kind, unless it is told otherwise, as all figures have it.
const stays = (row) => row.state !== "out" && state.stays.includes(row.kind);
const KEPT = "clean leaves it in";
const kindOption = (one, own) => el("option", { value: one, selected: one === own }, state.stays.includes(one) ? `${one} (${KEPT})` : one);

// What goes with a label alone is underlined: `filler`, before it if `filled` is "start".  What stands beside a cut that
// does harm is in pieces, of which some go, too; of a long match its beginning and its end are shown.
function snippets(rows, filled) {
  return el("ul", { class: "snips" }, ...rows.map((row) => {
    const found = [el("mark", {}, ...shortened(row.match)), row.filler ? el("u", { title: "goes with the label, if all is cut" }, row.filler) : ""];
    const whole = row.id ? el("a", { href: `/compare?${new URLSearchParams({ source, id: row.id })}`, target: "_blank", title: row.id }, "article") : "";
    const beside = (side) => (typeof side === "string" ? [tight(side)] : side.map(([text, goes]) => (goes ? el("mark", {}, tight(text)) : tight(text))));
    return el("li", {}, row.harm ? el("p", { class: "torn" }, `Here the cut ${row.harm}.`) : "",
      el("div", { dir: "auto" }, ...beside(row.before), ...(filled === "start" ? found.reverse() : found), ...beside(row.after), " ", whole));
  }));
}
const MAX_MATCH = 400; // characters of a match that are shown
const tight = (text) => text.replace(/\s*\n\s*/g, "\n"); // without blank lines

function shortened(text) {
  const all = [...tight(text)], hidden = all.length - MAX_MATCH;
  if (hidden < 40) return [all.join("")];
  return [all.slice(0, MAX_MATCH / 2).join(""), el("bdi", { class: "gap", dir: "ltr" }, ` … ${number(hidden)} characters … `), all.slice(-MAX_MATCH / 2).join("")];
}

const SAID = { accept: "Cut", reject: "Left in", always: "Always cut", never: "Never cut", add: "Expression", edit: "Edited", cutoff: "Cut-off" };
const when = (time) => time.replace("T", " ").replace("Z", " UTC");
const PAST = {
  rules: (rule) => el("li", {},
    el("b", {}, rule.action === "kind" ? `Kind ${rule.kind}` : SAID[rule.action]), " ", el("span", { dir: "auto" }, rule.text || rule.regex || (rule.tokens || []).join(" ") || (rule.action === "cutoff" ? counted(rule.df, "document") : rule.id)),
    el("span", { class: "dim" }, ` ${rule.by || ""} ${when(rule.time || "")} `),
    el("button", { onclick: () => decide({ kind: "remove", rule }, "Removed") }, "Remove")),
  history: (one) => el("li", {},
    el("time", { class: "dim" }, when(one.time)), " ", el("b", {}, one.name), " ",
    el(one.undone ? "s" : "span", { dir: "auto" }, one.what)),
};
const TOLD = 20; // decisions of each answer; earlier ones are asked for

function past(what, rows, more) {
  const box = $(what);
  box.replaceChildren(...rows.map(PAST[what]));
  if (!rows.length) box.append(el("li", { class: "dim" }, "No decisions yet: the pack is as mined."));
  if (more) box.append(earlier(what, rows.length));
}

function earlier(what, first) {
  const place = el("li", {}, el("button", { onclick: async () => {
    const found = await ask("/api/past", { source, what, first });
    place.replaceWith(...found.rows.map(PAST[what]), ...(found.next === null ? [] : [earlier(what, found.next)]));
  } }, "Earlier ones"));
  return place;
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
  const at = state.moved === null && state.cutoff === null && df === 1 ? "none: scores decide" : `${number(df)} documents (${percent(df, state.documents)})`;
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
  if (!state) return;
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

let edited = null; // the template that is being changed
let worded = false; // by its words and patterns, and not by an expression
let trial = null; // what was found out about them

function edit(row, words = row.words) {
  edited = row;
  by(Boolean(words));
  placed(row.position);
  $("regex").value = words || row.edit;
  $("anchor").value = row.anchor || "";
  $("instead-of").textContent = brief(row.text, 60);
  $("try-instead").hidden = false;
  tab("try");
  $("regex").focus();
  attempt();
}

function placed(position) {
  $("as-words").textContent = `Words of the template, with its patterns in braces (position: ${position})`;
}

function by(words) {
  worded = words;
  $("try-full").hidden = $("as-words").hidden = $("anchor").hidden = !words;
  $("as-regex").hidden = words;
}
$("try-full").addEventListener("click", () => edit(edited, ""));

const replaced = () => (edited && $("instead").checked ? edited : null);

const attempt = later(350, async () => {
  const regex = $("regex").value, anchor = $("anchor").value;
  const place = $("trial");
  $("try-add").disabled = true;
  if (!regex.trim()) { place.replaceChildren(); return; }
  let found;
  try {
    const instead = replaced()?.id;
    found = worded ? await change("/api/words", { source, words: regex, anchor, kind: edited.kind, instead }) : await change("/api/try", { source, regex, instead });
    if (instead !== replaced()?.id) return;
  } catch (problem) {
    place.replaceChildren(el("p", { class: "problem" }, problem.message));
    return;
  }
  if (regex !== $("regex").value || anchor !== $("anchor").value) return;
  if (worded) placed(found.position || edited.position);
  if (found.refused) {
    place.replaceChildren(el("p", { class: "problem" }, `Refused: ${found.refused}`));
    return;
  }
  trial = found;
  $("try-add").classList.toggle("main", !found.harm && !found.torn);
  $("try-add").disabled = !found.matches || found.same || (worded && regex.trim() === edited.words && found.anchor === edited.anchor);
  const figure = (value, what, bad) => el("div", { class: bad ? "harm" : "" }, el("b", {}, value), el("span", {}, what));
  const shown = [
    el("div", { class: "figures" },
      figure(number(found.matches), `matches in ${found.touched} of ${found.articles} articles`),
      figure(number(found.new), "more characters removed"),
      figure(number(found.harm), "of these in lines of prose", found.harm > 0),
      found.stays ? figure(number(found.stays), `${found.stays === 1 ? "character stays that is" : "characters stay that are"} cut now`) : "",
      found.torn ? figure(number(found.torn), `${found.torn === 1 ? "match" : "matches"} may tear a sentence`, true) : "",
      figure(`${found.milliseconds} ms`, "for the sample")),
    found.matches ? null : el("p", { class: "dim" }, "It has no match in the sample, so it cannot be added: there is no example."),
    snippets(found.snippets)];
  place.replaceChildren(...shown.filter(Boolean));
});
// What was found out is about what stood there before.
const again = () => { $("try-add").disabled = true; attempt(); };
$("regex").addEventListener("input", again);
for (const id of ["instead", "anchor"]) $(id).addEventListener("change", again);
$("try-add").addEventListener("click", async () => {
  const regex = $("regex").value;
  const instead = replaced();
  $("try-add").disabled = true;
  if (worded) {
    const rule = { action: "edit", tokens: trial.tokens, anchor: trial.anchor, kind: edited.kind, df: trial.touched, count: trial.matches, example: trial.example };
    if (!await decide({ kind: "add", rules: [rule, ...(instead ? [{ action: "reject", id: instead.id }] : [])] }, instead ? "Edited" : "Added")) return again();
  } else {
    if (!await add({ action: "add", regex, example: regex }, instead ? null : "Expression added")) return again();
    if (instead && !(instead.written && instead.text === regex)) await verdict(instead, false);
  }
  $("regex").value = "";
  $("trial").replaceChildren();
  $("try-instead").hidden = true;
  edited = null;
  by(false);
});

// ----------------------------------------------------------------------------------------------------- rules, search

$("rule-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const action = event.submitter?.value || "never";
  const text = $("rule-text").value.trim();
  if (text && await add({ action, text }, "Rule added")) $("rule-text").value = "";
});

// Those that contain some words, nearest to being templates.
async function rejected() {
  const text = $("find").value.trim();
  const rows = await ask("/api/found", { source, text });
  if (text !== $("find").value.trim()) return;
  $("found").replaceChildren(rows.length ? el("ul", { class: "plain" }, ...rows.map((row) => el("li", {},
    el("span", { class: "dim" }, [counted(row.df, "document"), row.score === null ? "" : `${Math.round(100 * row.score)} % likely boilerplate`, row.reason].filter(Boolean).join(" · "), " "),
    el("button", { onclick: () => add({ action: "accept", tokens: row.tokens }, "Cut") }, "Cut"),
    el("details", { ontoggle: (event) => event.target.open && candidate(event.target, row) }, el("summary", { dir: "auto" }, ...words(row.text)))))) : el("p", { class: "dim" }, text ? "No rejected candidate contains these words." : "Mining rejected nothing, or its list is not beside the pack."));
}

// Where a candidate stands, and what goes with it, before it is cut.
async function candidate(place, row) {
  const [head] = place.children;
  try {
    const found = await ask("/api/candidate", { source, tokens: row.tokens.join("\n") });
    place.replaceChildren(head, el("p", { class: "effect" }, would(found, "cut")), snippets(found.snippets));
  } catch (problem) {
    place.replaceChildren(head, el("p", { class: "problem" }, problem.message));
  }
}
$("find").addEventListener("input", later(300, rejected));

// --------------------------------------------------------------------------------------------------------- questions

const SAY = { boilerplate: "Cut", label: "Cut the label only", story: "Leave in" };

let asks = 0;
async function questions() {
  const own = ++asks;
  try {
    const rows = await ask("/api/questions", { source });
    if (own === asks) put(rows);
  } catch (problem) {
    if (own === asks) $("questions").replaceChildren(el("p", { class: "problem" }, problem.message));
  }
}

function put(rows) {
  const at = $("questions").contains(document.activeElement);
  $("questions").replaceChildren(...(rows.length ? rows.map((row) => {
    return el("section", { class: "question" },
      el("p", { class: "big", dir: "auto" }, ...words(row.text)),
      el("p", { class: "dim" }, `${counted(row.df, "document")}; ${row.today} today; ${row.filled ? "" : `${Math.round(100 * row.score)} % likely boilerplate; `}asked because ${row.stake}`),
      snippets(row.snippets, row.filled),
      el("dl", { class: "answers", "data-tokens": row.tokens.join("\n") }, ...row.answers.flatMap((answer) => [el("dt", {}, el("button", {
        "data-answer": answer,
        onclick: (event) => answered(event.target.closest(".question"), row, answer),
      }, answer === "boilerplate" && row.filled ? (row.filled === "end" ? "Cut, with what follows on its line" : "Cut, with what is before it on its line") : SAY[answer])),
      el("dd", { "data-effect": answer })])));
  }) : [el("p", { class: "dim" }, "Nothing to ask: no question is open.")]));
  if (at) $("questions").querySelector("button")?.focus();
  measure(era, state?.version);
}

// Until the others come, it stands there; the next key is about the next one.
async function answered(place, { tokens }, answer) {
  if (place.dataset.answered) return;
  place.dataset.answered = answer;
  if (!await decide({ kind: "answer", tokens, answer }, "Answered")) delete place.dataset.answered;
}

// What each answer would change, a question after the other: the first is read while the last is measured.
async function measure(own, version) {
  for (const place of $("questions").querySelectorAll(".answers")) {
    try {
      const found = await ask("/api/answers", { source, tokens: place.dataset.tokens });
      if (own !== era || version !== state.version) return;
      for (const [answer, did] of Object.entries(found)) place.querySelector(`[data-effect=${answer}]`).textContent = effect(did).replace(/ by it\.$/, ".");
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

let following = 0, walks = 0;
async function articles(again) {
  if (again) following = 0;
  if (following === null) return;
  const own = ++walks;
  const found = await ask("/api/sample", { source, first: following, cut: $("cut-only").checked ? 1 : 0 });
  if (own !== walks) return; // asked for again meanwhile
  following = found.next;
  $("more").hidden = found.next === null;
  const cards = found.articles.map((one) => {
    const body = el("div", { dir: "auto" });
    for (const piece of one.pieces) {
      if (piece.hidden) body.append(el("bdi", { class: "gap", dir: "ltr" }, ` … ${number(piece.hidden)} characters … `));
      else {
        const part = el(piece.templates.length ? "mark" : "span");
        part.innerHTML = piece.html; // escaped by the desk
        if (piece.kind) part.dataset.kind = piece.kind;
        if (piece.templates.length) {
          // One cut, one template: the longest that is there.  The others only matched as well.
          const row = found.templates[piece.templates[0]];
          const also = piece.templates.slice(1).map((id) => found.templates[id]?.text || id);
          part.tabIndex = 0;
          part.setAttribute("role", "button");
          // As explain has it: a sign at the end that is within a sentence, and the template there.
          const torn = Object.entries(piece.torn).map(([edge, id]) => `${edge === "start" ? "begins" : "ends"} within a sentence: ${found.templates[id]?.text || id}`);
          if (piece.torn.start) part.prepend(el("b", { class: "torn" }, "!"));
          if (piece.torn.end) part.append(el("b", { class: "torn" }, "!"));
          if (torn.length) part.append(el("span", { class: "unseen" }, ` ${torn.join("; ")} `));
          part.title = [row?.text || piece.templates[0], ...torn, ...(also.length ? [`also matched: ${also.slice(0, 5).join("; ")}${also.length > 5 ? ` and ${also.length - 5} more` : ""}`] : [])].join("\n");
          part.addEventListener("click", () => row && choose(row));
          part.addEventListener("keydown", (event) => event.key === "Enter" && row && choose(row));
        }
        body.append(part);
      }
    }
    return el("article", { class: "art" }, el("h2", { dir: "auto" }, [one.date, one.title || one.id].filter(Boolean).join(" · ")), legend(one.pieces), one.torn ? el("p", { class: "torn" }, `${counted(one.torn, "cut")} may tear a sentence or a headline (marked !)`) : "", body);
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
  if (name === "find") rejected();
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
  if (!seen.listed) return;
  const there = seen.templates.findIndex((one) => one.id === chosen?.id);
  const place = there >= 0 ? seen.first + there : chosen ? last : -1;
  go(Math.min(seen.listed - 1, Math.max(0, place + by)));
}

// Choose the row at a place of the list.
function go(place, focus = true) {
  const there = () => seen.templates[place - seen.first];
  if (there()) choose(there(), focus);
  else list(Math.max(0, place - EDGE)).then(() => there() && choose(there(), focus));
}

// The first row, as long as nobody has gone elsewhere.
function offer() {
  if (!seen?.templates.length || (chosen && chosen.id !== offered)) return;
  choose(seen.templates[0], false);
  offered = chosen.id;
}

// A decision, and on to the next row that waits for one.  It is made about what one sees, in the list and beside it:
// otherwise the key shows that.
function judge(accept, whole = false) {
  const key = { true: accept ? "A" : "R", false: accept ? "a" : "r" }[whole];
  if (!chosen) {
    tell(seen.listed ? "No template is chosen: j chooses the first of the list." : "No template is in this list.");
    return;
  }
  if ($("pane-template").hidden || !isInView()) {
    choose(chosen);
    tell(`Nothing is decided yet: this is what ${key} is about. Press it again to ${accept ? "cut it" : "leave it in"}.`);
    return;
  }
  const { id, head } = chosen;
  const there = seen.templates.findIndex((row) => row.id === id);
  const below = seen.templates.slice(there + 1).filter((row) => !whole || row.head !== head);
  const next = below.find((row) => row.state === "kept" && !row.reviewed && !asked.has(row.id) && !asked.has(row.head)) || below[0];
  verdict(chosen, accept, whole);
  if (!next) return;
  choose(next);
  offered = next.id;
}

// The riskiest template that nobody looked at, wherever it stands in the list.
function next() {
  const open = seen.next.filter((row) => !asked.has(row.id) && !asked.has(row.head));
  const row = open.find((one) => one.id !== chosen?.id || one.id === offered) || open[0];
  if (!row && seen.next.length) { // all that are known wait to be decided
    line.then(() => list()).then(next);
    return;
  }
  offered = null;
  if (row) choose(row);
  else tell("All templates are decided.");
}

// ----------------------------------------------------------------------------------------------------------- summary

async function summary() {
  await line; // what was decided counts
  const found = await ask("/api/summary", { source, since: sessionStorage.getItem(BEGAN) || 0 });
  const { before, after } = found;
  const left = found.templates - found.done;
  const change = (what, one, other) => el("li", {}, `${what}: `, one === other ? other : `${one} → `, one === other ? null : el("b", {}, other));
  $("summary-text").replaceChildren(
    el("p", {}, el("b", {}, found.decisions.length ? counted(found.decisions.length, "decision") : "No decisions"), ` in this session. In all, ${number(found.done)} of ${counted(found.templates, "template")} are decided${left && state.scored ? `; the other ${number(left)} hold ${percent(found.open_risk, found.risk)} of the risk that the mined templates had` : ""}.`),
    el("ul", {},
      change("Templates", number(before.templates), number(after.templates)),
      change(`Articles of the sample that change, of ${number(after.articles)}`, number(before.touched), number(after.touched)),
      change(`Characters removed, of ${number(after.characters)}`, number(before.cut), number(after.cut))),
    found.decisions.length ? el("ol", { class: "decisions" }, ...found.decisions.slice(0, 200).map((one) => el("li", { dir: "auto" }, `${one.what} `, el("span", { class: "dim" }, one.name)))) : el("p", { class: "dim" }, "The pack is as it was."),
    found.next.length ? el("p", {}, "Next, by risk: ", ...found.next.flatMap((one, at) => [at ? "; " : "", el("q", { dir: "auto" }, brief(one.text, 80))])) : el("p", {}, "Nothing is left to decide."),
    el("p", { class: "dim" }, "All is saved in the pack and beside it. It is applied again by the next mine or update."));
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
  $("questions").querySelector(".question:not([data-answered])")?.querySelector(`[data-answer=${which}]`)?.click();
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
  const call = {
    j: () => step(1), k: () => step(-1), n: next,
    a: () => judge(true), r: () => judge(false), A: () => judge(true, true), R: () => judge(false, true),
    f: () => fold(), u: undo, e: summary, "?": keys,
    b: () => answer("boilerplate"), l: () => answer("label"), s: () => answer("story"),
    ...Object.fromEntries(tabs.map((one, place) => [String(place + 1), () => { tab(one.id.slice(4)); one.focus(); }])),
    ...(event.target === $("list") && !slider ? { ArrowDown: () => step(1), ArrowUp: () => step(-1), ArrowRight: () => fold(true), ArrowLeft: () => fold(false), Home: () => step(-1e9), End: () => step(1e9) } : {}),
  }[event.key];
  // What leads to a field does so at once: the next key is meant for that.
  const there = { c: () => { $("cut").open = true; $("cutoff").focus(); }, "/": () => $("filter").focus() }[event.key];
  if (call || there) event.preventDefault();
  // Before the list is there, a key is about nothing that one sees.
  if (there) there();
  else if (call && state) inTurn(call);
});
$("filter").addEventListener("input", later(80, anew));
$("filter").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" && event.key !== "Escape") return;
  event.preventDefault();
  if (event.key === "Escape") $("filter").value = "";
  anew(); // now, and not when typing has paused: the next key is meant for what is found
  $("list").focus();
});
const ALL = { "left in": "left in", reviewed: "cut as before, and decided now", cut: "cut" };
let sure = null; // the question whether all that are shown are meant
async function judgeShown(verdict, what, as) {
  loading += 1;
  busy();
  try {
    await line;
    const op = { kind: "judge", verdict, as, shown: seen.view }, { version } = state, gone = $("kind").value ? ": no more in this list" : "";
    const done = (said, about) => (said ? `${counted(about, "template")} ${said === "named" ? `now of kind ${as}${gone}` : ALL[said]}` : "All that are shown are so already");
    const found = await change("/api/preview", { source, ...op });
    if (version !== state.version || !alike(op.shown, view())) return;
    if (!found.judged) {
      tell(`${done()}.`);
      return;
    }
    const label = `${{ cut: "Cut", leave: "Leave in", kind: "Change" }[verdict]} ${counted(found.judged, "template")}`;
    sure = tell(would(found, found.judged === 1 ? what : `all ${number(found.judged)} are ${what}`), { sure: true, act: () => decide(op, done), label });
    sure.querySelector("button").focus();
  } catch (problem) {
    tell(problem.message, { bad: true });
  } finally {
    loading -= 1;
    busy();
  }
}
$("reject-shown").addEventListener("click", () => judgeShown("leave", "left in"));
$("keep-shown").addEventListener("click", () => judgeShown("cut", "cut"));
$("kind-shown").addEventListener("change", ({ target }) => {
  if (target.value) judgeShown("kind", `of kind ${target.value}`, target.value);
  target.value = "";
});
for (const name of ["only-decided", "only-open", ...FACETS]) $(name).addEventListener("change", anew);
$("order").addEventListener("change", () => anew().then(offer));
$("undo").addEventListener("click", undo);
$("widen").addEventListener("click", () => {
  widen();
  anew();
  $("list").focus();
});

// The first look at a large source takes seconds, and the desk does it apart.
async function prepared() {
  for (;;) {
    const found = await ask("/api/prepared", { source });
    if (found.ready) return;
    $("facts").textContent = `Looking for ${counted(found.templates, "template")} in ${counted(found.articles, "article")} …`;
    await new Promise((done) => setTimeout(done, 50));
  }
}

try {
  busy();
  await prepared();
  const sent = new URLSearchParams(location.search).get("id"); // by a link to one template
  const linked = sent ? ask("/api/template", { source, id: sent }).catch((problem) => tell(problem.message, { bad: true })) : null;
  const questioned = ask("/api/questions", { source });
  questioned.catch(() => {}); // told below
  await lookAgain(0);
  const row = await linked, { version, seq } = state;
  if (row?.id && (!chosen || chosen.id === offered)) choose(row);
  const asked = await questioned;
  offer();
  if (version === state.version && !$("questions").firstChild) put(asked);
  // Ten questions say more than ten templates: who comes first to a source, and has begun with nothing yet, begins with
  // them.
  const begun = sent || seq !== state.seq || narrowed() || $("pane-template").hidden || (chosen && chosen.id !== offered);
  if (asked.length && !state.decisions && !state.html && !begun) tab("questions", false);
} catch (problem) {
  tell(problem.message, { bad: true });
}
