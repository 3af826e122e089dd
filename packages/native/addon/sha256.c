#define OPENSSL_SUPPRESS_DEPRECATED
#include "sha256.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <stdint.h>
#include <string.h>

#include "arguments.h"

void sha256(const unsigned char *data, size_t length, unsigned char *digest) {
  SHA256_CTX state;
  SHA256_Init(&state);
  if (length > 0) SHA256_Update(&state, data, length);
  SHA256_Final(digest, &state);
  /* The data may start with the key of a MAC. */
  OPENSSL_cleanse(&state, sizeof state);
}

napi_value sha256_of(napi_env env, napi_callback_info info) {
  napi_value arguments[2], nothing = NULL;
  Bytes data;
  if (!read_arguments(env, info, 2, arguments, NULL) || !read_bytes(env, arguments[0], &data)) return NULL;
  unsigned char *digest = read_output(env, arguments[1], SHA256_DIGEST_LENGTH);
  if (digest == NULL) return NULL;
  sha256(data.data, data.length, digest);
  napi_get_undefined(env, &nothing);
  return nothing;
}

static uint32_t length_at(Bytes lengths, size_t index) {
  uint32_t length;
  /* A Uint8Array may be unaligned. */
  memcpy(&length, lengths.data + index * sizeof length, sizeof length);
  return length;
}

/* Whether the lengths add up to the length of all messages. */
static int lengths_fit(Bytes lengths, size_t count, size_t total) {
  size_t left = total;
  for (size_t index = 0; index < count; index++) {
    uint32_t length = length_at(lengths, index);
    if (length > left) return 0;
    left -= length;
  }
  return left == 0;
}

napi_value hmac_sha256_each(napi_env env, napi_callback_info info) {
  napi_value arguments[5], nothing = NULL;
  Bytes inner, outer, messages, lengths;
  if (!read_arguments(env, info, 5, arguments, NULL) || !read_exactly(env, arguments[0], SHA256_CBLOCK, &inner) ||
      !read_exactly(env, arguments[1], SHA256_CBLOCK, &outer) || !read_bytes(env, arguments[2], &messages) ||
      !read_bytes(env, arguments[3], &lengths))
    return NULL;
  size_t count = lengths.length / sizeof(uint32_t);
  if (lengths.length % sizeof(uint32_t) != 0 || !lengths_fit(lengths, count, messages.length))
    return throw_type_error(env, "the lengths do not match the messages");
  unsigned char *digests = read_output(env, arguments[4], count * SHA256_DIGEST_LENGTH);
  if (count > 0 && digests == NULL) return NULL;

  /* The first block of each hash is the padded key. It is hashed once for all messages. */
  SHA256_CTX keyed[2], state;
  SHA256_Init(&keyed[0]);
  SHA256_Update(&keyed[0], inner.data, SHA256_CBLOCK);
  SHA256_Init(&keyed[1]);
  SHA256_Update(&keyed[1], outer.data, SHA256_CBLOCK);
  const unsigned char *message = messages.data;
  for (size_t index = 0; index < count; index++) {
    unsigned char *digest = digests + index * SHA256_DIGEST_LENGTH;
    uint32_t length = length_at(lengths, index);
    state = keyed[0];
    if (length > 0) SHA256_Update(&state, message, length);
    SHA256_Final(digest, &state);
    state = keyed[1];
    SHA256_Update(&state, digest, SHA256_DIGEST_LENGTH);
    SHA256_Final(digest, &state);
    message += length;
  }
  OPENSSL_cleanse(keyed, sizeof keyed);
  OPENSSL_cleanse(&state, sizeof state);
  napi_get_undefined(env, &nothing);
  return nothing;
}
