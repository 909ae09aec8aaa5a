// The table: one model at a time, and the heat map's cells by keyboard, pointer and touch.
(() => {
  "use strict";
  const root = document.getElementById("table");
  if (!root) return;

  const picker = root.querySelector(".tb-models");
  const choose = (index) => {
    for (const one of root.querySelectorAll(".tb-model")) one.hidden = one.dataset.model !== index;
  };
  if (picker) {
    root.classList.add("tb-many");
    picker.addEventListener("change", (event) => choose(event.target.value));
    choose(picker.querySelector("input:checked").value); // a reload may have kept another choice
  }

  for (const box of root.querySelectorAll(".tb-scroll")) { // says where a map is cut on the right
    const look = () => {
      const left = box.scrollWidth - box.clientWidth;
      box.classList.toggle("tb-cut", left - box.scrollLeft > 1);
      box.previousElementSibling.hidden = left <= 1;
    };
    box.addEventListener("scroll", look, { passive: true });
    new ResizeObserver(look).observe(box);
    look();
  }

  for (const table of root.querySelectorAll(".tb-heat")) {
    const say = document.getElementById(table.getAttribute("aria-describedby"));
    const graded = (cell) => cell && cell.tagName === "TD" && cell.className;
    let active = table.querySelector("tbody td[class]");
    if (!active) continue;

    const tell = (cell) => { say.textContent = cell.title; };
    const reach = (cell) => {
      active.tabIndex = -1;
      active = cell;
      active.tabIndex = 0;
      active.focus();
      tell(active);
    };
    active.tabIndex = 0;

    const rows = [...table.tBodies[0].rows];
    const go = (cell, down, right) => {
      let row = rows.indexOf(cell.parentElement), at = cell.cellIndex;
      for (;;) {
        row += down;
        at += right;
        const next = rows[row] && rows[row].cells[at];
        if (!next || next.tagName !== "TD") return null;
        if (graded(next)) return next;
      }
    };
    const ends = (cell) => [...cell.parentElement.cells].filter(graded);
    const moves = {
      ArrowDown: (cell) => go(cell, 1, 0), ArrowUp: (cell) => go(cell, -1, 0),
      ArrowRight: (cell) => go(cell, 0, 1), ArrowLeft: (cell) => go(cell, 0, -1),
      Home: (cell) => ends(cell)[0], End: (cell) => ends(cell).at(-1),
    };
    table.addEventListener("keydown", (event) => {
      if (!graded(event.target) || !moves[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      const next = moves[event.key](event.target);
      if (next) reach(next);
    });
    table.addEventListener("focusin", (event) => { if (graded(event.target)) tell(event.target); });
    table.addEventListener("pointerover", (event) => {
      const cell = event.target.closest("td");
      if (graded(cell)) tell(cell);
    });
    table.addEventListener("click", (event) => {
      const cell = event.target.closest("td");
      if (graded(cell)) reach(cell);
    });
  }
})();
