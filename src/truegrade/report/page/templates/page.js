// What the page can do beside being read: sorting, opening what a link points to, opening everything for paper.
"use strict";
(() => {
  document.documentElement.classList.add("js");

  const value = (row, at) => {
    const cell = row.cells[at];
    return cell.dataset.value === undefined ? cell.textContent.trim() : cell.dataset.value;
  };

  // Numbers by size, texts by the reader's alphabet; what has no value stays last either way.
  const compare = (a, b, sign) => {
    if (a === "" || b === "") return (a === "") - (b === "");
    const x = Number(a), y = Number(b);
    return sign * (Number.isNaN(x) || Number.isNaN(y) ? a.localeCompare(b, undefined, { numeric: true }) : x - y);
  };

  const sort = (table, heading) => {
    const sign = heading.getAttribute("aria-sort") === "ascending" ? -1 : 1;
    for (const other of heading.parentElement.cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", sign === 1 ? "ascending" : "descending");
    const body = table.tBodies[0];
    const rows = [...body.rows];
    rows.sort((a, b) => compare(value(a, heading.cellIndex), value(b, heading.cellIndex), sign));
    body.append(...rows);
  };

  for (const table of document.querySelectorAll("table.sortable")) {
    for (const heading of table.querySelectorAll("th[data-sort]")) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...heading.childNodes);
      button.addEventListener("click", () => sort(table, heading));
      heading.append(button);
    }
  }

  const metrics = () => document.querySelectorAll("details.metric");
  for (const button of document.querySelectorAll("button[data-all]")) {
    button.addEventListener("click", () => {
      for (const one of metrics()) one.open = button.dataset.all === "open";
    });
  }

  const openTarget = () => {
    const target = document.getElementById(location.hash.slice(1)); // our names need no decoding
    if (target instanceof HTMLDetailsElement) target.open = true;
  };
  addEventListener("hashchange", openTarget);
  openTarget();
  for (const link of document.querySelectorAll('a[href^="#m"]')) link.addEventListener("click", () => setTimeout(openTarget));

  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const one of opened) one.open = true;
  });
  addEventListener("afterprint", () => {
    for (const one of opened) one.open = false;
    opened = [];
  });
})();
