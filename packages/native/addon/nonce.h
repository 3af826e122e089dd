/*
 * The first nonce of RFC 6979 section 3.2 with SHA-256, as libsecp256k1 makes it: the digest goes in as it is (its section 2.3.4 would
 * reduce it). OpenSSL's compression function uses what the processor has for it; that of the library is plain C and took a sixth of a
 * signature. Its time depends on lengths alone, and all lengths are fixed.
 */
#ifndef COUNTERSIGN_NONCE_H
#define COUNTERSIGN_NONCE_H

#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <string.h>

/* V, one more byte, private key and digest */
#define SEED_BYTES (32 + 1 + 32 + 32)

/* HMAC-SHA-256 (RFC 2104) with a key of 32 bytes. `mac` may be the key or part of the message. Gives 0 where hashing fails. */
static int hmac32(const unsigned char *key, const unsigned char *message, size_t length, unsigned char *mac) {
  unsigned char pad[SHA256_CBLOCK], inner[SHA256_DIGEST_LENGTH];
  SHA256_CTX state;
  memset(pad, 0x36, sizeof pad);
  for (int i = 0; i < 32; i++) pad[i] ^= key[i];
  int done = SHA256_Init(&state) && SHA256_Update(&state, pad, sizeof pad) && SHA256_Update(&state, message, length) &&
             SHA256_Final(inner, &state);
  for (size_t i = 0; i < sizeof pad; i++) pad[i] ^= 0x36 ^ 0x5c;
  done = done && SHA256_Init(&state) && SHA256_Update(&state, pad, sizeof pad) && SHA256_Update(&state, inner, sizeof inner) &&
         SHA256_Final(mac, &state);
  OPENSSL_cleanse(pad, sizeof pad);
  OPENSSL_cleanse(inner, sizeof inner);
  OPENSSL_cleanse(&state, sizeof state);
  return done;
}

/* SECURITY: gives 0 where anything fails. A nonce that is used twice tells the key, and a check of the signature would not notice. */
static int first_nonce(unsigned char *nonce, const unsigned char *digest, const unsigned char *key) {
  unsigned char k[32] = {0}, seed[SEED_BYTES];
  int done = 1;
  /* V lies at the beginning of the seed. */
  memset(seed, 0x01, 32);
  memcpy(seed + 33, key, 32);
  memcpy(seed + 65, digest, 32);
  for (unsigned char round = 0; round < 2; round++) {
    seed[32] = round;
    done = done && hmac32(k, seed, SEED_BYTES, k) && hmac32(k, seed, 32, seed);
  }
  done = done && hmac32(k, seed, 32, nonce);
  OPENSSL_cleanse(k, sizeof k);
  OPENSSL_cleanse(seed, sizeof seed);
  return done;
}

#endif
