/*
 * Plays the game of a stream, and prints its transitions: a line with a JSON array for each call that found some. With --items it prints what the
 * stream carries instead.
 *
 *     cc replay.c -I include -L lib -lCuelightC -o replay
 *     ./replay [--items] show.ts
 */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cuelight.h"

/* Reports why a call of the reader failed. */
static int fail(void *reader, ptrdiff_t code) {
  ptrdiff_t count = cuelight_reader_problem(reader);
  fprintf(stderr, "%s: %.*s\n", cuelight_error_name(code), (int)count, (const char *)cuelight_reader_answer(reader));
  return 1;
}

static void print(const void *text, ptrdiff_t count) {
  if (count <= 0) return;
  fwrite(text, 1, (size_t)count, stdout);
  putchar('\n');
}

int main(int argc, char **argv) {
  int items = argc == 3 && strcmp(argv[1], "--items") == 0;
  if (argc != 2 + items) {
    fprintf(stderr, "usage: replay [--items] FILE\n");
    return 64;
  }
  FILE *file = fopen(argv[1 + items], "rb");
  if (!file) {
    perror(argv[1 + items]);
    return 66;
  }

  void *reader = cuelight_reader_create();
  void *game = cuelight_create(true);
  const ptrdiff_t most = 65536;
  int status = 0;
  for (int ended = 0; !ended && status == 0;) {
    /* The file's bytes go directly where the reader finds them. */
    ptrdiff_t count = (ptrdiff_t)fread(cuelight_reader_room(reader, most), 1, (size_t)most, file);
    ended = count == 0;
    ptrdiff_t found = ended ? cuelight_reader_finish(reader) : cuelight_reader_push(reader, count);
    if (found < 0)
      status = fail(reader, found);
    else if (items)
      print(cuelight_reader_answer(reader), found);
    else {
      ptrdiff_t changed = cuelight_play(game, reader);
      print(cuelight_answer(game), changed);
    }
  }
  if (status == 0 && !items) {
    double end = cuelight_reader_end(reader);
    ptrdiff_t changed = cuelight_finish(game, isnan(end) ? 0 : end);
    print(cuelight_answer(game), changed);
  }

  cuelight_destroy(game);
  cuelight_reader_destroy(reader);
  fclose(file);
  return status;
}
