// Many clients in one program, each of which holds what it hears against what can be known of it.
// usage: hear SOCKET CLIENTS     says "ready" when all are connected, and ends when the device is removed
//        hear - 1                reads the lines of `pressured replay`
// At the end, for all clients together: clients, readings, happenings, contacts begun and ended, presses
// started and over, crossings, changes of the crown, missed, and a number that is another one where a
// single byte of a happening or their order is another. Where clients differ, or a law is broken, a line
// says so and the status is 1.
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
  long readings, happenings, begun, ended, started, over, crossings, crowns, missed;
  uint64_t digest;
};

// A press that is open: by the id of its finger, of which a few are down at once.
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
  long crowned, time, last_id;
  size_t used;
  char *bytes;
};

static int broken;

static void fail(struct client *client, const char *law, const char *line) {
  if (broken++ < 20) printf("client %d: %s: %.300s\n", client->number, law, line);
}

// What follows a key, at its first place in the line; keys are written as the protocol orders them.
static const char *value(const char *line, const char *key) {
  const char *found = strstr(line, key);
  return found ? found + strlen(key) : "";
}

static long number(const char *line, const char *key) {
  const char *text = value(line, key);
  return *text == 'n' || !*text ? -1 : atol(text);
}

static int starts(const char *text, const char *word) { return strncmp(text, word, strlen(word)) == 0; }

static void happen(struct client *client, const char *line, size_t length) {
  client->counts.happenings++;
  uint64_t digest = client->counts.digest;
  for (size_t i = 0; i < length; i++) digest = (digest ^ (uint8_t)line[i]) * UINT64_C(0x100000001b3);
  client->counts.digest = digest;
}

static void hear_contact(struct client *client, const char *line) {
  long id = number(line, "\"contact\":");
  int place = 0;
  while (place < client->down_count && client->down[place] != id) place++;
  if (starts(value(line, "\"phase\":\""), "began")) {
    if (place < client->down_count) fail(client, "it has begun before", line);
    if (id != client->last_id + 1) fail(client, "a contact is missing before this one", line);
    client->last_id = id;
    client->down[client->down_count++] = id;
    client->counts.begun++;
  } else {
    if (place == client->down_count) return fail(client, "it has not begun, or has ended", line);
    for (int i = 0; i < client->press_count; i++)
      if (client->presses[i].id == id) fail(client, "its press goes on", line);
    client->down[place] = client->down[--client->down_count];
    client->counts.ended++;
  }
}

static void hear_heaviest(struct client *client, const char *line) {
  if (number(line, "\"previous\":") != client->crowned) fail(client, "the crown was another's", line);
  client->crowned = number(line, "\"contact\":");
  client->counts.crowns++;
}

// Of the lines of a press, those are states that say nothing but another force.
static int is_happening(struct client *client, const char *line) {
  const char *state = value(line, "\"state\":\""), *stage = value(line, "\"stage\":\"");
  long id = number(line, "\"contact\":");
  struct press *press = client->presses, *end = press + client->press_count;
  while (press < end && press->id != id) press++;
  if (starts(state, "started")) {
    if (press < end) fail(client, "it has started before", line);
    *end = (struct press){.id = id};
    sscanf(stage, "%31[^\"]", end->stage);
    client->press_count++, client->counts.started++;
    return 1;
  }
  if (press == end) {
    fail(client, "it has not started, or is over", line);
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

static void hear(struct client *client, const char *line, size_t length) {
  static const char head[] = "{\"event\":\"";
  if (!starts(line, head) || line[length - 1] != '}') return fail(client, "this is no line", line);
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
    if (is_happening(client, line)) happen(client, line, length);
  } else if (starts(event, "contact") || starts(event, "heaviest") || starts(event, "max_force")) {
    if (starts(event, "contact")) hear_contact(client, line);
    if (starts(event, "heaviest")) hear_heaviest(client, line);
    happen(client, line, length);
  }
}

// Takes what is there; 0 at the end of the connection.
static int take(struct client *client) {
  ssize_t count = read(client->file, client->bytes + client->used, room - 1 - client->used);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return 1;
  if (count <= 0) return 0;
  client->used += count;
  char *line = client->bytes, *end;
  while ((end = memchr(line, '\n', client->bytes + client->used - line))) {
    *end = 0;
    hear(client, line, end - line);
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
  if (write(file, request, sizeof request - 1) < 0) err(1, "ask");
  return file;
}

static struct client *new_client(int number, int file) {
  struct client *client = calloc(1, sizeof *client);
  *client = (struct client){.file = file, .number = number, .crowned = -1, .last_id = -1};
  client->counts.digest = UINT64_C(0xcbf29ce484222325);
  client->bytes = malloc(room);
  return client;
}

static void listen_to_all(struct client **clients, int number) {
  int poll = epoll_create1(0), open = number, said = 0;
  for (int i = 0; i < number; i++) {
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = clients[i]};
    epoll_ctl(poll, EPOLL_CTL_ADD, clients[i]->file, &event);
  }
  while (open > 0) {
    struct epoll_event events[batch];
    int found = epoll_wait(poll, events, batch, -1), ready = 0;
    for (int i = 0; i < found; i++) {
      struct client *client = events[i].data.ptr;
      int is_open = take(client);
      if (!is_open && !client->is_over) fail(client, "the connection has ended", "");
      if (is_open && !client->is_over) continue;
      close(client->file);
      open--;
    }
    for (int i = 0; i < number; i++) ready += clients[i]->is_ready;
    if (!said && ready == number) said = 1, puts("ready"), fflush(stdout);
  }
}

// What each must have heard alike, whatever it has missed of the readings.
static int differs(struct counts one, struct counts other) {
  one.readings = other.readings = one.missed = other.missed = 0;
  return memcmp(&one, &other, sizeof one) != 0;
}

int main(int count, char **arguments) {
  if (count != 3) errx(64, "usage: hear SOCKET CLIENTS");
  int number = atoi(arguments[2]), is_input = strcmp(arguments[1], "-") == 0;
  struct client **clients = calloc(number, sizeof *clients);
  for (int i = 0; i < number; i++)
    clients[i] = new_client(i, is_input ? STDIN_FILENO : connect_to(arguments[1]));
  if (is_input) {
    while (take(clients[0])) continue;
  } else {
    listen_to_all(clients, number);
  }
  struct counts all = clients[0]->counts;
  long readings = 0, missed = 0;
  for (int i = 0; i < number; i++) {
    struct client *client = clients[i];
    readings += client->counts.readings, missed += client->counts.missed;
    if (client->down_count || client->press_count || client->crowned != -1)
      fail(client, "what has begun has not ended", "");
    if (differs(client->counts, all)) fail(client, "it has heard other happenings than client 0", "");
  }
  printf("%d %ld %ld %ld %ld %ld %ld %ld %ld %ld %016llx\n", number, readings, all.happenings, all.begun, all.ended,
         all.started, all.over, all.crossings, all.crowns, missed, (unsigned long long)all.digest);
  return broken > 0;
}
