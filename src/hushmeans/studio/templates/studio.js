/* Live sliders and the progress of a fit. Everything else works without this file. */
"use strict";
document.documentElement.classList.add("scripted");

const outlook = document.querySelector(".outlook");
if (outlook) {
  const stops = JSON.parse(outlook.dataset.stops);
  const slide = document.getElementById("slide");
  const epsilon = document.getElementById("epsilon");
  const nearest = (value) =>
    stops.reduce((best, stop, i) =>
      Math.abs(Math.log(stop.epsilon / value)) < Math.abs(Math.log(stops[best].epsilon / value)) ? i : best, 0);
  slide.value = nearest(Number(epsilon.value) || 1);
  slide.addEventListener("input", () => {
    const stop = stops[slide.value];
    const mark = document.getElementById("mark");
    mark.setAttribute("cx", stop.x);
    mark.setAttribute("cy", stop.y);
    epsilon.value = stop.epsilon;
    document.getElementById("chosen").textContent = stop.epsilon;
    const verdict = document.getElementById("verdict");
    verdict.textContent = stop.verdict;
    verdict.className = `verdict ${stop.level}`;
    document.getElementById("risk").textContent = stop.risk;
    document.querySelectorAll(".people i").forEach((dot, i) => dot.classList.toggle("in", i < stop.belief));
  });
  slide.addEventListener("change", () => epsilon.form.requestSubmit());
}

const bar = document.getElementById("progress");
if (bar) {
  const follow = async () => {
    let now;
    try {
      now = await (await fetch("/progress")).json();
    } catch {
      document.getElementById("questions").parentElement.textContent =
        "The studio has stopped. Start it again in the terminal: it will say what was spent.";
      return;
    }
    bar.value = now.share;
    document.getElementById("questions").textContent = now.questions;
    if (now.running) setTimeout(follow, 300);
    else location.reload();
  };
  follow();
}
