// Plots noise of two contacts at 100 Hz in five minutes, sample by sample and from all samples, and prints what is drawn.
import { views } from "../../Sources/CPage/page/views.js";

const { plot } = views;
plot.seconds = 300;
const model = { samples: [], now: 0 };
let chance = 1;
const noise = () => (chance = (chance * 16_807) % 2_147_483_647) / 2_147_483_647;
const drawn = () => {
  const { runs, points } = plot.curves(model);
  return runs.force.map((run) => points(run, 1));
};
let most = 0;
// The second contact is lifted six times within the last five minutes.
for (let order = 1; order <= 59_000; order += 1) {
  const contacts = (order % 5000 < 50 ? [1] : [1, 2]).map((contact) => ({ contact, ratio: noise() }));
  model.now = order * 10_000;
  model.samples.push({ order, time: model.now, total: null, contacts });
  if (order % 7 === 0) plot.curves(model);
  if (order % 1000 === 0) most = Math.max(most, drawn().flat().length);
}
const kept = drawn();
model.samples = [...model.samples];
const shown = model.samples.filter(({ time }) => time >= model.now - 300e6).flatMap(({ contacts }) => contacts.map(({ ratio }) => ratio));
const range = (list) => [Math.min(...list), Math.max(...list)];
// The first column is that of what is shown, or began before.
const text = (runs) => JSON.stringify(runs.map((run) => run.filter(([x]) => x > 0.002)));
console.log(JSON.stringify({
  most, runs: kept.length, isSame: text(kept) === text(drawn()), drawn: range(kept.flat().map(([, y]) => y)), shown: range(shown),
}));
