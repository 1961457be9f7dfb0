/*
 * The functions of cuelight.h for org.cuelight.Native. Texts cross as UTF-8 and are made strings by Java, because JNI has an encoding of its own.
 *
 *     cc -shared -fPIC cuelight_jni.c -I include -I $JAVA_HOME/include -I $JAVA_HOME/include/linux -L lib -lCuelightC -o libcuelight_jni.so
 */

#include <jni.h>
#include <stdint.h>
#include <string.h>

#include "cuelight.h"

#define NATIVE(result, name) JNIEXPORT result JNICALL Java_org_cuelight_Native_##name

static void *handle(jlong value) { return (void *)(intptr_t)value; }

/* A string of UTF-8; NULL with an exception that waits if Java has no memory. */
static jstring text(JNIEnv *env, const void *bytes, ptrdiff_t count) {
  jbyteArray array = (*env)->NewByteArray(env, (jsize)count);
  if (!array) return NULL;
  (*env)->SetByteArrayRegion(env, array, 0, (jsize)count, bytes);
  jclass string = (*env)->FindClass(env, "java/lang/String");
  jmethodID make = string ? (*env)->GetMethodID(env, string, "<init>", "([BLjava/lang/String;)V") : NULL;
  jstring name = make ? (*env)->NewStringUTF(env, "UTF-8") : NULL;
  return name ? (jstring)(*env)->NewObject(env, string, make, array, name) : NULL;
}

static jstring game_answer(JNIEnv *env, jlong game, ptrdiff_t count) {
  return text(env, cuelight_answer(handle(game)), count);
}

/* What the reader's call found, or an exception. */
static jstring reader_answer(JNIEnv *env, jlong reader, ptrdiff_t count) {
  if (count >= 0) return text(env, cuelight_reader_answer(handle(reader)), count);
  ptrdiff_t length = cuelight_reader_problem(handle(reader));
  jstring reason = text(env, cuelight_reader_answer(handle(reader)), length);
  jclass kind = (*env)->FindClass(env, "org/cuelight/CuelightException");
  jmethodID make = kind ? (*env)->GetMethodID(env, kind, "<init>", "(JLjava/lang/String;)V") : NULL;
  jthrowable error = make ? (*env)->NewObject(env, kind, make, (jlong)count, reason) : NULL;
  if (error) (*env)->Throw(env, error);
  return NULL;
}

NATIVE(jstring, version)(JNIEnv *env, jclass type) {
  (void)type;
  return (*env)->NewStringUTF(env, cuelight_version());
}

NATIVE(jstring, errorName)(JNIEnv *env, jclass type, jlong code) {
  (void)type;
  return (*env)->NewStringUTF(env, cuelight_error_name((ptrdiff_t)code));
}

NATIVE(jlong, createReader)(JNIEnv *env, jclass type) {
  (void)env, (void)type;
  return (jlong)(intptr_t)cuelight_reader_create();
}

NATIVE(void, destroyReader)(JNIEnv *env, jclass type, jlong reader) {
  (void)env, (void)type;
  cuelight_reader_destroy(handle(reader));
}

NATIVE(jstring, push)(JNIEnv *env, jclass type, jlong reader, jbyteArray bytes, jint offset, jint count) {
  (void)type;
  /* Java copies its bytes directly where the reader finds them, and checks offset and count. */
  (*env)->GetByteArrayRegion(env, bytes, offset, count, cuelight_reader_room(handle(reader), count < 0 ? 0 : count));
  if ((*env)->ExceptionCheck(env)) return NULL;
  return reader_answer(env, reader, cuelight_reader_push(handle(reader), count));
}

NATIVE(jstring, startSegment)(JNIEnv *env, jclass type, jlong reader) {
  (void)type;
  return reader_answer(env, reader, cuelight_reader_start_segment(handle(reader)));
}

NATIVE(jstring, skip)(JNIEnv *env, jclass type, jlong reader, jdouble seconds) {
  (void)type;
  return reader_answer(env, reader, cuelight_reader_skip(handle(reader), seconds));
}

NATIVE(jstring, finishReading)(JNIEnv *env, jclass type, jlong reader) {
  (void)type;
  return reader_answer(env, reader, cuelight_reader_finish(handle(reader)));
}

NATIVE(jdouble, end)(JNIEnv *env, jclass type, jlong reader) {
  (void)env, (void)type;
  return cuelight_reader_end(handle(reader));
}

NATIVE(jlong, createGame)(JNIEnv *env, jclass type, jboolean checks_seals) {
  (void)env, (void)type;
  return (jlong)(intptr_t)cuelight_create(checks_seals == JNI_TRUE);
}

NATIVE(void, destroyGame)(JNIEnv *env, jclass type, jlong game) {
  (void)env, (void)type;
  cuelight_destroy(handle(game));
}

NATIVE(jstring, play)(JNIEnv *env, jclass type, jlong game, jlong reader) {
  (void)type;
  return game_answer(env, game, cuelight_play(handle(game), handle(reader)));
}

/* Puts the bytes of two arrays, of which the second may be none, where the game finds them. */
static void write_to(JNIEnv *env, jlong game, jbyteArray first, jbyteArray second) {
  jsize count = (*env)->GetArrayLength(env, first), rest = second ? (*env)->GetArrayLength(env, second) : 0;
  jbyte *room = cuelight_room(handle(game), (ptrdiff_t)count + rest);
  (*env)->GetByteArrayRegion(env, first, 0, count, room);
  if (second) (*env)->GetByteArrayRegion(env, second, 0, rest, room + count);
}

NATIVE(jstring, tag)(JNIEnv *env, jclass type, jlong game, jbyteArray tag, jdouble presented_at, jdouble now) {
  (void)type;
  write_to(env, game, tag, NULL);
  return game_answer(env, game, cuelight_tag(handle(game), (*env)->GetArrayLength(env, tag), presented_at, now));
}

NATIVE(jstring, frame)(JNIEnv *env, jclass type, jlong game, jbyteArray value, jbyteArray description, jdouble presented_at, jdouble now) {
  (void)type;
  write_to(env, game, value, description);
  ptrdiff_t count = cuelight_frame(
      handle(game), (*env)->GetArrayLength(env, value), (*env)->GetArrayLength(env, description), presented_at, now);
  return game_answer(env, game, count);
}

NATIVE(jstring, advance)(JNIEnv *env, jclass type, jlong game, jdouble now) {
  (void)type;
  return game_answer(env, game, cuelight_advance(handle(game), now));
}

NATIVE(jstring, seek)(JNIEnv *env, jclass type, jlong game, jdouble now) {
  (void)type;
  return game_answer(env, game, cuelight_seek(handle(game), now));
}

NATIVE(void, discontinuity)(JNIEnv *env, jclass type, jlong game, jdouble time) {
  (void)env, (void)type;
  cuelight_discontinuity(handle(game), time);
}

NATIVE(jstring, finish)(JNIEnv *env, jclass type, jlong game, jdouble now) {
  (void)type;
  return game_answer(env, game, cuelight_finish(handle(game), now));
}

NATIVE(jstring, select)(JNIEnv *env, jclass type, jlong game, jbyteArray answer, jdouble now) {
  (void)type;
  write_to(env, game, answer, NULL);
  return game_answer(env, game, cuelight_select(handle(game), (*env)->GetArrayLength(env, answer), now));
}

NATIVE(jstring, state)(JNIEnv *env, jclass type, jlong game) {
  (void)type;
  return game_answer(env, game, cuelight_state(handle(game)));
}

NATIVE(jdouble, nextDeadline)(JNIEnv *env, jclass type, jlong game) {
  (void)env, (void)type;
  return cuelight_next_deadline(handle(game));
}
