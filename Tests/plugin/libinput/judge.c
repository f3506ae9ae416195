// Prints the buttons that libinput reports: the button, its state, and the device. usage: judge FOLDER NODE...
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
  for (int index = 2; index < count; index++)
    if (!libinput_path_add_device(libinput, words[index])) return 1;
  puts("ready");
  struct pollfd source = {libinput_get_fd(libinput), POLLIN, 0};
  while (poll(&source, 1, -1) >= 0 && !libinput_dispatch(libinput)) {
    struct libinput_event *event;
    while ((event = libinput_get_event(libinput))) {
      if (libinput_event_get_type(event) == LIBINPUT_EVENT_POINTER_BUTTON) {
        struct libinput_event_pointer *pointer = libinput_event_get_pointer_event(event);
        printf("%u %d %s\n", libinput_event_pointer_get_button(pointer), libinput_event_pointer_get_button_state(pointer),
               libinput_device_get_name(libinput_event_get_device(event)));
      }
      libinput_event_destroy(event);
    }
  }
  return 1;
}
