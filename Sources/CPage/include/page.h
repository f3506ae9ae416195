#pragma once

#include <stddef.h>

// A file of the page, which is part of the program: the page needs nothing that is installed elsewhere.
struct pressured_page_file {
  const char *path;
  const char *type;
  const unsigned char *bytes;
  size_t count;
};

// Returns the file at a path of the server; NULL if there is none.
const struct pressured_page_file *pressured_page_file(const char *path);
