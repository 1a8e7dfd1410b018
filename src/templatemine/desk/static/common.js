// What all views share: asking the desk, who works here, telling what happened.

const csrf = document.querySelector("meta[name=csrf]").content;
const field = document.getElementById("name");
const KEY = "templatemine-desk-name";

const remembered = localStorage.getItem(KEY);
if (remembered) field.value = remembered;
field.addEventListener("change", () => {
  localStorage.setItem(KEY, field.value.trim());
  document.dispatchEvent(new Event("name"));
});

export const who = () => field.value.trim();

export class Refused extends Error {
  constructor(problem, status) {
    super(problem);
    this.status = status;
  }
}

async function answer(response) {
  const type = response.headers.get("content-type") || "";
  const body = type.includes("json") ? await response.json() : { problem: await response.text() };
  if (!response.ok) throw new Refused(body.problem || response.statusText, response.status);
  return body;
}

export async function ask(path, values = {}) {
  return answer(await fetch(`${path}?${new URLSearchParams(values)}`));
}

export async function change(path, body) {
  const headers = { "content-type": "application/json", "x-desk-csrf": csrf, "x-desk-name": encodeURIComponent(who()) };
  return answer(await fetch(path, { method: "POST", headers, body: JSON.stringify(body) }));
}

// Say something at the bottom of the window; a problem stays until it is closed, and what is asked until the next.
export function tell(text, { bad = false, sure = false, act = null, label = "" } = {}) {
  const box = document.createElement("div");
  box.textContent = text;
  if (bad) box.className = "bad";
  const close = () => box.remove();
  if (act) box.append(el("button", { onclick: () => { close(); act(); } }, label));
  if (bad || sure) box.append(el("button", { onclick: close }, sure ? "Cancel" : "Close"));
  else setTimeout(close, 3500);
  const place = document.getElementById("told");
  if (place) {
    for (const one of place.querySelectorAll(":scope > div:not(.bad)")) one.remove(); // the last of them is what counts
    while (place.children.length > 2) place.firstChild.remove();
    place.append(box);
  }
  return box;
}

// What acts on its surroundings by the name of its code point, and every line end as one: name_controls of controls.py.
export const named = (text) => text.replace(/\r\n|[\r\v\f\x85\u2028\u2029]/g, "\n").replace(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/gu,
  (char) => char === "\n" || char === "\t" ? char : `U+${char.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`);

// An element; text is always text.
export function el(name, attributes = {}, ...children) {
  const one = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) one.addEventListener(key.slice(2), value);
    else one.setAttribute(key, value === true ? "" : value);
  }
  one.append(...children.filter((child) => child !== null && child !== undefined).map((child) => typeof child === "string" ? named(child) : child));
  return one;
}

export const number = (value) => Number(value).toLocaleString("en");
export const percent = (part, all) => (all ? `${((100 * part) / all).toFixed(1)} %` : "–");

export function later(wait, call) {
  let timer = 0;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => call(...values), wait);
  };
}

// True if a key pressed there is meant for a field.
export function typing(event) {
  const on = event.target;
  return on.closest?.("textarea, select, input:not([type=checkbox]):not([type=range])") || event.ctrlKey || event.metaKey || event.altKey;
}
