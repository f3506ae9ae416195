/**
 * A client of `pressured web`: events and requests of the daemon, the formulas for drawing force, and force for pages that were written
 * for other platforms. It has no dependencies; copy it.
 *
 *     import { Pressured, forceMapping } from "./pressured.js";
 *     const daemon = new Pressured({ events: ["device", "weight"] });
 *     daemon.on("weight", (line) => console.log(line.total_grams));
 *     await daemon.request("tare");
 *
 * All lines are those of pressured-protocol(7). A value that is null is unknown; it is never 0.
 */

/**
 * @typedef {object} Line One line of the daemon.
 * @property {string} event What it is; the other fields depend on it.
 * @property {number} [time] Microseconds of the daemon's clock.
 * @property {string} [device] The device that it is about.
 */

/** Where the token of the address is kept: only pages of this port can read it. */
const storageKey = "pressured-token";

/** The first and the longest pause before the next attempt to connect, in milliseconds. */
const shortestPause = 100;
const longestPause = 5000;

/** The longest line that is accepted, in characters. */
const longestLine = 1 << 20;

/** The most streams of a browser: it opens six connections to a server, and files and requests need one. */
const mostStreams = 5;

/** Moves the token from the address to the storage of the page, so that it is neither displayed nor kept in the history. */
export function takeToken() {
  const address = new URL(location.href);
  const token = address.searchParams.get("token");
  if (token === null) return;
  localStorage.setItem(storageKey, token);
  history.replaceState(null, "", address.pathname + address.hash);
}

/** An error that the daemon or `pressured web` reports. */
export class PressuredError extends Error {
  /**
   * @param {string} message What is wrong.
   * @param {string} code The code of pressured-protocol(7), or `unavailable`.
   */
  constructor(message, code) {
    super(message);
    this.code = code;
  }
}

/** Splits a stream of bytes into lines. */
export class LineSplitter {
  #decoder = new TextDecoder();
  #rest = "";

  /**
   * @param {Uint8Array} bytes The next bytes.
   * @returns {string[]} The lines that are complete.
   */
  push(bytes) {
    const lines = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split("\n");
    this.#rest = lines.pop() ?? "";
    if (this.#rest.length > longestLine) throw new PressuredError("a line is too long", "unavailable");
    return lines.filter((line) => line !== "");
  }
}

/** A connection to the daemon that is established again whenever it is lost. */
export class Pressured {
  #subscription;
  #handlers = new Map();
  #abort = new AbortController();
  #pause = shortestPause;

  /**
   * Connects at once.
   *
   * @param {object} [options]
   * @param {string[]} [options.events] The events to receive; all without it.
   * @param {number} [options.maxHz] The most readings a second for each device; 0 for all.
   */
  constructor({ events, maxHz } = {}) {
    this.#subscription = { do: "subscribe" };
    if (events !== undefined) this.#subscription.events = events;
    if (maxHz !== undefined) this.#subscription.max_hz = maxHz;
    this.#run();
  }

  /**
   * Calls a function for each line of an event, with the line; for `connected` and `lost`, the latter with a reason; or for all lines with
   * `*`.
   *
   * @param {string} event
   * @param {(line: any) => void} handler
   * @returns {this}
   */
  on(event, handler) {
    this.#handlers.set(event, [...(this.#handlers.get(event) ?? []), handler]);
    return this;
  }

  /** Ends the connection for good. */
  close() {
    this.#abort.abort();
  }

  /**
   * Sends a request and waits for its reply.
   *
   * @param {string} verb Such as `tare`.
   * @param {object} [args] Its arguments.
   * @returns {Promise<any>} The result.
   * @throws {PressuredError} The error of the reply.
   */
  async request(verb, args = {}) {
    const response = await post("/request", JSON.stringify({ do: verb, id: 1, ...args }), this.#abort.signal);
    for (const line of (await response.text()).split("\n")) {
      const reply = parse(line);
      if (reply?.event !== "reply") continue;
      if (reply.ok) return reply.result;
      throw new PressuredError(reply.error?.message ?? "the request failed", reply.error?.code ?? "");
    }
    throw new PressuredError("the daemon did not reply", "unavailable");
  }

  /** @param {string} event @param {any} value */
  #emit(event, value) {
    for (const handler of this.#handlers.get(event) ?? []) {
      try {
        handler(value);
      } catch (error) {
        reportError(error);
      }
    }
  }

  async #run() {
    while (!this.#abort.signal.aborted) {
      let reason = "the connection has ended";
      try {
        await this.#connect();
      } catch (error) {
        reason = String(error.message ?? error);
      }
      if (this.#abort.signal.aborted) return;
      this.#emit("lost", reason);
      await new Promise((resolve) => setTimeout(resolve, this.#pause));
      this.#pause = Math.min(2 * this.#pause, longestPause);
    }
  }

  /** Receives while it has one of the places that all pages of this browser share; without one its request would wait and not fail. */
  async #connect() {
    for (let place = 1; place <= mostStreams; place += 1) {
      const isDone = await navigator.locks.request(`pressured-${place}`, { ifAvailable: true }, async (lock) => {
        if (lock !== null) await this.#receive();
        return lock !== null;
      });
      if (isDone) return;
    }
    throw new PressuredError(`${mostStreams} pages are open in this browser, and it connects no more: close one`, "unavailable");
  }

  async #receive() {
    const response = await post("/events", JSON.stringify(this.#subscription), this.#abort.signal);
    this.#emit("connected", null);
    const splitter = new LineSplitter();
    const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
    try {
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return;
        for (const text of splitter.push(value)) {
          const line = parse(text);
          if (line === null) continue;
          if (line.event === "reply" && !line.ok) throw new PressuredError(line.error?.message, line.error?.code);
          this.#pause = shortestPause;
          this.#emit(line.event, line);
          this.#emit("*", line);
        }
      }
    } finally {
      reader.cancel().catch(() => {});
    }
  }
}

/** @param {string} path @param {string} body @param {AbortSignal} signal */
async function post(path, body, signal) {
  const headers = { "X-Pressured-Token": localStorage.getItem(storageKey) ?? "" };
  const response = await fetch(path, { method: "POST", headers, body, signal });
  if (response.ok) return response;
  throw new PressuredError((await response.text()).trim(), "unavailable");
}

/** @param {string} text @returns {any} The object of a line; null if it is none. */
function parse(text) {
  try {
    const line = JSON.parse(text);
    return typeof line === "object" ? line : null;
  } catch {
    return null;
  }
}

// MARK: Formulas for drawing, those of ForceMapping in PressureKit

/**
 * @typedef {object} ForceMapping Values for drawing; without force all are those at rest.
 * @property {number} progress Force / maximum force, 0 to 1.
 * @property {{scale: number, x: number, y: number}} zoom The magnification of a picture and its fixed point, 0 to 1.
 * @property {number} shadow The part of a button's shadow that is left, 1 to 0.
 * @property {number} circle The scale of a circle under the touch, 1 or more.
 */

/**
 * Maps a contact of a `weight` line, or a `press` line.
 *
 * @param {{force?: number|null, ratio?: number|null, grams?: number|null, x?: number|null, y?: number|null, target_x?: number|null,
 *   target_y?: number|null}} pressing
 * @returns {ForceMapping}
 */
export function forceMapping(pressing) {
  const progress = clamp(pressing.ratio ?? 0, 0, 1);
  return {
    progress,
    zoom: {
      scale: Math.max(1, pressing.force ?? 0),
      x: clamp(pressing.target_x ?? pressing.x ?? 0.5, 0, 1),
      y: clamp(pressing.target_y ?? pressing.y ?? 0.5, 0, 1),
    },
    shadow: 1 - progress,
    circle: 1 + Math.max(pressing.grams ?? 0, 0) / 5 / 20,
  };
}

/** @param {number} value @param {number} low @param {number} high */
function clamp(value, low, high) {
  return Math.min(Math.max(value, low), high);
}

// MARK: What a device measures, and how numbers are shown

/** @param {any} device A `device` line. @returns {string} What the device measures, in a sentence or two. */
export function measurement(device) {
  const what = {
    force: "measures force",
    size: "measures contact size, not force",
    broken: "has an unusable pressure axis",
    none: device.simulated_press
      ? "does not measure pressure; presses are simulated" : "does not measure pressure",
  }[device.capability] ?? "measures something unknown";
  const grams = {
    calibrated: " Grams are calibrated with weights.",
    kernel: " Grams are reported by the kernel.",
    descriptor: " Grams are those of the device's report descriptor.",
    nominal: " Grams are an estimate (≈).",
  }[device.weight_source] ?? "";
  return `${device.name} ${what}.${grams}`;
}

/** @param {any} device A `device` line. @returns {boolean} Whether its grams are an estimate. */
export function isEstimate(device) {
  return device?.weight_source === "nominal";
}

/**
 * @param {number|null|undefined} grams
 * @param {any} device A `device` line.
 * @param {boolean} [isSaturated] Whether the weight may be more.
 * @returns {string} Such as `≈ 385+ g`; – if it is unknown.
 */
export function weightText(grams, device, isSaturated = false) {
  if (grams === null || grams === undefined) return "–";
  const number = (Math.abs(grams) < 0.05 ? 0 : grams).toFixed(grams >= 100 ? 0 : 1);
  return `${isEstimate(device) && grams !== 0 ? "≈ " : ""}${number}${isSaturated ? "+" : ""} g`;
}

// MARK: Force for pages that were written for other platforms

/** WebKit's constants: the force of a click, and of a force click. */
const forceAtClick = 1;
const forceAtForceClick = 2;

/**
 * Gives a page the force that Safari and phones give it: `MouseEvent.webkitForce` with `webkitmouseforcewillbegin`, `…changed`, `…down` and
 * `…up`; `Touch.force` with `touchforcechange`; and `PointerEvent.pressure` while a button or a finger is down.
 *
 * @param {Pressured} daemon It must receive `weight` and `press`.
 * @param {Window & typeof globalThis} [page]
 */
export function provideForce(daemon, page = window) {
  /**
   * The ratios of each device's contacts; and the device whose press gives the force.
   *
   * @type {{ratios: Map<string, (number|null)[]>, pressing: string|null, force: number, target: EventTarget|null, mouse: MouseEvent|null,
   *   isDeep: boolean}}
   */
  const state = { ratios: new Map(), pressing: null, force: 0, target: null, mouse: null, isDeep: false };
  /** @type {TouchEvent|null} */
  let touched = null;
  /** @type {number[]} The fingers on a touchscreen in the order in which they came, as those of a `weight` line. */
  const touches = [];
  const { MouseEvent, PointerEvent, Touch, TouchEvent } = page;
  Object.assign(MouseEvent, { WEBKIT_FORCE_AT_MOUSE_DOWN: forceAtClick, WEBKIT_FORCE_AT_FORCE_MOUSE_DOWN: forceAtForceClick });
  Object.defineProperty(MouseEvent.prototype, "webkitForce", {
    configurable: true,
    get() {
      // The events of the button itself are dispatched before the state follows.
      return state.mouse !== null || this.type === "mousedown" ? Math.max(state.force, forceAtClick) : 0;
    },
  });
  override(PointerEvent, "pressure", (event, original) =>
    event.pointerType === "pen" || original === 0 ? original : heaviest(state) ?? original);
  if (Touch !== undefined) override(Touch, "force", (touch, original) => touchRatios()[touches.indexOf(touch.identifier)] ?? original);

  /** The ratios of the device with all fingers of the touchscreen; a touchpad beside it has its own. */
  const touchRatios = () => {
    const lists = [...state.ratios.values()];
    return lists.find((list) => list.length === touches.length) ?? lists.find((list) => list.length > touches.length) ?? [];
  };
  const emit = (/** @type {string} */ name, cancelable = false) => {
    const { clientX, clientY, screenX, screenY, button, buttons } = /** @type {MouseEvent} */ (state.mouse);
    const place = { clientX, clientY, screenX, screenY, button, buttons };
    state.target?.dispatchEvent(new MouseEvent(name, { bubbles: true, cancelable, view: page, ...place }));
  };
  const leave = () => {
    if (state.isDeep) emit("webkitmouseforceup");
    state.isDeep = false;
  };
  page.addEventListener("mousedown", (event) => {
    [state.target, state.mouse] = [event.target, event];
    emit("webkitmouseforcewillbegin", true);
  }, true);
  page.addEventListener("mousemove", (event) => {
    if (state.mouse !== null) state.mouse = event;
  }, true);
  page.addEventListener("mouseup", () => {
    if (state.mouse !== null) leave();
    state.mouse = null;
  }, true);
  page.addEventListener("touchstart", (event) => {
    [state.target, touched] = [event.target, event];
    for (const touch of event.changedTouches) touches.push(touch.identifier);
  }, true);
  page.addEventListener("touchmove", (event) => {
    touched = event;
  }, true);
  for (const name of ["touchend", "touchcancel"]) {
    page.addEventListener(name, (event) => {
      touched = /** @type {TouchEvent} */ (event);
      for (const touch of touched.changedTouches) {
        const index = touches.indexOf(touch.identifier);
        if (index >= 0) touches.splice(index, 1);
      }
    }, true);
  }
  daemon.on("weight", (line) => {
    const contacts = [...line.contacts].filter((contact) => !["ended", "cancelled"].includes(contact.phase));
    state.ratios.set(line.device, contacts.sort((a, b) => a.contact - b.contact).map((contact) => contact.ratio));
    if (touches.length === 0 || touched === null) return;
    const lists = { touches: [...touched.touches], targetTouches: [...touched.targetTouches], changedTouches: [...touched.touches] };
    state.target?.dispatchEvent(new TouchEvent("touchforcechange", { bubbles: true, ...lists }));
  });
  daemon.on("press", (line) => {
    if (state.pressing !== null && state.pressing !== line.device) return;
    const isOver = line.state === "ended" || line.state === "cancelled";
    state.pressing = isOver ? null : line.device;
    const isDeep = !isOver && line.stage === "deep";
    state.force = isOver ? 0 : (isDeep ? forceAtForceClick : forceAtClick) + line.progress;
    if (state.mouse === null) return;
    emit("webkitmouseforcechanged");
    if (isDeep && !state.isDeep) {
      state.isDeep = true;
      emit("webkitmouseforcedown");
    } else if (!isDeep) {
      leave();
    }
  });
  daemon.on("lost", () => {
    // What was pressed is unknown now.
    state.ratios.clear();
    [state.pressing, state.force] = [null, 0];
    leave();
  });
}

/** @param {{ratios: Map<string, (number|null)[]>}} state @returns {number|undefined} */
function heaviest(state) {
  const known = [...state.ratios.values()].flat().filter((ratio) => ratio !== null);
  return known.length > 0 ? Math.max(...known) : undefined;
}

/**
 * Replaces a getter by one that also receives the original value.
 *
 * @param {any} type @param {string} name @param {(object: any, original: number) => number} value
 */
function override(type, name, value) {
  const original = Object.getOwnPropertyDescriptor(type.prototype, name);
  Object.defineProperty(type.prototype, name, {
    configurable: true,
    get() {
      return value(this, original?.get?.call(this) ?? 0);
    },
  });
}
