/*
 * Cuelight for C, and for every language that can call C: game events out of the bytes of a stream, and the game that a viewer's client plays.
 *
 *     #include <cuelight.h>
 *     cc program.c -lCuelightC
 *
 * A reader takes a stream in pieces of any size: an MPEG transport stream, fragmented MP4 (CMAF) or packed audio. A game takes what a player
 * hands over: ID3 tags, TXXX frames, date ranges. A reader can drive a game.
 *
 * Bytes go in through a room: write them where cuelight_room or cuelight_reader_room says, then call with their number. JSON in UTF-8 comes out: a
 * call returns its number of bytes, and cuelight_answer or cuelight_reader_answer where they are, without a zero at the end. 0 bytes mean
 * that there is nothing to say. An address is good until the next call that takes the same handle. Copy what you keep.
 *
 * Times are seconds. A time that is not known is not a number (NAN).
 *
 * One thread at a time may use a handle. Different handles need nothing of each other. A handle must be one that was made and not destroyed.
 */

#ifndef CUELIGHT_H
#define CUELIGHT_H

#include <stdbool.h>
#include <stddef.h>

/* The version of this header. cuelight_version tells that of the library. */
#define CUELIGHT_VERSION "1.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/* Why a call of a reader failed. The numbers stay what they are; later versions may add some. */
enum cuelight_error {
  CUELIGHT_OK = 0,
  /* The stream ended without a byte. */
  CUELIGHT_ERROR_EMPTY = -1,
  /* It is no transport stream, fragmented MP4 or packed audio. */
  CUELIGHT_ERROR_NOT_A_STREAM = -2,
  /* It is an MP4 or MOV file without fragments. */
  CUELIGHT_ERROR_PLAIN_MP4 = -3,
  /* It starts as fragmented MP4 does, and has neither a movie header nor a fragment. */
  CUELIGHT_ERROR_NO_FRAGMENTS = -4,
  /* The reader has failed or was finished before. */
  CUELIGHT_ERROR_ENDED = -5,
  /* The number of bytes is negative, or more than room was made for. */
  CUELIGHT_ERROR_BAD_COUNT = -6
};

/* The version of the library, such as "1.2.3". The text is constant. */
const char *cuelight_version(void);

/* The name of a result as above, CUELIGHT_OK for every number from 0 on, CUELIGHT_ERROR_UNKNOWN for a number that this version does not know. */
const char *cuelight_error_name(ptrdiff_t code);

/* What a result means, in words. */
const char *cuelight_error_text(ptrdiff_t code);

/* ---- Reading a stream. Calls return the number of bytes of JSON, or an error, which is below 0. ---- */

/* Makes a reader at the beginning of a stream. After a discontinuity make another one. */
void *cuelight_reader_create(void);

/* Ends a reader. */
void cuelight_reader_destroy(void *reader);

/* Where to write that number of bytes before the next call. What was there before is lost. */
void *cuelight_reader_room(void *reader, ptrdiff_t count);

/* Where the answer of the last call is. */
void *cuelight_reader_answer(void *reader);

/* Reads the next bytes. The answer is an array of objects, each as a line of `cuelight inspect --json`: type is copy, tag or damage. */
ptrdiff_t cuelight_reader_push(void *reader, ptrdiff_t count);

/* A segment of HLS or DASH starts with the next byte. What the one before it cut off is damage. */
ptrdiff_t cuelight_reader_start_segment(void *reader);

/* About that many seconds of the stream are missing here, such as a segment that could not be loaded. */
ptrdiff_t cuelight_reader_skip(void *reader, double seconds);

/* The stream has ended: the last items. */
ptrdiff_t cuelight_reader_finish(void *reader);

/* The programme time up to which the video, or the audio, was read. */
double cuelight_reader_end(void *reader);

/* The reason of the last error in words, which may say more than cuelight_error_text: the answer is text, not JSON. */
ptrdiff_t cuelight_reader_problem(void *reader);

/* ---- Playing a game. The answer is an array of transitions, each as a line of `cuelight replay --json`. These calls do not fail. ---- */

/* Makes a game that knows nothing. With checks_seals a result counts only if it opens the seal of its question. */
void *cuelight_create(bool checks_seals);

/* Ends a game. */
void cuelight_destroy(void *game);

/* Where to write that number of bytes before the next call. */
void *cuelight_room(void *game, ptrdiff_t count);

/* Where the answer of the last call is. */
void *cuelight_answer(void *game);

/* The copies that the reader's last call found, each when it is presented: the player's clock is the time of the programme. */
ptrdiff_t cuelight_play(void *game, void *reader);

/* An ID3 tag of that number of bytes, presented at a time of the player, which may be in the future. */
ptrdiff_t cuelight_tag(void *game, ptrdiff_t count, double presented_at, double now);

/* A TXXX frame: the bytes of its value, and after them those of its description, which may be none. */
ptrdiff_t cuelight_frame(void *game, ptrdiff_t text, ptrdiff_t description, double presented_at, double now);

/* The bytes of the attribute X-COM-CUELIGHT-EVENT of a date range. Times are seconds since 1970. */
ptrdiff_t cuelight_date_range(void *game, ptrdiff_t count, double start_date, double now);

/* An ad, or the programme after it, begins at a time; now, if that is NAN. */
void cuelight_discontinuity(void *game, double time);

/* The player's time goes on. Call it at cuelight_next_deadline, and a few times a second. */
ptrdiff_t cuelight_advance(void *game, double now);

/* The viewer has moved to a time. */
ptrdiff_t cuelight_seek(void *game, double now);

/* The stream has ended. */
ptrdiff_t cuelight_finish(void *game, double now);

/*
 * The viewer selects an answer, JSON of that number of bytes: an index, a list of indices or a number, as the question asks.
 * The answer is an object: outcome (accepted, noQuestion, unknownAnswer or tooLate) and transitions.
 */
ptrdiff_t cuelight_select(void *game, ptrdiff_t count, double now);

/* The state to show, an object. */
ptrdiff_t cuelight_state(void *game);

/* The player's time of the programme's beginning. */
double cuelight_origin(void *game);

/* When to call cuelight_advance at the latest. */
double cuelight_next_deadline(void *game);

/* How many events could not be used: damaged, or dated far from the player's clock. */
ptrdiff_t cuelight_unusable(void *game);

#ifdef __cplusplus
}
#endif

#endif
