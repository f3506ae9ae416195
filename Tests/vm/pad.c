// A touchpad with pressure, created through /dev/uinput. With haptics it prints the effects that it would play.
//
// usage: pad NAME [SLOTS] [haptics]
//
//   press VALUE               sets the pressure of one finger, which is put down before if necessary
//   frames COUNT [MICROSECONDS]  one finger, harder from frame to frame
//   stream CONTACTS HERTZ COUNT  many fingers; a frame has four events for each and a report; then all are lifted
//   rest VALUE COUNT          a load at rest: frames at 100 Hz, with a constant pressure within one unit
//   lift                      lifts all fingers
//   button VALUE              presses or releases the button of the pad
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <linux/uinput.h>

#include "commands.h"

enum { WIDTH = 1216, HEIGHT = 680, MOST = 253, MOST_SLOTS = 64, MOST_EVENTS = 6 * MOST_SLOTS };

static int device;
static int down, tracking, step;
static struct input_event events[MOST_EVENTS];
static int count;

static void add(int type, int code, int value) {
  events[count++] = (struct input_event){.type = (__u16)type, .code = (__u16)code, .value = value};
}

// Writes a complete frame to the kernel at once.
static void report(void) {
  add(EV_SYN, SYN_REPORT, 0);
  ssize_t size = (ssize_t)sizeof events[0] * count;
  if (write(device, events, (size_t)size) != size) fail("write a frame");
  count = 0;
}

// By the number of fingers; the last one is for all larger numbers.
static const int tools[] = {BTN_TOOL_FINGER, BTN_TOOL_DOUBLETAP, BTN_TOOL_TRIPLETAP,
                            BTN_TOOL_QUADTAP, BTN_TOOL_QUINTTAP};
enum { TOOLS = sizeof tools / sizeof tools[0] };

static void put_down(int contacts) {
  if (down == contacts) return;
  for (int slot = down; slot < contacts; slot++) {
    add(EV_ABS, ABS_MT_SLOT, slot);
    add(EV_ABS, ABS_MT_TRACKING_ID, ++tracking);
  }
  add(EV_KEY, BTN_TOUCH, 1);
  add(EV_KEY, tools[contacts < TOOLS ? contacts - 1 : TOOLS - 1], 1);
  down = contacts;
}

static void move(int contacts, int pressure) {
  put_down(contacts);
  for (int slot = 0; slot < contacts; slot++) {
    add(EV_ABS, ABS_MT_SLOT, slot);
    add(EV_ABS, ABS_MT_POSITION_X, (60 * slot + step) % WIDTH);
    add(EV_ABS, ABS_MT_POSITION_Y, (300 + step) % HEIGHT);
    add(EV_ABS, ABS_MT_PRESSURE, pressure);
  }
  step++;
  report();
}

static void lift(void) {
  for (int slot = 0; slot < down; slot++) {
    add(EV_ABS, ABS_MT_SLOT, slot);
    add(EV_ABS, ABS_MT_PRESSURE, 0);
    add(EV_ABS, ABS_MT_TRACKING_ID, -1);
  }
  add(EV_KEY, BTN_TOUCH, 0);
  for (int i = 0; i < TOOLS; i++) add(EV_KEY, tools[i], 0);
  down = 0;
  report();
}

static void press(int pressure) {
  put_down(1);
  add(EV_ABS, ABS_MT_SLOT, 0);
  add(EV_ABS, ABS_MT_POSITION_X, WIDTH / 2);
  add(EV_ABS, ABS_MT_POSITION_Y, HEIGHT / 2);
  add(EV_ABS, ABS_MT_PRESSURE, pressure);
  report();
}

static void stream(int contacts, int hertz, int frames) {
  struct timespec next;
  clock_gettime(CLOCK_MONOTONIC, &next);
  for (int i = 0; i < frames; i++) {
    move(contacts, 1 + i % (MOST - 1));
    if (hertz == 0) continue;
    next.tv_nsec += 1000000000 / hertz;
    next.tv_sec += next.tv_nsec / 1000000000;
    next.tv_nsec %= 1000000000;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
  }
  lift();
}

static void handle(char *words[4]) {
  int first = atoi(words[1]), second = atoi(words[2]);
  if (strcmp(words[0], "press") == 0) {
    press(first);
  } else if (strcmp(words[0], "frames") == 0) {
    for (int i = 0; i < first; i++) {
      move(1, 1 + step % (MOST - 1));
      if (second > 0) pause_for(second);
    }
  } else if (strcmp(words[0], "stream") == 0) {
    stream(first, second, atoi(words[3]));
  } else if (strcmp(words[0], "rest") == 0) {
    for (int i = 0; i < second; i++) {
      press(first + i % 2);
      pause_for(10000);
    }
  } else if (strcmp(words[0], "lift") == 0) {
    lift();
  } else if (strcmp(words[0], "button") == 0) {
    add(EV_KEY, BTN_LEFT, first);
    report();
  } else {
    printf("unknown command %s\n", words[0]);
  }
}

// Requests of the kernel to a device with haptics: the upload of an effect has to be begun and ended.
static void answer_kernel(void) {
  struct input_event event;
  if (read(device, &event, sizeof event) != sizeof event) return;
  if (event.type == EV_UINPUT && event.code == UI_FF_UPLOAD) {
    struct uinput_ff_upload upload = {.request_id = (__u32)event.value};
    if (ioctl(device, UI_BEGIN_FF_UPLOAD, &upload)) fail("UI_BEGIN_FF_UPLOAD");
    printf("upload %d type 0x%x strong %u weak %u\n", upload.effect.id, upload.effect.type,
           upload.effect.u.rumble.strong_magnitude, upload.effect.u.rumble.weak_magnitude);
    if (ioctl(device, UI_END_FF_UPLOAD, &upload)) fail("UI_END_FF_UPLOAD");
  } else if (event.type == EV_UINPUT && event.code == UI_FF_ERASE) {
    struct uinput_ff_erase erase = {.request_id = (__u32)event.value};
    if (ioctl(device, UI_BEGIN_FF_ERASE, &erase)) fail("UI_BEGIN_FF_ERASE");
    printf("erase %d\n", erase.effect_id);
    if (ioctl(device, UI_END_FF_ERASE, &erase)) fail("UI_END_FF_ERASE");
  } else if (event.type == EV_FF) {
    printf("%s %d\n", event.value ? "play" : "stop", event.code);
  }
  fflush(stdout);
}

static void axis(int code, int maximum, int resolution) {
  struct uinput_abs_setup setup = {
      .code = (__u16)code, .absinfo = {.maximum = maximum, .resolution = resolution}};
  if (ioctl(device, UI_ABS_SETUP, &setup)) fail("UI_ABS_SETUP");
}

static void enable(const char *name, int slots, int has_haptics) {
  static const int keys[] = {BTN_LEFT, BTN_TOUCH, BTN_TOOL_FINGER, BTN_TOOL_DOUBLETAP,
                             BTN_TOOL_TRIPLETAP, BTN_TOOL_QUADTAP, BTN_TOOL_QUINTTAP};
  ioctl(device, UI_SET_EVBIT, EV_KEY);
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) ioctl(device, UI_SET_KEYBIT, keys[i]);
  ioctl(device, UI_SET_EVBIT, EV_ABS);
  axis(ABS_X, WIDTH, 12);
  axis(ABS_Y, HEIGHT, 12);
  axis(ABS_MT_SLOT, slots - 1, 0);
  axis(ABS_MT_POSITION_X, WIDTH, 12);
  axis(ABS_MT_POSITION_Y, HEIGHT, 12);
  axis(ABS_MT_TRACKING_ID, 65535, 0);
  axis(ABS_MT_PRESSURE, MOST, 0);
  ioctl(device, UI_SET_PROPBIT, INPUT_PROP_POINTER);
  ioctl(device, UI_SET_PROPBIT, INPUT_PROP_BUTTONPAD);
  if (has_haptics) {
    ioctl(device, UI_SET_EVBIT, EV_FF);
    ioctl(device, UI_SET_FFBIT, FF_RUMBLE);
  }
  ioctl(device, UI_SET_PHYS, name);
  struct uinput_setup setup = {
      .id = {BUS_I2C, 0x06cb, 0xcd41, 0x100}, .ff_effects_max = has_haptics ? 16 : 0};
  snprintf(setup.name, sizeof setup.name, "%s", name);
  if (ioctl(device, UI_DEV_SETUP, &setup) || ioctl(device, UI_DEV_CREATE)) fail("UI_DEV_CREATE");
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fputs("usage: pad NAME [SLOTS] [haptics]\n", stderr);
    return 64;
  }
  int slots = argc > 2 ? atoi(argv[2]) : 5;
  device = open("/dev/uinput", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (device < 0) fail("/dev/uinput");
  enable(argv[1], slots, argc > 3 && strcmp(argv[3], "haptics") == 0);
  handle_commands(device, handle, answer_kernel);
  ioctl(device, UI_DEV_DESTROY);
  return 0;
}
