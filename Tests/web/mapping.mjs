// Prints the sums of the formulas over the same grid as the test of ForceMapping in PressureKitTests.
import { LineSplitter, forceMapping } from "../../Sources/CPage/page/pressured.js";

let sum = 0;
let index = 0;
for (let step = 0; step < 50; step += 1) {
  const ratio = -0.1 + step * 0.03;
  for (const maximum of [0, 1, 20 / 3, 20]) {
    for (let load = 0; load < 10; load += 1) {
      index += 1;
      const values = forceMapping({ ratio, force: ratio * maximum, grams: load === 9 ? null : -20 + load * 60, x: (step % 7) / 6, y: load / 9 });
      const each = values.progress + 3 * values.zoom.scale + 5 * values.zoom.x + 7 * values.zoom.y + 11 * values.shadow + 13 * values.circle;
      sum += each * (index / 1000);
    }
  }
}
const splitter = new LineSplitter();
const text = new TextEncoder().encode('{"name":"Füße"}\n\n{"a":1}\n{"b"');
const lines = [...text].flatMap((byte) => splitter.push(Uint8Array.of(byte)));
// Whether lines of the longest length, and one more, are accepted.
const limits = [1 << 20, (1 << 20) + 1].map((length) => {
  try {
    return new LineSplitter().push(new Uint8Array(length).fill(120)).length === 0;
  } catch {
    return false;
  }
});
console.log(JSON.stringify({ sum, lines, limits }));
