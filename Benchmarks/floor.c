// The minimum work of any server: reads a pipe and writes a line of fixed length to each client for each
// frame; frames that arrive together are sent in one call.
// usage: floor SOCKET PIPE LENGTH
// A line contains only the time of its frame. As with pressured, a client first receives two lines.
#define _GNU_SOURCE // accept4
#include <err.h>
#include <fcntl.h>
#include <linux/input.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { max_clients = 1024, max_events = 512 };

static const char greeting[] = "{\"event\":\"hello\"}\n{\"event\":\"reply\"}\n";
static const char head[] = "{\"event\":\"weight\",\"time\":";

static int clients[max_clients];
static int client_count;
static size_t line_length;
static char *text;

static int listen_at(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  int file = socket(AF_UNIX, SOCK_STREAM, 0);
  if (file < 0 || bind(file, (struct sockaddr *)&address, sizeof address) < 0) err(73, "%s", path);
  if (listen(file, 128) < 0) err(73, "listen");
  return file;
}

static void accept_client(int listener) {
  int file = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
  if (file < 0 || client_count == max_clients) err(1, "accept");
  if (write(file, greeting, sizeof greeting - 1) < 0) err(1, "write greeting");
  clients[client_count++] = file;
}

// Writes one line, in which only the time changes, and returns its end.
static char *put_line(char *out, struct input_event *event) {
  int64_t time = event->input_event_sec * INT64_C(1000000) + event->input_event_usec;
  out[sizeof head - 1 + sprintf(out + sizeof head - 1, "%lld", (long long)time)] = '}';
  return out + line_length;
}

static void serve(int pipe) {
  static struct input_event events[max_events];
  static size_t rest;
  ssize_t count = read(pipe, (char *)events + rest, sizeof events - rest);
  if (count < 0) err(1, "read");
  if (count == 0) exit(0);
  size_t whole = (rest + count) / sizeof events[0];
  char *out = text;
  for (size_t i = 0; i < whole; i++)
    if (events[i].type == EV_SYN && events[i].code == SYN_REPORT) out = put_line(out, &events[i]);
  rest = rest + count - whole * sizeof events[0];
  memmove(events, events + whole, rest);
  for (int i = 0; out > text && i < client_count; i++)
    if (send(clients[i], text, out - text, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) continue;
}

int main(int count, char **arguments) {
  if (count != 4) errx(64, "usage: floor SOCKET PIPE LENGTH");
  line_length = atoi(arguments[3]);
  text = malloc(max_events * (line_length + 64));
  memset(text, ' ', max_events * (line_length + 64));
  for (int i = 0; i < max_events; i++) {
    memcpy(text + i * line_length, head, sizeof head - 1);
    text[(i + 1) * line_length - 1] = '\n';
  }
  struct pollfd files[] = {{open(arguments[2], O_RDONLY | O_NONBLOCK), POLLIN, 0},
                           {listen_at(arguments[1]), POLLIN, 0}};
  if (files[0].fd < 0) err(66, "%s", arguments[2]);
  while (poll(files, 2, -1) > 0) {
    if (files[1].revents) accept_client(files[1].fd);
    if (files[0].revents) serve(files[0].fd);
  }
  err(1, "poll");
}
