"use strict";
// The law, the damage and the numbers. Nothing here knows the page.

const SCENARIOS = ["good", "dropped", "narrow", "noisy", "copies"];
const LIMITS = { amount: [0, 100], n: [20, 400], k: [1, 15], seed: [0, 999999] };
const MODES = [
  { weight: 0.8, x: -1.1, y: -0.4, sd: 0.95 },
  { weight: 0.2, x: 2.5, y: 1.5, sd: 0.38 },
];
const FRESH_SETS = 20;

// --- seeded draws ------------------------------------------------------------------------------------

// Uniform numbers in [0, 1): the mulberry32 generator, started from a seed and the number of a set.
function stream(seed, set) {
  let state = (Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(set + 1, 0x85ebca6b)) | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

// Two standard normal numbers (Box and Muller).
function normals(uniform) {
  const radius = Math.sqrt(-2 * Math.log(1 - uniform()));
  const angle = 2 * Math.PI * uniform();
  return [radius * Math.cos(angle), radius * Math.sin(angle)];
}

// Rounded, so that browsers whose cosines differ in the last bit draw the same picture.
const rounded = (value) => Math.round(value * 1e6) / 1e6;

// n points of the law, damaged by `amount` in 0..1. Every point uses up the same random numbers whatever the
// damage: a slider moves the points that are there, and more points join the old ones.
function draw(seed, set, n, scenario, amount, real) {
  const uniform = stream(seed, set);
  const points = [];
  for (let j = 0; j < n; j++) {
    const [modeAt, damageAt, copyAt] = [uniform(), uniform(), uniform()];
    const [shape, noise] = [normals(uniform), normals(uniform)];
    let mode = MODES[modeAt < MODES[0].weight ? 0 : 1];
    if (scenario === "dropped" && damageAt < amount) mode = MODES[0];
    const spread = mode.sd * (scenario === "narrow" ? 1 - 0.9 * amount : 1);
    const extra = scenario === "noisy" ? 1.5 * amount : 0;
    if (scenario === "copies" && damageAt < amount) points.push(real[Math.floor(copyAt * real.length)]);
    else points.push([mode.x, mode.y].map((at, c) => rounded(at + spread * shape[c] + extra * noise[c])));
  }
  return points;
}

// --- neighbours --------------------------------------------------------------------------------------

// The sum in this order everywhere, so that decisions equal those of any other float64 computation.
function squared(a, b) {
  const dx = a[0] - b[0];
  const dy = a[1] - b[1];
  return dx * dx + dy * dy;
}

// Ascending squared distances of each point to its `keep` nearest others (left out by index, not by distance 0).
function nearestOthers(points, keep) {
  return points.map((centre, i) => {
    const list = new Float64Array(keep).fill(Infinity);
    for (let j = 0; j < points.length; j++) {
      if (j === i) continue;
      const d2 = squared(centre, points[j]);
      if (d2 >= list[keep - 1]) continue;
      let at = keep - 1;
      for (; at > 0 && list[at - 1] > d2; at--) list[at] = list[at - 1];
      list[at] = d2;
    }
    return list;
  });
}

// Square of the median radius; exact where the two middle radii are equal.
function medianSquared(radii2) {
  const ordered = Float64Array.from(radii2).sort();
  const [low, high] = [ordered[(ordered.length - 1) >> 1], ordered[ordered.length >> 1]];
  const middle = (Math.sqrt(low) + Math.sqrt(high)) / 2;
  return low === high ? low : middle * middle;
}

// Who lies in whose ball. Balls are closed: a distance equal to the radius is inside.
function countBalls(real, synthetic, nearReal, nearSynthetic, k) {
  const [n, m] = [real.length, synthetic.length];
  const zeros = (size) => new Int32Array(size);
  const r2 = Float64Array.from(nearReal, (list) => list[k - 1]);
  const s2 = Float64Array.from(nearSynthetic, (list) => list[k - 1]);
  const median2 = medianSquared(r2);
  const clipped2 = r2.map((value) => Math.min(value, median2));
  const c = {
    r2, s2,
    held: zeros(n), heldStrictly: zeros(n), // synthetic points in the ball of each real one
    inReal: zeros(m), inClipped: zeros(m), // real balls that hold each synthetic point
    inSynthetic: zeros(n), heldReal: zeros(m), // the same with the sides exchanged
    nearestReal: zeros(m), nearestSynthetic: zeros(n), // index of the nearest; the first among equals
    toReal: new Float64Array(m).fill(Infinity), toSynthetic: new Float64Array(n).fill(Infinity),
    strictly: zeros(n), tied: zeros(n), // other real points inside each real ball, and exactly on it
    ownClipped: zeros(n), // clipped balls of other real points that hold each real point
  };
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < m; j++) {
      const d2 = squared(real[i], synthetic[j]);
      if (d2 <= r2[i]) { c.held[i]++; c.inReal[j]++; }
      if (d2 < r2[i]) c.heldStrictly[i]++;
      if (d2 <= clipped2[i]) c.inClipped[j]++;
      if (d2 <= s2[j]) { c.inSynthetic[i]++; c.heldReal[j]++; }
      if (d2 < c.toReal[j]) { c.toReal[j] = d2; c.nearestReal[j] = i; }
      if (d2 < c.toSynthetic[i]) { c.toSynthetic[i] = d2; c.nearestSynthetic[i] = j; }
    }
    for (let l = 0; l < n; l++) {
      if (l === i) continue;
      const d2 = squared(real[i], real[l]);
      if (d2 < r2[i]) c.strictly[i]++;
      if (d2 === r2[i]) c.tied[i]++;
      if (d2 <= clipped2[i]) c.ownClipped[l]++;
    }
  }
  return c;
}

// --- clipped coverage: the law of the number of newcomers in a ball ----------------------------------

// P(J = 0 .. count - 1), J beta-binomial: newcomers among m before the k-th of n - 1 known points.
function probabilities(n, m, k, count) {
  let log = 0;
  for (let t = 1; t <= k; t++) log += Math.log((n - t) / (n + m - t));
  const out = [];
  for (let i = 0; i < count; i++) {
    out.push(Math.exp(log));
    log = i < m ? log + Math.log(((m - i) * (k + i)) / ((i + 1) * (n - k + m - i - 1))) : -Infinity;
  }
  return out;
}

// The table f(0) .. f(m) of E[min(J, k)] / k. The first entries are i / n exactly.
function expectedHits(n, m, k) {
  const table = new Float64Array(m + 1);
  const exact = Math.min(k, m);
  for (let size = 0; size < m; size++) {
    const rise = probabilities(n, size, k, k).reduce((sum, p, h) => sum + p * (k + h), 0);
    table[size + 1] = size + 1 <= exact ? (size + 1) / n : table[size] + rise / (k * (n + size));
  }
  return table;
}

// g(y): the share of good points whose expectation is y, linear between entries, at most 1.
function shareOfGood(y, table) {
  const m = table.length - 1;
  if (y >= table[m]) return 1;
  let [low, high] = [0, m];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (table[middle] <= y) low = middle;
    else high = middle;
  }
  return (low + (y - table[low]) / (table[low + 1] - table[low])) / m;
}

// E[min(c + H, k)]: H of the s synthetic points exactly on the ball come before the q-th of the t real ones there.
function expectedMinimum(c, t, q, s, k) {
  if (s === 0 || c >= k) return Math.min(c, k);
  return k - probabilities(t + 1, s, q, k).reduce((short, p, h) => short + Math.max(k - c - h, 0) * p, 0);
}

// --- the numbers -------------------------------------------------------------------------------------

function average(size, term) {
  let sum = 0;
  for (let i = 0; i < size; i++) sum += term(i);
  return sum / size;
}

const harmonic = (a, b) => (a + b > 0 ? (2 * a * b) / (a + b) : 0);

// All numbers of two sets of points, and the counts they were made from. `near...` may be given to save work.
function measure(real, synthetic, k, nearReal, nearSynthetic) {
  const [n, m] = [real.length, synthetic.length];
  const keep = Math.max(k, LIMITS.k[1]);
  nearReal ??= nearestOthers(real, keep);
  nearSynthetic ??= nearestOthers(synthetic, keep);
  const c = countBalls(real, synthetic, nearReal, nearSynthetic, k);
  c.inNearestReal = c.nearestReal.map((i, j) => (c.toReal[j] <= c.r2[i] ? 1 : 0));
  c.inNearestSynthetic = c.nearestSynthetic.map((j, i) => (c.toSynthetic[i] <= c.s2[j] ? 1 : 0));
  c.filled = Float64Array.from(real, (_, i) =>
    expectedMinimum(c.heldStrictly[i], c.tied[i], k - c.strictly[i], c.held[i] - c.heldStrictly[i], k));
  const nearest = [average(m, (j) => c.inNearestReal[j]), average(n, (i) => c.inNearestSynthetic[i])];
  const union = [average(m, (j) => +(c.inReal[j] > 0)), average(n, (i) => +(c.inSynthetic[i] > 0))];
  const graded = average(m, (j) => Math.min(c.inClipped[j], k) / k);
  const reference = average(n, (i) => Math.min(c.ownClipped[i], k) / k);
  const raw = graded / reference;
  const numbers = {
    nearest_ball_precision: nearest[0],
    precision: union[0],
    nearest_ball_recall: nearest[1],
    recall: union[1],
    nearest_ball_f: harmonic(...nearest),
    union_f: harmonic(...union),
    density: average(m, (j) => c.inReal[j]) / k,
    coverage: average(n, (i) => +(c.held[i] > 0)),
    clipped_density: Math.min(raw, 1),
    clipped_coverage: shareOfGood(average(n, (i) => c.filled[i]) / k, expectedHits(n, m, k)),
  };
  return { numbers, raw, counts: c };
}

// What a fresh set of the same law is expected to get, where that is known for any law.
const expectedOfOneLaw = (n, m, k) => ({ density: 1, coverage: 1 - probabilities(n, m, k, 1)[0] });
