/*
 * Signs with the libsecp256k1 of the system. This file passes a pointer to the private key to the library and never reads the key.
 * It is a separate addon, because secp256k1-keys.c has an older copy of the library with the same symbols.
 */
#include <secp256k1.h>
#include <secp256k1_recovery.h>

#include "arguments.h"

#define KEY_BYTES 32
#define DIGEST_BYTES 32
/* r, s and the recovery id */
#define SIGNATURE_BYTES 65

/* secp256k1Randomize(seed32): blinds the computations with secrets. */
static napi_value randomize(napi_env env, napi_callback_info info) {
  napi_value arguments[1];
  void *context;
  Bytes seed;
  if (!read_arguments(env, info, 1, arguments, &context) || !read_exactly(env, arguments[0], KEY_BYTES, &seed)) return NULL;
  return to_boolean(env, secp256k1_context_randomize(context, seed.data));
}

/* secp256k1Sign(digest32, privateKey32, signature65): RFC 6979 and low s, the defaults of the library. False for an invalid key. */
static napi_value sign(napi_env env, napi_callback_info info) {
  napi_value arguments[3];
  void *context;
  Bytes digest, key;
  if (!read_arguments(env, info, 3, arguments, &context) || !read_exactly(env, arguments[0], DIGEST_BYTES, &digest) ||
      !read_exactly(env, arguments[1], KEY_BYTES, &key))
    return NULL;
  unsigned char *out = read_output(env, arguments[2], SIGNATURE_BYTES);
  if (out == NULL) return NULL;
  secp256k1_ecdsa_recoverable_signature signature;
  int recovery = 0;
  const int is_signed = secp256k1_ecdsa_sign_recoverable(context, &signature, digest.data, key.data, NULL, NULL) &&
                        secp256k1_ecdsa_recoverable_signature_serialize_compact(context, out, &recovery, &signature);
  if (is_signed) out[SIGNATURE_BYTES - 1] = (unsigned char)recovery;
  return to_boolean(env, is_signed);
}

static void free_context(napi_env env, void *context, void *hint) {
  (void)env, (void)hint;
  secp256k1_context_destroy(context);
}

static napi_value init(napi_env env, napi_value exports) {
  /* One context per environment: threads share nothing. */
  secp256k1_context *context = secp256k1_context_create(SECP256K1_CONTEXT_SIGN);
  if (context == NULL) return throw_type_error(env, "out of memory");
  if (napi_set_instance_data(env, context, free_context, NULL) != napi_ok) {
    secp256k1_context_destroy(context);
    return throw_type_error(env, "out of memory");
  }
  const napi_property_descriptor functions[] = {
      {"secp256k1Randomize", NULL, randomize, NULL, NULL, NULL, napi_enumerable, context},
      {"secp256k1Sign", NULL, sign, NULL, NULL, NULL, napi_enumerable, context},
  };
  if (napi_define_properties(env, exports, sizeof functions / sizeof *functions, functions) != napi_ok)
    return throw_type_error(env, "the functions cannot be defined");
  return exports;
}

NAPI_MODULE(NODE_GYP_MODULE_NAME, init)
