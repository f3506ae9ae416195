// The state machine of the engine in plain C: staged and committed slots, contacts, force, grams, the
// heaviest contact, maximum force, presses with stages; no scale. Events are appended to a reusable
// buffer, as in PressureKit.
// usage: engine FILE      FILE contains raw input events
// Prints: input events per second, events emitted in one pass, total milligrams of one pass.
#include <err.h>
#include <linux/input.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { max_slots = 64, max_emitted = 256, max_kept = 4096, passes = 40, palm = 2, enough = 5 };
enum phase { began, moved, stationary, ended, cancelled };
enum kind {
  kind_contact, kind_weight, kind_reached, kind_released, kind_heaviest, kind_capability,
  kind_started, kind_changed, kind_fixed, kind_ended, kind_cancelled
};

struct axis {
  int32_t minimum, maximum, resolution;
};

struct values {
  int32_t id, x, y, pressure, tool, distance, major;
};

struct contact {
  int slot, id, order;
  enum phase phase;
  double x, y, x_mm, y_mm;
  int32_t raw;
  double ratio, maximum_possible, grams, peak_force, peak_grams;
  bool saturated;
  int64_t began_at;
};

// The state of a force gesture.
struct press {
  int level;
  bool fixed;
};

struct stage {
  const char *name;
  double press, release;
};

static const struct stage stages[] = {{"light", 0.3, 0.25}, {"deep", 0.7, 0.6}};
enum { height = 2 };

struct slot {
  struct values staged, committed;
  bool lifted, touched, palm, occupied;
  struct contact contact;
};

struct event {
  int64_t time;
  enum kind kind;
  struct contact contact;
  int first, count, previous, heaviest;
  double total, center_x, center_y, transition;
  const char *stage;
};

struct engine {
  struct axis x, y, pressure;
  int slot_count, current, born, fingers;
  double full_scale, release_ratio, margin_ratio, margin_grams;
  struct slot slots[max_slots];
  bool dropping, seen, stuck;
  int whole;
  int64_t last_time, time;
  struct contact contacts[max_slots], gone[2 * max_slots];
  int contact_count, gone_count, transient_count, reached_count, transient[max_slots][2], transient_waiting;
  bool changed, capability_changed;
  double total;
  int heaviest_order; // 0 without a heaviest contact
  int heaviest_id;
  int reached[max_slots];
  struct press presses[max_slots];
  struct event emitted[max_emitted];
  int emitted_count;
  struct contact kept[max_kept];
  int kept_count;
};

static double clamped(double value) { return value < 0 ? 0 : value > 1 ? 1 : value; }

static double span(const struct axis *axis) { return (double)axis->maximum - axis->minimum; }

static double part(int32_t raw, const struct axis *axis) {
  return span(axis) > 0 ? clamped(((double)raw - axis->minimum) / span(axis)) : 0;
}

static void measure(struct engine *e, struct contact *c, const struct values *v) {
  c->x = part(v->x, &e->x);
  c->y = part(v->y, &e->y);
  if (e->x.resolution > 0 && e->y.resolution > 0) {
    c->x_mm = c->x * (span(&e->x) / e->x.resolution);
    c->y_mm = c->y * (span(&e->y) / e->y.resolution);
  }
  c->raw = v->pressure;
  int32_t pressed = v->distance > 0 ? e->pressure.minimum : v->pressure;
  c->ratio = part(pressed, &e->pressure);
  c->maximum_possible = 20.0 / 3.0;
  c->saturated = pressed >= e->pressure.maximum;
  c->grams = e->pressure.resolution > 0 ? (double)pressed / e->pressure.resolution
                                        : c->ratio * e->full_scale;
}

static double force(const struct contact *c) { return c->ratio * c->maximum_possible; }

static void note_peak(struct contact *c) {
  if (force(c) > c->peak_force) c->peak_force = force(c);
  if (c->grams > c->peak_grams) c->peak_grams = c->grams;
}

static struct event *emit(struct engine *e, enum kind kind, const struct contact *contact) {
  if (e->emitted_count == max_emitted) errx(1, "too many events");
  struct event *event = &e->emitted[e->emitted_count++];
  event->time = e->time;
  event->kind = kind;
  if (contact) event->contact = *contact;
  return event;
}

static void set(struct engine *e, size_t field, int32_t value) {
  if (e->current < 0 || e->current >= e->slot_count) return;
  struct slot *slot = &e->slots[e->current];
  *(int32_t *)((char *)&slot->staged + field) = value;
  slot->touched = true;
}

static void identify(struct engine *e, int32_t value) {
  if (e->current < 0 || e->current >= e->slot_count) return;
  struct slot *slot = &e->slots[e->current];
  slot->touched = true;
  int32_t old = slot->staged.id, new = value < 0 ? -1 : value;
  if (old == new) return;
  if (old >= 0 && !slot->lifted && slot->committed.id == old) {
    slot->lifted = true;
  } else if (old >= 0 && slot->staged.tool != palm && e->transient_waiting < max_slots) {
    e->transient[e->transient_waiting][0] = e->current;
    e->transient[e->transient_waiting++][1] = old;
  }
  slot->staged.id = new;
}

static void set_pressure(struct engine *e, int32_t value) {
  if (value > e->pressure.minimum) e->seen = true;
  set(e, offsetof(struct values, pressure), value);
}

static void stage(struct engine *e, const struct input_event *event) {
  if (event->type == EV_KEY) {
    static const int codes[] = {BTN_TOOL_FINGER, BTN_TOOL_DOUBLETAP, BTN_TOOL_TRIPLETAP,
                                BTN_TOOL_QUADTAP, BTN_TOOL_QUINTTAP};
    for (int i = 0; i < 5; i++)
      if (codes[i] == event->code)
        e->fingers = event->value ? e->fingers | 1 << i : e->fingers & ~(1 << i);
  }
  if (event->type != EV_ABS) return;
  switch (event->code) {
  case ABS_MT_SLOT: e->current = event->value; break;
  case ABS_MT_TRACKING_ID: identify(e, event->value); break;
  case ABS_MT_POSITION_X: set(e, offsetof(struct values, x), event->value); break;
  case ABS_MT_POSITION_Y: set(e, offsetof(struct values, y), event->value); break;
  case ABS_MT_PRESSURE: set_pressure(e, event->value); break;
  case ABS_MT_TOOL_TYPE: set(e, offsetof(struct values, tool), event->value); break;
  case ABS_MT_DISTANCE: set(e, offsetof(struct values, distance), event->value); break;
  case ABS_MT_TOUCH_MAJOR: set(e, offsetof(struct values, major), event->value); break;
  }
}

static void end_contact(struct engine *e, struct contact *contact, enum phase phase) {
  contact->phase = phase;
  e->gone[e->gone_count++] = *contact;
  e->changed = true;
}

static void vacate(struct engine *e, struct slot *slot, enum phase phase) {
  if (!slot->occupied) return;
  end_contact(e, &slot->contact, phase);
  slot->occupied = false;
}

static struct contact make_contact(struct engine *e, int slot, int id) {
  struct contact contact = {.slot = slot, .id = id, .order = ++e->born, .began_at = e->time};
  measure(e, &contact, &e->slots[slot].committed);
  return contact;
}

static void commit(struct engine *e, int index) {
  struct slot *slot = &e->slots[index];
  if (slot->lifted) {
    vacate(e, slot, ended);
    slot->palm = false;
  }
  bool is_new = slot->lifted || slot->committed.id < 0;
  bool is_changed = memcmp(&slot->staged, &slot->committed, sizeof slot->staged) != 0;
  slot->committed = slot->staged;
  slot->lifted = slot->touched = false;
  if (slot->committed.id < 0) return;
  if (slot->committed.tool == palm) {
    vacate(e, slot, cancelled);
    slot->palm = true;
    return;
  }
  if (is_new) {
    slot->contact = make_contact(e, index, slot->committed.id);
    slot->occupied = e->changed = true;
  } else if (!slot->palm) {
    slot->contact.phase = is_changed ? moved : stationary;
    if (is_changed) {
      e->changed = true;
      measure(e, &slot->contact, &slot->committed);
    }
  }
  if (slot->occupied) e->contacts[e->contact_count++] = slot->contact;
}

static void set_stuck(struct engine *e) {
  bool stuck = !e->seen && e->whole >= enough;
  if (stuck != e->stuck) e->capability_changed = true;
  e->stuck = stuck;
}

static void commit_all(struct engine *e) {
  e->contact_count = e->gone_count = e->transient_count = 0;
  e->changed = e->capability_changed = false;
  set_stuck(e);
  for (int i = 0; i < e->slot_count; i++)
    if (e->slots[i].touched || e->slots[i].committed.id >= 0) commit(e, i);
  for (int i = 0; i < e->transient_waiting; i++) {
    struct contact contact = make_contact(e, e->transient[i][0], e->transient[i][1]);
    note_peak(&contact);
    end_contact(e, &contact, ended);
    e->transient_count++;
  }
  e->transient_waiting = 0;
  for (int i = 0; i < e->gone_count; i++)
    if (e->gone[i].phase == ended && !e->seen) e->whole++;
  set_stuck(e);
  e->total = 0;
  for (int i = 0; i < e->contact_count; i++) {
    e->total += e->contacts[i].grams;
    note_peak(&e->slots[e->contacts[i].slot].contact);
  }
}

static const struct contact *candidate(struct engine *e) {
  const struct contact *best = NULL, *holding = NULL;
  for (int i = 0; i < e->contact_count; i++) {
    const struct contact *c = &e->contacts[i];
    if (c->order == e->heaviest_order) holding = c;
    if (!best || c->grams > best->grams || (c->grams == best->grams && c->order < best->order))
      best = c;
  }
  if (!holding || !best) return best;
  double lead = e->margin_ratio * holding->grams;
  if (lead < e->margin_grams) lead = e->margin_grams;
  return best->grams > holding->grams + lead ? best : holding;
}

static void release(struct engine *e, const struct contact *c) {
  for (int i = 0; i < e->reached_count; i++)
    if (e->reached[i] == c->order) {
      e->reached[i] = e->reached[--e->reached_count];
      emit(e, kind_released, c);
      return;
    }
}

static void follow(struct engine *e, const struct contact *c) {
  if (c->ratio < e->release_ratio) {
    release(e, c);
  } else if (c->ratio >= 1) {
    for (int i = 0; i < e->reached_count; i++)
      if (e->reached[i] == c->order) return;
    e->reached[e->reached_count++] = c->order;
    emit(e, kind_reached, c);
  }
}

static double transition(double value, int level) {
  const struct stage *stage = &stages[level - 1];
  double start = stage->press, next = level < height ? stages[level].press : 1;
  if (value >= start) return value < next ? (value - start) / (next - start) : 1;
  return value > stage->release ? (value - start) / (start - stage->release) : -1;
}

static void emit_press(struct engine *e, enum kind kind, const struct contact *c, int level) {
  if (level < 1) level = 1;
  struct event *event = emit(e, kind, c);
  event->stage = stages[level - 1].name;
  event->transition = transition(c->ratio, level);
}

static void end_press(struct engine *e, const struct contact *c) {
  struct press *press = &e->presses[c->slot];
  if (press->level > 0)
    emit_press(e, c->phase == cancelled ? kind_cancelled : kind_ended, c, press->level);
  *press = (struct press){0};
}

static void climb(struct engine *e, const struct contact *c) {
  struct press *press = &e->presses[c->slot];
  int before = press->level;
  for (;;) {
    if (press->level < height && c->ratio >= stages[press->level].press) {
      press->level++;
      emit_press(e, press->level == 1 ? kind_started : kind_changed, c, press->level);
    } else if (press->level > 0 && c->ratio < stages[press->level - 1].release) {
      press->level--;
      emit_press(e, press->level == 0 ? kind_ended : kind_changed, c, press->level);
    } else {
      break;
    }
  }
  if (press->level == 0) {
    press->fixed = false;
  } else if (!press->fixed && c->ratio >= 1) {
    press->fixed = true;
    emit_press(e, kind_fixed, c, press->level);
  } else if (press->level == before && c->phase == moved) {
    emit_press(e, kind_changed, c, press->level);
  }
}

static void emit_weight(struct engine *e) {
  struct event *event = emit(e, kind_weight, NULL);
  memcpy(e->kept + e->kept_count, e->contacts, e->contact_count * sizeof e->kept[0]);
  event->first = e->kept_count;
  event->count = e->contact_count;
  e->kept_count += e->contact_count;
  event->total = e->total;
  event->heaviest = e->heaviest_id;
  double sum = 0;
  for (int i = 0; i < e->contact_count; i++) sum += force(&e->contacts[i]);
  event->center_x = event->center_y = 0;
  for (int i = 0; i < e->contact_count; i++) {
    double share = sum > 0 ? force(&e->contacts[i]) / sum : 1.0 / e->contact_count;
    event->center_x += share * e->contacts[i].x;
    event->center_y += share * e->contacts[i].y;
  }
}

static void recognize(struct engine *e) {
  const struct contact *heaviest = candidate(e);
  int previous = e->heaviest_id;
  bool changes = (heaviest ? heaviest->order : 0) != e->heaviest_order;
  e->heaviest_order = heaviest ? heaviest->order : 0;
  e->heaviest_id = heaviest ? heaviest->id : -1;
  if (e->capability_changed) emit(e, kind_capability, NULL);
  for (int i = 0; i < e->contact_count; i++)
    if (e->contacts[i].phase == began) emit(e, kind_contact, &e->contacts[i]);
  for (int i = e->gone_count - e->transient_count; i < e->gone_count; i++)
    emit(e, kind_contact, &e->gone[i])->contact.phase = began;
  if (e->changed) emit_weight(e);
  for (int i = 0; i < e->gone_count; i++) release(e, &e->gone[i]);
  for (int i = 0; i < e->contact_count; i++) follow(e, &e->contacts[i]);
  for (int i = 0; i < e->gone_count - e->transient_count; i++) end_press(e, &e->gone[i]);
  for (int i = 0; i < e->contact_count; i++) climb(e, &e->contacts[i]);
  if (changes) emit(e, kind_heaviest, heaviest)->previous = previous;
  for (int i = 0; i < e->gone_count; i++) emit(e, kind_contact, &e->gone[i]);
}

static void restore(struct engine *e) {
  for (int i = 0; i < e->slot_count; i++) {
    e->slots[i].staged = e->slots[i].committed;
    e->slots[i].lifted = e->slots[i].touched = false;
  }
  e->transient_waiting = 0;
}

static void receive(struct engine *e, const struct input_event *event) {
  int64_t time = event->input_event_sec * INT64_C(1000000) + event->input_event_usec;
  e->time = e->last_time = time > e->last_time ? time : e->last_time;
  if (event->type != EV_SYN) {
    if (!e->dropping) stage(e, event);
  } else if (event->code == SYN_DROPPED) {
    restore(e);
    e->dropping = true;
  } else if (event->code == SYN_REPORT) {
    if (!e->dropping) commit_all(e), recognize(e);
    e->dropping = false;
  }
}

static void start(struct engine *e) {
  memset(e, 0, sizeof *e);
  e->x = (struct axis){0, 1000, 10};
  e->y = (struct axis){0, 600, 10};
  e->pressure = (struct axis){0, 255, 0};
  e->slot_count = 10;
  e->full_scale = 385;
  e->release_ratio = 0.95;
  e->margin_ratio = 0.03;
  e->margin_grams = 2;
  e->heaviest_id = -1;
  for (int i = 0; i < e->slot_count; i++) e->slots[i].staged.id = e->slots[i].committed.id = -1;
}

static struct input_event *load(const char *path, size_t *count) {
  FILE *file = fopen(path, "rb");
  if (!file) err(66, "%s", path);
  fseek(file, 0, SEEK_END);
  *count = ftell(file) / sizeof(struct input_event);
  rewind(file);
  struct input_event *events = calloc(*count, sizeof *events);
  if (fread(events, sizeof *events, *count, file) != *count) err(66, "%s", path);
  return events;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

int main(int argument_count, char **arguments) {
  if (argument_count != 2) errx(64, "usage: engine FILE");
  size_t count;
  struct input_event *events = load(arguments[1], &count);
  static struct engine engine;
  long emitted = 0;
  double grams = 0, begin = now();
  for (int pass = 0; pass < passes; pass++) {
    start(&engine);
    for (size_t i = 0; i < count; i++) {
      receive(&engine, &events[i]);
      for (int j = 0; j < engine.emitted_count; j++)
        if (engine.emitted[j].kind == kind_weight) grams += engine.emitted[j].total;
      emitted += engine.emitted_count;
      engine.emitted_count = engine.kept_count = 0;
    }
  }
  printf("%.0f %ld %lld\n", passes * count / (now() - begin), emitted / passes,
         llround(1000 * grams / passes));
}
