// Generates the events of a device node with ten fingers that touch, press and lift, in a thousand frames per second.
// usage: generator PATH HERTZ FRAMES TIMES
// PATH is a pipe, or - for standard output; 0 Hz is the maximum rate. Frames have the time at which they are written, as
// those of a device have. The times are written to the file TIMES, or read from it if it exists, so that the same stream
// can be generated again. At the end, prints: the number of contacts, the number of frames that would have overflowed the
// queue of a device, the maximum number of queued frames, and the maximum delay of a frame in microseconds within this
// program, for example because the machine was suspended.
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

enum { contacts = 10, gone = 2, most_events = contacts * 5 + 1, fallback_period = 1000 };

// The number of events that the kernel queues for a reader of such a pad, nearly 25 frames: eight times the largest
// frame, rounded up to a power of two (evdev_compute_buffer_size). A pipe holds more.
enum { queue = 1024 };

static struct input_event frame[most_events];
static int length;
static long begun, overflows, most_waiting;
static int64_t most_late;
static volatile sig_atomic_t is_over;

// The period of each slot's finger in frames. The numbers are coprime, so that all combinations occur.
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

// A light touch with one short press to the maximum, through every stage and back: a finger that presses continuously
// causes a line in each frame, and ten of them would cause more output than two processors can copy.
static int pressure(int slot, int age, long number) {
  int away = abs(age - (periods[slot] - gone) / 2);
  return away <= 3 ? 255 - 70 * away : 20 + (number + slot * 11) % 20;
}

// Tracking ids increase over all slots and are never reused.
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
      struct pollfd writable = {.fd = out, .events = POLLOUT};
      poll(&writable, 1, -1);
      continue;
    }
    if (taken < 0) err(1, "write");
    rest += taken;
    count -= taken;
  }
}

// Called before each frame: a frame that does not fit into the queue would be lost with the whole queue.
static void measure_queue(int out) {
  int bytes = 0;
  if (ioctl(out, FIONREAD, &bytes) != 0) return;
  long events = bytes / (long)sizeof frame[0], waiting = events / length;
  // The last slot is never used, as a full ring buffer would look like an empty one.
  if (events + length >= queue) overflows++;
  if (waiting > most_waiting) most_waiting = waiting;
}

static void wait_until(int64_t moment) {
  struct timespec time = {moment / 1000000, moment % 1000000 * 1000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) != 0 && !is_over) continue;
}

// Waits until a frame is due, and returns the time. A short delay is compensated at twice the rate, and not at once, as a
// device has no frames in store. A delay of more frames than the queue holds moves the start, as a device whose machine stalls
// does not send its frames later at a higher rate.
static int64_t wait_until_due(int64_t number, int64_t period, int64_t *start) {
  static int64_t last;
  int64_t due = *start + number * period;
  wait_until(due > last + period / 2 ? due : last + period / 2);
  last = now();
  if (last - due > most_late) most_late = last - due;
  if (last - due > queue / most_events * period) *start += last - due;
  return last;
}

int main(int count, char **arguments) {
  if (count != 5) errx(64, "usage: generator PATH HERTZ FRAMES TIMES");
  int is_output = strcmp(arguments[1], "-") == 0, hertz = atoi(arguments[2]);
  long frames = atol(arguments[3]);
  FILE *known = fopen(arguments[4], "r"), *times = known ? known : fopen(arguments[4], "w");
  if (!times) err(66, "%s", arguments[4]);
  int out = is_output ? STDOUT_FILENO : open(arguments[1], O_WRONLY);
  if (out < 0) err(66, "%s", arguments[1]);
  if (!is_output) fcntl(out, F_SETFL, O_NONBLOCK);
  int64_t start = now(), period = hertz > 0 ? 1000000 / hertz : fallback_period, time;
  struct sigaction action = {.sa_handler = end};
  sigaction(SIGINT, &action, NULL);
  for (long number = 0; number < frames && !is_over; number++) {
    fill(number, frames);
    time = start + number * period;
    if (hertz > 0) time = wait_until_due(number, period, &start);
    if (known ? fread(&time, sizeof time, 1, times) != 1 : fwrite(&time, sizeof time, 1, times) != 1)
      err(74, "%s", arguments[4]);
    stamp(time);
    if (!is_output) measure_queue(out);
    send_all(out);
  }
  if (fclose(times) != 0) err(74, "%s", arguments[4]);
  fprintf(stderr, "%ld %ld %ld %lld\n", begun, overflows, most_waiting, (long long)most_late);
}
