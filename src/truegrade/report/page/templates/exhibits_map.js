// The map of the samples on its canvas: where the points lie, how they are drawn, zoom and pan. Knows no controls.
// root: holds the style's colours; maps: those of all models, with their points; labels: all of them; drawn(away) is
// called after each drawing, away is how many points lie outside the view.
// state, in part the caller's: map (the one that is shown), k, show (by side), hollow (only these), byLabel,
// label (only this one), marks and active (points that are ringed), and from here: zoom, x, y (the middle).
"use strict";

const SAMPLES_LABELS = 10; // colours there are for labels

function samplesMap(canvas, root, maps, labels, state, drawn) {
  const SIDES = ["real", "synthetic"];
  const LEVELS = 12;
  const LABELS = SAMPLES_LABELS;
  const pen = canvas.getContext("2d");
  const insideAt = (p) => p.inside > 0 && p.inside <= state.k;

  // --- colours: from the style sheet, so that dark mode and print need nothing here ------------------------------

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
  Object.assign(state, { zoom: 1, x: home.x, y: home.y });

  const seen = { w: 1, h: 1 }; // CSS pixels of the canvas
  const scale = () => Math.min(seen.w / home.wide, seen.h / home.high) * state.zoom;
  function place(p) {
    const s = scale();
    return [seen.w / 2 + (p.x - state.x) * s, seen.h / 2 - (p.y - state.y) * s];
  }
  const radius = () => Math.min(8, Math.max(2.2, Math.min(4, 150 / Math.sqrt(state.map.points.length)) *
    Math.pow(Math.max(1, state.zoom), 0.35)) * (seen.w < 500 ? 0.85 : 1));

  function visible(p) {
    if (!state.show[p.side] || (state.hollow && insideAt(p))) return false;
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

  // 0: nothing known, drawn first; then from good to bad, so that the bad ones lie on top
  function bucket(p) {
    if (state.byLabel) {
      const at = labels.indexOf(p.label);
      return at < 0 || at >= LABELS ? 0 : at + 1;
    }
    return p.grade === null ? 0 : LEVELS - Math.round(Math.min(1, Math.max(0, p.grade)) * (LEVELS - 1));
  }
  function colourOf(at, side) {
    if (at === 0) return colours.none;
    return state.byLabel ? colours.labels[at - 1] : colours.ramps[side][LEVELS - at];
  }

  let waiting = false;
  function later() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; draw(); });
  }

  function draw() {
    const data = state.map;
    if (!data || !canvas.clientWidth) return;
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
    const away = drawPoints(data, ratio);
    drawMarks(data);
    drawAxes(data.map.axes, w, h);
    if (state.byLabel) drawLabels(data);
    canvas.dataset.zoom = state.zoom.toPrecision(6);
    canvas.dataset.centre = [state.x, state.y].map((v) => v.toPrecision(6)).join(" ");
    drawn(away);
  }

  // Points are copies of a few small pictures, one per colour, form and filling: much faster than paths.
  let stamps = { of: "", known: new Map() };
  function stamp(key, r, ratio) {
    const of = [r, ratio, state.byLabel, colours.paper, colours.ink].join();
    if (stamps.of !== of) stamps = { of, known: new Map() };
    if (stamps.known.has(key)) return stamps.known.get(key);
    const half = Math.ceil((1.6 * r + 2) * ratio);
    const picture = document.createElement("canvas");
    picture.width = picture.height = 2 * half;
    const ink = picture.getContext("2d");
    ink.setTransform(ratio, 0, 0, ratio, half, half);
    ink.fillStyle = ink.strokeStyle = colourOf(key >> 2, (key >> 1) & 1);
    ink.lineWidth = Math.max(1.3, r * 0.42);
    outline(ink, (key >> 1) & 1, 0, 0, key & 1 ? r : r * 0.9);
    if (key & 1) ink.globalAlpha = 0.85;
    if (key & 1) ink.fill();
    else ink.stroke();
    stamps.known.set(key, picture);
    return picture;
  }

  function drawPoints(data, ratio) {
    const spots = new Map();
    const r = radius();
    let away = 0;
    let shown = 0;
    for (const p of data.points) {
      if (!visible(p)) continue;
      shown += 1;
      const [x, y] = place(p);
      if (x < 0 || y < 0 || x > seen.w || y > seen.h) away += 1;
      if (x < -r || y < -r || x > seen.w + r || y > seen.h + r) continue;
      const key = (bucket(p) * 2 + p.side) * 2 + (insideAt(p) ? 1 : 0);
      if (!spots.has(key)) spots.set(key, []);
      spots.get(key).push(x, y);
    }
    pen.setTransform(1, 0, 0, 1, 0, 0); // whole device pixels: sharp, and quickly copied
    for (const key of [...spots.keys()].sort((a, b) => a - b)) {
      const picture = stamp(key, r, ratio);
      const half = picture.width / 2;
      const at = spots.get(key);
      for (let i = 0; i < at.length; i += 2) {
        pen.drawImage(picture, Math.round(at[i] * ratio) - half, Math.round(at[i + 1] * ratio) - half);
      }
    }
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
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
    const rings = state.active() >= 0 ? [...at, place(data.points[state.active()])] : at;
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
    if (axes[1]) write(axes[1] + " →", 18, h - 30, true); // one feature: there is no second axis
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

  // --- moving -----------------------------------------------------------------------------------------------

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
    state.map.points.forEach((p, i) => {
      if (!visible(p)) return;
      const [px, py] = place(p);
      const d = (px - x) ** 2 + (py - y) ** 2;
      if (d <= least) { least = d; best = i; }
    });
    return best;
  }

  return { draw, later, seen, place, visible, insideAt, zoomBy, panBy, goHome, nearest };
}
