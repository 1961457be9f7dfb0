// Written by scripts/make-embedded.

#include "CEmbeddedFiles.h"

// #embed is of C23. Clang knows it in every version of C, and warns.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char schemas_ndjson[] = {
#embed "../../Commands/LineSchemas/schemas.ndjson"
};

struct cuelight_files cuelight_schemas(void) {
  static const struct cuelight_file files[] = {
    {"schemas.ndjson", schemas_ndjson, sizeof schemas_ndjson},
  };
  return (struct cuelight_files){files, sizeof files / sizeof *files};
}
