/** The views of the page. Each draws the model when it changed; `draw` returns true while an animation is not over. */

import { forceMapping, isEstimate, weightText } from "./pressured.js";

/** The circle under a touch: its width without force, and points per millimeter, as in ForceMapping; and grams without a weight. */
const circleWidth = 80;
const pointsPerMillimeter = 326 / 2 / 25.4;
const gramsAtMaximum = 385;

/** The size of a surface that does not state its own, and the margin around it, in millimeters. */
const usualSize = [100, 60];
const margin = 4;

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
  // Texts are as large as those around the canvas.
  return { drawing, width, height, rem: parseFloat(getComputedStyle(canvas).fontSize) };
}

/** Sets a text that may be the same as before: the page is laid out again only if it differs. @param {any} element @param {string} text */
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Making a format takes longer than a frame of the display has. */
const timeOfDay = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

/** @param {any} list @param {any[]} lines @param {(line: any) => string} text */
function showList(list, lines, text) {
  const shown = lines.slice(0, 12).map((line) => `${timeOfDay.format(line.date)}  ${text(line)}`);
  while (list.children.length > shown.length) list.lastElementChild.remove();
  shown.forEach((each, index) => setText(list.children[index] ?? list.appendChild(document.createElement("li")), each));
}

// MARK: Touches

const touches = {
  name: "touches",
  spoken: "summary",
  draw({ model, element }) {
    const { drawing, width, height, rem } = prepare(element("surface"));
    const [millimeters, tall] = model.device?.size_mm ?? usualSize;
    // Around the surface there is room for the texts of fingers at its edge.
    const scale = Math.min(width / (millimeters + 2 * margin), height / (tall + 2 * margin));
    const [left, top] = [(width - millimeters * scale) / 2, (height - tall * scale) / 2];
    drawing.fillStyle = color("panel");
    drawing.strokeStyle = color("line");
    drawing.lineWidth = 1;
    drawing.beginPath();
    drawing.roundRect(left, top, millimeters * scale, tall * scale, rem / 2);
    drawing.fill();
    drawing.stroke();
    drawing.save();
    drawing.clip();
    const placed = model.contacts.filter((contact) => contact.x !== null && contact.y !== null);
    const place = (contact) => [left + contact.x * millimeters * scale, top + contact.y * tall * scale];
    drawing.globalAlpha = 0.6;
    for (const contact of placed) {
      const grams = contact.grams ?? (contact.ratio ?? 0) * gramsAtMaximum;
      const radius = (forceMapping({ grams }).circle * circleWidth) / pointsPerMillimeter / 2 * scale;
      drawing.fillStyle = color(contact.contact === model.heaviest ? "heaviest" : "touch");
      drawing.beginPath();
      drawing.arc(...place(contact), radius, 0, 2 * Math.PI);
      drawing.fill();
    }
    drawing.restore();
    // Above all circles, and with an edge, so that it can be read beside a small one.
    drawing.font = `600 ${rem}px system-ui, sans-serif`;
    drawing.textAlign = "center";
    drawing.lineJoin = "round";
    drawing.lineWidth = rem / 8;
    drawing.strokeStyle = color("panel");
    drawing.fillStyle = color("text");
    for (const contact of placed) {
      const [x, y] = place(contact);
      const write = (text, down) => {
        drawing.strokeText(text, x, y + down);
        drawing.fillText(text, x, y + down);
      };
      write(contact.ratio === null ? "–" : `${Math.round(contact.ratio * 100)} %`, -rem / 4);
      if (contact.grams !== null) write(weightText(contact.grams, model.device, contact.saturated), rem);
    }
    const isSaturated = model.contacts.some((contact) => contact.saturated);
    const count = model.contacts.length === 1 ? "1 contact" : `${model.contacts.length} contacts`;
    const total = model.device?.weight_source === "none" ? "" : `, ${weightText(model.total, model.device, isSaturated)}`;
    setText(element("summary"), model.device === null ? "–" : model.contacts.length === 0 ? "Nothing touches." : count + total);
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
    const number = (grams / size).toFixed(shown).replace(/^-(0\.?0*)$/, "$1");
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
        else if (id === "target") request("target", { device: model.shown, grams: 0 });
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
    setText(element("number"), isSaturated ? number.replace(/(\d)(?=\D*$)/, "$1+") : number);
    setText(element("error"), error);
    setText(element("state"), canWeigh
      ? [words[reading?.status] ?? "", reading?.held ? "held" : "", reading?.decaying ? "decaying" : "", reading?.tare_grams ? `tare ${this.text(reading.tare_grams, null)}` : "",
        reading?.target ? (reading.target.within ? "on target" : `target ${this.text(reading.target.grams, null)}`) : ""]
        .filter((part) => part !== "").join(", ")
      : "This device cannot weigh.");
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
    element("button").style.boxShadow = `0 ${lengths}px ${lengths}px var(--shadow)`;
    element("button").style.transform = `translateY(${2 * values.progress}px)`;
    const picture = element("picture");
    picture.style.transformOrigin = `${values.zoom.x * 100}% ${values.zoom.y * 100}%`;
    picture.style.transform = `scale(${values.zoom.scale})`;
    element("flower").querySelectorAll(".petal").forEach((petal, index) => {
      const angle = ((index - (petals - 1) / 2) * 360) / petals;
      petal.setAttribute("transform", `rotate(${angle * (0.2 + 0.8 * values.progress)}) scale(${0.6 + 0.6 * values.progress})`);
    });
    const force = line?.ratio === null || line?.ratio === undefined ? "–" : `${Math.round(line.ratio * 100)} %`;
    setText(element("progress"), line === null ? "Press the surface."
      : `${line.state}, ${line.stage}, ${force}${line.simulated ? ", simulated by holding" : ""}`);
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

/** The most columns of a curve over the width of the plot. */
const mostColumns = 500;

/** Between samples that are further apart, in microseconds, a value did not change. */
const longestFrame = 300_000;

/**
 * What a curve has in a column.
 *
 * @typedef {{start: number, end: number, first: number, least: number, greatest: number, last: number}} Column
 */

/**
 * The curves of samples. Each sample is read once, and what is kept and drawn does not grow with their number.
 */
class Curves {
  /** @type {{force: Column[][], grams: Column[][]}} Runs: each ends where a contact ends or the connection was lost. */
  runs = { force: [], grams: [] };
  /** The runs that go on: those of contacts by their number, and that of the total by "total". @type {Map<any, Column[]>} */
  #open = new Map();
  #order = 0;

  /** @param {any[]} samples @param {number} span The time of the width of the plot, in microseconds. */
  constructor(samples, span) {
    this.samples = samples;
    this.span = span;
  }

  /** Reads samples that are new, and drops what ended before a time. @param {number} start */
  update(start) {
    let index = this.samples.length;
    // A value holds until the next sample, so that the last one before the start is needed, too.
    while (index > 0 && this.samples[index - 1].order > this.#order && (this.samples[index]?.time ?? start) >= start) index -= 1;
    for (; index < this.samples.length; index += 1) this.#read(this.samples[index]);
    this.#order = this.samples.at(-1)?.order ?? 0;
    for (const [name, list] of Object.entries(this.runs)) {
      for (const run of list) {
        const first = run.findIndex((column) => column.end >= start);
        run.splice(0, first < 0 ? run.length - 1 : Math.max(first - 1, 0));
      }
      this.runs[name] = list.filter((run) => run[0].end >= start || run.length > 1 || this.isOpen(run));
    }
  }

  /** Whether a run's last value still holds. @param {Column[]} run */
  isOpen(run) {
    return [...this.#open.values()].includes(run);
  }

  /** The points of a run in a unit square from the lower left. @param {Column[]} run @param {number} now @param {number} top */
  points(run, now, top) {
    /** @type {[number, number][]} */
    const points = [];
    const add = (time, value) => points.push([Math.max(0, 1 - (now - time) / this.span), value / top]);
    for (const { start, end, first, least, greatest, last } of run) {
      add(start, first);
      // Their order does not matter in the width of a column.
      if (least < first && least < last) add((start + end) / 2, least);
      if (greatest > first && greatest > last) add((start + end) / 2, greatest);
      if (end > start) add(end, last);
    }
    if (this.isOpen(run)) points.push([1, points[points.length - 1][1]]);
    return points;
  }

  #read({ time, total, contacts }) {
    const values = new Map(contacts.map(({ contact, ratio }) => [contact, ratio]));
    if (contacts.length > 0) values.set("total", total);
    for (const key of this.#open.keys()) if (typeof values.get(key) !== "number") this.#open.delete(key);
    for (const [key, value] of values) {
      if (value === null) continue;
      if (!this.#open.has(key)) {
        this.#open.set(key, []);
        this.runs[key === "total" ? "grams" : "force"].push(this.#open.get(key));
      }
      this.#add(this.#open.get(key), time, value);
    }
  }

  /** @param {Column[]} run @param {number} time @param {number} value */
  #add(run, time, value) {
    const before = run.at(-1);
    const column = (time) => Math.floor((time / this.span) * mostColumns);
    const start = (value) => run.push({ start: time, end: time, first: value, least: value, greatest: value, last: value });
    if (before !== undefined && time - before.end > longestFrame) start(before.last);
    if (before === undefined || column(before.start) !== column(time)) {
      start(value);
    } else {
      before.end = time;
      before.least = Math.min(before.least, value);
      before.greatest = Math.max(before.greatest, value);
      before.last = value;
    }
  }

  /** The most grams of the plot's height. */
  get most() {
    return this.runs.grams.reduce((most, run) => run.reduce((most, column) => Math.max(most, column.greatest), most), 10);
  }
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
        [sample.time, sample.device, contact.contact, contact.raw, contact.force, contact.grams, sample.error,
          model.devices.get(sample.device)?.weight_source].map((value) => value ?? "")));
      save("pressure.csv", "text/csv", csv([["time_us", "device", "contact", "raw", "force", "grams", "error_grams", "weight_source"], ...rows]));
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

  /** The curves, and a function that returns the points of a run in a unit square from the lower left. */
  curves(model) {
    const samples = this.paused ?? model.samples;
    const span = this.seconds * 1e6;
    if (this.kept?.samples !== samples || this.kept.span !== span) this.kept = new Curves(samples, span);
    const end = this.end(model);
    this.kept.update(end - span);
    const { runs, most } = this.kept;
    return { runs, most, points: (run, top) => this.kept.points(run, end, top) };
  },

  draw({ model, element }) {
    const canvas = element("curves");
    // A plot of minutes moves by less than a pixel in most frames.
    const shown = [canvas.clientWidth, canvas.clientHeight, devicePixelRatio, color("text"), this.paused, this.seconds,
      Math.floor(this.end(model) / (this.seconds * 1e6) * canvas.clientWidth * devicePixelRatio)];
    if (shown.every((value, index) => value === this.shownLast?.[index])) return this.paused === null;
    this.shownLast = shown;
    const { drawing, width, height, rem } = prepare(canvas);
    const { runs, most, points } = this.curves(model);
    const hasGrams = runs.grams.length > 0;
    const [left, right, bottom] = [3.2 * rem, width - 3.8 * rem, height - 1.8 * rem];
    const place = (part, y) => [left + part * (right - left), bottom - y * (bottom - rem)];
    drawing.font = `${0.8 * rem}px system-ui, sans-serif`;
    drawing.fillStyle = color("faint");
    drawing.strokeStyle = color("line");
    drawing.lineWidth = 1;
    for (const part of [0, 0.25, 0.5, 0.75, 1]) {
      const [, y] = place(0, part);
      drawing.beginPath();
      drawing.moveTo(left, y);
      drawing.lineTo(right, y);
      drawing.stroke();
      drawing.fillText(`${part * 100} %`, rem / 3, y + rem / 4);
      if (hasGrams) drawing.fillText(`${Math.round(part * most)} g`, right + rem / 3, y + rem / 4);
    }
    drawing.fillText(`force (left), ${isEstimate(model.device) ? "≈ " : ""}grams (right), the last ${this.seconds} s`, left, height - rem / 2);
    // Without a graphics card, lines of one pixel of the display are drawn in a sixth of the time that wider ones take.
    const isCoarse = devicePixelRatio <= 1;
    drawing.lineWidth = isCoarse ? 1 : 2;
    for (const [name, list, top] of /** @type {[string, Column[][], number][]} */ ([["touch", runs.force, 1], ["heaviest", runs.grams, most]])) {
      drawing.strokeStyle = color(name);
      for (const run of list) {
        const line = new Path2D();
        for (const [x, y] of points(run, top)) line.lineTo(...place(x, y));
        drawing.stroke(line);
        if (!isCoarse) continue;
        drawing.save();
        drawing.translate(0.7, 0.7);
        drawing.stroke(line);
        drawing.restore();
      }
    }
    return this.paused === null;
  },

  svg(model) {
    const { runs, most, points } = this.curves(model);
    const path = (run, top) => `M${points(run, top).map(([x, y]) => `${(50 + x * 900).toFixed(1)} ${(360 - y * 340).toFixed(1)}`).join("L")}`;
    const paths = (list, top, stroke) =>
      list.map((run) => `<path d="${path(run, top)}" fill="none" stroke="${stroke}" stroke-width="2"/>`).join("\n");
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 400" font-family="sans-serif" font-size="14">
<rect width="1000" height="400" fill="#fff"/>
<path d="M50 20V360H950" fill="none" stroke="#888"/>
<text x="4" y="25">100 %</text><text x="955" y="25">${Math.round(most)} g</text><text x="50" y="385">force and ${isEstimate(model.device) ? "≈ " : ""}grams, the last ${this.seconds} s</text>
${paths(runs.force, 1, "#6a4bb5")}
${paths(runs.grams, most, "#e3b008")}
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
