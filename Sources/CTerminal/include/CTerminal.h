#pragma once

#include <locale.h>
#include <langinfo.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <wchar.h>

// Restoring the terminal is written in C: a crash handler may only call async-signal-safe functions and use existing
// memory; neither Swift's allocations nor its lazy globals are safe there.

/// Saves the terminal's settings and restores them at `exit` and if the program crashes.
///
/// `bytes` is the sequence that undoes those sent to the terminal; at most 128. Returns 0, or -1 and sets `errno`.
int pressured_terminal_keep(int descriptor, const char *bytes, size_t count);

/// Restores the terminal if it was saved; further calls do nothing.
void pressured_terminal_leave(void);

// Swift imports neither the variadic ioctl nor the request macro with its type; and which module it imports struct winsize from
// depends on the version of glibc.
/// Returns 0 and the size in cells, which is 0 if it is unknown, or -1 and sets `errno`.
static inline int pressured_terminal_size(int descriptor, int *columns, int *rows) {
  struct winsize size = {0};
  int result = ioctl(descriptor, TIOCGWINSZ, &size);
  *columns = size.ws_col;
  *rows = size.ws_row;
  return result;
}

// glibc declares it only with _XOPEN_SOURCE, which is not defined when Swift imports it.
int wcwidth(wchar_t character);
