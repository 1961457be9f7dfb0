#ifndef CUELIGHT_CLIBAV_SHIM_H
#define CUELIGHT_CLIBAV_SHIM_H

#include <libavcodec/avcodec.h>
#include <libavcodec/bsf.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/dict.h>
#include <libavutil/error.h>
#include <libavutil/log.h>
#include <libavutil/mathematics.h>
#include <libavutil/mem.h>

// Macros with casts or calls in them, which are not imported into Swift.

static const int cuelight_error_end_of_file = AVERROR_EOF;
static const int cuelight_error_exit = AVERROR_EXIT;
static const int cuelight_error_invalid_data = AVERROR_INVALIDDATA;
static const int64_t cuelight_no_timestamp = AV_NOPTS_VALUE;

/// The code libav uses for a value of errno.
static inline int cuelight_error_of_errno(int number) { return AVERROR(number); }

#endif
