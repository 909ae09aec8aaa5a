"use strict";
// Everything that the page says about a scenario or a number. {ideal}, {raw} and {k} are filled in.

const SCENARIO_WORDS = {
  good: "The model draws from the real law itself. Whatever differs from perfect here is chance.",
  dropped: "The model makes points of the small mode too seldom, and at 100 % never; it makes points of the large mode instead.",
  narrow: "Both modes are there, but their points huddle around the middle of each.",
  noisy: "Every point is thrown off by noise, so many land where no real point would be.",
  copies: "Instead of new points the model hands out real ones again, some of them more than once.",
};

const MEASURES = [
  { title: "Precision", asks: "How many synthetic points are realistic?", both: ["nearest_ball_precision", "precision"],
    good: "A perfect model misses a few too: its points in the thin outskirts fall between the balls.",
    dropped: "Points that were never made cannot be outside, so a lost mode does not lower it.",
    narrow: "Huddled points mostly lie inside the balls, so a narrow model looks as good as a perfect one, or better.",
    noisy: "Strayed points fall outside, most clearly by the nearest-ball rule. By the union rule, the large ball of one lonely real point still lets them in.",
    copies: "A copy lies at distance 0 from a real point, so it is always inside. Perfect precision proves nothing." },
  { title: "Recall", asks: "How many real points could the model have made?", both: ["nearest_ball_recall", "recall"],
    good: "Precision with the sides exchanged: real points in the balls of the synthetic ones.",
    dropped: "Real points of the lost mode end up outside. But as long as a few stragglers are left, their balls reach far and hide the loss.",
    narrow: "The outskirts lie outside the small synthetic balls. This is the number to watch here.",
    noisy: "Strayed points have large balls, and these hold real points: noise may even raise recall. Never read it alone.",
    copies: "It asks whether real points lie near synthetic ones. Copies do, of course; copies drawn twice only shrink each other's balls." },
  { title: "F", asks: "Precision and recall in one number?", both: ["nearest_ball_f", "union_f"],
    good: "The harmonic mean of the two: it stays near the lower one.",
    dropped: "Falls only when recall does, and does not tell which of the two fell.",
    narrow: "Recall pulls it down, precision holds it up: it does not tell which is which.",
    noisy: "Precision pulls it down, and the recall that noise has raised holds it up.",
    copies: "Made of two numbers that cannot see copies, it cannot either." },
  { title: "Density", asks: "How densely do real points surround the synthetic ones?", one: "density", top: 2,
    good: "A perfect model is expected to get exactly 1, for any k and any sizes. One draw scatters around it.",
    dropped: "The points that should be in the small mode are as densely surrounded in the large one. It cannot tell.",
    narrow: "Huddling where real points are dense often lifts it above 1. That is a symptom, not a merit.",
    noisy: "Strayed points lie in few balls, so it falls: one of the clearest signs of noise.",
    copies: "A copy also lies in the ball of the very point it copies, so that copies alone are expected to get about 1 + 1/k, here {copied}. The excess is easily overlooked." },
  { title: "Coverage", asks: "How many real points have a synthetic neighbour?", one: "coverage",
    good: "Even a perfect model is expected to get only {ideal} at these sizes (1 − 2^−{k} when there are many). It is full too soon to grade good models.",
    dropped: "Balls of the lost mode stay empty, but one point in a ball is enough: it falls late, and at most by the weight of the mode.",
    narrow: "Balls in the outskirts stay empty. One point in a ball is enough, though, so it falls later than clipped coverage.",
    noisy: "One point in a ball is enough, and noise leaves that: it falls late.",
    copies: "Every copied point has its copy in its ball, at distance 0. The best value of all goes to a model that made nothing new." },
  { title: "Clipped density", asks: "What share of the synthetic points is realistic?", one: "clipped_density",
    good: "Large balls are cut to the median radius, no point counts more than once, and 1 is what real points get among themselves.",
    dropped: "Asks for realism only, so it cannot see what is missing. That is why it never stands alone.",
    narrow: "Cut off at 1 so that huddling never counts as quality. Before the cut it is {raw}; above 1.2 truegrade warns of contraction.",
    noisy: "Reads as a share: the balls of lonely real points are cut and let hardly any strayed point in.",
    copies: "Copies are realistic, and it asks for nothing else." },
  { title: "Clipped coverage", asks: "What share of the synthetic points helps to cover the real ones?", one: "clipped_coverage",
    good: "Calibrated so that 1 is expected of a perfect model; since it is cut off at 1, chance can only lower it.",
    dropped: "Falls with the mode: every ball wants k points, and a ball filled twice over does not make up for an empty one.",
    narrow: "An over-full middle does not count, an empty outskirt does. Falls further than coverage.",
    noisy: "Balls get fewer points, and it reads as the share of points that still help.",
    copies: "Copies fill the balls of the points they copy, and their neighbours' balls. It looks perfect." },
];

const RULES = { nearest: "nearest ball", union: "any ball (union)" };

// What a value below, inside or above the range of fresh real sets means: [sign, words].
const VERDICTS = {
  undamaged: { below: ["▼", "low by chance"], inside: ["=", "as it should be"], above: ["▲", "high by chance"] },
  damaged: { below: ["▼", "sees it"], inside: ["=", "blind to it"], above: ["▲", "flatters it"] },
};
