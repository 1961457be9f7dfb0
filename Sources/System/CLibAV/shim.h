#ifndef CUELIGHT_CLIBAV_SHIM_H
#define CUELIGHT_CLIBAV_SHIM_H

#if !__has_include(<libavformat/avformat.h>) || !__has_include(<libavcodec/avcodec.h>)
#error "FFmpeg's headers are needed: install libavformat-dev and libavcodec-dev, or name their folder in CPATH"
#endif

#include <dlfcn.h>
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

// Macros with casts or calls in them, which are not imported into Swift.

static const int cuelight_error_end_of_file = AVERROR_EOF;
static const int cuelight_error_exit = AVERROR_EXIT;
static const int cuelight_error_invalid_data = AVERROR_INVALIDDATA;
static const int cuelight_error_not_implemented = AVERROR_PATCHWELCOME;
static const int64_t cuelight_no_timestamp = AV_NOPTS_VALUE;

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

/// The nine values of a stream's display matrix; NULL if the picture is shown as it is. The place changed in FFmpeg 6.1.
static inline const int32_t *_Nullable cuelight_display_matrix(const AVStream *_Nonnull stream) {
#if LIBAVFORMAT_VERSION_INT >= AV_VERSION_INT(60, 15, 100)
  const AVPacketSideData *data = stream->codecpar->coded_side_data;
  int count = stream->codecpar->nb_coded_side_data;
#else
  const AVPacketSideData *data = stream->side_data;
  int count = stream->nb_side_data;
#endif
  for (int index = 0; index < count; index++)
    if (data[index].type == AV_PKT_DATA_DISPLAYMATRIX && data[index].size >= 9 * sizeof(int32_t)) return (const int32_t *)data[index].data;
  return NULL;
}

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
  USE(avcodec_parameters_copy)

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
  USE(av_strerror)

/// The functions, by their names and with the types that the headers give them.
typedef struct __attribute__((swift_attr("@Sendable"))) cuelight_libav_functions {
#define CUELIGHT_FIELD(name) __typeof__(&name) _Nonnull name;
  CUELIGHT_AVFORMAT_FUNCTIONS(CUELIGHT_FIELD)
  CUELIGHT_AVCODEC_FUNCTIONS(CUELIGHT_FIELD)
  CUELIGHT_AVUTIL_FUNCTIONS(CUELIGHT_FIELD)
#undef CUELIGHT_FIELD
} cuelight_libav_functions;

// The files that have the functions, of the version whose headers these are: another version has other layouts of structures.
#ifdef __APPLE__
#define CUELIGHT_LIBRARY(name, major) name "." AV_STRINGIFY(major) ".dylib"
#else
#define CUELIGHT_LIBRARY(name, major) name ".so." AV_STRINGIFY(major)
#endif
static const char *_Nonnull const cuelight_avformat_library = CUELIGHT_LIBRARY("libavformat", LIBAVFORMAT_VERSION_MAJOR);
static const char *_Nonnull const cuelight_avcodec_library = CUELIGHT_LIBRARY("libavcodec", LIBAVCODEC_VERSION_MAJOR);
static const char *_Nonnull const cuelight_avutil_library = CUELIGHT_LIBRARY("libavutil", LIBAVUTIL_VERSION_MAJOR);
/// Debian's package, which brings the other libraries with it.
static const char *_Nonnull const cuelight_libav_package = "libavformat" AV_STRINGIFY(LIBAVFORMAT_VERSION_MAJOR);

/// Opens the libraries, for as long as the process lives, and fills `functions`.
///
/// Returns NULL if all were found, and otherwise the system's text for what is missing, which is valid until the next such call; then
/// `functions` must not be used.
static inline const char *_Nullable cuelight_find_libav(
    const char *_Nonnull avformat, const char *_Nonnull avcodec, const char *_Nonnull avutil, cuelight_libav_functions *_Nonnull functions) {
  void *library;
#define CUELIGHT_FIND(name) \
  if (!(*(void **)&functions->name = dlsym(library, #name))) return dlerror();
  if (!(library = dlopen(avformat, RTLD_LAZY | RTLD_LOCAL))) return dlerror();
  CUELIGHT_AVFORMAT_FUNCTIONS(CUELIGHT_FIND)
  if (!(library = dlopen(avcodec, RTLD_LAZY | RTLD_LOCAL))) return dlerror();
  CUELIGHT_AVCODEC_FUNCTIONS(CUELIGHT_FIND)
  if (!(library = dlopen(avutil, RTLD_LAZY | RTLD_LOCAL))) return dlerror();
  CUELIGHT_AVUTIL_FUNCTIONS(CUELIGHT_FIND)
#undef CUELIGHT_FIND
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
