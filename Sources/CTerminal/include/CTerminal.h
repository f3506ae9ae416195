#pragma once

#include <locale.h>
#include <langinfo.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <wchar.h>

// How a terminal is left is written in C: a signal that ends a crash may use what was made before, and nothing else;
// neither Swift's memory nor its first use of a global is safe there.

/// Keeps how the terminal was, and sees to it that it is left so: at `exit`, and when the program crashes.
///
/// The bytes are what undoes the ones that were sent to it; at most 128. Gives 0, or -1 with `errno`.
int pressured_terminal_keep(int descriptor, const char *bytes, size_t count);

/// Leaves the terminal as it was, if it was kept; nothing happens the second time.
void pressured_terminal_leave(void);

// The request is a macro of another type than Swift's ioctl takes, and the call is variadic.
static inline int pressured_terminal_size(int descriptor, struct winsize *size) {
  return ioctl(descriptor, TIOCGWINSZ, size);
}

// glibc declares it under _XOPEN_SOURCE alone, without which Swift imports it.
int wcwidth(wchar_t character);
