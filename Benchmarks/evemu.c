// Parses an evemu recording as most programs do: line by line, with sscanf.
// usage: evemu FILE
#include <err.h>
#include <linux/input.h>
#include <stdio.h>
#include <string.h>

int main(int count, char **arguments) {
  if (count != 2) errx(64, "usage: evemu FILE");
  FILE *file = fopen(arguments[1], "r");
  if (!file) err(66, "%s", arguments[1]);
  char line[1024];
  long events = 0, frames = 0, sum = 0;
  while (fgets(line, sizeof line, file)) {
    unsigned long seconds, microseconds;
    unsigned type, code;
    int value;
    if (sscanf(line, "E: %lu.%lu %x %x %d", &seconds, &microseconds, &type, &code, &value) != 5)
      continue;
    events++;
    sum += value;
    frames += type == EV_SYN && code == SYN_REPORT;
  }
  printf("%ld events, %ld frames, sum %ld\n", events, frames, sum);
}
