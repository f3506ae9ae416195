// The `main` of a program without libFuzzer: runs the target on each file in the folders that are given, and prints their
// count. A failure traps or is reported by AddressSanitizer.
#ifdef FUZZ_REPLAYS
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "CFuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

// As libFuzzer passes it: in a block of its own size, so that each access beyond it is found.
static uint8_t *content(const char *path, size_t *count) {
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END) != 0) return NULL;
  long size = ftell(file);
  rewind(file);
  uint8_t *bytes = size < 0 ? NULL : malloc((size_t)size);
  if (bytes) *count = fread(bytes, 1, (size_t)size, file);
  fclose(file);
  return bytes;
}

// The seconds after which an input is considered an endless loop.
enum { longest = 20 };

// SwiftPM links it as `main`.
int Fuzz_main(int count, char **folders) {
  int inputs = 0;
  for (int i = 1; i < count; i++) {
    struct dirent **files;
    int found = scandir(folders[i], &files, NULL, alphasort);
    if (found < 0) return perror(folders[i]), 2;
    for (int j = 0; j < found; free(files[j]), j++) {
      char path[4096];
      if (files[j]->d_name[0] == '.') continue;
      snprintf(path, sizeof path, "%s/%s", folders[i], files[j]->d_name);
      size_t size = 0;
      uint8_t *bytes = content(path, &size);
      if (!bytes) return perror(path), 2;
      // First, so that the log names the input that ends the program.
      fprintf(stderr, "%s\n", path);
      alarm(longest);
      LLVMFuzzerTestOneInput(bytes, size);
      free(bytes);
      inputs++;
    }
    free(files);
  }
  fprintf(stderr, "stat::number_of_executed_units: %d\n", inputs);
  return 0;
}
#endif
