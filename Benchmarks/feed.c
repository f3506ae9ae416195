// Writes frames of several contacts, in the format of a device node, to a pipe or a file.
// usage: feed PATH CONTACTS HERTZ FRAMES      0 Hz: as fast as possible
// In each frame the position and pressure of every contact change: four values each, and one SYN_REPORT.
// Each frame has a CLOCK_MONOTONIC timestamp, written immediately before it is written.
// If PATH is /dev/uinput, it creates a touchpad, prints its name, and starts the stream after a line on standard input.
#include <err.h>
#include <fcntl.h>
#include <linux/uinput.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { max_contacts = 1024, values_of_contact = 5 };

static struct input_event frame[max_contacts * values_of_contact + 1];
static int length;

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static void add(int type, int code, int value) {
  frame[length++] = (struct input_event){.type = type, .code = code, .value = value};
}

// Each value steps through its range and changes in every frame.
static void fill(int contacts, long number) {
  length = 0;
  for (int slot = 0; slot < contacts; slot++) {
    add(EV_ABS, ABS_MT_SLOT, slot);
    if (number == 0) add(EV_ABS, ABS_MT_TRACKING_ID, 40 + slot);
    add(EV_ABS, ABS_MT_POSITION_X, (number * 7 + slot * 101) % 1001);
    add(EV_ABS, ABS_MT_POSITION_Y, (number * 3 + slot * 53) % 601);
    add(EV_ABS, ABS_MT_PRESSURE, 20 + (number + slot * 11) % 200);
  }
  add(EV_SYN, SYN_REPORT, 0);
}

static void stamp(int64_t nanoseconds) {
  for (int i = 0; i < length; i++) {
    frame[i].input_event_sec = nanoseconds / 1000000000;
    frame[i].input_event_usec = nanoseconds % 1000000000 / 1000;
  }
}

static void send_all(int out) {
  const char *rest = (const char *)frame;
  size_t count = length * sizeof frame[0];
  while (count > 0) {
    ssize_t written = write(out, rest, count);
    if (written < 0) err(1, "write");
    rest += written;
    count -= written;
  }
}

static void add_axis(int device, int code, int maximum, int resolution) {
  struct uinput_abs_setup axis = {.code = code, .absinfo = {.maximum = maximum, .resolution = resolution}};
  ioctl(device, UI_SET_ABSBIT, code);
  if (ioctl(device, UI_ABS_SETUP, &axis) < 0) err(1, "axis %d", code);
}

static void make_pad(int device, int contacts) {
  ioctl(device, UI_SET_EVBIT, EV_ABS);
  ioctl(device, UI_SET_PROPBIT, INPUT_PROP_POINTER);
  add_axis(device, ABS_MT_SLOT, contacts - 1, 0);
  add_axis(device, ABS_MT_TRACKING_ID, 65535, 0);
  add_axis(device, ABS_MT_POSITION_X, 1000, 10);
  add_axis(device, ABS_MT_POSITION_Y, 600, 10);
  add_axis(device, ABS_MT_PRESSURE, 255, 0);
  struct uinput_setup setup = {.id = {BUS_I2C, 0x06cb, 0xcd41, 1}, .name = "Benchmark"};
  if (ioctl(device, UI_DEV_SETUP, &setup) < 0 || ioctl(device, UI_DEV_CREATE) < 0)
    err(1, "create a touchpad");
  char name[64] = "";
  ioctl(device, UI_GET_SYSNAME(sizeof name), name);
  puts(name);
  fflush(stdout);
  getchar();
}

static void wait_until(int64_t moment) {
  struct timespec time = {moment / 1000000000, moment % 1000000000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) != 0) continue;
}

int main(int count, char **arguments) {
  if (count != 5) errx(64, "usage: feed PATH CONTACTS HERTZ FRAMES");
  int contacts = atoi(arguments[2]), hertz = atoi(arguments[3]);
  long frames = atol(arguments[4]);
  if (contacts < 1 || contacts > max_contacts) errx(64, "1 to %d contacts", max_contacts);
  int out = open(arguments[1], O_WRONLY | O_CREAT, 0600);
  if (out < 0) err(66, "%s", arguments[1]);
  if (strcmp(arguments[1], "/dev/uinput") == 0) make_pad(out, contacts);
  int64_t start = now();
  for (long number = 0; number < frames; number++) {
    fill(contacts, number);
    if (hertz > 0) wait_until(start + number * 1000000000 / hertz);
    stamp(now());
    send_all(out);
  }
}
