#ifndef CUELIGHT_CLIBAV_SHIM_H
#define CUELIGHT_CLIBAV_SHIM_H

#include <libavcodec/avcodec.h>
#include <libavcodec/bsf.h>
#include <libavformat/avformat.h>
#include <libavutil/aes.h>
#include <libavutil/avutil.h>
#include <libavutil/dict.h>
#include <libavutil/error.h>
#include <libavutil/log.h>
#include <libavutil/mathematics.h>
#include <libavutil/mem.h>
#include <libavutil/opt.h>

// Macros with casts or calls in them, which are not imported into Swift.

static const int cuelight_error_end_of_file = AVERROR_EOF;
static const int cuelight_error_exit = AVERROR_EXIT;
static const int cuelight_error_invalid_data = AVERROR_INVALIDDATA;
static const int cuelight_error_not_implemented = AVERROR_PATCHWELCOME;
static const int64_t cuelight_no_timestamp = AV_NOPTS_VALUE;

// The names changed in FFmpeg 6.1 and 7.1.
#ifdef AV_PROFILE_UNKNOWN
static const int cuelight_unknown_profile = AV_PROFILE_UNKNOWN;
#else
static const int cuelight_unknown_profile = FF_PROFILE_UNKNOWN;
#endif
#ifdef AV_LEVEL_UNKNOWN
static const int cuelight_unknown_level = AV_LEVEL_UNKNOWN;
#else
static const int cuelight_unknown_level = FF_LEVEL_UNKNOWN;
#endif

/// The code libav uses for a value of errno.
static inline int cuelight_error_of_errno(int number) { return AVERROR(number); }

/// How many channels of sound there are: the field moved in libavcodec 59.24 (FFmpeg 5.1).
static inline int cuelight_channel_count(const AVCodecParameters *parameters) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(59, 24, 100)
  return parameters->ch_layout.nb_channels;
#else
  return parameters->channels;
#endif
}

/// Opens an output that hands what it is given to `write`, which returns how much it took, or an error. `buffer` is libav's; whoever frees the
/// output frees it. From libavformat 61 (FFmpeg 7) on the bytes are constant.
static inline AVIOContext *cuelight_open_output(
    unsigned char *buffer, int size, void *opaque, int (*write)(void *opaque, const uint8_t *bytes, int count)) {
  if (!buffer) return NULL;
#if LIBAVFORMAT_VERSION_MAJOR >= 61
  return avio_alloc_context(buffer, size, 1, opaque, NULL, write, NULL);
#else
  return avio_alloc_context(buffer, size, 1, opaque, NULL, (int (*)(void *, uint8_t *, int))write, NULL);
#endif
}

#endif
