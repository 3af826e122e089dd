#define OPENSSL_SUPPRESS_DEPRECATED
#include "sha256.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include "arguments.h"

void sha256(const unsigned char *data, size_t length, unsigned char *digest) {
  SHA256_CTX state;
  SHA256_Init(&state);
  if (length > 0) SHA256_Update(&state, data, length);
  SHA256_Final(digest, &state);
  /* The data may begin with the key of a MAC. */
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
