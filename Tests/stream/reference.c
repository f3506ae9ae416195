// Reads a node with libevdev alone and prints its events: time, type, code, value.
//
// libevdev does not return all differences after a loss: of a contact that has ended it returns only the end, and no current
// slot if nothing else has changed. All values are printed then, as a later contact in the same slot begins with them.
// usage: reference NODE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include <libevdev/libevdev.h>

static struct input_event last;

static void print(struct input_event event) {
  last = event;
  printf("%ld %d %d %d\n", event.time.tv_sec * 1000000 + event.time.tv_usec, event.type, event.code, event.value);
}

static void print_value(int type, int code, int value) {
  print((struct input_event){
      .time = last.time, .type = (unsigned short)type, .code = (unsigned short)code, .value = value});
}

static void print_slots(const struct libevdev *device) {
  int count = libevdev_get_num_slots(device);
  for (int slot = 0; slot < count; slot++) {
    print_value(EV_ABS, ABS_MT_SLOT, slot);
    for (int code = ABS_MT_TOUCH_MAJOR; code <= ABS_MT_TOOL_Y; code++)
      if (libevdev_has_event_code(device, EV_ABS, (unsigned)code))
        print_value(EV_ABS, code, libevdev_get_slot_value(device, (unsigned)slot, (unsigned)code));
  }
  if (count > 0) print_value(EV_ABS, ABS_MT_SLOT, libevdev_get_current_slot(device));
}

static void finish(const struct libevdev *device) {
  print_slots(device);
  print_value(EV_SYN, SYN_REPORT, 0);
}

int main(int argc, char **argv) {
  struct libevdev *device;
  int file = argc == 2 ? open(argv[1], O_RDONLY | O_NONBLOCK) : -1;
  if (file < 0 || libevdev_new_from_fd(file, &device) < 0) return 1;
  libevdev_set_clock_id(device, CLOCK_MONOTONIC);
  print_slots(device);
  for (int code = 0; code < ABS_MT_SLOT; code++)
    if (libevdev_has_event_code(device, EV_ABS, (unsigned)code))
      print_value(EV_ABS, code, libevdev_get_event_value(device, EV_ABS, (unsigned)code));
  for (int code = 0; code < KEY_CNT; code++)
    if (libevdev_has_event_code(device, EV_KEY, (unsigned)code))
      print_value(EV_KEY, code, libevdev_get_event_value(device, EV_KEY, (unsigned)code));
  print_value(EV_SYN, SYN_REPORT, 0);
  struct pollfd ready = {.fd = file, .events = POLLIN};
  while (poll(&ready, 1, -1) >= 0) {
    bool is_synchronizing = false;
    int reports = 0;
    for (;;) {
      struct input_event event;
      int flags = is_synchronizing ? LIBEVDEV_READ_FLAG_SYNC : LIBEVDEV_READ_FLAG_NORMAL | LIBEVDEV_READ_FLAG_BLOCKING;
      int result = libevdev_next_event(device, (unsigned)flags, &event);
      if (result == LIBEVDEV_READ_STATUS_SUCCESS || (result == LIBEVDEV_READ_STATUS_SYNC && is_synchronizing)) {
        print(event);
        // libevdev miscounts keys that the device does not declare, and after the last report would return new events
        // without checking them: the first report is the last one, unless contacts end in a frame of their own.
        if (event.type == EV_ABS && event.code == ABS_MT_TRACKING_ID && event.value < 0) reports = 2;
        if (is_synchronizing && event.type == EV_SYN && --reports == 0) {
          is_synchronizing = false;
          finish(device);
        }
      } else if (result == LIBEVDEV_READ_STATUS_SYNC) {
        is_synchronizing = true;
        reports = 1;
        last = event;
      } else if (result == -EAGAIN && is_synchronizing) {
        is_synchronizing = false;
        finish(device);
      } else if (result == -EAGAIN) {
        break;
      } else {
        return result == -ENODEV ? 0 : 1;
      }
    }
  }
}
