/*
 * Signs as the addon does, to see whether its time or the memory that it leaves tells a secret. `npm run native:secrets` compiles this with
 * the flags of the addon and runs it twice.
 *
 * Under valgrind, which is told that the private key and all randomness are not initialized. So it reports every branch and every address
 * that depends on them, but for what DECLARE_PUBLIC names.
 *
 * Without valgrind, on a stack of our own, with two keys. Where that stack differs afterwards, something of a key is left on it.
 *
 * Functions of Node and of OpenSSL are replaced here, so that only those of the addon and of libsecp256k1 are looked at.
 */
/* For pthread_attr_setstack. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <valgrind/memcheck.h>

#define DECLARE_PUBLIC(bytes, length) ((void)VALGRIND_MAKE_MEM_DEFINED(bytes, length))
#include "secp256k1-keys.c"

#define MOST_DIGESTS 35

static Secp256k1State *state;
/* The arguments of a call. An opaque value of Node points to one of these. */
static Bytes given[3];

int read_arguments(napi_env env, napi_callback_info info, size_t count, napi_value *arguments, void **data) {
  (void)env, (void)info;
  for (size_t i = 0; i < count; i++) arguments[i] = (napi_value)&given[i];
  *data = state;
  return 1;
}

int read_bytes(napi_env env, napi_value value, Bytes *bytes) {
  (void)env;
  *bytes = *(const Bytes *)value;
  return 1;
}

int read_exactly(napi_env env, napi_value value, size_t length, Bytes *bytes) {
  return read_bytes(env, value, bytes) && bytes->length == length;
}

unsigned char *read_output(napi_env env, napi_value value, size_t length) {
  Bytes bytes;
  return read_exactly(env, value, length, &bytes) ? (unsigned char *)bytes.data : NULL;
}

napi_value to_boolean(napi_env env, int value) {
  (void)env;
  return value ? (napi_value)&given[0] : NULL;
}

/* These belong to checkers, which hold public values alone. */
napi_value to_function(napi_env env, napi_callback callback, void *data, napi_finalize free_data) {
  (void)env, (void)callback, (void)data, (void)free_data;
  abort();
}

napi_status NAPI_CDECL napi_get_value_bool(napi_env env, napi_value value, bool *result) {
  (void)env, (void)value, (void)result;
  abort();
}

napi_value refuse(napi_env env, const char *message) {
  (void)env;
  fprintf(stderr, "%s\n", message);
  abort();
}

/* As OpenSSL does it: compilers leave out a call that they know where nothing reads the bytes afterwards. */
void OPENSSL_cleanse(void *bytes, size_t length) {
  static void *(*const volatile set)(void *, int, size_t) = memset;
  set(bytes, 0, length);
}

static int has_randomness = 1;
static unsigned char last_random;

/* The first byte is known and below 128: then the outcome of the library's check of the range of a field element is known too. */
int RAND_bytes(unsigned char *bytes, int length) {
  for (int i = 0; i < length; i++) bytes[i] = last_random = (unsigned char)(last_random * 13 + 7);
  bytes[0] &= 0x7f;
  VALGRIND_MAKE_MEM_UNDEFINED(bytes + 1, length - 1);
  return has_randomness;
}

/* SHA-256 of the library, whose state fits into that of OpenSSL. */
_Static_assert(sizeof(secp256k1_sha256) <= sizeof(SHA256_CTX), "the state fits");

int SHA256_Init(SHA256_CTX *context) {
  secp256k1_sha256_initialize((secp256k1_sha256 *)(void *)context);
  return 1;
}

int SHA256_Update(SHA256_CTX *context, const void *data, size_t length) {
  secp256k1_sha256_write((secp256k1_sha256 *)(void *)context, data, length);
  return 1;
}

int SHA256_Final(unsigned char *digest, SHA256_CTX *context) {
  secp256k1_sha256_finalize((secp256k1_sha256 *)(void *)context, digest);
  return 1;
}

/* The blinding is as secret as the nonces that it hides. Whether its point is at infinity is not. */
static void hide_blinding(secp256k1_ecmult_gen_context *blinding) {
  VALGRIND_MAKE_MEM_UNDEFINED(&blinding->blind, sizeof blinding->blind);
  VALGRIND_MAKE_MEM_UNDEFINED(&blinding->initial.x, sizeof blinding->initial.x);
  VALGRIND_MAKE_MEM_UNDEFINED(&blinding->initial.y, sizeof blinding->initial.y);
  VALGRIND_MAKE_MEM_UNDEFINED(&blinding->initial.z, sizeof blinding->initial.z);
}

static unsigned char key[32], digests[MOST_DIGESTS * DIGEST_BYTES], signatures[MOST_DIGESTS * SIGNATURE_BYTES];

static int sign(size_t count) {
  given[0] = (Bytes){digests, count * DIGEST_BYTES};
  given[1] = (Bytes){key, sizeof key};
  given[2] = (Bytes){signatures, count * SIGNATURE_BYTES};
  return secp256k1_sign(NULL, NULL) != NULL;
}

static int sign_hidden(size_t count) {
  static unsigned char expected[MOST_DIGESTS * SIGNATURE_BYTES];
  for (size_t i = 0; i < count; i++)
    if (!sign_one(state->context, digests + i * DIGEST_BYTES, key, expected + i * SIGNATURE_BYTES)) return 0;
  secp256k1_ecmult_gen_context *blinding = &state->context->ecmult_gen_ctx;
  const secp256k1_ecmult_gen_context known = *blinding;
  hide_blinding(blinding);
  VALGRIND_MAKE_MEM_UNDEFINED(key, sizeof key);
  const int made = sign(count);
  VALGRIND_MAKE_MEM_DEFINED(key, sizeof key);
  VALGRIND_MAKE_MEM_DEFINED(signatures, sizeof signatures);
  *blinding = known;
  return made && memcmp(signatures, expected, count * SIGNATURE_BYTES) == 0;
}

#define STACK_BYTES (1 << 20)
static _Alignas(4096) unsigned char stack[STACK_BYTES];
/* Calls that have ended used what lies below. */
static const unsigned char *bottom;

static void *sign_in_thread(void *count) {
  bottom = __builtin_frame_address(0);
  return sign(*(const size_t *)count) ? count : NULL;
}

/* Gives 0 where signing fails. */
static int sign_on_stack(size_t count) {
  pthread_t thread;
  pthread_attr_t attributes;
  void *made = NULL;
  last_random = 1;
  memset(stack, 0, sizeof stack);
  return pthread_attr_init(&attributes) == 0 && pthread_attr_setstack(&attributes, stack, sizeof stack) == 0 &&
         pthread_create(&thread, &attributes, sign_in_thread, &count) == 0 && pthread_join(thread, &made) == 0 && made != NULL;
}

/* The bytes of the stack that depend on the key after signing, or -1 where signing fails. */
static long count_left(size_t count) {
  static unsigned char before[STACK_BYTES];
  long left = 0;
  /* Once before, because the first call of a function in a shared library leaves other traces than the next. */
  if (!sign_on_stack(count) || !sign_on_stack(count)) return -1;
  memcpy(before, stack, sizeof stack);
  for (size_t i = 0; i < sizeof key; i++) key[i] ^= 0x55;
  if (!sign_on_stack(count)) return -1;
  for (const unsigned char *at = stack; at < bottom; at++) left += *at != before[at - stack];
  return left;
}

int main(void) {
  static const size_t counts[] = {1, 2, MOST_DIGESTS};
  for (size_t i = 0; i < sizeof key; i++) key[i] = (unsigned char)(i * 7 + 1);
  for (size_t i = 0; i < sizeof digests; i++) digests[i] = (unsigned char)(i * i + i / 256);
  state = secp256k1_state_create();
  if (state == NULL || !secp256k1_context_randomize(state->context, key)) return 1;
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    if (RUNNING_ON_VALGRIND) {
      if (sign_hidden(counts[i])) continue;
      fprintf(stderr, "%zu signatures are not those of the library\n", counts[i]);
      return 1;
    }
    /* Without randomness the library signs. */
    for (has_randomness = 0; has_randomness < 2; has_randomness++) {
      const long left = count_left(counts[i]);
      if (left == 0) continue;
      fprintf(stderr, "%zu signatures by %s: ", counts[i], has_randomness ? "the addon" : "the library");
      if (left < 0) fprintf(stderr, "they cannot be made\n");
      else fprintf(stderr, "%ld bytes of the stack depend on the key\n", left);
      return 1;
    }
  }
  secp256k1_state_destroy(state);
  return 0;
}
