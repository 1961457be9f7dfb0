#ifndef CUELIGHT_CCURL_SHIM_H
#define CUELIGHT_CCURL_SHIM_H

#include <curl/curl.h>

#if LIBCURL_VERSION_NUM < 0x075000
#error "libcurl 7.80 or later is needed"
#endif

// Functions with variable arguments, which are not imported into Swift, one for each type that an option has.

static inline CURLcode cuelight_set_number(CURL *easy, CURLoption option, long value) { return curl_easy_setopt(easy, option, value); }

static inline CURLcode cuelight_set_text(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}

/// Where content goes: `take` returns how many bytes it took, or `cuelight_pause`.
static inline CURLcode cuelight_set_content_callback(
    CURL *easy, size_t (*take)(char *bytes, size_t size, size_t count, void *opaque), void *opaque) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take);
  return code ? code : curl_easy_setopt(easy, CURLOPT_WRITEDATA, opaque);
}

/// Where the lines of heads and trailers go: `take` returns how many bytes it took.
static inline CURLcode cuelight_set_line_callback(
    CURL *easy, size_t (*take)(char *bytes, size_t size, size_t count, void *opaque), void *opaque) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take);
  return code ? code : curl_easy_setopt(easy, CURLOPT_HEADERDATA, opaque);
}

/// What is called once there is a connection, before a request is sent over it.
static inline CURLcode cuelight_set_request_callback(
    CURL *easy, int (*begin)(void *opaque, char *address, char *own_address, int port, int own_port), void *opaque) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, begin);
  return code ? code : curl_easy_setopt(easy, CURLOPT_PREREQDATA, opaque);
}

/// Where words for an error go: CURL_ERROR_SIZE bytes.
static inline CURLcode cuelight_set_error_text(CURL *easy, char *text) { return curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, text); }

/// Allows http and https, also where redirections lead. The options changed in 7.85.
static inline CURLcode cuelight_allow_web_only(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075500
  CURLcode code = curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  return code ? code : curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
#else
  CURLcode code = curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
  return code ? code : curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

/// Leaves a name that is still being looked up to its thread where a transfer is given up, instead of waiting for it (7.87).
static inline CURLcode cuelight_leave_names(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075700
  return curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#else
  (void)easy;
  return CURLE_OK;
#endif
}

/// How many connections are kept for requests to come.
static inline CURLMcode cuelight_set_kept_connections(CURLM *multi, long count) {
  return curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, count);
}

/// The status of the last answer, or 0.
static inline long cuelight_status(CURL *easy) {
  long status = 0;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

/// The length of the content, or -1.
static inline curl_off_t cuelight_content_length(CURL *easy) {
  curl_off_t length = -1;
  curl_easy_getinfo(easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
  return length;
}

/// The URL that was asked for last; it lives as long as the handle is not used otherwise.
static inline const char *cuelight_final_url(CURL *easy) {
  char *url = NULL;
  curl_easy_getinfo(easy, CURLINFO_EFFECTIVE_URL, &url);
  return url;
}

/// Whether a transfer has ended, and how. Meant for a multi handle with one transfer.
static inline int cuelight_has_ended(CURLM *multi, CURLcode *result) {
  int left = 0;
  const CURLMsg *message;
  while ((message = curl_multi_info_read(multi, &left))) {
    if (message->msg != CURLMSG_DONE) continue;
    *result = message->data.result;
    return 1;
  }
  return 0;
}

// Macros with casts or calls in them, which are not imported into Swift.

static const size_t cuelight_pause = CURL_WRITEFUNC_PAUSE;
static const int cuelight_continue = CURLPAUSE_CONT;
static const int cuelight_begin_request = CURL_PREREQFUNC_OK;

#endif
