// Gives force to a page that is not displayed, and prints what it reads after each step.
import { provideForce } from "../../Sources/CPage/page/pressured.js";

class Event {
  constructor(type, fields = {}) {
    Object.assign(this, { type }, fields);
  }
}
class MouseEvent extends Event {}
class Touch {
  identifier = 7;
  get force() {
    return 0;
  }
}
class TouchEvent extends Event {}
class PointerEvent extends Event {
  get pressure() {
    return 0.5;
  }
}
const listeners = new Map();
const dispatched = [];
const target = { dispatchEvent: (event) => dispatched.push(event.type) };
const add = (name, handler) => listeners.set(name, [...(listeners.get(name) ?? []), handler]);
const fire = (name, value) => (listeners.get(name) ?? []).forEach((handler) => handler(value));
const page = { MouseEvent, PointerEvent, Touch, TouchEvent, addEventListener: add };
const daemon = { on: (name, handler) => add(name, handler) };
globalThis.window = page;
provideForce(daemon, page);

const steps = {};
const note = (name) => {
  steps[name] = [new PointerEvent("pointermove").pressure, new MouseEvent("mousemove").webkitForce, new Touch().force];
};
const weight = (device, ...ratios) =>
  fire("weight", { device, contacts: ratios.map((ratio, index) => ({ contact: index + 1, phase: "changed", ratio })) });
const press = (device, state, progress) => fire("press", { device, state, stage: "deep", progress });
fire("mousedown", new MouseEvent("mousedown", { target }));
weight("a", 0.8);
press("a", "changed", 0.5);
note("pressed");
fire("lost", "gone");
note("lost");
weight("a", 0.8);
press("a", "changed", 0.5);
weight("b");
press("b", "changed", 0);
press("b", "ended", 0);
note("other device");
weight("a", 0.3, 0.4);
weight("b", 0.2);
fire("touchstart", { target, touches: [], changedTouches: [new Touch()] });
note("touched");
console.log(JSON.stringify({ steps, dispatched }));
