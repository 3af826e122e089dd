#ifndef COUNTERSIGN_SECP256K1_KEYS_H
#define COUNTERSIGN_SECP256K1_KEYS_H

#include <node_api.h>

typedef struct Secp256k1State Secp256k1State;

/* NULL if out of memory. */
Secp256k1State *secp256k1_state_create(void);
void secp256k1_state_destroy(Secp256k1State *state);

/* checker(publicKey33, withTable): returns a function (signatures65n, digests32n) that returns whether all signatures are valid. */
napi_value secp256k1_checker(napi_env env, napi_callback_info info);

#endif
