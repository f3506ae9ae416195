// A minimal program that prints the pressure of a touchpad as JSON, one line per frame: C with libevdev.
// usage: frames NODE
// It tracks slots only: no units, no scale, no clients.
#include <err.h>
#include <fcntl.h>
#include <libevdev/libevdev.h>
#include <stdio.h>

static void print_frame(struct libevdev *device, const struct input_event *end) {
  const char *separator = "";
  printf("{\"time\":%lld,\"contacts\":[", end->input_event_sec * 1000000LL + end->input_event_usec);
  for (int slot = 0; slot < libevdev_get_num_slots(device); slot++) {
    int contact = libevdev_get_slot_value(device, slot, ABS_MT_TRACKING_ID);
    if (contact < 0) continue;
    printf("%s{\"slot\":%d,\"contact\":%d,\"x\":%d,\"y\":%d,\"pressure\":%d}", separator, slot, contact,
           libevdev_get_slot_value(device, slot, ABS_MT_POSITION_X),
           libevdev_get_slot_value(device, slot, ABS_MT_POSITION_Y),
           libevdev_get_slot_value(device, slot, ABS_MT_PRESSURE));
    separator = ",";
  }
  puts("]}");
  fflush(stdout);
}

int main(int argc, char **argv) {
  struct libevdev *device;
  if (argc != 2) errx(64, "usage: frames NODE");
  int file = open(argv[1], O_RDONLY);
  if (file < 0 || libevdev_new_from_fd(file, &device) < 0) err(1, "%s", argv[1]);
  for (;;) {
    struct input_event event;
    int status = libevdev_next_event(device, LIBEVDEV_READ_FLAG_NORMAL | LIBEVDEV_READ_FLAG_BLOCKING, &event);
    while (status == LIBEVDEV_READ_STATUS_SYNC)
      status = libevdev_next_event(device, LIBEVDEV_READ_FLAG_SYNC, &event);
    if (status == -19) return 0;
    if (status == LIBEVDEV_READ_STATUS_SUCCESS && event.type == EV_SYN && event.code == SYN_REPORT)
      print_frame(device, &event);
  }
}
