#ifndef COUNTERSIGN_KECCAK256_H
#define COUNTERSIGN_KECCAK256_H

#include <node_api.h>

/*
 * keccak256(data, digest32): writes Keccak-256 of the data, with the padding that Ethereum uses: that of the submission to NIST, before
 * FIPS 202. Its time depends on the length only, but it leaves its state on the stack: hash public data with it.
 */
napi_value keccak256_of(napi_env env, napi_callback_info info);

#endif
