// Written by scripts/make-embedded.

#include "CEmbeddedFiles.h"

// #embed is of C23. Clang knows it in every version of C, and warns.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char rehearsal_ts[] = {
#embed "../../Serving/GameServer/rehearsal.ts"
};

struct cuelight_files cuelight_rehearsal(void) {
  static const struct cuelight_file files[] = {
    {"rehearsal.ts", rehearsal_ts, sizeof rehearsal_ts},
  };
  return (struct cuelight_files){files, sizeof files / sizeof *files};
}
