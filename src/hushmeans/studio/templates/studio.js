/* Live sliders, forms without a page load, the progress of a fit. The steps work without it. */
"use strict";
const page = document.documentElement;
page.classList.add("scripted");
const byId = (id) => document.getElementById(id);

const GONE = "The studio has stopped. Nothing can be spent from this page. Start it again in the terminal; it shows what was spent.";
const RESTARTED = "The studio was restarted. Open the address that it printed in the terminal.";

/* A request to the studio; says so on the page if nobody answers. */
async function ask(address, options) {
  let answer = null;
  try {
    answer = await fetch(address, options);
  } catch {
    answer = null;
  }
  const sentence = answer === null ? GONE : answer.status === 403 ? RESTARTED : "";
  byId("gone").textContent = sentence;
  byId("gone").hidden = sentence === "";
  return sentence === "" && answer.ok ? answer : null;
}

/* The parts of the page as the studio last sent them: what was typed or unfolded since is kept. */
const parts = (whole) => [whole.querySelector("nav"), ...whole.querySelectorAll("section")];
let known = parts(document).map((part) => part.outerHTML);

/* Show another version of the page: the parts that differ are replaced. */
function show(text) {
  const other = new DOMParser().parseFromString(text, "text/html");
  const focused = document.activeElement && document.activeElement.id;
  const opened = [...document.querySelectorAll("details[open][id]")].map((each) => each.id);
  const sent = parts(other).map((part) => part.outerHTML);
  const present = parts(document);
  parts(other).forEach((part, i) => {
    if (sent[i] !== known[i]) present[i].replaceWith(document.adoptNode(part));
  });
  known = sent;
  for (const id of opened) if (id !== "columns" && byId(id)) byId(id).open = true;
  if (focused && byId(focused)) byId(focused).focus({ preventScroll: true });
  prepare();
}

let latest = 0;
async function send(form, quietly) {
  const number = ++latest;
  const answer = await ask(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) });
  if (answer === null || number !== latest) return;
  const text = await answer.text();
  if (number !== latest) return;
  show(text);
  if (quietly) return;
  const problem = document.querySelector(".problem");
  const place = problem || document.querySelector(new URL(answer.url).hash || "#plan");
  if (place) place.scrollIntoView({ block: problem ? "center" : "start" });
}

const stops = () => JSON.parse(document.querySelector(".outlook").dataset.stops);
const nearest = (all, value) =>
  all.reduce((best, stop, i) =>
    Math.abs(Math.log(stop.epsilon / value)) < Math.abs(Math.log(all[best].epsilon / value)) ? i : best, 0);

function slid(slide) {
  const stop = stops()[slide.value];
  byId("epsilon").value = stop.epsilon;
  slide.setAttribute("aria-valuetext", `ε = ${stop.epsilon}`);
  byId("mark").setAttribute("cx", stop.x);
  byId("mark").setAttribute("cy", stop.y);
  byId("stem").setAttribute("x1", stop.x);
  byId("stem").setAttribute("x2", stop.x);
  byId("stem").setAttribute("y1", stop.y);
  byId("verdict").textContent = stop.verdict;
  byId("verdict").className = `verdict ${stop.level}`;
  byId("risk").textContent = stop.risk;
  byId("added").textContent = stop.belief - 50;
  document.querySelectorAll(".error").forEach((cell, i) => { cell.textContent = `± ${stop.errors[i]}`; });
  document.querySelectorAll(".people i").forEach((dot, i) => { dot.className = i < 50 ? "base" : i < stop.belief ? "more" : ""; });
}

/* What the server cannot know of: where the slider stands, and that a fit is to be followed. */
function prepare() {
  const slide = byId("slide");
  if (slide) {
    slide.value = nearest(stops(), Number(byId("epsilon").value) || 1);
    slide.setAttribute("aria-valuetext", `ε = ${byId("epsilon").value}`);
  }
  if (byId("progress")) setTimeout(follow, 250);
}

async function follow() {
  const bar = byId("progress");
  const answer = bar && (await ask("/progress"));
  if (!answer) return;
  const now = await answer.json();
  if (!now.running) {
    const whole = await ask("/");
    if (whole) show(await whole.text());
    return;
  }
  bar.value = now.share;
  byId("questions").textContent = now.most ? `${now.questions} of at most ${now.most}` : now.questions;
  setTimeout(follow, 250);
}

document.addEventListener("submit", (event) => {
  event.preventDefault();
  send(event.target, false);
});

document.addEventListener("input", ({ target }) => {
  if (target.id === "slide") slid(target);
  const field = target.dataset.for && byId(target.dataset.for);
  if (field && field.tagName === "SELECT") field.selectedIndex = target.value;
  else if (field) field.value = target.value;
});

document.addEventListener("change", ({ target }) => {
  const form = target.id === "slide" ? byId("plan-form") : target.form;
  if (form && form.id === "plan-form" && form.checkValidity()) send(form, true);
});

setInterval(() => ask("/progress"), 3000);
prepare();
