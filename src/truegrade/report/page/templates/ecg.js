// ECG recordings: one model at a time, and the recording behind a point of the map, beside its nearest on the other side.
(() => {
  "use strict";
  const root = document.getElementById("ecg");
  const samples = document.getElementById("samples");
  if (!root) return;

  const picker = root.querySelector(".tb-models");
  const choose = (index) => {
    for (const one of root.querySelectorAll(".eg-model")) one.hidden = one.dataset.model !== index;
  };
  if (picker) {
    root.classList.add("tb-many");
    picker.addEventListener("change", (event) => choose(event.target.value));
    choose(picker.querySelector("input:checked").value); // a reload may have kept another choice
  }

  const panel = document.getElementById("eg-open");
  if (!samples || !panel) return;
  const models = JSON.parse(document.getElementById("summary").textContent).models;
  const SVG = "http://www.w3.org/2000/svg";
  const OTHER = { real: "synthetic", synthetic: "real" };
  const [LEFT, RIGHT, ABOVE, BELOW, SECOND, MILLIVOLT] = [150, 50, 50, 100, 250, 100]; // as in ecg_plots.py

  const make = (tag, attributes, text) => {
    const e = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
    if (text !== undefined) e.textContent = text;
    return e;
  };
  const element = (tag, name, text) => {
    const e = document.createElement(tag);
    if (name) e.className = name;
    if (text !== undefined) e.textContent = text;
    return e;
  };

  // --- rhythms: deflated differences, unpacked once a side ----------------------------------------------------------

  const unpacked = new Map();
  function values(model, side) {
    const key = model + side;
    if (!unpacked.has(key)) unpacked.set(key, unpack(models[model].ecg.rhythms[side]));
    return unpacked.get(key);
  }
  async function unpack(rhythm) {
    const packed = Uint8Array.from(atob(rhythm.packed), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    for (let at = 0; at < bytes.length; at += rhythm.samples) {
      for (let i = at + 1; i < at + rhythm.samples; i++) bytes[i] += bytes[i - 1]; // modulo 256
    }
    return new Int8Array(bytes.buffer);
  }

  // One lead on paper, as ecg_plots.py draws it.
  function rhythmPaper(rhythm, all, at, side, name, scale) {
    const own = all.subarray(at * rhythm.samples, (at + 1) * rhythm.samples);
    const known = own.filter((v) => v !== -128);
    const units = (v) => Math.round(v * rhythm.step * MILLIVOLT);
    const room = (reach) => Math.min(250, Math.max(100, 50 * Math.ceil((reach + 20) / 50)));
    const up = room((known.length ? units(Math.max(...known)) : 0) + 40); // room for the name of the lead
    const down = room(known.length ? -units(Math.min(...known)) : 0);
    const wide = 50 * Math.ceil((LEFT + RIGHT + (rhythm.samples / rhythm.fs) * SECOND) / 50);
    const high = ABOVE + up + down + BELOW;
    const base = ABOVE + up;
    const flat = own.every((v) => v === own[0]);
    const picture = make("svg", { class: "ecg-paper", viewBox: "0 0 " + wide + " " + high, role: "img",
      "aria-label": side + " recording " + name + ", lead " + rhythm.lead + ", " + scale.join("; "),
      "data-lead": rhythm.lead });
    picture.append(make("rect", { class: "ecg-ground", width: wide, height: high }),
      make("rect", { fill: "url(#ecg-grid)", width: wide, height: high }),
      make("path", { class: "ecg-pulse", d: "M30 " + base + "h20v-100h50v100h20" }));
    if (flat) {
      const words = own[0] === -128 ? "no signal" : "flat: no signal";
      picture.append(make("text", { class: "ecg-none", x: LEFT + 40, y: base + 60 }, words));
    } else {
      let d = "";
      let pen = false;
      let over = "";
      own.forEach((v, i) => {
        if (v === -128) { pen = false; return; }
        const x = LEFT + Math.round((i / rhythm.fs) * SECOND);
        const y = -units(v);
        const kept = Math.max(-up, Math.min(down, y));
        const end = Math.abs(v) === 127; // as far as it was kept
        if (kept !== y || end) over += "M" + x + " " + (y < 0 ? ABOVE + "l-14 26h28z" : base + down + "l-14-26h28z");
        d += (pen ? "L" : "M") + x + " " + (base + kept);
        pen = true;
      });
      picture.append(make("path", { class: "ecg-trace ecg-" + side, d }));
      if (over) picture.append(make("path", { class: "ecg-over", d: over }));
    }
    picture.append(make("text", { class: "ecg-lead", x: LEFT + 12, y: ABOVE + 46 }, rhythm.lead),
      make("text", { class: "ecg-scale", x: LEFT, y: high - 34 }, scale.join("   ")));
    return picture;
  }

  // --- the panel ------------------------------------------------------------------------------------------------------

  // The whole strip where there is one on the page, else the rhythm.
  async function paper(model, side, row, name) {
    const found = root.querySelector('.eg-model[data-model="' + model + '"] svg[data-side="' + side + '"][data-row="' + row + '"]');
    if (found) {
      const copy = found.cloneNode(true);
      copy.removeAttribute("id");
      return copy;
    }
    const rhythms = models[model].ecg.rhythms;
    const at = rhythms ? rhythms[side].rows.indexOf(row) : -1;
    if (at < 0) return element("p", "", "This recording is not kept in the page.");
    try {
      return rhythmPaper(rhythms[side], await values(model, side), at, side, name, rhythms.scale);
    } catch {
      return element("p", "", "This browser cannot unpack the recordings of the map.");
    }
  }

  const leads = (model) => Number(root.querySelector('.eg-model[data-model="' + model + '"]').dataset.leads);

  async function one(model, side, row, name, label, words) {
    const figure = element("figure", "eg-one");
    const caption = element("figcaption");
    const title = element("strong");
    title.append(element("bdi", "", name));
    caption.append(element("span", "eg-side eg-" + side + "-side", side), " ", title);
    if (label !== null) {
      const named = element("span", "muted", ", ");
      named.append(element("bdi", "", label));
      caption.append(named);
    }
    if (words) caption.append(element("span", "muted", ", " + words));
    caption.append(element("span", "eg-swipe", "scrolls sideways →"));
    caption.lastChild.setAttribute("aria-hidden", "true");
    const box = element("div", "eg-scroll");
    box.tabIndex = 0;
    box.setAttribute("role", "region");
    box.setAttribute("aria-label", side + " recording, scrolls sideways");
    const picture = await paper(model, side, row, name);
    box.append(picture);
    figure.append(caption, box);
    if (picture.dataset.lead && leads(model) > 1) {
      figure.append(element("p", "", "Of recordings without a strip in the report the page keeps lead " + picture.dataset.lead + " only."));
    }
    return figure;
  }

  let asked = 0;
  samples.addEventListener("ex-open", async (event) => {
    const { model, point, side, partner, words } = event.detail;
    if (!models[model].ecg) return;
    asked += 1;
    const mine = asked;
    const parts = [await one(model, side, point.row, point.name, point.label, words)];
    if (partner) parts.push(await one(model, OTHER[side], partner.row, partner.name, partner.label, ""));
    if (mine !== asked) return; // another point was opened meanwhile
    const head = element("div", "eg-open-head");
    const close = element("button", "eg-find", "Close");
    close.type = "button";
    close.addEventListener("click", () => {
      panel.hidden = true;
      document.getElementById("ex-canvas").focus({ preventScroll: true });
    });
    head.append(element("h3", "", "The recording, and the nearest " + OTHER[side] + " one"), close);
    const two = element("div", "eg-two");
    two.append(...parts);
    panel.replaceChildren(head, two);
    if (!partner) panel.append(element("p", "", "The nearest " + OTHER[side] + " recording is not on the map."));
    panel.dataset.row = point.row;
    panel.dataset.side = side;
    panel.hidden = false;
    if (panel.getBoundingClientRect().top > window.innerHeight - 120) panel.scrollIntoView({ block: "nearest" }); // out of sight
  });

  // --- from a strip to its point ---------------------------------------------------------------------------------------

  for (const pair of root.querySelectorAll(".eg-pair")) {
    const side = pair.dataset.synthetic !== undefined ? "synthetic" : "real";
    const model = Number(pair.closest(".eg-model").dataset.model);
    const exhibits = models[model].exhibits;
    const row = Number(pair.dataset[side]);
    if (!exhibits || !exhibits.map || !exhibits.map[side].rows.includes(row)) continue;
    const button = element("button", "eg-find", "show in the map");
    button.type = "button";
    button.addEventListener("click", () => {
      samples.dispatchEvent(new CustomEvent("ex-show", { detail: { model, side, row, from: button } }));
    });
    pair.append(button);
  }
})();
