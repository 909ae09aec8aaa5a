// The controls and the words of the map of the samples (exhibits_map.js), and its ties to the specimens below it.
// Reads the summary that the page holds as JSON.
(() => {
  "use strict";
  const byId = (id) => document.getElementById("ex-" + id);
  const root = document.getElementById("samples");
  const stored = document.getElementById("summary");
  if (!root || !stored) return;

  const SIDES = ["real", "synthetic"];
  const OTHER = ["synthetic", "real"];
  const LABELS = SAMPLES_LABELS;

  // --- data ---------------------------------------------------------------------------------------------------

  const rowName = JSON.parse(stored.textContent).models.some((model) => model.ecg) ? "recording " : "row ";
  const models = new Map(); // index in the summary -> points of its map, or null
  JSON.parse(stored.textContent).models.forEach((model, index) => {
    if (model.exhibits) models.set(index, model.exhibits.map ? readMap(model.exhibits.map, model.name.slice(0, 60)) : null);
  });
  if (!models.size) return;

  function readMap(map, name) {
    const points = [];
    SIDES.forEach((word, side) => {
      const s = map[word];
      s.x.forEach((x, i) => points.push({
        side, row: s.rows[i], x: map.origin[0] + map.unit * x, y: map.origin[1] + map.unit * s.y[i],
        grade: s.grade[i], inside: s.inside[i], nearest: s.nearest[i], own: s.own[i],
        name: s.names ? s.names[i] : rowName + s.rows[i], partner: s.partner ? s.partner[i] : null,
        label: s.labels ? s.labels.names[s.labels.of[i]] : null,
      }));
    });
    const rank = (p) => (p.grade === null ? 2 : p.grade);
    const walk = points.map((_, i) => i).sort((a, b) => rank(points[a]) - rank(points[b]) || a - b);
    const find = new Map(points.map((p, i) => [p.side + ":" + p.row, i]));
    return { map, name, points, walk, find };
  }

  const maps = [...models.values()].filter(Boolean);
  const labels = [...new Set(maps.flatMap((m) => SIDES.flatMap((s) => (m.map[s].labels || { names: [] }).names)))];
  const state = { model: [...models.keys()][0], map: null, k: maps.length ? maps[0].map.k : 1, show: [true, true],
    hollow: false, byLabel: false, label: null, hover: -1, pinned: -1, marks: [], from: null };
  const current = () => models.get(state.model);

  // --- models -------------------------------------------------------------------------------------------------

  function choose(index) {
    state.model = index;
    Object.assign(state, { hover: -1, pinned: -1, marks: [], from: null });
    root.querySelectorAll(".ex-model").forEach((e) => { e.hidden = Number(e.dataset.model) !== index; });
    root.querySelectorAll(".ex-specimen.ex-on").forEach((e) => e.classList.remove("ex-on"));
    if (maps.length) showMap();
  }

  const picker = byId("models");
  if (picker) {
    picker.hidden = false;
    root.classList.add("ex-live-models");
    picker.addEventListener("change", (event) => choose(Number(event.target.value)));
    const checked = picker.querySelector("input:checked"); // a reload may have kept another choice
    if (checked) state.model = Number(checked.value);
  }
  const box = byId("map");
  if (!maps.length || !box) return choose(state.model);

  const canvas = byId("canvas");
  const plot = byId("plot");
  state.active = () => (state.hover >= 0 ? state.hover : state.pinned);
  const { draw, later, seen, place, visible, insideAt, zoomBy, panBy, goHome, nearest } =
    samplesMap(canvas, root, maps, labels, state, (away) => {
      byId("away").hidden = away === 0;
      byId("away").textContent = away + (away === 1 ? " point lies" : " points lie") + " outside this view";
      showTip();
    });

  // --- words --------------------------------------------------------------------------------------------------

  function gradeWords(p) {
    if (p.grade === null) return "no grade";
    const steps = current().map.grades[SIDES[p.side]];
    const step = steps.find(([least]) => p.grade >= least) || steps[steps.length - 1];
    return "grade " + p.grade.toFixed(2) + ": " + step[1];
  }

  function describe(p) {
    const other = OTHER[p.side];
    const lines = [SIDES[p.side] + " sample" + (p.label === null ? "" : ", label " + p.label), gradeWords(p)];
    if (p.nearest !== null) {
      const own = p.own === null ? "" : " (nearest other " + SIDES[p.side] + " at " + p.own + ")";
      lines.push("nearest " + other + " sample at " + p.nearest + own);
    }
    lines.push(p.inside > 0 ? "inside the " + other + " manifold from k = " + p.inside
      : "outside the " + other + " manifold up to k = " + current().map.most_k);
    return lines;
  }

  let told = "";
  function showTip() {
    const tip = byId("tip");
    const active = state.active();
    tip.classList.toggle("ex-empty-tip", active < 0); // there all the same where it has a place of its own
    if (active < 0) {
      if (told !== "none") tip.textContent = "Tap a point for its details.";
      told = "none";
      return;
    }
    const p = current().points[active];
    const key = state.model + ":" + active;
    if (key !== told) {
      const name = document.createElement("b");
      name.dir = "auto";
      name.textContent = p.name;
      tip.replaceChildren(name, ...describe(p).map((line) => {
        const e = document.createElement("span");
        e.textContent = line;
        return e;
      }));
      told = key;
    }
    const [x, y] = place(p);
    const { w, h } = seen;
    const left = x + 14 + tip.offsetWidth > w ? x - 14 - tip.offsetWidth : x + 14;
    tip.style.left = Math.max(4, Math.min(w - tip.offsetWidth - 4, left)) + "px";
    tip.style.top = Math.max(4, Math.min(h - tip.offsetHeight - 4, y - tip.offsetHeight / 2)) + "px";
  }

  function showShares() {
    const { map, points, name } = current();
    const say = SIDES.map((word, side) => {
      const mine = points.filter((p) => p.side === side);
      const inside = mine.filter((p) => insideAt(p)).length;
      const some = mine.length < map[word].n ? "shown " : "";
      const id = side === 0 ? "recall" : "precision";
      byId(id).textContent = (inside / mine.length).toFixed(mine.length < 1000 ? 2 : 3);
      byId(id + "-of").textContent = inside + " of the " + mine.length + " " + some + word + " points lie inside the " +
        OTHER[side] + " manifold";
      return byId(id).textContent;
    });
    byId("k-now").textContent = String(state.k);
    canvas.setAttribute("aria-label", "Map of real and synthetic samples, " + name + ": at k = " + state.k +
      " a share of " + say[1] + " of the synthetic points lies inside the real manifold (precision) and " + say[0] +
      " of the real points inside the synthetic one (recall).");
  }

  function readControls() {
    state.show = SIDES.map((side) => byId(side).checked);
    state.hollow = byId("hollow").checked;
    state.byLabel = byId("colour").value === "label" && labels.length > 0;
    const pinned = state.pinned >= 0 ? current().points[state.pinned] : null;
    if (pinned && !visible(pinned)) state.pinned = -1;
    showLegend();
    later();
  }

  function showLegend() {
    const named = state.byLabel;
    byId("by").hidden = labels.length === 0;
    byId("scales").hidden = named;
    byId("none").hidden = !current().points.some((p) => p.grade === null);
    const names = byId("names");
    names.hidden = !named;
    if (!named) { state.label = null; return; }
    names.replaceChildren(...labels.slice(0, LABELS).map((label, i) => {
      const button = document.createElement("button");
      button.type = "button";
      button.setAttribute("aria-pressed", String(state.label === label));
      button.title = "Show only this label";
      const dot = document.createElement("i");
      dot.style.background = "var(--ex-label-" + i + ")";
      const text = document.createElement("bdi");
      text.textContent = label;
      button.append(dot, text);
      button.addEventListener("click", () => {
        state.label = state.label === label ? null : label;
        [...names.querySelectorAll("button")].forEach((b, j) =>
          b.setAttribute("aria-pressed", String(state.label === labels[j])));
        later();
      });
      return button;
    }));
    const rest = [labels.length > LABELS ? labels.length - LABELS + " further labels" : "",
      current().points.some((p) => p.label === null) ? "no label" : ""].filter(Boolean);
    if (rest.length) names.append("grey: " + rest.join(", "));
  }

  function showMap() {
    const data = current();
    box.hidden = !data;
    state.map = data;
    byId("back").hidden = true;
    if (!data) return;
    const slider = byId("k");
    slider.max = data.map.most_k;
    state.k = Math.min(state.k, data.map.most_k);
    slider.value = state.k;
    byId("about").textContent = [data.map.projection, data.map.note].filter(Boolean)
      .map((t) => t[0].toUpperCase() + t.slice(1) + (/[.!?]$/.test(t) ? "" : ".")).join(" ");
    showShares();
    readControls();
    link();
    draw();
  }

  // --- moving -------------------------------------------------------------------------------------------------

  const fingers = new Map();
  let moved = 0;
  const at = (event) => {
    const edge = canvas.getBoundingClientRect();
    return [event.clientX - edge.left, event.clientY - edge.top];
  };
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, at(event));
    if (fingers.size === 1) moved = 0;
  });
  canvas.addEventListener("pointermove", (event) => {
    const now = at(event);
    const before = fingers.get(event.pointerId);
    if (!before) {
      if (event.pointerType === "mouse") { state.hover = nearest(...now, 12); later(); }
      return;
    }
    const others = [...fingers].filter(([id]) => id !== event.pointerId).map(([, where]) => where);
    moved += Math.hypot(now[0] - before[0], now[1] - before[1]);
    if (others.length) {
      const [ox, oy] = others[0];
      const spread = (p) => Math.hypot(p[0] - ox, p[1] - oy);
      zoomBy(spread(now) / Math.max(1, spread(before)), (now[0] + ox) / 2, (now[1] + oy) / 2);
      panBy((now[0] - before[0]) / 2, (now[1] - before[1]) / 2);
    } else if (moved > 3) {
      canvas.classList.add("ex-moving");
      panBy(now[0] - before[0], now[1] - before[1]);
    }
    fingers.set(event.pointerId, now);
  });
  function lift(event) {
    if (!fingers.delete(event.pointerId)) return;
    canvas.classList.remove("ex-moving");
    if (event.type !== "pointerup" || moved > 3 || fingers.size) return;
    state.pinned = nearest(...at(event), event.pointerType === "mouse" ? 12 : 24);
    state.marks = [];
    if (state.pinned >= 0) open();
    later();
  }

  // Says which point was chosen, to whoever can show more of it.
  function open() {
    const { points, find } = current();
    const chosen = state.pinned >= 0 ? state.pinned : state.hover;
    if (chosen < 0) return;
    const point = points[chosen];
    const partner = find.get(1 - point.side + ":" + point.partner);
    root.dispatchEvent(new CustomEvent("ex-open", { detail: { model: state.model, point, side: SIDES[point.side],
      partner: partner === undefined ? null : points[partner], words: gradeWords(point) } }));
  }
  canvas.addEventListener("pointerup", lift);
  canvas.addEventListener("pointercancel", lift);
  canvas.addEventListener("pointerleave", () => { state.hover = -1; later(); });
  let hinting = 0;
  canvas.addEventListener("wheel", (event) => {
    if (document.activeElement !== canvas && !event.ctrlKey && !event.metaKey) {
      byId("hint").hidden = false;
      clearTimeout(hinting);
      hinting = setTimeout(() => { byId("hint").hidden = true; }, 1200);
      return;
    }
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 20 : 1;
    zoomBy(Math.exp(-Math.max(-100, Math.min(100, event.deltaY * lines)) * (event.ctrlKey ? 0.01 : 0.002)), ...at(event));
  }, { passive: false });

  function walk(step) {
    const { points, walk: order } = current();
    const able = order.filter((i) => visible(points[i]));
    if (!able.length) return;
    const now = able.indexOf(state.pinned);
    const next = now < 0 ? (step > 0 ? 0 : able.length - 1) : (now + step + able.length) % able.length;
    state.hover = -1;
    state.marks = [];
    pin(able[next]);
  }
  function pin(index) {
    state.pinned = index;
    const p = current().points[index];
    const [x, y] = place(p);
    const { w, h } = seen;
    if (x < 10 || y < 10 || x > w - 10 || y > h - 10) Object.assign(state, { x: p.x, y: p.y });
    later();
  }
  function letGo() {
    Object.assign(state, { hover: -1, pinned: -1, marks: [] });
    root.querySelectorAll(".ex-specimen.ex-on").forEach((e) => e.classList.remove("ex-on"));
    later();
  }

  const KEYS = {
    ArrowLeft: () => panBy(50, 0), ArrowRight: () => panBy(-50, 0), ArrowUp: () => panBy(0, 50),
    ArrowDown: () => panBy(0, -50), "+": () => zoomBy(1.4), "=": () => zoomBy(1.4), "-": () => zoomBy(1 / 1.4),
    "0": goHome, n: () => walk(1), p: () => walk(-1), Escape: letGo, Enter: open,
  };
  canvas.addEventListener("keydown", (event) => {
    const act = KEYS[event.key] || KEYS[event.key.toLowerCase()];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  });

  // --- controls and specimens -----------------------------------------------------------------------------------

  byId("k").addEventListener("input", (event) => { state.k = Number(event.target.value); showShares(); later(); });
  ["real", "synthetic", "hollow", "colour"].forEach((id) => byId(id).addEventListener("change", readControls));
  byId("in").addEventListener("click", () => zoomBy(1.6));
  byId("out").addEventListener("click", () => zoomBy(1 / 1.6));
  byId("home").addEventListener("click", goHome);
  byId("next").addEventListener("click", () => walk(1));
  byId("previous").addEventListener("click", () => walk(-1));
  byId("back").addEventListener("click", () => {
    if (!state.from) return;
    state.from.focus({ preventScroll: true });
    state.from.scrollIntoView({ block: "center" });
    byId("back").hidden = true;
  });

  const pointsOf = (specimen) => [1, 0].map((side) => [side, specimen.dataset[SIDES[side]]])
    .filter(([, row]) => row !== undefined).map(([side, row]) => current().find.get(side + ":" + row));

  // A specimen whose points are in the map becomes a button that shows them there.
  function link() {
    root.querySelectorAll('.ex-model[data-model="' + state.model + '"] .ex-specimen').forEach((specimen) => {
      if (specimen.classList.contains("ex-linked") || pointsOf(specimen).some((i) => i === undefined)) return;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "ex-find";
      button.textContent = "show in the map";
      specimen.append(button);
      specimen.classList.add("ex-linked");
      specimen.addEventListener("click", () => reveal(specimen, button));
    });
  }

  function showAll() {
    letGo();
    ["real", "synthetic"].forEach((id) => { byId(id).checked = true; });
    byId("hollow").checked = false;
    state.label = null;
    readControls();
  }

  function reveal(specimen, button) {
    showAll();
    specimen.classList.add("ex-on");
    state.marks = pointsOf(specimen);
    pin(state.marks[0]);
    state.from = button;
    byId("back").hidden = false;
    plot.scrollIntoView({ block: "center" });
  }

  // Another part of the page asks for a point.
  root.addEventListener("ex-show", (event) => {
    const { model, side, row, from } = event.detail;
    if (model !== state.model) {
      picker.querySelector('input[value="' + model + '"]').checked = true;
      choose(model);
    }
    const index = current().find.get(SIDES.indexOf(side) + ":" + row);
    if (index === undefined) return;
    showAll();
    pin(index);
    state.from = from;
    byId("back").hidden = false;
    plot.scrollIntoView({ block: "center" });
  });

  new ResizeObserver(later).observe(plot);
  box.hidden = false;
  root.classList.add("ex-live-map");
  byId("k").value = state.k;
  canvas.style.touchAction = "pan-y";
  choose(state.model);
})();
