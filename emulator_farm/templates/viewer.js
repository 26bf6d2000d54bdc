"use strict";
(() => {
  const steps = [...document.querySelectorAll(".step")];
  const links = [...document.querySelectorAll(".strip a")];
  if (!steps.length) return;
  let current = -1;
  const show = (number) => {
    const next = Math.min(Math.max(number, 0), steps.length - 1);
    if (next === current) return;
    current = next;
    steps.forEach((step, at) => step.classList.toggle("current", at === current));
    links.forEach((link, at) => {
      link.classList.toggle("current", at === current);
      if (at === current) link.setAttribute("aria-current", "step");
      else link.removeAttribute("aria-current");
    });
    links[current].scrollIntoView({ block: "nearest", inline: "nearest" });
    history.replaceState(null, "", "#step-" + current);
  };
  const wanted = () => {
    const match = /^#step-(\d+)$/.exec(location.hash);
    return match ? Number(match[1]) : 0;
  };
  const keys = {
    ArrowRight: () => show(current + 1), ArrowDown: () => show(current + 1), j: () => show(current + 1),
    ArrowLeft: () => show(current - 1), ArrowUp: () => show(current - 1), k: () => show(current - 1),
    Home: () => show(0), End: () => show(steps.length - 1),
    m: () => document.body.classList.toggle("no-marks"),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return;
    event.preventDefault();
    keys[event.key]();
  });
  links.forEach((link, at) => link.addEventListener("click", (event) => { event.preventDefault(); show(at); }));
  window.addEventListener("hashchange", () => show(wanted()));
  steps.forEach((step) => step.removeAttribute("id")); // one step is shown at a time: there is nothing to scroll to
  document.body.classList.add("live");
  show(wanted());
  window.scrollTo(0, 0);
})();
