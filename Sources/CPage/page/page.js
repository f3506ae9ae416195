/** The page: one connection, what is known of the devices, and the views. */

import { Pressured, measurement, takeToken } from "./pressured.js";
import { views } from "./views.js";

/** How long samples are kept for the plot, in microseconds of the daemon's clock. */
const keptTime = 300e6;

/** The most lines of a list, and the most samples. */
const longestList = 1000;
const mostSamples = 60_000;

const element = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));

/** What the views show. */
const model = {
  /** @type {Map<string, any>} The latest `device` line of each device. */
  devices: new Map(),
  /** @type {string|null} The device that is shown. */
  shown: null,
  /** @type {any[]} */
  contacts: [],
  total: /** @type {number|null} */ (null),
  heaviest: /** @type {number|null} */ (null),
  scale: /** @type {any} */ (null),
  press: /** @type {any} */ (null),
  maximum: /** @type {any} */ (null),
  /**
   * The oldest first; a sample without contacts is a gap.
   *
   * @type {{order: number, time: number, device: string|null, total: number|null, error: number|null, contacts: any[]}[]}
   */
  samples: [],
  /** @type {any[]} Stable weights, the latest first. */
  weighed: [],
  /** @type {any[]} */
  presses: [],
  /** @type {any[]} */
  performed: [],
  /** What the daemon's clock shows, in microseconds, while it is connected. */
  get now() {
    return model.clock === null || notices.connection !== "" ? model.samples.at(-1)?.time ?? 0 : performance.now() * 1000 + model.clock;
  },
  /** The least difference of the daemon's clock and that of the page, in microseconds: what is late only increases it. */
  clock: /** @type {number|null} */ (null),
  get device() {
    return this.devices.get(this.shown ?? "") ?? null;
  },
};

let isDirty = true;

/** When a text was last passed to a screen reader. */
let spokenAt = 0;

/** The device that was chosen by hand. @type {string|null} */
let chosen = null;

/** What is to be done with the readings of a new connection once its devices are known. @type {(() => void)[]|null} */
let waiting = [];

/** Why there is no connection, and the latest error of a request or of the session; empty if there is none. */
const notices = { connection: "", session: "", request: "" };
let view = views.touches;
takeToken();
let isConnected = false;
const daemon = new Pressured({ events: ["device", "weight", "scale", "press", "max_force", "action", "access"] });

daemon.on("connected", () => {
  model.devices.clear();
  model.clock = null;
  [isConnected, waiting] = [true, []];
  notify("request", "");
  notify("connection", "");
  view.enter?.(context);
});
daemon.on("lost", (reason) => {
  isConnected = false;
  addSample(null);
  Object.assign(model, { contacts: [], total: null, heaviest: null, scale: null, press: null, maximum: null });
  notify("connection", `No connection to the daemon: ${reason}`);
  isDirty = true;
});
daemon.on("device", (line) => {
  if (line.change === "removed") model.devices.delete(line.device);
  else model.devices.set(line.device, line);
  if (waiting === null) select();
});
daemon.on("reply", () => {
  const readings = waiting ?? [];
  waiting = null;
  select();
  for (const each of readings) each();
});
onReading("weight", (line) => {
  // A device that is touched while the one shown rests is shown, unless one was chosen.
  if (line.device !== model.shown && !model.devices.has(chosen ?? "") && line.contacts.length > 0 && model.contacts.length === 0) show(line.device);
  if (line.device !== model.shown) return;
  model.contacts = line.contacts.filter((contact) => !["ended", "cancelled"].includes(contact.phase));
  model.total = line.total_grams;
  model.heaviest = line.heaviest;
  addSample(line);
});
onReading("scale", (line) => {
  if (line.device !== model.shown) return;
  const last = model.weighed[0];
  // After a pause, a load that weighs the same is the same.
  const wasStable = model.scale !== null ? model.scale.status === "stable"
    : last?.device === line.device && Math.abs(last.grams - line.grams) <= (line.error_grams ?? 1);
  model.scale = line;
  if (line.status !== "stable") return;
  // One entry for each load at rest, which follows it.
  if (wasStable) model.weighed.shift();
  keep(model.weighed, line);
});
onReading("press", (line) => {
  if (line.device !== model.shown) return;
  model.press = line;
  if (line.state !== "changed" || line.entered !== undefined) keep(model.presses, line);
});
onReading("max_force", (line) => {
  if (line.device === model.shown) model.maximum = line;
});
daemon.on("action", (line) => keep(model.performed, line));
daemon.on("access", (line) =>
  notify("session", line.state === "suspended" ? "Another session is active: its touches are not shown here." : ""));
daemon.on("*", (line) => {
  isDirty = true;
  if (line.time === undefined || line.present) return;
  const difference = line.time - performance.now() * 1000;
  model.clock = Math.max(model.clock ?? difference, difference);
});

/**
 * Calls a function for each line of an event; those of a new connection wait until its devices are known.
 *
 * @param {string} event
 * @param {(line: any) => void} handler
 */
function onReading(event, handler) {
  daemon.on(event, (line) => (waiting === null ? handler(line) : waiting.push(() => handler(line))));
}

/** Shows the device that was chosen, or shown before; without them the first that measures. */
function select() {
  const list = [...model.devices.values()];
  const first = list.find((device) => device.capability !== "none") ?? list[0];
  show([chosen, model.shown].find((device) => model.devices.has(device ?? "")) ?? first?.device ?? null);
  showDevice();
}

/** Adds a line at the start of a list. @param {any[]} list @param {any} line */
function keep(list, line) {
  list.unshift({ ...line, date: new Date() });
  list.length = Math.min(list.length, longestList);
}

/** @param {any} line A `weight` line; null for a gap. */
function addSample(line) {
  const last = model.samples.at(-1);
  const time = line?.time ?? last?.time ?? 0;
  const error = line === null ? null : model.scale?.error_grams ?? null;
  // Minutes of whole lines would take hundreds of megabytes.
  const contacts = line === null ? [] : model.contacts.map(({ contact, raw, ratio, force, grams }) => ({ contact, raw, ratio, force, grams }));
  model.samples.push({ order: (last?.order ?? 0) + 1, time, device: line?.device ?? null, total: line?.total_grams ?? null, error, contacts });
  while (model.samples.length > mostSamples || model.samples[0].time < time - keptTime) model.samples.shift();
}

/** @param {string|null} device */
function show(device) {
  if (device === model.shown) return;
  model.shown = device;
  reset();
  showDevice();
}

function reset() {
  Object.assign(model, { contacts: [], total: null, heaviest: null, scale: null, press: null, maximum: null, samples: [] });
}

function showDevice() {
  const device = model.device;
  element("device").textContent = device === null ? "The daemon reads no touch device." : measurement(device);
  const list = element("devices");
  list.replaceChildren(...[...model.devices.values()].map((device) => new Option(device.name, device.device)));
  list.value = model.shown ?? "";
  element("choice").hidden = model.devices.size < 2;
  isDirty = true;
}

/** @param {"connection"|"session"|"request"} kind @param {string} text What is wrong; empty if nothing is. */
function notify(kind, text) {
  notices[kind] = text;
  const all = Object.values(notices).filter((each) => each !== "").join(" ");
  element("notice").textContent = all;
  element("notice").hidden = all === "";
}

/**
 * Sends a request about the device that is shown, and shows its error.
 *
 * @param {string} verb @param {object} [args]
 */
async function request(verb, args = {}) {
  try {
    const result = await daemon.request(verb, args);
    notify("request", "");
    return result;
  } catch (error) {
    notify("request", `${verb}: ${error.message}`);
    return undefined;
  }
}

/** @param {string} name The name of a file to download. @param {string} type @param {string} text */
function save(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function navigate() {
  const words = location.hash.slice(1).split("/");
  const isKiosk = words[0] === "kiosk";
  document.documentElement.classList.toggle("kiosk", isKiosk);
  const name = (isKiosk ? words[1] : words[0]) ?? "";
  view = Object.hasOwn(views, name) ? views[name] : views.touches;
  for (const section of document.querySelectorAll("main > section")) {
    /** @type {HTMLElement} */ (section).hidden = section.id !== view.name;
  }
  for (const link of document.querySelectorAll("nav a")) {
    if (link.getAttribute("href") === `#${view.name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  // The error was of a button of the view before.
  notify("request", "");
  if (isConnected) view.enter?.(context);
  isDirty = true;
}

function frame() {
  requestAnimationFrame(frame);
  if (isDirty && !document.hidden) {
    isDirty = view.draw(context) === true;
    // A screen reader is not to speak a hundred times a second.
    if (view.spoken && performance.now() - spokenAt > 2000) {
      spokenAt = performance.now();
      const text = element(view.spoken).textContent;
      if (element("spoken").textContent !== text) element("spoken").textContent = text;
    }
  }
}

async function stayAwake() {
  if (document.hidden || !document.documentElement.classList.contains("kiosk")) return;
  // Without this right, or with a low battery, the display's own settings remain.
  await navigator.wakeLock?.request("screen").catch(() => {});
}

const context = { model, element, request, save, redraw: () => (isDirty = true) };
for (const each of Object.values(views)) each.start?.(context);
addEventListener("hashchange", navigate);
addEventListener("resize", context.redraw);
document.addEventListener("visibilitychange", stayAwake);
document.addEventListener("keydown", (event) => {
  const isTyping = ["INPUT", "SELECT"].includes(/** @type {Element} */ (event.target).tagName);
  const index = "12345".indexOf(event.key);
  if (isTyping || index < 0 || event.ctrlKey || event.altKey || event.metaKey) return;
  location.hash = (document.documentElement.classList.contains("kiosk") ? "kiosk/" : "") + Object.keys(views)[index];
});
element("devices").addEventListener("change", (/** @type {any} */ event) => {
  chosen = event.target.value;
  show(chosen);
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", context.redraw);
navigate();
stayAwake();
frame();
Object.assign(window, { pressured: { model, daemon } });
