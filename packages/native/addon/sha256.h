#ifndef COUNTERSIGN_SHA256_H
#define COUNTERSIGN_SHA256_H

#include <node_api.h>
#include <stddef.h>

/* SHA-256 (FIPS 180-4) with OpenSSL's low-level interface, which skips the provider lookup of the EVP interface. */
void sha256(const unsigned char *data, size_t length, unsigned char *digest);

/* sha256(data, digest32): writes the digest. */
napi_value sha256_of(napi_env env, napi_callback_info info);

/*
 * hmacSha256Each(inner64, outer64, messages, lengths, digests): HMAC-SHA-256 (RFC 2104) of concatenated messages.
 * `inner64` and `outer64` are the padded keys. `lengths` has the length of each message, 32 bits in native byte order.
 */
napi_value hmac_sha256_each(napi_env env, napi_callback_info info);

#endif
