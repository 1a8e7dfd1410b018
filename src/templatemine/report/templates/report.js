"use strict";
// Sorting and searching of tables that are complete without them.
const cells = new Intl.Collator(undefined, { numeric: true });

function value(row, column) {
  const cell = row.cells[column];
  const text = cell.textContent.trim();
  // "1,584 43.2%" is 1584; a dash is less than any number.
  return cell.classList.contains("n") ? (Number.parseFloat(text.replaceAll(",", "")) || (text.startsWith("0") ? 0 : -1)) : text;
}

function compare(a, b) {
  return typeof a === "number" && typeof b === "number" ? a - b : cells.compare(a, b);
}

function sort(table, column, heading) {
  const down = heading.getAttribute("aria-sort") === "descending";
  // Numbers begin with the greatest, words with the first.
  const first = heading.getAttribute("aria-sort") === null && !heading.classList.contains("n");
  const sign = down || first ? 1 : -1;
  const body = table.tBodies[0];
  const rows = Array.from(body.rows, (row) => [value(row, column), row]);
  rows.sort((a, b) => sign * compare(a[0], b[0]));
  body.append(...rows.map((pair) => pair[1]));
  table.classList.add("sorted");  // variants are no longer below their head
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", sign === 1 ? "ascending" : "descending");
}

function sortable(table) {
  Array.from(table.tHead.rows[0].cells).forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    button.title = heading.title;
    heading.append(button);
    button.addEventListener("click", () => sort(table, column, heading));
  });
}

function searchable(table, what) {
  const rows = Array.from(table.tBodies[0].rows);
  if (rows.length < 8) return;
  const box = document.createElement("div");
  const label = document.createElement("label");
  const input = document.createElement("input");
  const output = document.createElement("output");
  box.className = "search";
  box.setAttribute("role", "search");
  input.type = "search";
  label.append(`Search ${what} `, input);
  box.append(label, output);
  table.parentElement.before(box);
  let texts = null;
  input.addEventListener("input", () => {
    texts ??= rows.map((row) => row.cells[0].textContent.toLowerCase());
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    rows.forEach((row, place) => {
      row.hidden = !words.every((word) => texts[place].includes(word));
      shown += !row.hidden;
    });
    output.textContent = words.length ? `${shown.toLocaleString()} of ${rows.length.toLocaleString()}` : "";
  });
}

for (const table of document.querySelectorAll("table.sort")) {
  sortable(table);
  if (table.dataset.search) searchable(table, table.dataset.search);
}
// A link into a table must not lead to a row that a search hides.
addEventListener("hashchange", () => {
  const row = document.getElementById(decodeURIComponent(location.hash.slice(1)))?.closest("tr[hidden]");
  if (row) row.hidden = false;
});
