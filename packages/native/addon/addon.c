#include <node_api.h>
#include <stdlib.h>

#include "arguments.h"
#include "keccak256.h"
#include "p256-keys.h"
#include "secp256k1-keys.h"
#include "sha256.h"

/* One per environment: threads share nothing. */
typedef struct {
  Secp256k1State *secp256k1;
  P256State *p256;
} State;

static void free_state(napi_env env, void *data, void *hint) {
  State *state = data;
  (void)env, (void)hint;
  secp256k1_state_destroy(state->secp256k1);
  p256_state_destroy(state->p256);
  free(state);
}

static napi_value init(napi_env env, napi_value exports) {
  State *state = calloc(1, sizeof *state);
  if (state == NULL) return throw_type_error(env, "out of memory");
  state->secp256k1 = secp256k1_state_create();
  state->p256 = p256_state_create();
  if (state->secp256k1 == NULL || state->p256 == NULL || napi_set_instance_data(env, state, free_state, NULL) != napi_ok) {
    free_state(env, state, NULL);
    return throw_type_error(env, "out of memory");
  }
  const napi_property_descriptor functions[] = {
      {"secp256k1Checker", NULL, secp256k1_checker, NULL, NULL, NULL, napi_enumerable, state->secp256k1},
      {"p256Verifier", NULL, p256_verifier, NULL, NULL, NULL, napi_enumerable, state->p256},
      {"sha256", NULL, sha256_of, NULL, NULL, NULL, napi_enumerable, NULL},
      {"keccak256", NULL, keccak256_of, NULL, NULL, NULL, napi_enumerable, NULL},
      {"hmacSha256Each", NULL, hmac_sha256_each, NULL, NULL, NULL, napi_enumerable, NULL},
  };
  if (napi_define_properties(env, exports, sizeof functions / sizeof *functions, functions) != napi_ok)
    return throw_type_error(env, "the functions cannot be defined");
  return exports;
}

NAPI_MODULE(NODE_GYP_MODULE_NAME, init)
