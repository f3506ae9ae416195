/** The views of the page. Each draws the model when it changed; `draw` returns true while an animation is not over. */

import { forceMapping, isEstimate, measurement, weightText } from "./pressured.js";

/** The circle under a touch: its width without force, and points per millimeter, as in ForceMapping; and grams without a weight. */
const circleWidth = 80;
const pointsPerMillimeter = 326 / 2 / 25.4;
const gramsAtMaximum = 385;

/** The size of a surface that does not state its own, in millimeters. */
const usualSize = [100, 60];

/** Grams in each unit, and its decimals. */
const units = { g: [1, 1], oz: [28.349523125, 2], ct: [0.2, 0] };

const words = {
  stable: "at rest", stable_zero: "nothing on it", in_motion: "in motion", under_zero: "below zero", over_weight: "too heavy",
  fault: "fault", rezero_needed: "zero has drifted: zero it without a load", calibration_needed: "calibration needed",
};

const color = (/** @type {string} */ name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/** Prepares a canvas for its size on the display. @param {HTMLCanvasElement} canvas */
function prepare(canvas) {
  const scale = devicePixelRatio;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (canvas.width !== Math.round(width * scale)) canvas.width = Math.round(width * scale);
  if (canvas.height !== Math.round(height * scale)) canvas.height = Math.round(height * scale);
  const drawing = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  drawing.setTransform(scale, 0, 0, scale, 0, 0);
  drawing.clearRect(0, 0, width, height);
  return { drawing, width, height };
}

/** @param {any} list @param {any[]} lines @param {(line: any) => string} text */
function showList(list, lines, text) {
  const shown = lines.slice(0, 12).map((line) => {
    const item = document.createElement("li");
    item.textContent = `${line.date.toLocaleTimeString()}  ${text(line)}`;
    return item;
  });
  list.replaceChildren(...shown);
}

// MARK: Touches

const touches = {
  name: "touches",
  spoken: "summary",
  draw({ model, element }) {
    const { drawing, width, height } = prepare(element("surface"));
    const [millimeters, tall] = model.device?.size_mm ?? usualSize;
    const scale = Math.min((width - 32) / millimeters, (height - 32) / tall);
    const [left, top] = [(width - millimeters * scale) / 2, (height - tall * scale) / 2];
    drawing.strokeStyle = color("line");
    drawing.strokeRect(left, top, millimeters * scale, tall * scale);
    drawing.font = "600 16px system-ui, sans-serif";
    drawing.textAlign = "center";
    for (const contact of model.contacts) {
      if (contact.x === null || contact.y === null) continue;
      const [x, y] = [left + contact.x * millimeters * scale, top + contact.y * tall * scale];
      const grams = contact.grams ?? (contact.ratio ?? 0) * gramsAtMaximum;
      const radius = (forceMapping({ grams }).circle * circleWidth) / pointsPerMillimeter / 2 * scale;
      drawing.globalAlpha = 0.6;
      drawing.fillStyle = color(contact.contact === model.heaviest ? "heaviest" : "touch");
      drawing.beginPath();
      drawing.arc(x, y, radius, 0, 2 * Math.PI);
      drawing.fill();
      drawing.globalAlpha = 1;
      drawing.fillStyle = "#14171c";
      drawing.fillText(contact.ratio === null ? "–" : `${Math.round(contact.ratio * 100)} %`, x, y - 4);
      if (contact.grams !== null) drawing.fillText(weightText(contact.grams, model.device, contact.saturated), x, y + 16);
    }
    const isSaturated = model.contacts.some((contact) => contact.saturated);
    const count = model.contacts.length === 1 ? "1 contact" : `${model.contacts.length} contacts`;
    const total = model.device?.weight_source === "none" ? "" : `, ${weightText(model.total, model.device, isSaturated)}`;
    element("summary").textContent = model.device === null ? "–" : model.contacts.length === 0 ? "Nothing touches." : count + total;
  },
};

// MARK: Scale

const scale = {
  name: "scale",
  spoken: "reading",
  unit: "g",

  /** @param {number|null|undefined} grams @param {any} device */
  text(grams, device) {
    if (grams === null || grams === undefined) return "–";
    const [size, decimals] = units[this.unit];
    const shown = isEstimate(device) && grams >= 100 ? Math.min(decimals, size > 1 ? 1 : 0) : decimals;
    const number = (Math.abs(grams) < 0.05 ? 0 : grams / size).toFixed(shown);
    return `${isEstimate(device) && grams !== 0 ? "≈ " : ""}${number} ${this.unit}`;
  },

  start({ model, element, request, save, redraw }) {
    for (const button of document.querySelectorAll("[data-request]")) {
      const verb = /** @type {HTMLElement} */ (button).dataset.request ?? "";
      button.addEventListener("click", () => request(verb, { device: model.shown }));
    }
    element("hold").addEventListener("click", () => request(model.scale?.held ? "release" : "hold", { device: model.shown }));
    element("unit").addEventListener("change", (event) => {
      this.unit = event.target.value;
      redraw();
    });
    for (const id of ["target", "tolerance"]) {
      element(id).addEventListener("change", () => {
        const [grams, tolerance] = [element("target").valueAsNumber, element("tolerance").valueAsNumber];
        if (grams > 0) request("target", { device: model.shown, grams, ...(tolerance >= 0 ? { tolerance } : {}) });
        else request("target", { device: model.shown, grams: 0 });
      });
    }
    element("count").addEventListener("click", async () => {
      const sample = element("sample").valueAsNumber;
      const result = await request("count", { device: model.shown, ...(sample > 0 ? { sample } : {}) });
      element("sample").value = "";
      const doubt = result?.error_pieces ? ` ± ${result.error_pieces}` : "";
      element("counted").textContent = result === undefined ? "" : `${result.pieces}${doubt} pieces${result.certain === false ? ", uncertain" : ""}`;
    });
    element("weighed").addEventListener("click", () => {
      const rows = model.weighed.map((line) => [line.date.toISOString(), line.device, line.grams ?? "", line.tare_grams, line.error_grams ?? "",
          model.devices.get(line.device)?.weight_source ?? ""]);
      save("weights.csv", "text/csv", csv([["time", "device", "grams", "tare_grams", "error_grams", "weight_source"], ...rows.reverse()]));
    });
  },

  draw({ model, element }) {
    const reading = model.scale;
    const canWeigh = (model.device?.weight_source ?? "none") !== "none";
    const isSaturated = !reading?.held && model.contacts.some((contact) => contact.saturated);
    const number = canWeigh ? this.text(reading?.grams, model.device) : "–";
    const error = reading?.error_grams === null || reading?.error_grams === undefined || isEstimate(model.device)
      ? "" : `± ${this.text(reading.error_grams, null)}`;
    element("reading").replaceChildren(isSaturated ? number.replace(/(\d)(?=\D*$)/, "$1+") : number, small(error));
    element("state").textContent = canWeigh
      ? [words[reading?.status] ?? "", reading?.held ? "held" : "", reading?.decaying ? "decaying" : "", reading?.tare_grams ? `tare ${this.text(reading.tare_grams, null)}` : "",
        reading?.target ? (reading.target.within ? "on target" : `target ${this.text(reading.target.grams, null)}`) : ""]
        .filter((part) => part !== "").join(", ")
      : "This device cannot weigh.";
    element("hold").setAttribute("aria-pressed", String(reading?.held === true));
    showList(element("log"), model.weighed, (line) => this.text(line.grams, model.devices.get(line.device)));
    this.drawDial(element("dial"), model);
  },

  /** Two rings: the force of the heaviest contact with a tick at the maximum, and the net weight against the target. */
  drawDial(canvas, model) {
    const { drawing, width } = prepare(canvas);
    const center = width / 2;
    const ring = (radius, part, name, thickness) => {
      for (const [end, style] of [[1, color("line")], [Math.min(Math.max(part, 0), 1), color(name)]]) {
        drawing.lineWidth = thickness;
        drawing.strokeStyle = style;
        drawing.beginPath();
        drawing.arc(center, center, radius, -Math.PI / 2, -Math.PI / 2 + 2 * Math.PI * end);
        drawing.stroke();
      }
    };
    const ratio = Math.max(0, ...model.contacts.map((contact) => contact.ratio ?? 0));
    const target = model.scale?.target;
    ring(center * 0.92, ratio, model.maximum?.state === "reached" ? "warm" : "touch", center * 0.06);
    ring(center * 0.8, target ? (model.scale.grams ?? 0) / target.grams : ratio, target?.within ? "good" : "heaviest", center * 0.04);
    if (model.maximum?.state !== "reached") return;
    drawing.fillStyle = color("warm");
    drawing.fillRect(center - 2, 0, 4, center * 0.16);
  },
};

/** @param {string} text */
function small(text) {
  const element = document.createElement("small");
  element.textContent = text;
  return element;
}

// MARK: Press

const petals = 9;

const press = {
  name: "press",
  spoken: "progress",
  start({ element }) {
    const shapes = Array.from({ length: petals }, () => shape("ellipse", { class: "petal", rx: 8, ry: 20, cx: 0, cy: -24 }));
    element("flower").append(...shapes, shape("circle", { class: "heart", r: 9 }));
  },
  draw({ model, element }) {
    const line = model.press;
    const isOver = line === null || line.state === "ended" || line.state === "cancelled";
    const values = forceMapping(isOver ? {} : line);
    const lengths = 10 * values.shadow;
    element("button").style.boxShadow = `0 ${lengths}px ${lengths}px rgb(0 0 0 / 45%)`;
    element("button").style.transform = `translateY(${2 * values.progress}px)`;
    const picture = element("picture");
    picture.style.transformOrigin = `${values.zoom.x * 100}% ${values.zoom.y * 100}%`;
    picture.style.transform = `scale(${values.zoom.scale})`;
    element("flower").querySelectorAll(".petal").forEach((petal, index) => {
      const angle = ((index - (petals - 1) / 2) * 360) / petals;
      petal.setAttribute("transform", `rotate(${angle * (0.2 + 0.8 * values.progress)}) scale(${0.6 + 0.6 * values.progress})`);
    });
    const force = line?.ratio === null || line?.ratio === undefined ? "–" : `${Math.round(line.ratio * 100)} %`;
    element("progress").textContent = line === null ? `Press the surface. ${model.device ? measurement(model.device) : ""}`
      : `${line.state}, ${line.stage}, ${force}${line.simulated ? ", simulated by holding" : ""}`;
    showList(element("presses"), model.presses, (each) =>
      `${each.state}${each.entered ? `, reached ${each.entered}` : ""}${each.simulated ? ", simulated by holding" : ""}`
      + (each.grams === null ? "" : `, ${weightText(each.grams, model.device)}`));
  },
};

/** @param {string} name @param {object} attributes */
function shape(name, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

// MARK: Plot

/** The part of the plot's width in which a curve has no more than its first, least, greatest and last point. */
const column = 1 / 1000;

/** Adds a point to a run; two of the same column that continue a movement become one. @param {number[][]} run */
function add(run, x, y) {
  const [before, last] = [run.at(-2), run.at(-1)];
  const continues = before !== undefined && last !== undefined && Math.sign(y - last[1]) === Math.sign(last[1] - before[1]);
  if (continues && x - before[0] < column) run.pop();
  run.push([x, y]);
}

const plot = {
  name: "plot",
  seconds: 30,
  /** @type {any[]|null} The samples at the time of the pause. */
  paused: null,

  start({ model, element, save, redraw }) {
    element("span").addEventListener("change", (event) => {
      this.seconds = Number(event.target.value);
      redraw();
    });
    element("pause").addEventListener("click", () => {
      this.paused = this.paused === null ? [...model.samples] : null;
      element("pause").setAttribute("aria-pressed", String(this.paused !== null));
      redraw();
    });
    element("csv").addEventListener("click", () => {
      const rows = this.shown(model).flatMap((sample) => sample.contacts.map((contact) =>
        [sample.time, contact.contact, contact.raw, contact.force, contact.grams, sample.error].map((value) => value ?? "")));
      save("pressure.csv", "text/csv", csv([["time_us", "contact", "raw", "force", "grams", "error_grams"], ...rows]));
    });
    element("svg").addEventListener("click", () => save("pressure.svg", "image/svg+xml", this.svg(model)));
  },

  /** The time at the right edge. */
  end(model) {
    return this.paused?.at(-1)?.time ?? model.now;
  },

  /** The samples within the span. */
  shown(model) {
    const samples = this.paused ?? model.samples;
    const end = this.end(model);
    const start = samples.findIndex((sample) => sample.time >= end - this.seconds * 1e6);
    return start < 0 ? [] : samples.slice(start);
  },

  /**
   * The curves, as lists of runs of points in a unit square from the lower left; a run ends where a contact ends or the connection was lost.
   */
  curves(model) {
    const samples = this.shown(model);
    const end = this.end(model);
    const most = Math.max(10, ...samples.map((sample) => sample.total ?? 0));
    const x = (time) => 1 - (end - time) / (this.seconds * 1e6);
    const force = new Map();
    const runs = { force: /** @type {number[][][]} */ ([]), grams: /** @type {number[][][]} */ ([]) };
    let grams = null;
    for (const sample of samples) {
      for (const [id] of force) if (!sample.contacts.some((contact) => contact.contact === id)) force.delete(id);
      for (const contact of sample.contacts) {
        if (contact.ratio === null) {
          force.delete(contact.contact);
          continue;
        }
        if (!force.has(contact.contact)) {
          force.set(contact.contact, []);
          runs.force.push(force.get(contact.contact));
        }
        add(force.get(contact.contact), x(sample.time), contact.ratio);
      }
      if (sample.contacts.length === 0 || sample.total === null) {
        grams = null;
        continue;
      }
      if (grams === null) runs.grams.push((grams = []));
      add(grams, x(sample.time), sample.total / most);
    }
    return { runs, most };
  },

  draw({ model, element }) {
    const { drawing, width, height } = prepare(element("curves"));
    const { runs, most } = this.curves(model);
    const hasGrams = runs.grams.length > 0;
    const [left, bottom] = [48, height - 28];
    const place = ([x, y]) => [left + x * (width - left - 56), bottom - y * (bottom - 16)];
    drawing.font = "13px system-ui, sans-serif";
    drawing.fillStyle = color("faint");
    drawing.strokeStyle = color("line");
    for (const part of [0, 0.25, 0.5, 0.75, 1]) {
      const [, y] = place([0, part]);
      drawing.beginPath();
      drawing.moveTo(left, y);
      drawing.lineTo(width - 56, y);
      drawing.stroke();
      drawing.fillText(`${part * 100} %`, 6, y + 4);
      if (hasGrams) drawing.fillText(`${Math.round(part * most)} g`, width - 50, y + 4);
    }
    drawing.fillText(`force (left), ${isEstimate(model.device) ? "≈ " : ""}grams (right), the last ${this.seconds} s`, left, height - 6);
    for (const [name, list] of [["touch", runs.force], ["heaviest", runs.grams]]) {
      drawing.strokeStyle = color(/** @type {string} */ (name));
      drawing.lineWidth = 2;
      for (const run of /** @type {number[][][]} */ (list)) {
        drawing.beginPath();
        for (const point of run) drawing.lineTo(...place(point));
        drawing.stroke();
      }
    }
    return this.paused === null;
  },

  svg(model) {
    const { runs, most } = this.curves(model);
    const path = (run) => `M${run.map(([x, y]) => `${(50 + x * 900).toFixed(1)} ${(360 - y * 340).toFixed(1)}`).join("L")}`;
    const paths = (list, stroke) => list.map((run) => `<path d="${path(run)}" fill="none" stroke="${stroke}" stroke-width="2"/>`).join("\n");
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 400" font-family="sans-serif" font-size="14">
<rect width="1000" height="400" fill="#fff"/>
<path d="M50 20V360H950" fill="none" stroke="#888"/>
<text x="4" y="25">100 %</text><text x="955" y="25">${Math.round(most)} g</text><text x="50" y="385">force and grams, the last ${this.seconds} s</text>
${paths(runs.force, "#6a4bb5")}
${paths(runs.grams, "#e3b008")}
</svg>
`;
  },
};

/** @param {any[][]} rows @returns {string} */
function csv(rows) {
  const cell = (/** @type {any} */ value) => (/[",\r\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value));
  return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

// MARK: Actions

/** Characters for icons of the desktop theme that actions usually have; others show the first letter of the title. */
const icons = { "document-new": "✚", "edit-find": "🔍", "media-playback-start": "▶", "view-refresh": "↻", "mail-unread": "✉" };

const actions = {
  name: "actions",
  async enter({ element, request, model }) {
    const list = await request("actions");
    if (list === undefined) return;
    element("list").replaceChildren(...list.map((action) => {
      const item = document.createElement("li");
      const icon = document.createElement("span");
      icon.className = "icon";
      icon.textContent = (Object.hasOwn(icons, action.icon) ? icons[action.icon] : [...action.title][0]) ?? "•";
      const title = document.createElement("span");
      title.append(action.title, small(action.subtitle ?? action.type));
      const outcome = document.createElement("output");
      const button = document.createElement("button");
      button.textContent = "Perform";
      button.addEventListener("click", async () => {
        const result = await request("perform", { type: action.type, ...(model.shown ? { device: model.shown } : {}) });
        if (result !== undefined) outcome.textContent = handler(result);
      });
      item.append(icon, title, button, outcome);
      return item;
    }));
    if (list.length === 0) element("list").textContent = "No actions are configured; pressured-config(5) has an example.";
  },
  draw({ model, element }) {
    showList(element("performed"), model.performed, (line) =>
      `${line.title}, by ${line.origin === "press" ? "a press" : "a request"}${line.user === undefined ? "" : ` of user ${line.user}`}`);
  },
};

/** @param {any} result What became of an action. @returns {string} Who handled it. */
function handler(result) {
  const clients = result.clients === 1 ? "1 program" : `${result.clients ?? 0} programs`;
  if (result.built_in) return result.handled ? "handled by the daemon" : "refused by the scale";
  return result.clients > 0 ? `sent to ${clients}` : "nobody handles it";
}

/** @type {Record<string, any>} */
export const views = { touches, scale, press, plot, actions };
