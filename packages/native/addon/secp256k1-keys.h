#ifndef COUNTERSIGN_SECP256K1_KEYS_H
#define COUNTERSIGN_SECP256K1_KEYS_H

#include <node_api.h>

typedef struct Secp256k1State Secp256k1State;

/* NULL where there is not enough memory. */
Secp256k1State *secp256k1_state_create(void);
void secp256k1_state_destroy(Secp256k1State *state);

/* randomize(seed32): blinds the computations with secrets from now on. */
napi_value secp256k1_randomize(napi_env env, napi_callback_info info);
/* sign(digests32n, privateKey32, signatures65n): r, s and the recovery bit of each. False where the key signs nothing. */
napi_value secp256k1_sign(napi_env env, napi_callback_info info);
/* checker(publicKey33, withTable): a function (signatures65n, digests32n) that says whether all of them hold. */
napi_value secp256k1_checker(napi_env env, napi_callback_info info);

#endif
