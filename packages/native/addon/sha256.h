#ifndef COUNTERSIGN_SHA256_H
#define COUNTERSIGN_SHA256_H

#include <node_api.h>
#include <stddef.h>

/* SHA-256 (FIPS 180-4) by OpenSSL's compression function, without the search for an implementation that its newer interface makes. */
void sha256(const unsigned char *data, size_t length, unsigned char *digest);

/* sha256(data, digest32): writes the digest. */
napi_value sha256_of(napi_env env, napi_callback_info info);

/*
 * hmacSha256Each(inner64, outer64, messages, lengths, digests): HMAC-SHA-256 (RFC 2104) of messages that lie one behind the other.
 * `inner64` and `outer64` are the padded keys, and `lengths` are numbers of 32 bits in the order of the machine.
 */
napi_value hmac_sha256_each(napi_env env, napi_callback_info info);

#endif
