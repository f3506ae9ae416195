// Prints the buttons that libinput reports: the button, its state, and the device. usage: judge FOLDER NODE...
// The bytes '0' and '1' at its input suspend the first device and resume it; it ends with its input.
#include <errno.h>
#include <fcntl.h>
#include <libinput.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

static int open_node(const char *path, int flags, void *data) {
  int number = open(path, flags);
  return number < 0 ? -errno : number;
}

static void close_node(int number, void *data) { close(number); }

static const struct libinput_interface interface = {open_node, close_node};

int main(int count, char **words) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  struct libinput *libinput = libinput_path_create_context(&interface, NULL);
  libinput_plugin_system_append_path(libinput, words[1]);
  libinput_plugin_system_load_plugins(libinput, LIBINPUT_PLUGIN_SYSTEM_FLAG_NONE);
  struct libinput_device *first = NULL;
  for (int index = 2; index < count; index++) {
    struct libinput_device *device = libinput_path_add_device(libinput, words[index]);
    if (!device) return 1;
    first = first ? first : device;
  }
  puts("ready");
  struct pollfd sources[] = {{libinput_get_fd(libinput), POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
  while (poll(sources, 2, -1) >= 0 && !libinput_dispatch(libinput)) {
    struct libinput_event *event;
    while ((event = libinput_get_event(libinput))) {
      if (libinput_event_get_type(event) == LIBINPUT_EVENT_POINTER_BUTTON) {
        struct libinput_event_pointer *pointer = libinput_event_get_pointer_event(event);
        printf("%u %d %s\n", libinput_event_pointer_get_button(pointer), libinput_event_pointer_get_button_state(pointer),
               libinput_device_get_name(libinput_event_get_device(event)));
      }
      libinput_event_destroy(event);
    }
    char byte;
    if (!sources[1].revents) continue;
    if (read(STDIN_FILENO, &byte, 1) != 1) return 0;
    libinput_device_config_send_events_set_mode(
        first, byte == '0' ? LIBINPUT_CONFIG_SEND_EVENTS_DISABLED : LIBINPUT_CONFIG_SEND_EVENTS_ENABLED);
  }
  return 1;
}
