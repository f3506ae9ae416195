#define _GNU_SOURCE
#include "commands.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void fail(const char *attempt) {
  perror(attempt);
  exit(1);
}

void pause_for(long microseconds) {
  struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000};
  nanosleep(&time, NULL);
}

// Returns 0 for the command to quit.
static int handle_line(char *line, void (*handle)(char *words[4])) {
  char *words[4] = {"", "", "", ""}, *rest = line;
  for (int i = 0; i < 4; i++) {
    char *word = strsep(&rest, " ");
    if (word == NULL) break;
    words[i] = word;
  }
  if (strcmp(words[0], "quit") == 0) return 0;
  handle(words);
  puts("done");
  fflush(stdout);
  return 1;
}

void handle_commands(int device, void (*handle)(char *words[4]), void (*answer_kernel)(void)) {
  char text[4096];
  size_t length = 0;
  struct pollfd polled[2] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = device, .events = POLLIN}};
  for (;;) {
    if (poll(polled, 2, -1) < 0) fail("poll");
    if (polled[1].revents & POLLIN) answer_kernel();
    if (!(polled[0].revents & (POLLIN | POLLHUP))) continue;
    ssize_t count = read(STDIN_FILENO, text + length, sizeof text - length);
    if (count <= 0) return;
    length += (size_t)count;
    for (char *end; (end = memchr(text, '\n', length)) != NULL;) {
      *end = 0;
      if (!handle_line(text, handle)) return;
      length -= (size_t)(end + 1 - text);
      memmove(text, end + 1, length);
    }
  }
}
