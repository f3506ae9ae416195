// A clock that a test sets: the program that preloads this library runs in simulated time.
//
// Whenever the program has nothing left to do, it asks the test for the next time, so that each step is complete before
// the next one begins and minutes of rest cost nothing. $PRESSURED_CLOCK is the descriptor of a connected socket.
// The program sends the time of its next timer; the reply is the new time. Both are nanoseconds in 8 bytes.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { TIMERS = 1024 };
static const int64_t second = 1000000000;
static const int64_t never = INT64_MAX;

// The time at the start: a machine that has been up for 1000 s, in 2026.
static int64_t now = 1000 * 1000000000LL;
static const int64_t epoch = 1780000000 * 1000000000LL;

static int64_t deadlines[TIMERS];
static int clocks[TIMERS];

static int control(void) {
  static int descriptor = -1;
  if (descriptor < 0) descriptor = atoi(getenv("PRESSURED_CLOCK"));
  return descriptor;
}

static int64_t time_of(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE ? epoch + now : now;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  if (clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID) {
    int (*real)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
    return real(clock, time);
  }
  time->tv_sec = time_of(clock) / second;
  time->tv_nsec = time_of(clock) % second;
  return 0;
}

static int set_real(int timer, const struct itimerspec *value) {
  int (*real)(int, int, const struct itimerspec *, struct itimerspec *) = dlsym(RTLD_NEXT, "timerfd_settime");
  return real(timer, 0, value, NULL);
}

// Makes a timer readable. The kernel does so in an interrupt, which this waits for.
static void fire(int timer) {
  static const struct itimerspec at_once = {.it_value = {.tv_nsec = 1}};
  deadlines[timer] = never;
  set_real(timer, &at_once);
  poll(&(struct pollfd){.fd = timer, .events = POLLIN}, 1, 1000);
}

int timerfd_create(int clock, int flags) {
  int (*real)(int, int) = dlsym(RTLD_NEXT, "timerfd_create");
  int timer = real(clock, flags);
  if (timer >= TIMERS) abort();
  if (timer >= 0) {
    deadlines[timer] = never;
    clocks[timer] = clock;
  }
  return timer;
}

int timerfd_settime(int timer, int flags, const struct itimerspec *value, struct itimerspec *old) {
  (void)old;
  static const struct itimerspec disarmed;
  int64_t given = value->it_value.tv_sec >= never / second ? never
                                                           : value->it_value.tv_sec * second + value->it_value.tv_nsec;
  deadlines[timer] = never;
  if (given == 0 || given == never) return set_real(timer, &disarmed);
  int64_t deadline = flags & TFD_TIMER_ABSTIME ? given - (time_of(clocks[timer]) - now) : now + given;
  if (deadline <= now) {
    fire(timer);
    return 0;
  }
  deadlines[timer] = deadline;
  return set_real(timer, &disarmed);
}

static int64_t earliest(void) {
  int64_t first = never;
  for (int timer = 0; timer < TIMERS; timer++)
    if (deadlines[timer] > 0 && deadlines[timer] < first) first = deadlines[timer];
  return first;
}

// Asks the test for the next time; false once the test has gone.
static int advance(int64_t deadline) {
  if (write(control(), &deadline, sizeof deadline) != sizeof deadline) return 0;
  int64_t next;
  if (read(control(), &next, sizeof next) != sizeof next) return 0;
  if (next > now) now = next;
  for (int timer = 0; timer < TIMERS; timer++)
    if (deadlines[timer] > 0 && deadlines[timer] <= now) fire(timer);
  return 1;
}

int epoll_wait(int poller, struct epoll_event *events, int capacity, int timeout) {
  int (*real)(int, struct epoll_event *, int, int) = dlsym(RTLD_NEXT, "epoll_wait");
  if (timeout == 0) return real(poller, events, capacity, timeout);
  int64_t end = timeout < 0 ? never : now + timeout * (second / 1000);
  for (;;) {
    int count = real(poller, events, capacity, 0);
    if (count != 0) return count;
    if (now >= end) return 0;
    int64_t deadline = earliest();
    if (!advance(deadline < end ? deadline : end)) _exit(0);
  }
}
