#include "CTerminal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { max_bytes = 128, timeout_ms = 500, signal_stack = 64 * 1024 };

static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT, SIGSYS};
enum { crash_count = sizeof crashes / sizeof *crashes };

static struct {
  volatile sig_atomic_t is_kept;
  int descriptor;
  struct termios settings;
  char bytes[max_bytes];
  size_t count;
  struct sigaction before[crash_count];
} terminal;

// Waits at most timeout_ms for a terminal that accepts no more bytes.
static void send_bytes(void) {
  size_t sent = 0;
  while (sent < terminal.count) {
    ssize_t count = write(terminal.descriptor, terminal.bytes + sent, terminal.count - sent);
    if (count > 0) {
      sent += (size_t)count;
    } else if (count < 0 && errno == EAGAIN) {
      struct pollfd output = {.fd = terminal.descriptor, .events = POLLOUT};
      if (poll(&output, 1, timeout_ms) <= 0) return;
    } else if (errno != EINTR) {
      return;
    }
  }
}

void pressured_terminal_leave(void) {
  if (!terminal.is_kept) return;
  terminal.is_kept = 0;
  int number = errno;
  // A background process that changes the terminal would be stopped by SIGTTOU.
  sigset_t background, before;
  sigemptyset(&background);
  sigaddset(&background, SIGTTOU);
  sigprocmask(SIG_BLOCK, &background, &before);
  send_bytes();
  tcsetattr(terminal.descriptor, TCSANOW, &terminal.settings);
  sigprocmask(SIG_SETMASK, &before, NULL);
  errno = number;
}

// Restores the terminal, then the default action: the instruction fails again and the process crashes as usual.
static void crash(int number, siginfo_t *info, void *context) {
  (void)context;
  pressured_terminal_leave();
  for (int index = 0; index < crash_count; index++) {
    if (crashes[index] == number) sigaction(number, &terminal.before[index], NULL);
  }
  // A signal sent by a process does not recur by itself.
  if (info->si_code <= 0) raise(number);
}

// Uses an alternate stack, as infinite recursion exhausts the normal one.
static int watch_crashes(void) {
  static char stack[signal_stack];
  static int is_watching;
  if (is_watching) return 0;
  is_watching = 1;
  stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
  if (sigaltstack(&alternate, NULL) < 0) return -1;
  struct sigaction handler = {.sa_sigaction = crash, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigfillset(&handler.sa_mask);
  for (int index = 0; index < crash_count; index++) {
    if (sigaction(crashes[index], &handler, &terminal.before[index]) < 0) return -1;
  }
  return atexit(pressured_terminal_leave);
}

int pressured_terminal_keep(int descriptor, const char *bytes, size_t count) {
  if (count > max_bytes) {
    errno = EINVAL;
    return -1;
  }
  if (tcgetattr(descriptor, &terminal.settings) < 0 || watch_crashes() < 0) return -1;
  terminal.descriptor = descriptor;
  memcpy(terminal.bytes, bytes, count);
  terminal.count = count;
  terminal.is_kept = 1;
  return 0;
}
