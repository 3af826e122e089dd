#ifndef COUNTERSIGN_P256_KEYS_H
#define COUNTERSIGN_P256_KEYS_H

#include <node_api.h>

typedef struct P256State P256State;

/* NULL if out of memory. */
P256State *p256_state_create(void);
void p256_state_destroy(P256State *state);

/* verifier(publicKey33): promises a function (message, signature64) that returns whether the signature is valid for SHA-256 of the message. */
napi_value p256_verifier(napi_env env, napi_callback_info info);

#endif
