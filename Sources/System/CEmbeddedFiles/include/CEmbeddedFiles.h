#ifndef CUELIGHT_CEMBEDDEDFILES_H
#define CUELIGHT_CEMBEDDEDFILES_H

#include <stddef.h>

/// A file that programs carry in themselves. Its bytes are part of the program, and stay.
struct cuelight_file {
  const char *name;
  const unsigned char *bytes;
  size_t size;
};

/// Files, sorted by their names.
struct cuelight_files {
  const struct cuelight_file *files;
  size_t count;
};

/// What browsers load.
struct cuelight_files cuelight_pages(void);
/// The picture of a rehearsal.
struct cuelight_files cuelight_rehearsal(void);
/// The JSON Schemas of the lines that `--json` prints.
struct cuelight_files cuelight_schemas(void);
/// The character references of HTML.
struct cuelight_files cuelight_entities(void);

#endif
