// The map of the samples, and its ties to the specimens below it. Reads the summary that the page holds as JSON.
(() => {
  "use strict";
  const byId = (id) => document.getElementById("ex-" + id);
  const root = document.getElementById("samples");
  const stored = document.getElementById("summary");
  if (!root || !stored) return;

  const SIDES = ["real", "synthetic"];
  const OTHER = ["synthetic", "real"];
  const LEVELS = 12;
  const LABELS = 10; // colours there are for labels

  // --- data ---------------------------------------------------------------------------------------------------

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
        name: s.names ? s.names[i] : "row " + s.rows[i],
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
  const state = { model: [...models.keys()][0], k: maps.length ? maps[0].map.k : 1, zoom: 1, x: 0, y: 0,
    hover: -1, pinned: -1, marks: [], from: null, label: null };
  const current = () => models.get(state.model);
  const insideAt = (p, k) => p.inside > 0 && p.inside <= k;

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

  // --- colours: from the style sheet, so that dark mode and print need nothing here ------------------------------

  const canvas = byId("canvas");
  const plot = byId("plot");
  const pen = canvas.getContext("2d");
  let colours = null;

  function readColours() {
    const probe = document.createElement("span");
    root.append(probe);
    const read = (name) => {
      probe.style.color = "var(--ex-" + name + ")";
      return getComputedStyle(probe).color.match(/[\d.]+/g).slice(0, 3).map(Number);
    };
    const text = (rgb) => "rgb(" + rgb.map(Math.round).join(",") + ")";
    const ramp = (side) => {
      const stops = ["bad", "mid", "good"].map((stop) => read(side + "-" + stop));
      return Array.from({ length: LEVELS }, (_, level) => {
        const at = (2 * level) / (LEVELS - 1);
        const first = Math.min(1, Math.floor(at));
        return text(stops[first].map((c, i) => c + (stops[first + 1][i] - c) * (at - first)));
      });
    };
    colours = { ramps: SIDES.map(ramp), none: text(read("none")), ink: text(read("ink")), paper: text(read("paper")),
      line: text(read("line")), labels: Array.from({ length: LABELS }, (_, i) => text(read("label-" + i))) };
    probe.remove();
  }

  function repaint() { colours = null; draw(); }
  ["(prefers-color-scheme: dark)", "print"].forEach((q) => matchMedia(q).addEventListener("change", repaint));
  const watch = new MutationObserver(repaint);
  [document.documentElement, document.body].forEach((e) =>
    watch.observe(e, { attributes: true, attributeFilter: ["class", "style", "data-theme"] }));

  // --- where things are -------------------------------------------------------------------------------------------

  function extent(points) {
    const at = (axis, pick) => points.reduce((a, p) => pick(a, p[axis]), pick === Math.min ? Infinity : -Infinity);
    return [at("x", Math.min), at("x", Math.max), at("y", Math.min), at("y", Math.max)];
  }

  // The same for all models. Where a few synthetic points lie far out, the real ones fill the view.
  const home = (() => {
    const points = maps.flatMap((m) => m.points);
    const whole = extent(points);
    const real = extent(points.filter((p) => p.side === 0));
    const far = [0, 2].some((i) => whole[i + 1] - whole[i] > 3 * (real[i + 1] - real[i]) && real[i + 1] > real[i]);
    const [x0, x1, y0, y1] = far ? real : whole;
    const margin = far ? 1.5 : 1.08;
    const [wide, high] = [(x1 - x0) * margin || 1e-300, (y1 - y0) * margin || 1e-300];
    const [x, y] = [(x0 + x1) / 2, (y0 + y1) / 2];
    const reach = Math.max(...whole.map((edge, i) => Math.abs(edge - (i < 2 ? x : y)) / Math.max(wide, high)));
    return { x, y, wide, high, least: Math.min(0.2, 0.2 / (reach || 1)) }; // least: the zoom that shows everything
  })();
  state.x = home.x;
  state.y = home.y;

  const seen = { w: 1, h: 1 }; // CSS pixels of the canvas
  const scale = () => Math.min(seen.w / home.wide, seen.h / home.high) * state.zoom;
  function place(p) {
    const s = scale();
    return [seen.w / 2 + (p.x - state.x) * s, seen.h / 2 - (p.y - state.y) * s];
  }
  const radius = () => Math.min(8, Math.max(2.2, Math.min(4, 150 / Math.sqrt(current().points.length)) *
    Math.pow(Math.max(1, state.zoom), 0.35)) * (seen.w < 500 ? 0.85 : 1));

  function visible(p) {
    if (!byId(SIDES[p.side]).checked) return false;
    if (byId("hollow").checked && insideAt(p, state.k)) return false;
    return state.label === null || p.label === state.label;
  }

  // --- drawing ------------------------------------------------------------------------------------------------

  function outline(path, side, x, y, r) {
    if (side === 0) {
      path.moveTo(x + r, y);
      path.arc(x, y, r, 0, 2 * Math.PI);
    } else {
      path.moveTo(x, y - 1.2 * r);
      path.lineTo(x + 1.15 * r, y + 0.85 * r);
      path.lineTo(x - 1.15 * r, y + 0.85 * r);
      path.closePath();
    }
  }

  const byLabel = () => byId("colour").value === "label" && labels.length > 0;

  // 0: nothing known, drawn first; then from good to bad, so that the bad ones lie on top
  function bucket(p) {
    if (byLabel()) {
      const at = labels.indexOf(p.label);
      return at < 0 || at >= LABELS ? 0 : at + 1;
    }
    return p.grade === null ? 0 : LEVELS - Math.round(Math.min(1, Math.max(0, p.grade)) * (LEVELS - 1));
  }
  function colourOf(at, side) {
    if (at === 0) return colours.none;
    return byLabel() ? colours.labels[at - 1] : colours.ramps[side][LEVELS - at];
  }

  let waiting = false;
  function later() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; draw(); });
  }

  function draw() {
    const data = current();
    if (!data || box.hidden) return;
    if (!colours) readColours();
    const [w, h] = [canvas.clientWidth, canvas.clientHeight];
    Object.assign(seen, { w, h });
    const ratio = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) {
      canvas.width = Math.round(w * ratio);
      canvas.height = Math.round(h * ratio);
    }
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.fillStyle = colours.paper;
    pen.fillRect(0, 0, w, h);
    const away = drawPoints(data);
    drawMarks(data);
    drawAxes(data.map.axes, w, h);
    if (byLabel()) drawLabels(data);
    canvas.dataset.zoom = state.zoom.toPrecision(6);
    canvas.dataset.centre = [state.x, state.y].map((v) => v.toPrecision(6)).join(" ");
    byId("away").hidden = away === 0;
    byId("away").textContent = away + (away === 1 ? " point lies" : " points lie") + " outside this view";
    showTip();
  }

  function drawPoints(data) {
    const paths = new Map();
    const r = radius();
    let away = 0;
    let shown = 0;
    for (const p of data.points) {
      if (!visible(p)) continue;
      shown += 1;
      const [x, y] = place(p);
      if (x < 0 || y < 0 || x > seen.w || y > seen.h) away += 1;
      if (x < -r || y < -r || x > seen.w + r || y > seen.h + r) continue;
      const key = (bucket(p) * 2 + p.side) * 2 + (insideAt(p, state.k) ? 1 : 0);
      if (!paths.has(key)) paths.set(key, new Path2D());
      outline(paths.get(key), p.side, x, y, insideAt(p, state.k) ? r : r * 0.9);
    }
    for (const key of [...paths.keys()].sort((a, b) => a - b)) {
      const colour = colourOf(key >> 2, (key >> 1) & 1);
      if (key & 1) {
        pen.globalAlpha = 0.85;
        pen.fillStyle = colour;
        pen.fill(paths.get(key));
        pen.globalAlpha = 1;
      } else {
        pen.strokeStyle = colour;
        pen.lineWidth = Math.max(1.3, r * 0.42);
        pen.stroke(paths.get(key));
      }
    }
    canvas.dataset.shown = shown;
    return away;
  }

  function drawMarks(data) {
    const at = state.marks.map((i) => place(data.points[i]));
    if (at.length === 2) {
      pen.strokeStyle = colours.ink;
      pen.lineWidth = 1.5;
      pen.beginPath();
      pen.moveTo(...at[0]);
      pen.lineTo(...at[1]);
      pen.stroke();
    }
    const active = state.hover >= 0 ? state.hover : state.pinned;
    const rings = active >= 0 ? [...at, place(data.points[active])] : at;
    for (const [x, y] of rings) {
      for (const [colour, width] of [[colours.paper, 5], [colours.ink, 2]]) {
        pen.strokeStyle = colour;
        pen.lineWidth = width;
        pen.beginPath();
        pen.arc(x, y, radius() + 6, 0, 2 * Math.PI);
        pen.stroke();
      }
    }
  }

  function write(text, x, y, rotate) {
    pen.save();
    pen.translate(x, y);
    if (rotate) pen.rotate(-Math.PI / 2);
    pen.lineWidth = 4;
    pen.lineJoin = "round";
    pen.strokeStyle = colours.paper;
    pen.fillStyle = colours.ink;
    pen.strokeText(text, 0, 0);
    pen.fillText(text, 0, 0);
    pen.restore();
  }

  function drawAxes(axes, w, h) {
    const font = getComputedStyle(root).fontFamily;
    pen.font = "12px " + font;
    pen.textBaseline = "alphabetic";
    pen.textAlign = "right";
    write(axes[0] + " →", w - 10, h - 10, false);
    pen.textAlign = "left";
    write(axes[1] + " →", 18, h - 30, true);
  }

  function drawLabels(data) {
    pen.font = "bold 14px " + getComputedStyle(root).fontFamily;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    const middle = (values) => values.sort((a, b) => a - b)[values.length >> 1];
    for (const label of labels.slice(0, LABELS)) {
      const mine = data.points.filter((p) => p.label === label && visible(p));
      const real = mine.filter((p) => p.side === 0);
      const points = real.length ? real : mine;
      if (!points.length) continue;
      const [x, y] = place({ x: middle(points.map((p) => p.x)), y: middle(points.map((p) => p.y)) });
      write(label.length > 14 ? label.slice(0, 13) + "…" : label, x, y, false);
    }
  }

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
    const active = state.hover >= 0 ? state.hover : state.pinned;
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
      const inside = mine.filter((p) => insideAt(p, state.k)).length;
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

  function showLegend() {
    const named = byLabel();
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
    byId("back").hidden = true;
    if (!data) return;
    const slider = byId("k");
    slider.max = data.map.most_k;
    state.k = Math.min(state.k, data.map.most_k);
    slider.value = state.k;
    byId("about").textContent = [data.map.projection, data.map.note].filter(Boolean)
      .map((t) => t[0].toUpperCase() + t.slice(1) + (/[.!?]$/.test(t) ? "" : ".")).join(" ");
    showShares();
    showLegend();
    link();
    draw();
  }

  // --- moving -------------------------------------------------------------------------------------------------

  function zoomBy(factor, px, py) {
    const { w, h } = seen;
    const [x, y] = [px === undefined ? w / 2 : px, py === undefined ? h / 2 : py];
    const before = scale();
    const zoom = Math.min(200, Math.max(home.least, state.zoom * factor));
    const after = (before / state.zoom) * zoom;
    state.x += (x - w / 2) * (1 / before - 1 / after);
    state.y -= (y - h / 2) * (1 / before - 1 / after);
    state.zoom = zoom;
    canvas.style.touchAction = zoom > 1.001 ? "none" : "pan-y"; // unzoomed, a finger still scrolls the page
    later();
  }
  function panBy(dx, dy) {
    const s = scale();
    state.x -= dx / s;
    state.y += dy / s;
    later();
  }
  function goHome() {
    Object.assign(state, { x: home.x, y: home.y });
    zoomBy(1 / state.zoom);
  }
  function nearest(x, y, reach) {
    let best = -1;
    let least = reach * reach;
    current().points.forEach((p, i) => {
      if (!visible(p)) return;
      const [px, py] = place(p);
      const d = (px - x) ** 2 + (py - y) ** 2;
      if (d <= least) { least = d; best = i; }
    });
    return best;
  }

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
    later();
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
    "0": goHome, n: () => walk(1), p: () => walk(-1), Escape: letGo,
  };
  canvas.addEventListener("keydown", (event) => {
    const act = KEYS[event.key] || KEYS[event.key.toLowerCase()];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  });

  // --- controls and specimens -----------------------------------------------------------------------------------

  byId("k").addEventListener("input", (event) => { state.k = Number(event.target.value); showShares(); later(); });
  ["real", "synthetic", "hollow"].forEach((id) => byId(id).addEventListener("change", () => {
    if (state.pinned >= 0 && !visible(current().points[state.pinned])) state.pinned = -1;
    later();
  }));
  byId("colour").addEventListener("change", () => { showLegend(); later(); });
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

  function reveal(specimen, button) {
    letGo();
    ["real", "synthetic"].forEach((id) => { byId(id).checked = true; });
    byId("hollow").checked = false;
    state.label = null;
    showLegend();
    specimen.classList.add("ex-on");
    state.marks = pointsOf(specimen);
    pin(state.marks[0]);
    state.from = button;
    byId("back").hidden = false;
    plot.scrollIntoView({ block: "center" });
  }

  new ResizeObserver(later).observe(plot);
  box.hidden = false;
  root.classList.add("ex-live-map");
  byId("k").value = state.k;
  canvas.style.touchAction = "pan-y";
  choose(state.model);
})();
