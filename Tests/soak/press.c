// Ten fingers that come, press and go, as a device node gives them, a thousand times a second.
// usage: press PATH HERTZ FRAMES START
// PATH is a pipe, or - for standard output; 0 Hz is flat out. START is the first frame's stamp in
// microseconds of CLOCK_MONOTONIC, 0 for now. Frames are a period apart by their stamps, whenever they
// are written, so that the same stream can be made again. At the end it says: the first stamp, contacts,
// how many frames a device's queue would have had no room for, the most that ever waited, and the most
// microseconds by which a frame was late here already, as when the whole machine has stood still.
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/input.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { contacts = 10, gone = 2, most_events = contacts * 5 + 1, fallback_hertz = 1000 };

// So many events does the kernel keep of such a pad for a reader, nearly 25 frames: eight of what it takes for
// the largest, rounded up to a power of two (evdev_compute_buffer_size). A pipe keeps more.
enum { queue = 1024 };

static struct input_event frame[most_events];
static int length;
static long begun, full, most_waiting;
static int64_t most_late;
static volatile sig_atomic_t is_over;

// How many frames a finger of each slot stays and is away: with nothing in common, so that all meets all.
static const int periods[contacts] = {61, 67, 71, 73, 79, 83, 89, 97, 101, 103};

static void end(int number) { is_over = number; }

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * INT64_C(1000000) + time.tv_nsec / 1000;
}

static void add(int type, int code, int value) {
  frame[length++] = (struct input_event){.type = type, .code = code, .value = value};
}

// A light touch, and once in it a short press to the full, through every stage and back: who presses all
// the time has a line of its own in each frame, and ten of them would be more than two processors copy.
static int pressure(int slot, int age, long number) {
  int away = abs(age - (periods[slot] - gone) / 2);
  return away <= 3 ? 255 - 70 * away : 20 + (number + slot * 11) % 20;
}

// Fingers count up over all slots, so that an id says whose turn it was: none comes twice.
static void fill(long number, long frames) {
  length = 0;
  for (int slot = 0; slot < contacts; slot++) {
    int age = (number + 7 * slot) % periods[slot];
    int is_here = age < periods[slot] - gone && number < frames - 1;
    int begins = is_here && (age == 0 || number == 0);
    if (!is_here && age != periods[slot] - gone && number < frames - 1) continue;
    add(EV_ABS, ABS_MT_SLOT, slot);
    if (begins) add(EV_ABS, ABS_MT_TRACKING_ID, begun++);
    if (!is_here) {
      add(EV_ABS, ABS_MT_TRACKING_ID, -1);
      continue;
    }
    add(EV_ABS, ABS_MT_POSITION_X, (number * 7 + slot * 101) % 1001);
    add(EV_ABS, ABS_MT_POSITION_Y, (number * 3 + slot * 53) % 601);
    add(EV_ABS, ABS_MT_PRESSURE, pressure(slot, age, number));
  }
  add(EV_SYN, SYN_REPORT, 0);
}

static void stamp(int64_t microseconds) {
  for (int i = 0; i < length; i++) {
    frame[i].input_event_sec = microseconds / 1000000;
    frame[i].input_event_usec = microseconds % 1000000;
  }
}

static void send_all(int out) {
  const char *rest = (const char *)frame;
  size_t count = length * sizeof frame[0];
  while (count > 0 && !is_over) {
    ssize_t taken = write(out, rest, count);
    if (taken < 0 && errno == EAGAIN) {
      struct pollfd room = {.fd = out, .events = POLLOUT};
      poll(&room, 1, -1);
      continue;
    }
    if (taken < 0) err(1, "write");
    rest += taken;
    count -= taken;
  }
}

// Looked at before each frame is sent: what has no room in the queue then would be lost, and all else with it.
static void look(int out) {
  int bytes = 0;
  if (ioctl(out, FIONREAD, &bytes) != 0) return;
  long events = bytes / (long)sizeof frame[0], waiting = events / length;
  // Its last place is never used, as a full ring would look like an empty one.
  if (events + length >= queue) full++;
  if (waiting > most_waiting) most_waiting = waiting;
}

static void wait_until(int64_t moment) {
  struct timespec time = {moment / 1000000, moment % 1000000 * 1000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) != 0 && !is_over) continue;
}

// Whoever was late makes up for it at twice the pace, and not at once: no device has frames in store.
static void wait_for_turn(int64_t due, int64_t period) {
  static int64_t last;
  wait_until(due > last + period / 2 ? due : last + period / 2);
  last = now();
  if (last - due > most_late) most_late = last - due;
}

int main(int count, char **arguments) {
  if (count != 5) errx(64, "usage: press PATH HERTZ FRAMES START");
  int is_output = strcmp(arguments[1], "-") == 0, hertz = atoi(arguments[2]);
  long frames = atol(arguments[3]);
  int64_t start = atoll(arguments[4]), period = 1000000 / (hertz > 0 ? hertz : fallback_hertz);
  int out = is_output ? STDOUT_FILENO : open(arguments[1], O_WRONLY);
  if (out < 0) err(66, "%s", arguments[1]);
  if (!is_output) fcntl(out, F_SETFL, O_NONBLOCK);
  if (start == 0) start = now();
  struct sigaction action = {.sa_handler = end};
  sigaction(SIGINT, &action, NULL);
  for (long number = 0; number < frames && !is_over; number++) {
    fill(number, frames);
    if (hertz > 0) wait_for_turn(start + number * period, period);
    stamp(start + number * period);
    if (!is_output) look(out);
    send_all(out);
  }
  fprintf(stderr, "%lld %ld %ld %ld %lld\n", (long long)start, begun, full, most_waiting, (long long)most_late);
}
