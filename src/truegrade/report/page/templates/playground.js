"use strict";
// The page: state, drawing, controls. window.playground lets others read it and put in their own points.

(() => {
  const $ = (id) => document.getElementById(id);
  const SLIDERS = ["amount", "n", "k", "seed"];
  const CHOICES = { scenario: SCENARIOS, balls: ["real", "synthetic", "none"], rule: ["nearest", "union"] };
  const START = { scenario: "narrow", amount: 60, n: 120, k: 5, seed: 1, balls: "real", rule: "nearest" };
  const STEPS = { n: 10 };
  const [WIDTH, HEIGHT] = [640, 520];

  let state = { ...START };
  let own = null; // points given by set(), instead of drawn ones
  let scene = null; // points, their nearest neighbours, numbers and counts
  let fresh = { key: "", sets: [], numbers: [] }; // what a perfect model gets
  let picked = null; // { side, index }

  // --- state ---------------------------------------------------------------------------------------

  function cleaned(key, value) {
    if (Object.hasOwn(CHOICES, key)) return CHOICES[key].includes(value) ? value : undefined;
    const number = Number(value);
    if (!Object.hasOwn(LIMITS, key) || value === "" || value === null || !Number.isFinite(number)) return undefined;
    const [low, high] = LIMITS[key];
    const step = STEPS[key] ?? 1;
    return Math.min(high, Math.max(low, low + step * Math.round((number - low) / step)));
  }

  function merged(base, given) {
    const next = { ...base };
    for (const [key, value] of Object.entries(given)) {
      const clean = cleaned(key, value);
      if (clean !== undefined) next[key] = clean;
    }
    return next;
  }

  const fromAddress = () => merged(START, Object.fromEntries(new URLSearchParams(location.hash.slice(1))));

  let saving = 0;
  function saveAddress() { // late, since browsers refuse a new address with every pixel of a slider
    clearTimeout(saving);
    saving = setTimeout(() => history.replaceState(null, "", `#${new URLSearchParams(state)}`), 150);
  }

  function change(given) {
    state = merged(state, given);
    if (Object.keys(given).some((key) => ["scenario", "amount", "n", "seed"].includes(key))) own = null;
    saveAddress();
    schedule();
  }

  let waiting = false;
  function schedule() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; update(); });
  }

  // --- numbers -------------------------------------------------------------------------------------

  const damaged = () => !own && state.scenario !== "good" && state.amount > 0;
  const neighbours = (points) => nearestOthers(points, Math.max(state.k, LIMITS.k[1]));

  function prepare() {
    const before = scene;
    const key = own ? own : `${state.seed} ${state.n}`;
    const real = own ? own.real : before?.key === key ? before.real : draw(state.seed, 0, state.n, "good", 0, []);
    const nearReal = before?.key === key && before.keep >= state.k ? before.nearReal : neighbours(real);
    const synthetic = own ? own.synthetic : draw(state.seed, 1, state.n, state.scenario, state.amount / 100, real);
    const nearSynthetic = neighbours(synthetic);
    const keep = Math.max(state.k, LIMITS.k[1]);
    scene = { key, keep, real, nearReal, synthetic, nearSynthetic, ...measure(real, synthetic, state.k, nearReal, nearSynthetic) };
  }

  // Fresh sets of the law against the same real points, a few milliseconds at a time.
  let working = 0;
  function gradeFresh() {
    clearTimeout(working);
    if (own) return;
    const { key, real, nearReal } = scene;
    if (fresh.key !== key) fresh = { key, sets: [], numbers: [], k: 0 };
    if (fresh.k !== state.k) fresh = { ...fresh, numbers: [], k: state.k };
    const step = () => {
      const until = performance.now() + 12;
      while (fresh.numbers.length < FRESH_SETS && performance.now() < until) {
        const at = fresh.numbers.length;
        if (!fresh.sets[at]) {
          const points = draw(state.seed, 2 + at, state.n, "good", 0, []);
          fresh.sets[at] = { points, near: neighbours(points) };
        }
        const set = fresh.sets[at];
        fresh.numbers.push(measure(real, set.points, state.k, nearReal, set.near).numbers);
      }
      if (fresh.numbers.length < FRESH_SETS) working = setTimeout(step);
      else showNumbers();
    };
    if (fresh.numbers.length < FRESH_SETS) working = setTimeout(step);
  }

  function band(key) {
    if (own || fresh.key !== scene.key || fresh.k !== state.k || fresh.numbers.length < FRESH_SETS) return null;
    const values = fresh.numbers.map((numbers) => numbers[key]);
    return { low: Math.min(...values), high: Math.max(...values) };
  }

  function where(key) {
    const range = band(key);
    const value = scene.numbers[key];
    if (!range) return null;
    return value < range.low - 1e-12 ? "below" : value > range.high + 1e-12 ? "above" : "inside";
  }

  function verdict(key) {
    const place = where(key);
    if (!place) return ["", ""];
    if (damaged() && key === "density" && place === "above") return ["▲", "sees it"];
    return VERDICTS[damaged() ? "damaged" : "undamaged"][place];
  }

  // --- the list of numbers -------------------------------------------------------------------------

  const shown = (value) => value.toFixed(3);
  const keysOf = (entry) => entry.both ?? [entry.one];

  function buildMeasures() {
    const line = (key, rule) => `<div class="line" id="line-${key}" data-rule="${rule}">
      <span class="rule">${RULES[rule] ? RULES[rule] : ""}</span>
      <span class="track" aria-hidden="true"><i class="band" hidden></i><i class="expected" hidden></i><i class="at"></i></span>
      <span class="value"></span>
      <span class="verdict"><span class="sign" aria-hidden="true"></span><span class="what"></span></span></div>`;
    $("measures").innerHTML = MEASURES.map((entry, i) => `<article class="measure" id="measure-${i}">
      <h3>${entry.title}</h3><span class="asks">${entry.asks}</span>
      ${entry.both ? entry.both.map((key, r) => line(key, Object.keys(RULES)[r])).join("") : line(entry.one, "")}
      <p class="words"></p></article>`).join("");
    $("fresh-sets").textContent = FRESH_SETS;
  }

  function showNumbers() {
    const expected = expectedOfOneLaw(scene.real.length, scene.synthetic.length, state.k);
    MEASURES.forEach((entry, i) => {
      for (const key of keysOf(entry)) showLine($(`line-${key}`), key, entry.top ?? 1, expected[key]);
      const words = entry[damaged() ? state.scenario : "good"];
      const values = { ideal: shown(expected.coverage), raw: shown(scene.raw), k: state.k, copied: shown(1 + 1 / state.k) };
      $(`measure-${i}`).querySelector(".words").textContent =
        own ? "" : words.replace(/\{(\w+)\}/g, (_, name) => values[name]);
    });
    summarise();
  }

  function showLine(line, key, top, expected) {
    const place = (value) => `${100 * Math.min(1, Math.max(0, value / top))}%`;
    const [range, at] = [band(key), line.querySelector(".at")];
    at.style.left = place(scene.numbers[key]);
    line.querySelector(".value").textContent = shown(scene.numbers[key]);
    line.classList.toggle("chosen", line.dataset.rule === state.rule);
    const [box, mark] = [line.querySelector(".band"), line.querySelector(".expected")];
    box.hidden = !range;
    mark.hidden = expected === undefined || !!own;
    if (range) { box.style.left = place(range.low); box.style.right = `calc(100% - ${place(range.high)})`; }
    if (expected !== undefined) mark.style.left = place(expected);
    const [sign, words] = verdict(key);
    line.querySelector(".verdict").dataset.where = where(key) ?? "";
    line.querySelector(".sign").textContent = sign;
    line.querySelector(".what").textContent = words;
    line.title = range ? `fresh real sets: ${shown(range.low)} to ${shown(range.high)}` : "";
  }

  // --- sentences -----------------------------------------------------------------------------------

  function listed(keys) {
    const names = MEASURES.flatMap((entry) => {
      const hit = keysOf(entry).filter((key) => keys.includes(key));
      const rule = entry.both && hit.length === 1 ? ` (${entry.both[0] === hit[0] ? "nearest" : "union"})` : "";
      return hit.length ? [entry.title.charAt(0) === "F" ? `F${rule}` : entry.title.toLowerCase() + rule] : [];
    });
    return names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names[0] ?? "none";
  }

  let speaking = 0;
  function summarise() {
    const parts = summary();
    $("summary").innerHTML = parts.map(([head, rest]) => `<b>${head}</b>${rest}`).join(" ");
    clearTimeout(speaking);
    speaking = setTimeout(() => { // said once the hand rests
      const text = $("summary").textContent;
      if ($("spoken").textContent !== text) $("spoken").textContent = text;
    }, 900);
  }

  function summary() {
    const keys = Object.keys(scene.numbers);
    if (own) return [["Your own points.", ` ${scene.real.length} real and ${scene.synthetic.length} synthetic.`]];
    if (!band(keys[0])) return [["Grading fresh real sets …", ""]];
    const words = (wanted) => keys.filter((key) => verdict(key)[1].startsWith(wanted));
    if (!damaged()) {
      const fine = words("as it").length;
      return [[`${fine} of ${keys.length} numbers are in the range of a perfect model.`,
        fine < keys.length ? " The others left it by chance: try a new draw or more points." : " So is this model."]];
    }
    const [sees, blind, flatters] = ["sees", "blind", "flatters"].map(words);
    const out = [[`${sees.length} of ${keys.length} numbers ${sees.length === 1 ? "sees" : "see"} the damage`, sees.length ? `: ${listed(sees)}.` : "."]];
    if (blind.length) out.push(["Blind:", ` ${listed(blind)}.`]);
    if (flatters.length) out.push(["Better than perfect:", ` ${listed(flatters)}.`]);
    if (state.scenario === "copies") out.push(["", "None of them looks for copies; truegrade's copy checks (authenticity, copying_test) do."]);
    return out;
  }

  // --- drawing -------------------------------------------------------------------------------------

  let view = null;
  function setView() {
    const box = { low: own ? [Infinity, Infinity] : [-4.2, -3.4], high: own ? [-Infinity, -Infinity] : [4.2, 3.4] };
    for (const point of [...scene.real, ...scene.synthetic]) {
      point.forEach((value, c) => {
        box.low[c] = Math.min(box.low[c], value);
        box.high[c] = Math.max(box.high[c], value);
      });
    }
    const size = box.high.map((value, c) => Math.max(value - box.low[c], 1e-9));
    const scale = Math.min((WIDTH - 24) / size[0], (HEIGHT - 24) / size[1]);
    const middle = box.high.map((value, c) => (value + box.low[c]) / 2);
    view = { scale, x: (x) => WIDTH / 2 + scale * (x - middle[0]), y: (y) => HEIGHT / 2 - scale * (y - middle[1]) };
  }

  const short = (value) => value.toFixed(2);
  const at = (point) => `${short(view.x(point[0]))} ${short(view.y(point[1]))}`;

  function circlePath(point, radius) {
    const r = radius * view.scale;
    if (!(r > 0)) return "";
    const [x, y] = [view.x(point[0]), view.y(point[1])];
    return `M${short(x - r)} ${short(y)}a${short(r)} ${short(r)} 0 1 0 ${short(2 * r)} 0a${short(r)} ${short(r)} 0 1 0 ${short(-2 * r)} 0Z`;
  }

  // The part of a ball that is nearer to its centre than to any other centre, as a polygon.
  function cellPath(points, i, radius) {
    if (!(radius > 0)) return "";
    const centre = points[i];
    let shape = Array.from({ length: 48 }, (_, s) =>
      [centre[0] + radius * Math.cos((s * Math.PI) / 24), centre[1] + radius * Math.sin((s * Math.PI) / 24)]);
    for (const other of points) {
      const [dx, dy] = [other[0] - centre[0], other[1] - centre[1]];
      const d2 = dx * dx + dy * dy;
      if (d2 === 0 || d2 >= 4 * radius * radius) continue;
      const beyond = (p) => (p[0] - centre[0]) * dx + (p[1] - centre[1]) * dy - d2 / 2;
      const next = [];
      shape.forEach((p, s) => {
        const q = shape[(s + 1) % shape.length];
        const [a, b] = [beyond(p), beyond(q)];
        if (a <= 0) next.push(p);
        if (a < 0 !== b < 0 && a !== b) next.push([0, 1].map((c) => p[c] + ((q[c] - p[c]) * a) / (a - b)));
      });
      shape = next;
      if (shape.length < 3) return "";
    }
    return `M${shape.map(at).join("L")}Z`;
  }

  const radiusOf = (side, i) => Math.sqrt((side === "real" ? scene.counts.r2 : scene.counts.s2)[i]);

  function inside(side, i) {
    const c = scene.counts;
    const nearest = side === "real" ? c.inNearestSynthetic : c.inNearestReal;
    const union = side === "real" ? c.inSynthetic : c.inReal;
    return (state.rule === "nearest" ? nearest : union)[i] > 0;
  }

  function drawBalls() {
    const side = state.balls;
    $("drawing").classList.toggle("of-synthetic", side === "synthetic");
    $("legend-region").classList.toggle("of-synthetic", side === "synthetic");
    $("legend-region").hidden = side === "none";
    const points = side === "none" ? [] : scene[side];
    const circles = points.map((point, i) => circlePath(point, radiusOf(side, i))).join("");
    const cells = () => points.map((_, i) => cellPath(points, i, radiusOf(side, i))).join("");
    $("outlines").setAttribute("d", circles);
    $("region").setAttribute("d", state.rule === "union" ? circles : cells());
  }

  function drawPoints() {
    const shrunk = WIDTH / ($("drawing").clientWidth || WIDTH); // on a phone: points of about the same size
    const r = (Math.max(scene.real.length, scene.synthetic.length) > 200 ? 2.8 : 3.6) * Math.min(1.5, Math.max(1, shrunk));
    const copied = (j) => scene.counts.toReal[j] === 0;
    const copyMark = (p) => `<circle class="copy" cx="${short(view.x(p[0]))}" cy="${short(view.y(p[1]))}" r="${short(0.65 * r)}"/>`;
    const name = (side, i) => `class="${side}${inside(side, i) ? "" : " out"}" data-index="${i}"`;
    $("real-points").innerHTML = scene.real.map((p, i) =>
      `<circle ${name("real", i)} cx="${short(view.x(p[0]))}" cy="${short(view.y(p[1]))}" r="${r}"/>`).join("");
    $("synthetic-points").innerHTML = scene.synthetic.map((p, j) =>
      `<path ${name("synthetic", j)} d="${diamond(p, r + (copied(j) ? 2.2 : 0.9))}"/>${copied(j) ? copyMark(p) : ""}`).join("");
    const copies = scene.synthetic.filter((_, j) => copied(j)).length;
    $("legend-copies").hidden = !copies;
    $("copies-shown").textContent = `${copies} exact ${copies === 1 ? "copy" : "copies"} of real points`;
    const outside = (side) => scene[side].filter((_, i) => !inside(side, i)).length;
    $("drawing-words").textContent =
      `${scene.real.length} real points (circles), ${outside("real")} of them hollow, and ${scene.synthetic.length} synthetic points ` +
      `(diamonds), ${outside("synthetic")} of them hollow. Hollow points lie outside the balls of the other side, by the rule ` +
      `"${RULES[state.rule]}". ${state.balls === "none" ? "No balls are drawn." : `The balls of the ${state.balls} points are drawn.`}`;
  }

  function diamond(point, r) {
    const [x, y] = [view.x(point[0]), view.y(point[1])];
    return `M${short(x)} ${short(y - r)}L${short(x + r)} ${short(y)}L${short(x)} ${short(y + r)}L${short(x - r)} ${short(y)}Z`;
  }

  // --- one point -----------------------------------------------------------------------------------

  const HINT = "Point at a point, or reach the drawing with the tab key and use the arrow keys: its ball is drawn, with what it counts.";

  function drawPicked() {
    if (picked && picked.index >= scene[picked.side].length) picked = null;
    $("marks").innerHTML = picked ? marks(picked.side, picked.index) : "";
    $("point").textContent = picked ? (picked.side === "real" ? realWords : syntheticWords)(picked.index) : HINT;
  }

  function marks(side, index) {
    const other = side === "real" ? "synthetic" : "real";
    const [point, r2] = [scene[side][index], side === "real" ? scene.counts.r2[index] : scene.counts.s2[index]];
    const c = scene.counts;
    const near = side === "real" ? c.nearestSynthetic[index] : c.nearestReal[index];
    const partner = scene[other][near];
    const held = scene[other].filter((p) => squared(point, p) <= r2);
    const rings = held.map((p) => `<circle class="counted" cx="${short(view.x(p[0]))}" cy="${short(view.y(p[1]))}" r="7"/>`).join("");
    const [from, to] = [at(point).split(" "), at(partner).split(" ")];
    return `<path class="own" d="${circlePath(point, Math.sqrt(r2))}"/><path class="other" d="${circlePath(partner, radiusOf(other, near))}"/>
      <line x1="${from[0]}" y1="${from[1]}" x2="${to[0]}" y2="${to[1]}"/>${rings}
      <circle class="own" cx="${from[0]}" cy="${from[1]}" r="8"/>`;
  }

  const count = (number, what) => `${number} ${what}${number === 1 ? "" : "s"}`;

  function realWords(i) {
    const { counts: c } = scene;
    const near = c.nearestSynthetic[i];
    return `Real point ${i + 1}. Its ball (solid) reaches to its neighbour number ${state.k}, ${short(radiusOf("real", i))} away, and holds ` +
      `${count(c.held[i], "synthetic point")}: ${c.held[i] ? "covered" : "not covered"}, and ${short(c.filled[i])} of ${state.k} for clipped coverage. ` +
      `Recall: its nearest synthetic point is ${short(Math.sqrt(c.toSynthetic[i]))} away and has a ball (dashed) of ${short(radiusOf("synthetic", near))}, so it is ` +
      `${c.inNearestSynthetic[i] ? "inside" : "outside"} by the nearest-ball rule; by the union rule it is ${c.inSynthetic[i] ? "inside" : "outside"}, ` +
      `in ${count(c.inSynthetic[i], "synthetic ball")}.`;
  }

  function syntheticWords(j) {
    const { counts: c } = scene;
    const near = c.nearestReal[j];
    const copy = c.toReal[j] === 0 ? " It is an exact copy of a real point." : "";
    return `Synthetic point ${j + 1}.${copy} Its nearest real point is ${short(Math.sqrt(c.toReal[j]))} away and has a ball (dashed) of ` +
      `${short(radiusOf("real", near))}, so for precision it is ${c.inNearestReal[j] ? "inside" : "outside"} by the nearest-ball rule; by the union rule it is ` +
      `${c.inReal[j] ? "inside" : "outside"}, in ${count(c.inReal[j], "real ball")}: ${c.inReal[j]}/${state.k} for density, ` +
      `${Math.min(c.inClipped[j], state.k)}/${state.k} for clipped density. Its own ball (solid, ${short(radiusOf("synthetic", j))}) holds ${count(c.heldReal[j], "real point")}.`;
  }

  function pick(side, index) {
    picked = side ? { side, index } : null;
    drawPicked();
  }

  function pickNear(event) {
    const box = $("drawing").getBoundingClientRect();
    const scale = WIDTH / box.width;
    const [x, y] = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
    let best = { d2: (18 * Math.max(1, scale)) ** 2 };
    for (const side of ["synthetic", "real"]) {
      scene[side].forEach((p, index) => {
        const d2 = (view.x(p[0]) - x) ** 2 + (view.y(p[1]) - y) ** 2;
        if (d2 < best.d2) best = { d2, side, index };
      });
    }
    if (best.side !== picked?.side || best.index !== picked?.index) pick(best.side, best.index);
  }

  function pickByKey(event) {
    const side = picked?.side ?? "real";
    const [size, index] = [scene[side].length, picked?.index ?? -1];
    const other = side === "real" ? "synthetic" : "real";
    const go = {
      ArrowRight: () => pick(side, (index + 1) % size), ArrowDown: () => pick(side, (index + 1) % size),
      ArrowLeft: () => pick(side, (Math.max(index, 0) + size - 1) % size), ArrowUp: () => pick(side, (Math.max(index, 0) + size - 1) % size),
      Home: () => pick(side, 0), End: () => pick(side, size - 1), Escape: () => pick(null),
      s: () => pick(other, Math.min(Math.max(index, 0), scene[other].length - 1)),
    }[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!go || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    go();
  }

  // --- the page ------------------------------------------------------------------------------------

  function showControls() {
    for (const name of SLIDERS) if (document.activeElement !== $(name) || name !== "seed") $(name).value = state[name];
    for (const name of Object.keys(CHOICES)) {
      for (const input of document.getElementsByName(name)) input.checked = input.value === state[name] && !(own && name === "scenario");
    }
    $("amount").disabled = state.scenario === "good";
    $("amount-shown").textContent = state.scenario === "good" ? "none" : `${state.amount} %`;
    $("amount").setAttribute("aria-valuetext", $("amount-shown").textContent);
    $("n-shown").textContent = own ? `${scene.real.length} and ${scene.synthetic.length}` : state.n;
    $("k-shown").textContent = state.k;
    $("story").textContent = own ? "Points that were put in." : SCENARIO_WORDS[state.scenario];
  }

  function update() {
    prepare();
    setView();
    showControls();
    drawBalls();
    drawPoints();
    drawPicked();
    gradeFresh();
    showNumbers();
  }

  function listen() {
    for (const name of SLIDERS) $(name).addEventListener("input", () => change({ [name]: $(name).value }));
    $("seed").addEventListener("change", () => { $("seed").value = state.seed; });
    for (const name of Object.keys(CHOICES)) {
      for (const input of document.getElementsByName(name)) input.addEventListener("change", () => change({ [name]: input.value }));
    }
    $("again").addEventListener("click", () => { $("seed").value = (state.seed + 1) % (LIMITS.seed[1] + 1); change({ seed: $("seed").value }); });
    $("picker").addEventListener("pointermove", pickNear);
    $("picker").addEventListener("pointerdown", pickNear);
    $("picker").addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") pick(null); });
    $("picker").addEventListener("keydown", pickByKey);
    $("picker").addEventListener("focus", () => { if (!picked && $("picker").matches(":focus-visible")) pick("real", 0); });
    $("picker").addEventListener("blur", () => pick(null));
    addEventListener("resize", schedule);
    addEventListener("hashchange", () => { state = fromAddress(); own = null; schedule(); });
  }

  const tuples = (points) => points.map((p) => [p[0], p[1]]);

  window.playground = {
    // What is shown: the choices, the points, the numbers, and whether the fresh sets are graded.
    state: () => ({
      ...state, real: tuples(scene.real), synthetic: tuples(scene.synthetic), numbers: { ...scene.numbers }, raw: scene.raw,
      graded: Boolean(band("precision")),
    }),
    // Change choices ({k: 3}) or put in points ({real: [[x, y], ...], synthetic: [...], k: 2}); at once.
    set: ({ real, synthetic, ...choices }) => {
      const next = merged(state, choices);
      const most = real ? Math.min(real.length, synthetic.length) - 1 : LIMITS.n[0] - 1;
      if (next.k > most) throw new RangeError(`k = ${next.k} needs more than ${next.k} points on each side`);
      state = next;
      own = real ? { real: tuples(real), synthetic: tuples(synthetic) } : null;
      saveAddress();
      update();
    },
  };

  state = fromAddress();
  buildMeasures();
  listen();
  $("app").hidden = false;
  update();
})();
