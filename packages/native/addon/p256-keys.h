#ifndef COUNTERSIGN_P256_KEYS_H
#define COUNTERSIGN_P256_KEYS_H

#include <node_api.h>

typedef struct P256State P256State;

/* NULL where there is not enough memory. */
P256State *p256_state_create(void);
void p256_state_destroy(P256State *state);

/* verifier(publicKey33): a promise of a function (message, signature64) that says whether the signature holds for SHA-256 of the message. */
napi_value p256_verifier(napi_env env, napi_callback_info info);

#endif
