// Written by scripts/make-embedded.

#include "CEmbeddedFiles.h"

// #embed is of C23. Clang knows it in every version of C, and warns.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char HTMLEntities_txt[] = {
#embed "../../Producing/Questions/HTMLEntities.txt"
};

struct cuelight_files cuelight_entities(void) {
  static const struct cuelight_file files[] = {
    {"HTMLEntities.txt", HTMLEntities_txt, sizeof HTMLEntities_txt},
  };
  return (struct cuelight_files){files, sizeof files / sizeof *files};
}
