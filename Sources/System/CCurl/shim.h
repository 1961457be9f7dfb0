#ifndef CUELIGHT_CCURL_SHIM_H
#define CUELIGHT_CCURL_SHIM_H

#if !__has_include(<curl/curl.h>)
#error "libcurl's headers are needed: install libcurl4-openssl-dev, or name their folder in CPATH"
#endif

#include <curl/curl.h>
#include <dlfcn.h>

#if LIBCURL_VERSION_NUM < 0x075000
#error "libcurl 7.80 or later is needed"
#endif

// The functions that are used. Nothing is linked to the library: it is opened when it is needed.

#define CUELIGHT_CURL_FUNCTIONS(USE) \
  USE(curl_easy_cleanup) \
  USE(curl_easy_getinfo) \
  USE(curl_easy_init) \
  USE(curl_easy_pause) \
  USE(curl_easy_setopt) \
  USE(curl_easy_strerror) \
  USE(curl_free) \
  USE(curl_global_init) \
  USE(curl_multi_add_handle) \
  USE(curl_multi_cleanup) \
  USE(curl_multi_info_read) \
  USE(curl_multi_init) \
  USE(curl_multi_perform) \
  USE(curl_multi_poll) \
  USE(curl_multi_remove_handle) \
  USE(curl_multi_setopt) \
  USE(curl_multi_strerror) \
  USE(curl_slist_append) \
  USE(curl_slist_free_all) \
  USE(curl_url) \
  USE(curl_url_cleanup) \
  USE(curl_url_get) \
  USE(curl_url_set)

/// The functions, by their names and with the types that the headers give them.
typedef struct __attribute__((swift_attr("@Sendable"))) cuelight_curl_functions {
#define CUELIGHT_FIELD(name) __typeof__(&name) _Nonnull name;
  CUELIGHT_CURL_FUNCTIONS(CUELIGHT_FIELD)
#undef CUELIGHT_FIELD
} cuelight_curl_functions;

/// The file that has the functions. Its version has been the same since 2006.
#ifdef __APPLE__
static const char *_Nonnull const cuelight_curl_library = "libcurl.4.dylib";
#else
static const char *_Nonnull const cuelight_curl_library = "libcurl.so.4";
#endif

/// Opens the library, for as long as the process lives, and fills `functions`.
///
/// Returns NULL if all were found, and otherwise the system's text for what is missing, which is valid until the next such call; then
/// `functions` must not be used.
static inline const char *_Nullable cuelight_find_curl(const char *_Nonnull name, cuelight_curl_functions *_Nonnull functions) {
  void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
  if (!library) return dlerror();
#define CUELIGHT_FIND(name) \
  if (!(*(void **)&functions->name = dlsym(library, #name))) return dlerror();
  CUELIGHT_CURL_FUNCTIONS(CUELIGHT_FIND)
#undef CUELIGHT_FIND
  return NULL;
}

// Functions with variable arguments, which are not imported into Swift, one for each type of option. The parentheses keep
// curl.h's macros of the same names away.

static inline CURLcode cuelight_set_number(cuelight_curl_functions curl, CURL *easy, CURLoption option, long value) {
  return (curl.curl_easy_setopt)(easy, option, value);
}

static inline CURLcode cuelight_set_text(cuelight_curl_functions curl, CURL *easy, CURLoption option, const char *value) {
  return (curl.curl_easy_setopt)(easy, option, value);
}

/// The header fields of a request. The list must live as long as the handle.
static inline CURLcode cuelight_set_fields(cuelight_curl_functions curl, CURL *easy, struct curl_slist *fields) {
  return (curl.curl_easy_setopt)(easy, CURLOPT_HTTPHEADER, fields);
}

/// The content of a request, which is copied.
static inline CURLcode cuelight_set_body(cuelight_curl_functions curl, CURL *easy, const void *bytes, size_t size) {
  CURLcode code = (curl.curl_easy_setopt)(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)size);
  return code ? code : (curl.curl_easy_setopt)(easy, CURLOPT_COPYPOSTFIELDS, bytes);
}

/// Sets the function that receives content: `take` returns how many bytes it accepted, or `cuelight_pause`.
static inline CURLcode cuelight_set_content_callback(
    cuelight_curl_functions curl, CURL *easy, size_t (*take)(char *bytes, size_t size, size_t count, void *opaque), void *opaque) {
  CURLcode code = (curl.curl_easy_setopt)(easy, CURLOPT_WRITEFUNCTION, take);
  return code ? code : (curl.curl_easy_setopt)(easy, CURLOPT_WRITEDATA, opaque);
}

/// Sets the function that receives the lines of heads and trailers: `take` returns how many bytes it accepted.
static inline CURLcode cuelight_set_line_callback(
    cuelight_curl_functions curl, CURL *easy, size_t (*take)(char *bytes, size_t size, size_t count, void *opaque), void *opaque) {
  CURLcode code = (curl.curl_easy_setopt)(easy, CURLOPT_HEADERFUNCTION, take);
  return code ? code : (curl.curl_easy_setopt)(easy, CURLOPT_HEADERDATA, opaque);
}

/// Sets the function that is called once there is a connection, before a request is sent over it.
static inline CURLcode cuelight_set_request_callback(
    cuelight_curl_functions curl, CURL *easy,
    int (*begin)(void *opaque, char *address, char *own_address, int port, int own_port), void *opaque) {
  CURLcode code = (curl.curl_easy_setopt)(easy, CURLOPT_PREREQFUNCTION, begin);
  return code ? code : (curl.curl_easy_setopt)(easy, CURLOPT_PREREQDATA, opaque);
}

/// Sets the buffer for the text of an error: CURL_ERROR_SIZE bytes.
static inline CURLcode cuelight_set_error_text(cuelight_curl_functions curl, CURL *easy, char *text) {
  return (curl.curl_easy_setopt)(easy, CURLOPT_ERRORBUFFER, text);
}

/// Allows http and https, also for redirections. The options changed in 7.85.
static inline CURLcode cuelight_allow_web_only(cuelight_curl_functions curl, CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075500
  CURLcode code = (curl.curl_easy_setopt)(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  return code ? code : (curl.curl_easy_setopt)(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
#else
  CURLcode code = (curl.curl_easy_setopt)(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
  return code ? code : (curl.curl_easy_setopt)(easy, CURLOPT_REDIR_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

/// If a transfer is aborted during a name lookup, leaves the lookup to its thread instead of waiting for it (7.87).
static inline CURLcode cuelight_leave_names(cuelight_curl_functions curl, CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075700
  return (curl.curl_easy_setopt)(easy, CURLOPT_QUICK_EXIT, 1L);
#else
  (void)curl, (void)easy;
  return CURLE_OK;
#endif
}

/// Sets how many connections are kept for later requests.
static inline CURLMcode cuelight_set_kept_connections(cuelight_curl_functions curl, CURLM *multi, long count) {
  return (curl.curl_multi_setopt)(multi, CURLMOPT_MAXCONNECTS, count);
}

/// The status of the last response, or 0.
static inline long cuelight_status(cuelight_curl_functions curl, CURL *easy) {
  long status = 0;
  (curl.curl_easy_getinfo)(easy, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

/// The length of the content, or -1.
static inline curl_off_t cuelight_content_length(cuelight_curl_functions curl, CURL *easy) {
  curl_off_t length = -1;
  (curl.curl_easy_getinfo)(easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
  return length;
}

/// The URL of the last request; it is valid until the handle is used again.
static inline const char *cuelight_final_url(cuelight_curl_functions curl, CURL *easy) {
  char *url = NULL;
  (curl.curl_easy_getinfo)(easy, CURLINFO_EFFECTIVE_URL, &url);
  return url;
}

/// The next transfer of a multi handle that has ended, and how; NULL if there is none. Each transfer is returned once.
static inline CURL *cuelight_next_ended(cuelight_curl_functions curl, CURLM *multi, CURLcode *result) {
  int left = 0;
  const CURLMsg *message;
  while ((message = (curl.curl_multi_info_read)(multi, &left))) {
    if (message->msg != CURLMSG_DONE) continue;
    *result = message->data.result;
    return message->easy_handle;
  }
  return NULL;
}

// Macros with casts or calls in them, which are not imported into Swift.

static const size_t cuelight_pause = CURL_WRITEFUNC_PAUSE;
static const int cuelight_continue = CURLPAUSE_CONT;
static const int cuelight_begin_request = CURL_PREREQFUNC_OK;

#endif
