// Many clients in one process, each of which checks the received lines for consistency.
// usage: good_clients SOCKET CLIENTS   prints "ready" when all are connected, and exits when the device is removed
//        good_clients - 1              reads the lines of `pressured replay`
// At the end, prints for all clients together: clients, readings, lossless events, contacts begun and ended,
// presses started and ended, crossings, changes of the heaviest contact, missed lines, and a digest of the bytes
// and the order of the lossless events. If clients differ or a rule is violated, prints the errors and exits
// with status 1.
#include <err.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { room = 1 << 17, batch = 64, most_ids = 1 << 20, stage_length = 32 };

static const char request[] = "subscribe events=device,contact,weight,heaviest,max_force,press max_hz=0\n";

struct counts {
  long readings, lossless, begun, ended, started, over, crossings, heaviest_changes, missed;
  uint64_t digest;
};

// A press in progress, with the id of its contact.
struct press {
  long id;
  char stage[stage_length];
};

enum { most_down = 32 };

struct client {
  int file, number, is_ready, is_over;
  struct counts counts;
  long down[most_down];
  struct press presses[most_down];
  int down_count, press_count;
  long heaviest, time, last_id;
  size_t used;
  char *bytes;
};

static int broken;

static void fail(struct client *client, const char *rule, const char *line) {
  if (broken++ < 20) printf("client %d: %s: %.300s\n", client->number, rule, line);
}

// The text after the first occurrence of a key; keys are in the order of the protocol.
static const char *value(const char *line, const char *key) {
  const char *found = strstr(line, key);
  return found ? found + strlen(key) : "";
}

static long number(const char *line, const char *key) {
  const char *text = value(line, key);
  return *text == 'n' || !*text ? -1 : atol(text);
}

static int starts(const char *text, const char *word) { return strncmp(text, word, strlen(word)) == 0; }

static void count_lossless(struct client *client, const char *line, size_t length) {
  client->counts.lossless++;
  uint64_t digest = client->counts.digest;
  for (size_t i = 0; i < length; i++) digest = (digest ^ (uint8_t)line[i]) * UINT64_C(0x100000001b3);
  client->counts.digest = digest;
}

static void check_contact(struct client *client, const char *line) {
  long id = number(line, "\"contact\":");
  int place = 0;
  while (place < client->down_count && client->down[place] != id) place++;
  if (starts(value(line, "\"phase\":\""), "began")) {
    if (place < client->down_count) fail(client, "the contact has begun before", line);
    if (id != client->last_id + 1) fail(client, "a contact before this one is missing", line);
    client->last_id = id;
    client->down[client->down_count++] = id;
    client->counts.begun++;
  } else {
    if (place == client->down_count) return fail(client, "the contact has not begun, or has ended", line);
    for (int i = 0; i < client->press_count; i++)
      if (client->presses[i].id == id) fail(client, "the press of the contact has not ended", line);
    client->down[place] = client->down[--client->down_count];
    client->counts.ended++;
  }
}

static void check_heaviest(struct client *client, const char *line) {
  if (number(line, "\"previous\":") != client->heaviest) fail(client, "another contact was the heaviest", line);
  client->heaviest = number(line, "\"contact\":");
  client->counts.heaviest_changes++;
}

// Press lines that only change the force are coalescible; all others are lossless.
static int is_lossless(struct client *client, const char *line) {
  const char *state = value(line, "\"state\":\""), *stage = value(line, "\"stage\":\"");
  long id = number(line, "\"contact\":");
  struct press *press = client->presses, *end = press + client->press_count;
  while (press < end && press->id != id) press++;
  if (starts(state, "started")) {
    if (press < end) fail(client, "the press has started before", line);
    *end = (struct press){.id = id};
    sscanf(stage, "%31[^\"]", end->stage);
    client->press_count++, client->counts.started++;
    return 1;
  }
  if (press == end) {
    fail(client, "the press has not started, or has ended", line);
    return 1;
  }
  if (starts(state, "ended") || starts(state, "cancelled")) {
    *press = client->presses[--client->press_count];
    client->counts.over++;
    return 1;
  }
  char now[stage_length] = "";
  sscanf(stage, "%31[^\"]", now);
  int is_crossing = strcmp(now, press->stage) != 0;
  strcpy(press->stage, now);
  client->counts.crossings += is_crossing;
  return is_crossing || starts(state, "fixed");
}

static void check_line(struct client *client, const char *line, size_t length) {
  static const char head[] = "{\"event\":\"";
  if (!starts(line, head) || line[length - 1] != '}') return fail(client, "this is not a protocol line", line);
  const char *event = line + sizeof head - 1;
  if (starts(event, "hello") || starts(event, "reply")) {
    client->is_ready |= starts(event, "reply");
    return;
  }
  if (starts(event, "missed")) {
    client->counts.missed += number(line, "\"count\":");
    return;
  }
  long time = number(line, "\"time\":");
  if (time < client->time) fail(client, "time runs backwards", line);
  client->time = time;
  if (starts(event, "weight")) {
    client->counts.readings++;
  } else if (starts(event, "device")) {
    client->is_over = starts(value(line, "\"change\":\""), "removed");
  } else if (starts(event, "press")) {
    if (is_lossless(client, line)) count_lossless(client, line, length);
  } else if (starts(event, "contact") || starts(event, "heaviest") || starts(event, "max_force")) {
    if (starts(event, "contact")) check_contact(client, line);
    if (starts(event, "heaviest")) check_heaviest(client, line);
    count_lossless(client, line, length);
  }
}

// Reads and checks the available lines; returns 0 at the end of the connection.
static int receive(struct client *client) {
  ssize_t count = read(client->file, client->bytes + client->used, room - 1 - client->used);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return 1;
  if (count <= 0) return 0;
  client->used += count;
  char *line = client->bytes, *end;
  while ((end = memchr(line, '\n', client->bytes + client->used - line))) {
    *end = 0;
    check_line(client, line, end - line);
    line = end + 1;
  }
  client->used -= line - client->bytes;
  memmove(client->bytes, line, client->used);
  return 1;
}

static int connect_to(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  int file = socket(AF_UNIX, SOCK_STREAM, 0);
  if (file < 0 || connect(file, (struct sockaddr *)&address, sizeof address) < 0) err(1, "connect");
  if (write(file, request, sizeof request - 1) < 0) err(1, "subscribe");
  return file;
}

static struct client *new_client(int number, int file) {
  struct client *client = calloc(1, sizeof *client);
  *client = (struct client){.file = file, .number = number, .heaviest = -1, .last_id = -1};
  client->counts.digest = UINT64_C(0xcbf29ce484222325);
  client->bytes = malloc(room);
  return client;
}

static void receive_all(struct client **clients, int number) {
  int poll = epoll_create1(0), open = number, is_announced = 0;
  for (int i = 0; i < number; i++) {
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = clients[i]};
    epoll_ctl(poll, EPOLL_CTL_ADD, clients[i]->file, &event);
  }
  while (open > 0) {
    struct epoll_event events[batch];
    int found = epoll_wait(poll, events, batch, -1), ready = 0;
    for (int i = 0; i < found; i++) {
      struct client *client = events[i].data.ptr;
      int is_open = receive(client);
      if (!is_open && !client->is_over) fail(client, "the connection has ended", "");
      if (is_open && !client->is_over) continue;
      close(client->file);
      open--;
    }
    for (int i = 0; i < number; i++) ready += clients[i]->is_ready;
    if (!is_announced && ready == number) is_announced = 1, puts("ready"), fflush(stdout);
  }
}

// Compares the counts that must not depend on missed readings.
static int differs(struct counts one, struct counts other) {
  one.readings = other.readings = one.missed = other.missed = 0;
  return memcmp(&one, &other, sizeof one) != 0;
}

int main(int count, char **arguments) {
  if (count != 3) errx(64, "usage: good_clients SOCKET CLIENTS");
  int number = atoi(arguments[2]), is_input = strcmp(arguments[1], "-") == 0;
  struct client **clients = calloc(number, sizeof *clients);
  for (int i = 0; i < number; i++)
    clients[i] = new_client(i, is_input ? STDIN_FILENO : connect_to(arguments[1]));
  if (is_input) {
    while (receive(clients[0])) continue;
  } else {
    receive_all(clients, number);
  }
  struct counts all = clients[0]->counts;
  long readings = 0, missed = 0;
  for (int i = 0; i < number; i++) {
    struct client *client = clients[i];
    readings += client->counts.readings, missed += client->counts.missed;
    if (client->down_count || client->press_count || client->heaviest != -1)
      fail(client, "a contact or press has not ended", "");
    if (differs(client->counts, all)) fail(client, "its lossless events differ from those of client 0", "");
  }
  printf("%d %ld %ld %ld %ld %ld %ld %ld %ld %ld %016llx\n", number, readings, all.lossless, all.begun, all.ended,
         all.started, all.over, all.crossings, all.heaviest_changes, missed, (unsigned long long)all.digest);
  return broken > 0;
}
