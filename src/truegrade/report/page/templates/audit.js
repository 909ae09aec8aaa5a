// The page of an audit: shows failures only, or one metric only. Without this script everything is shown.
"use strict";
(() => {
  const only = document.getElementById("au-only"), pick = document.getElementById("au-pick");
  const count = document.getElementById("au-count");
  if (!only || !pick) return;
  const scenarios = [...document.querySelectorAll(".au-scenario")].map((box) => ({
    box,
    panels: [...box.querySelectorAll(".au-grid > li")],
    rows: [...box.querySelectorAll(".au-found tbody tr")],
    rest: box.querySelector(".au-rest"),
  }));

  const failed = (one, metric) =>
    one.rows.some((row) => !row.closest(".au-rest") && (metric === "" || row.dataset.m === metric));

  const show = () => {
    const metric = pick.value, bad = only.checked;
    let seen = 0;
    for (const one of scenarios) {
      const mine = (element) => metric === "" || element.dataset.m === metric;
      for (const panel of one.panels) panel.hidden = !mine(panel) || (bad && !panel.classList.contains("au-bad"));
      for (const row of one.rows) row.hidden = !mine(row);
      if (one.rest) one.rest.hidden = bad || ![...one.rest.querySelectorAll("tbody tr")].some(mine);
      one.box.hidden = bad ? !failed(one, metric) : metric !== "" && ![...one.panels, ...one.rows].some(mine);
      for (const group of one.box.querySelectorAll(".au-group")) group.hidden = !group.querySelector("li:not([hidden])");
      const table = one.box.querySelector("div.au-found");
      if (table) table.hidden = !table.querySelector("tbody tr:not([hidden])");
      seen += !one.box.hidden;
    }
    for (const suite of document.querySelectorAll(".au-suite")) suite.hidden = !suite.querySelector(".au-scenario:not([hidden])");
    count.textContent = bad || metric !== "" ? `${seen} of ${scenarios.length} scenarios` : "";
  };

  only.addEventListener("change", show);
  pick.addEventListener("change", show);
  show(); // a browser may bring back what was chosen

  // What a link points to is shown, whatever was chosen.
  const reveal = () => {
    const target = document.getElementById(location.hash.slice(1));
    const suite = target && target.closest(".au-suite");
    if (!suite || (suite.open && !target.hidden)) return;
    suite.open = true;
    if (target.hidden) {
      only.checked = false;
      pick.value = "";
      show();
    }
    target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  for (const link of document.querySelectorAll('a[href^="#m"]')) link.addEventListener("click", () => setTimeout(reveal));
})();
