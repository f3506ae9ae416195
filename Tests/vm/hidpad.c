// A HID touchpad, created through /dev/uhid, so that the kernel's own hid-multitouch creates the input device.
//
// usage: hidpad
//
//   frames COUNT [MICROSECONDS]  one finger, harder from frame to frame
//   lift                      lifts it
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/uhid.h>

#include "commands.h"

// A finger: one bit each for confidence and tip, its number, X and Y in hundredths of a millimeter, and the tip pressure.
#define FINGER                                                                                     \
  0x09, 0x22, 0xa1, 0x02,                                                                          \
      0x09, 0x47, 0x09, 0x42, 0x15, 0x00, 0x25, 0x01, 0x75, 0x01, 0x95, 0x02, 0x81, 0x02,          \
      0x95, 0x02, 0x81, 0x03,                                                                      \
      0x09, 0x51, 0x25, 0x0f, 0x75, 0x04, 0x95, 0x01, 0x81, 0x02,                                  \
      0x05, 0x01, 0x26, 0xc0, 0x04, 0x75, 0x10, 0x55, 0x0e, 0x65, 0x11, 0x09, 0x30, 0x35, 0x00,    \
      0x46, 0xe8, 0x03, 0x95, 0x01, 0x81, 0x02,                                                    \
      0x46, 0x30, 0x02, 0x26, 0xa8, 0x02, 0x09, 0x31, 0x81, 0x02,                                  \
      0x45, 0x00, 0x55, 0x00, 0x65, 0x00,                                                          \
      0x05, 0x0d, 0x09, 0x30, 0x26, 0xff, 0x00, 0x75, 0x08, 0x95, 0x01, 0x81, 0x02,                \
      0xc0

static const unsigned char descriptor[] = {
    // A touchpad. Report 1 has two fingers,
    0x05, 0x0d, 0x09, 0x05, 0xa1, 0x01, 0x85, 0x01, FINGER, FINGER,
    // the time of the scan, the number of fingers, and a button;
    0x09, 0x56, 0x27, 0xff, 0xff, 0x00, 0x00, 0x75, 0x10, 0x95, 0x01, 0x81, 0x02,
    0x09, 0x54, 0x25, 0x7f, 0x75, 0x08, 0x95, 0x01, 0x81, 0x02,
    0x05, 0x09, 0x09, 0x01, 0x25, 0x01, 0x75, 0x01, 0x95, 0x01, 0x81, 0x02, 0x95, 0x07, 0x81, 0x03,
    // feature 2 has the maximum number of fingers and the type pressure pad;
    0x05, 0x0d, 0x85, 0x02, 0x09, 0x55, 0x09, 0x59, 0x75, 0x04, 0x95, 0x02, 0x25, 0x0f, 0xb1, 0x02,
    0xc0,
    // by feature 3 the kernel selects touches instead of mouse movements.
    0x09, 0x0e, 0xa1, 0x01, 0x85, 0x03, 0x09, 0x22, 0xa1, 0x02, 0x09, 0x52, 0x15, 0x00, 0x25, 0x0a,
    0x75, 0x08, 0x95, 0x01, 0xb1, 0x02, 0xc0, 0xc0};

enum { TOUCHES_AT_MOST = 2, INPUT_MODE_TOUCHPAD = 3 };

static int device, step;

static void send_event(const struct uhid_event *event) {
  if (write(device, event, sizeof *event) < 0) fail("write to /dev/uhid");
}

static void send_report(int is_down, int pressure) {
  unsigned x = (unsigned)(300 + step), y = 300, time = (unsigned)step * 80;
  unsigned char report[] = {
      1, is_down ? 0x03 : 0x01, x & 255, x >> 8, y & 255, y >> 8, (unsigned char)pressure,
      0x10, 0, 0, 0, 0, 0,
      time & 255, (time >> 8) & 255, 1, 0};
  struct uhid_event event = {.type = UHID_INPUT2, .u.input2.size = sizeof report};
  memcpy(event.u.input2.data, report, sizeof report);
  send_event(&event);
  step++;
}

static void handle(char *words[4]) {
  if (strcmp(words[0], "frames") == 0) {
    for (int i = 0; i < atoi(words[1]); i++) {
      send_report(1, 1 + step % 250);
      if (atoi(words[2]) > 0) pause_for(atoi(words[2]));
    }
  } else if (strcmp(words[0], "lift") == 0) {
    send_report(0, 0);
  } else {
    printf("unknown command %s\n", words[0]);
  }
}

static void answer_kernel(void) {
  struct uhid_event event = {0}, reply = {0};
  if (read(device, &event, sizeof event) <= 0) return;
  if (event.type == UHID_GET_REPORT) {
    unsigned char number = event.u.get_report.rnum;
    reply.type = UHID_GET_REPORT_REPLY;
    reply.u.get_report_reply.id = event.u.get_report.id;
    reply.u.get_report_reply.size = 2;
    reply.u.get_report_reply.data[0] = number;
    reply.u.get_report_reply.data[1] = number == 2 ? 0x10 | TOUCHES_AT_MOST : INPUT_MODE_TOUCHPAD;
    send_event(&reply);
  } else if (event.type == UHID_SET_REPORT) {
    reply.type = UHID_SET_REPORT_REPLY;
    reply.u.set_report_reply.id = event.u.set_report.id;
    send_event(&reply);
  }
}

int main(void) {
  device = open("/dev/uhid", O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (device < 0) fail("/dev/uhid");
  struct uhid_event event = {
      .type = UHID_CREATE2,
      .u.create2 = {.rd_size = sizeof descriptor, .bus = 0x18, .vendor = 0x06cb, .product = 0x7e57}};
  strcpy((char *)event.u.create2.name, "Synthetic HID Pad");
  strcpy((char *)event.u.create2.uniq, "hidpad");
  memcpy(event.u.create2.rd_data, descriptor, sizeof descriptor);
  send_event(&event);
  handle_commands(device, handle, answer_kernel);
  return 0;
}
