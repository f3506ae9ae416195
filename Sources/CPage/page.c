#include "page.h"

#include <string.h>

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char index_html[] = {
#embed "page/index.html"
};
static const unsigned char style_css[] = {
#embed "page/style.css"
};
static const unsigned char page_js[] = {
#embed "page/page.js"
};
static const unsigned char views_js[] = {
#embed "page/views.js"
};
static const unsigned char pressured_js[] = {
#embed "page/pressured.js"
};

static const struct pressured_page_file files[] = {
    {"/", "text/html; charset=utf-8", index_html, sizeof index_html},
    {"/style.css", "text/css; charset=utf-8", style_css, sizeof style_css},
    {"/page.js", "text/javascript; charset=utf-8", page_js, sizeof page_js},
    {"/views.js", "text/javascript; charset=utf-8", views_js, sizeof views_js},
    {"/pressured.js", "text/javascript; charset=utf-8", pressured_js, sizeof pressured_js},
};

const struct pressured_page_file *pressured_page_file(const char *path) {
  for (size_t index = 0; index < sizeof files / sizeof *files; index++)
    if (strcmp(files[index].path, path) == 0) return &files[index];
  return NULL;
}
