#ifndef CUELIGHT_CLIBAV_SHIM_H
#define CUELIGHT_CLIBAV_SHIM_H

#if !__has_include(<libavformat/avformat.h>) || !__has_include(<libavcodec/avcodec.h>)
#error "FFmpeg's headers are needed: install libavformat-dev and libavcodec-dev, or name their folder in CPATH"
#endif

#include <dlfcn.h>
#include <glob.h>
#include <libavcodec/avcodec.h>
#include <libavcodec/bsf.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/dict.h>
#include <libavutil/error.h>
#include <libavutil/log.h>
#include <libavutil/mathematics.h>
#include <libavutil/mem.h>
#include <libavutil/opt.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// Macros with casts or calls in them, which are not imported into Swift.

static const int cuelight_error_end_of_file = AVERROR_EOF;
static const int cuelight_error_exit = AVERROR_EXIT;
static const int cuelight_error_invalid_data = AVERROR_INVALIDDATA;
static const int cuelight_error_not_implemented = AVERROR_PATCHWELCOME;
static const int64_t cuelight_no_timestamp = AV_NOPTS_VALUE;

/// The code libav uses for a value of errno.
static inline int cuelight_error_of_errno(int number) { return AVERROR(number); }

// The structures that are used.
//
// A program that was built with the headers of one version runs with the libraries of others: FFmpeg 5 to 9, libavformat 59 to 63.
// Within a major version fields are only added at the end of a structure; another major version may move them. These structures were
// moved, so Swift reads their fields at the places of this table and never by the headers' declarations. Each build proves the column of
// the version whose headers it has.

// Fields of all versions: the structure, the field, and its place in libavformat 59, 60, 61, 62 and 63.
#define CUELIGHT_MOVED_FIELDS(USE) \
  USE(AVFormatContext, iformat, 8, 8, 8, 8, 8) \
  USE(AVFormatContext, pb, 32, 32, 32, 32, 32) \
  USE(AVFormatContext, nb_streams, 44, 44, 44, 44, 44) \
  USE(AVFormatContext, streams, 48, 48, 48, 48, 48) \
  USE(AVFormatContext, start_time, 64, 64, 96, 96, 96) \
  USE(AVFormatContext, duration, 72, 72, 104, 104, 104) \
  USE(AVFormatContext, nb_programs, 132, 132, 164, 164, 164) \
  USE(AVFormatContext, programs, 136, 136, 168, 168, 168) \
  USE(AVFormatContext, metadata, 176, 176, 192, 192, 192) \
  USE(AVFormatContext, interrupt_callback, 200, 200, 216, 216, 216) \
  USE(AVFormatContext, duration_estimation_method, 272, 272, 300, 300, 300) \
  USE(AVStream, index, 0, 8, 8, 8, 8) \
  USE(AVStream, codecpar, 208, 16, 16, 16, 16) \
  USE(AVStream, time_base, 16, 32, 32, 32, 32) \
  USE(AVStream, disposition, 48, 64, 64, 64, 64) \
  USE(AVStream, discard, 52, 68, 68, 68, 68) \
  USE(AVStream, metadata, 64, 80, 80, 80, 80) \
  USE(AVStream, avg_frame_rate, 72, 88, 88, 88, 88) \
  USE(AVStream, r_frame_rate, 200, 216, 216, 204, 204) \
  USE(AVCodecParameters, codec_type, 0, 0, 0, 0, 0) \
  USE(AVCodecParameters, codec_id, 4, 4, 4, 4, 4) \
  USE(AVCodecParameters, codec_tag, 8, 8, 8, 8, 8) \
  USE(AVCodecParameters, extradata, 16, 16, 16, 16, 16) \
  USE(AVCodecParameters, extradata_size, 24, 24, 24, 24, 24) \
  USE(AVCodecParameters, width, 56, 56, 72, 72, 72) \
  USE(AVCodecParameters, height, 60, 60, 76, 76, 76) \
  USE(AVCodecParameters, field_order, 72, 72, 96, 96, 96) \
  USE(AVCodecParameters, color_trc, 84, 84, 108, 108, 108) \
  USE(AVCodecParameters, video_delay, 96, 96, 120, 120, 120) \
  USE(AVCodecParameters, sample_rate, 116, 116, 152, 152, 152)

// Fields that some versions lack; 0 is written for those.
#define CUELIGHT_CHANNEL_LAYOUT(USE) USE(AVCodecParameters, ch_layout, 144, 144, 128, 128, 128)
#define CUELIGHT_CHANNELS(USE) USE(AVCodecParameters, channels, 112, 112, 0, 0, 0)
#define CUELIGHT_STREAM_SIDE_DATA(USE) \
  USE(AVStream, side_data, 184, 200, 0, 0, 0) \
  USE(AVStream, nb_side_data, 192, 208, 0, 0, 0)
#define CUELIGHT_CODED_SIDE_DATA(USE) \
  USE(AVCodecParameters, coded_side_data, 0, 176, 32, 32, 32) \
  USE(AVCodecParameters, nb_coded_side_data, 0, 184, 40, 40, 40)

#define CUELIGHT_LAYOUT_FIELDS(USE) \
  CUELIGHT_MOVED_FIELDS(USE) \
  CUELIGHT_CHANNEL_LAYOUT(USE) \
  CUELIGHT_CHANNELS(USE) \
  CUELIGHT_STREAM_SIDE_DATA(USE) \
  CUELIGHT_CODED_SIDE_DATA(USE)

/// Where the fields lie in one version, in bytes from the start of their structures.
typedef struct __attribute__((swift_attr("@Sendable"))) cuelight_layout {
#define CUELIGHT_FIELD(structure, field, ...) uint16_t structure##_##field;
  CUELIGHT_LAYOUT_FIELDS(CUELIGHT_FIELD)
#undef CUELIGHT_FIELD
} cuelight_layout;

#define CUELIGHT_COLUMN_59(a, b, c, d, e) a
#define CUELIGHT_COLUMN_60(a, b, c, d, e) b
#define CUELIGHT_COLUMN_61(a, b, c, d, e) c
#define CUELIGHT_COLUMN_62(a, b, c, d, e) d
#define CUELIGHT_COLUMN_63(a, b, c, d, e) e

/// The layout of a version of the libraries; NULL if it is not known. What they lack has the place 0.
static inline const cuelight_layout *_Nullable cuelight_layout_of(unsigned avformat, unsigned avcodec) {
#define CUELIGHT_PLACE_59(structure, field, ...) CUELIGHT_COLUMN_59(__VA_ARGS__),
#define CUELIGHT_PLACE_60(structure, field, ...) CUELIGHT_COLUMN_60(__VA_ARGS__),
#define CUELIGHT_PLACE_61(structure, field, ...) CUELIGHT_COLUMN_61(__VA_ARGS__),
#define CUELIGHT_PLACE_62(structure, field, ...) CUELIGHT_COLUMN_62(__VA_ARGS__),
#define CUELIGHT_PLACE_63(structure, field, ...) CUELIGHT_COLUMN_63(__VA_ARGS__),
#define CUELIGHT_NO_PLACE(structure, field, ...) 0,
  // FFmpeg 5.0 has no ch_layout, and FFmpeg 6.0 no coded_side_data: both came within a major version.
  static const cuelight_layout
      before_channel_layout = {CUELIGHT_MOVED_FIELDS(CUELIGHT_PLACE_59) CUELIGHT_CHANNEL_LAYOUT(CUELIGHT_NO_PLACE)
                                   CUELIGHT_CHANNELS(CUELIGHT_PLACE_59) CUELIGHT_STREAM_SIDE_DATA(CUELIGHT_PLACE_59)
                                       CUELIGHT_CODED_SIDE_DATA(CUELIGHT_NO_PLACE)},
      layout_59 = {CUELIGHT_LAYOUT_FIELDS(CUELIGHT_PLACE_59)},
      before_coded_side_data = {CUELIGHT_MOVED_FIELDS(CUELIGHT_PLACE_60) CUELIGHT_CHANNEL_LAYOUT(CUELIGHT_PLACE_60)
                                    CUELIGHT_CHANNELS(CUELIGHT_PLACE_60) CUELIGHT_STREAM_SIDE_DATA(CUELIGHT_PLACE_60)
                                        CUELIGHT_CODED_SIDE_DATA(CUELIGHT_NO_PLACE)},
      layout_60 = {CUELIGHT_LAYOUT_FIELDS(CUELIGHT_PLACE_60)}, layout_61 = {CUELIGHT_LAYOUT_FIELDS(CUELIGHT_PLACE_61)},
      layout_62 = {CUELIGHT_LAYOUT_FIELDS(CUELIGHT_PLACE_62)}, layout_63 = {CUELIGHT_LAYOUT_FIELDS(CUELIGHT_PLACE_63)};
  switch (AV_VERSION_MAJOR(avformat)) {
  case 59: return avcodec < AV_VERSION_INT(59, 24, 100) ? &before_channel_layout : &layout_59;
  case 60: return avformat < AV_VERSION_INT(60, 15, 100) ? &before_coded_side_data : &layout_60;
  case 61: return &layout_61;
  case 62: return &layout_62;
  case 63: return &layout_63;
  default: return NULL;
  }
}

#if LIBAVFORMAT_VERSION_MAJOR < 59
#error "These headers of FFmpeg are too old: FFmpeg 5.1 (libavformat 59) or later is needed"
#elif LIBAVFORMAT_VERSION_MAJOR == 59
#define CUELIGHT_COLUMN(...) CUELIGHT_COLUMN_59(__VA_ARGS__)
#elif LIBAVFORMAT_VERSION_MAJOR == 60
#define CUELIGHT_COLUMN(...) CUELIGHT_COLUMN_60(__VA_ARGS__)
#elif LIBAVFORMAT_VERSION_MAJOR == 61
#define CUELIGHT_COLUMN(...) CUELIGHT_COLUMN_61(__VA_ARGS__)
#elif LIBAVFORMAT_VERSION_MAJOR == 62
#define CUELIGHT_COLUMN(...) CUELIGHT_COLUMN_62(__VA_ARGS__)
#elif LIBAVFORMAT_VERSION_MAJOR == 63
#define CUELIGHT_COLUMN(...) CUELIGHT_COLUMN_63(__VA_ARGS__)
#endif

#define CUELIGHT_IS_AT(structure, field, place) \
  _Static_assert(offsetof(structure, field) == (place), #structure "." #field " lies elsewhere in these headers");
#ifdef CUELIGHT_COLUMN
#define CUELIGHT_PROVE(structure, field, ...) CUELIGHT_IS_AT(structure, field, CUELIGHT_COLUMN(__VA_ARGS__))
CUELIGHT_MOVED_FIELDS(CUELIGHT_PROVE)
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(59, 24, 100)
CUELIGHT_CHANNEL_LAYOUT(CUELIGHT_PROVE)
#endif
#if LIBAVFORMAT_VERSION_MAJOR < 61
CUELIGHT_CHANNELS(CUELIGHT_PROVE)
CUELIGHT_STREAM_SIDE_DATA(CUELIGHT_PROVE)
#endif
#if LIBAVFORMAT_VERSION_INT >= AV_VERSION_INT(60, 15, 100)
CUELIGHT_CODED_SIDE_DATA(CUELIGHT_PROVE)
#endif
#undef CUELIGHT_PROVE
#endif

// The fields of other structures lie at the same places in all these versions, so Swift uses the headers' declarations, field by field:
// a structure as a whole may be longer than the library's.
CUELIGHT_IS_AT(AVPacket, pts, 8)
CUELIGHT_IS_AT(AVPacket, dts, 16)
CUELIGHT_IS_AT(AVPacket, data, 24)
CUELIGHT_IS_AT(AVPacket, size, 32)
CUELIGHT_IS_AT(AVPacket, stream_index, 36)
CUELIGHT_IS_AT(AVPacket, flags, 40)
CUELIGHT_IS_AT(AVPacket, duration, 64)
CUELIGHT_IS_AT(AVPacket, pos, 72)
CUELIGHT_IS_AT(AVPacketSideData, data, 0)
CUELIGHT_IS_AT(AVPacketSideData, size, 8)
CUELIGHT_IS_AT(AVPacketSideData, type, 16)
_Static_assert(sizeof(AVPacketSideData) == 24, "AVPacketSideData has another size in these headers");
CUELIGHT_IS_AT(AVIOContext, buffer, 8)
CUELIGHT_IS_AT(AVIOContext, error, 84)
CUELIGHT_IS_AT(AVIOInterruptCB, callback, 0)
CUELIGHT_IS_AT(AVIOInterruptCB, opaque, 8)
CUELIGHT_IS_AT(AVBSFContext, par_in, 24)
CUELIGHT_IS_AT(AVBSFContext, time_base_in, 40)
CUELIGHT_IS_AT(AVInputFormat, name, 0)
CUELIGHT_IS_AT(AVProgram, id, 0)
CUELIGHT_IS_AT(AVProgram, nb_stream_indexes, 24)
CUELIGHT_IS_AT(AVDictionaryEntry, value, 8)
CUELIGHT_IS_AT(AVChannelLayout, nb_channels, 4)
_Static_assert(sizeof(AVRational) == 8, "AVRational has another size in these headers");

// So do these constants have the same values.
#define CUELIGHT_IS(constant, value) _Static_assert((constant) == (value), #constant " has another value in these headers");
CUELIGHT_IS(AVMEDIA_TYPE_VIDEO, 0)
CUELIGHT_IS(AVMEDIA_TYPE_AUDIO, 1)
CUELIGHT_IS(AVMEDIA_TYPE_DATA, 2)
CUELIGHT_IS(AVMEDIA_TYPE_SUBTITLE, 3)
CUELIGHT_IS(AVMEDIA_TYPE_ATTACHMENT, 4)
CUELIGHT_IS(AV_FIELD_UNKNOWN, 0)
CUELIGHT_IS(AV_FIELD_PROGRESSIVE, 1)
CUELIGHT_IS(AVDISCARD_ALL, 48)
CUELIGHT_IS(AV_PKT_DATA_DISPLAYMATRIX, 5)
CUELIGHT_IS(AVFMT_DURATION_FROM_BITRATE, 2)
CUELIGHT_IS(AV_TIME_BASE, 1000000)
CUELIGHT_IS(AV_PKT_FLAG_KEY, 1)
CUELIGHT_IS(AV_PKT_FLAG_DISCARD, 4)
CUELIGHT_IS(AVIO_FLAG_READ, 1)
CUELIGHT_IS(AVIO_FLAG_WRITE, 2)
CUELIGHT_IS(AV_DISPOSITION_ATTACHED_PIC, 0x400)
CUELIGHT_IS(AV_DISPOSITION_TIMED_THUMBNAILS, 0x800)
CUELIGHT_IS(AV_ERROR_MAX_STRING_SIZE, 64)
CUELIGHT_IS(AV_LOG_QUIET, -8)
CUELIGHT_IS(AV_OPT_SEARCH_CHILDREN, 1)
CUELIGHT_IS(AVERROR_EOF, -541478725)
CUELIGHT_IS(AVERROR_EXIT, -1414092869)
CUELIGHT_IS(AVERROR_INVALIDDATA, -1094995529)
CUELIGHT_IS(AVERROR_PATCHWELCOME, -1163346256)
#undef CUELIGHT_IS
#undef CUELIGHT_IS_AT

// The functions that are used, by the library that has them. Nothing is linked to the libraries: they are opened when they are needed.

#define CUELIGHT_AVFORMAT_FUNCTIONS(USE) \
  USE(av_interleaved_write_frame) \
  USE(av_read_frame) \
  USE(av_write_frame) \
  USE(av_write_trailer) \
  USE(avformat_alloc_context) \
  USE(avformat_alloc_output_context2) \
  USE(avformat_close_input) \
  USE(avformat_find_stream_info) \
  USE(avformat_free_context) \
  USE(avformat_new_stream) \
  USE(avformat_open_input) \
  USE(avformat_version) \
  USE(avformat_write_header) \
  USE(avformat_network_init) \
  USE(avio_alloc_context) \
  USE(avio_closep) \
  USE(avio_context_free) \
  USE(avio_flush) \
  USE(avio_open2) \
  USE(avio_read_partial) \
  USE(avio_seek) \
  USE(avio_write)

#define CUELIGHT_AVCODEC_FUNCTIONS(USE) \
  USE(av_bsf_free) \
  USE(av_bsf_init) \
  USE(av_bsf_list_parse_str) \
  USE(av_bsf_receive_packet) \
  USE(av_bsf_send_packet) \
  USE(av_packet_alloc) \
  USE(av_packet_free) \
  USE(av_packet_move_ref) \
  USE(av_packet_ref) \
  USE(av_packet_rescale_ts) \
  USE(av_packet_unref) \
  USE(avcodec_get_name) \
  USE(avcodec_parameters_copy) \
  USE(avcodec_version)

#define CUELIGHT_AVUTIL_FUNCTIONS(USE) \
  USE(av_dict_free) \
  USE(av_dict_get) \
  USE(av_dict_set) \
  USE(av_free) \
  USE(av_freep) \
  USE(av_log_set_level) \
  USE(av_malloc) \
  USE(av_opt_set) \
  USE(av_realloc) \
  USE(av_rescale) \
  USE(av_rescale_q) \
  USE(av_strerror) \
  USE(av_version_info) \
  USE(avutil_version)

/// The functions, by their names and with the types that the headers give them, and the places of the structures' fields.
typedef struct __attribute__((swift_attr("@Sendable"), swift_attr("@safe"))) cuelight_libav_functions {
#define CUELIGHT_FIELD(name) __typeof__(&name) _Nonnull name;
  CUELIGHT_AVFORMAT_FUNCTIONS(CUELIGHT_FIELD)
  CUELIGHT_AVCODEC_FUNCTIONS(CUELIGHT_FIELD)
  CUELIGHT_AVUTIL_FUNCTIONS(CUELIGHT_FIELD)
#undef CUELIGHT_FIELD
  const cuelight_layout *_Nonnull layout;
} cuelight_libav_functions;

/// Opens the libraries, for as long as the process lives, and fills `functions`. A library that others need is opened before them, since
/// the system finds it only then if it does not search its folder.
///
/// Returns NULL if all were found, and otherwise the system's text for what is missing, which is valid until the next such call; then
/// `functions` must not be used.
static inline const char *_Nullable cuelight_find_libav(
    const char *_Nonnull avformat, const char *_Nonnull avcodec, const char *_Nonnull avutil, cuelight_libav_functions *_Nonnull functions) {
  const char *reason = NULL;
  void *util = dlopen(avutil, RTLD_LAZY | RTLD_LOCAL);
  void *codec = util ? dlopen(avcodec, RTLD_LAZY | RTLD_LOCAL) : NULL;
  void *format = codec ? dlopen(avformat, RTLD_LAZY | RTLD_LOCAL) : NULL;
  void *library;
  if (!format) reason = dlerror();
#define CUELIGHT_FIND(name) \
  if (!reason && !(*(void **)&functions->name = dlsym(library, #name))) reason = dlerror();
  library = format;
  CUELIGHT_AVFORMAT_FUNCTIONS(CUELIGHT_FIND)
  library = codec;
  CUELIGHT_AVCODEC_FUNCTIONS(CUELIGHT_FIND)
  library = util;
  CUELIGHT_AVUTIL_FUNCTIONS(CUELIGHT_FIND)
#undef CUELIGHT_FIND
  if (reason) return reason;
  const cuelight_layout *layout = cuelight_layout_of(functions->avformat_version(), functions->avcodec_version());
  if (!layout) return "this version of libavformat is not known";
  functions->layout = layout;
  return NULL;
}

/// Opens an output that passes its bytes to `write`, which returns how many it accepted, or an error. `buffer` is libav's; whoever frees the
/// output frees it. From libavformat 61 (FFmpeg 7) on the bytes are constant.
static inline AVIOContext *cuelight_open_output(
    cuelight_libav_functions libav, unsigned char *buffer, int size, void *opaque, int (*write)(void *opaque, const uint8_t *bytes, int count)) {
  if (!buffer) return NULL;
#if LIBAVFORMAT_VERSION_MAJOR >= 61
  return libav.avio_alloc_context(buffer, size, 1, opaque, NULL, write, NULL);
#else
  return libav.avio_alloc_context(buffer, size, 1, opaque, NULL, (int (*)(void *, uint8_t *, int))write, NULL);
#endif
}

#endif
