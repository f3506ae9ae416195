// Emulates /dev/uinput, which containers do not have: a program that it is preloaded into creates a device, whose events it
// writes into the file $UINPUT_EVENTS. With $UINPUT_ERROR the device cannot be created, for the reason with this number.
// The numbers of the signals that it sends are written into the file $SIGNALS.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include <linux/uinput.h>

static int device = -1;

static int opened(const char *path, int flags, mode_t mode, const char *name) {
  int (*next)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, name);
  if (strcmp(path, "/dev/uinput") != 0) return next(path, flags, mode);
  device = next(getenv("UINPUT_EVENTS"), O_WRONLY | O_CREAT | O_APPEND | (flags & O_CLOEXEC), 0600);
  return device;
}

int open(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return opened(path, flags, mode, "open");
}

int open64(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return opened(path, flags, mode, "open64");
}

int ioctl(int file, unsigned long request, ...) {
  va_list arguments;
  va_start(arguments, request);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  if (file != device || _IOC_TYPE(request) != UINPUT_IOCTL_BASE) {
    int (*next)(int, unsigned long, ...) = (int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
    return next(file, request, argument);
  }
  // From this version on, a device is described by ioctls instead of a record that is written.
  if (request == UI_GET_VERSION) *(unsigned *)argument = 5;
  if (request == UI_DEV_CREATE && getenv("UINPUT_ERROR")) {
    errno = atoi(getenv("UINPUT_ERROR"));
    return -1;
  }
  if (_IOC_NR(request) == _IOC_NR(UI_GET_SYSNAME(0))) strcpy(argument, "input99");
  return 0;
}

int kill(pid_t process, int number) {
  const char *path = getenv("SIGNALS");
  FILE *file = path ? fopen(path, "a") : NULL;
  if (file) {
    fprintf(file, "%d\n", number);
    fclose(file);
  }
  int (*next)(pid_t, int) = (int (*)(pid_t, int))dlsym(RTLD_NEXT, "kill");
  return next(process, number);
}
