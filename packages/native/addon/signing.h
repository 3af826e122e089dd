/*
 * ECDSA signatures with one key (SEC 1 section 4.1.3, nonces by RFC 6979, low s), which share their two inversions: of the nonces and of
 * the coordinates of their points. Gives the same bytes as the library. Included behind secp256k1.c.
 *
 * SECURITY: everything secret is computed with the library's constant-time functions: nonces, their points and all products. What is
 * inverted, in variable time, was multiplied before with a random number that is used once. So it is a random number itself, and the
 * time tells nothing of what was secret in it. Which signature comes out with a low s is public.
 */
#ifndef COUNTERSIGN_SIGNING_H
#define COUNTERSIGN_SIGNING_H

#include <openssl/crypto.h>
#include <openssl/rand.h>

#include "nonce.h"
#include "public-inverses.h"
#include "secret-product.h"

/* So many are signed together. */
#define SIGNED_TOGETHER 32

/* Marks bytes that follow from secrets and may be known all the same. `npm run native:secrets` reports branches on other such bytes. */
#ifndef DECLARE_PUBLIC
#define DECLARE_PUBLIC(bytes, length) ((void)(bytes), (void)(length))
#endif

/* What is known of the signatures while they are made. */
typedef struct {
  secp256k1_scalar key, nonces[SIGNED_TOGETHER], products[SIGNED_TOGETHER], inverse, rest;
  secp256k1_gej points[SIGNED_TOGETHER];
  secp256k1_fe chain[SIGNED_TOGETHER], inverse_z, own_z;
  unsigned char nonce[32];
} Signing;

/* 1 / a = b / (a b), where b is random. Gives 0 where there is no randomness. */
static int invert_secret_scalar(secp256k1_scalar *inverse, const secp256k1_scalar *a) {
  unsigned char bytes[32];
  secp256k1_scalar blind, blinded;
  if (RAND_bytes(bytes, sizeof bytes) != 1) return 0;
  secp256k1_scalar_set_b32(&blind, bytes, NULL);
  secp256k1_scalar_mul(&blinded, a, &blind);
  secp256k1_scalar_get_b32(bytes, &blinded);
  DECLARE_PUBLIC(bytes, sizeof bytes);
  const int done = invert_bytes(bytes, &ORDER);
  secp256k1_scalar_set_b32(&blinded, bytes, NULL);
  secp256k1_scalar_mul(inverse, &blinded, &blind);
  OPENSSL_cleanse(&blind, sizeof blind);
  OPENSSL_cleanse(&blinded, sizeof blinded);
  return done;
}

/* The same in the field. */
static int invert_secret_element(secp256k1_fe *inverse, const secp256k1_fe *a) {
  unsigned char bytes[32];
  secp256k1_fe blind, blinded;
  if (RAND_bytes(bytes, sizeof bytes) != 1 || !secp256k1_fe_set_b32(&blind, bytes)) return 0;
  secp256k1_fe_mul(&blinded, a, &blind);
  secp256k1_fe_normalize(&blinded);
  secp256k1_fe_get_b32(bytes, &blinded);
  DECLARE_PUBLIC(bytes, sizeof bytes);
  const int done = invert_bytes(bytes, &FIELD) && secp256k1_fe_set_b32(&blinded, bytes);
  secp256k1_fe_mul(inverse, &blinded, &blind);
  OPENSSL_cleanse(&blind, sizeof blind);
  OPENSSL_cleanse(&blinded, sizeof blinded);
  return done;
}

/* Gives 0 for a number outside [1, n - 1]. Only that is public. */
static int read_secret(secp256k1_scalar *secret, const unsigned char *bytes) {
  int overflow = 0;
  secp256k1_scalar_set_b32(secret, bytes, &overflow);
  int fits = !overflow & !secp256k1_scalar_is_zero(secret);
  DECLARE_PUBLIC(&fits, sizeof fits);
  return fits;
}

/* Gives 0 where the nonce does not fit, which happens once in 2^127. */
static int draw_nonce(Signing *signing, size_t i, const unsigned char *digest, const unsigned char *key) {
  return first_nonce(signing->nonce, digest, key) && read_secret(&signing->nonces[i], signing->nonce);
}

/* r, s and the recovery bit from the point of a nonce and the nonce's inverse. Gives 0 where one does not fit. */
static int finish_signature(Signing *signing, const secp256k1_ge *point, const secp256k1_scalar *inverse, const unsigned char *digest,
                            unsigned char *out) {
  secp256k1_scalar r, s;
  secp256k1_fe x = point->x, y = point->y;
  int overflow = 0;
  secp256k1_fe_normalize(&x);
  secp256k1_fe_normalize(&y);
  secp256k1_fe_get_b32(out, &x);
  DECLARE_PUBLIC(out, 32);
  secp256k1_scalar_set_b32(&r, out, &overflow);
  if (overflow || secp256k1_scalar_is_zero(&r)) return 0;
  secp256k1_scalar_set_b32(&s, digest, NULL);
  secp256k1_scalar_mul(&signing->rest, &r, &signing->key);
  secp256k1_scalar_add(&signing->rest, &signing->rest, &s);
  secp256k1_scalar_mul(&s, &signing->rest, inverse);
  DECLARE_PUBLIC(&s, sizeof s);
  if (secp256k1_scalar_is_zero(&s)) return 0;
  const int is_high = secp256k1_scalar_is_high(&s);
  if (is_high) secp256k1_scalar_negate(&s, &s);
  secp256k1_scalar_get_b32(out + 32, &s);
  out[64] = (unsigned char)(secp256k1_fe_is_odd(&y) ^ is_high);
  return 1;
}

/* Gives 0 where something does not fit: then nothing of `out` may be used, and they have to be signed one by one. */
static int make_together(Signing *signing, const SecretProducts *products, const secp256k1_ecmult_gen_context *blinding,
                         const unsigned char *digests, const unsigned char *key, unsigned char *out, size_t count) {
  if (!read_secret(&signing->key, key)) return 0;
  for (size_t i = 0; i < count; i++) {
    if (!draw_nonce(signing, i, digests + i * 32, key)) return 0;
    multiply_generator(products, blinding, &signing->points[i], &signing->nonces[i]);
    signing->products[i] = signing->nonces[i];
    signing->chain[i] = signing->points[i].z;
    if (i == 0) continue;
    secp256k1_scalar_mul(&signing->products[i], &signing->products[i], &signing->products[i - 1]);
    secp256k1_fe_mul(&signing->chain[i], &signing->chain[i], &signing->chain[i - 1]);
  }
  if (!invert_secret_scalar(&signing->inverse, &signing->products[count - 1])) return 0;
  if (!invert_secret_element(&signing->inverse_z, &signing->chain[count - 1])) return 0;
  for (size_t i = count; i-- > 0;) {
    secp256k1_ge point;
    /* INVARIANT: the inverses are those of the product of the first i + 1. */
    signing->own_z = signing->inverse_z;
    if (i > 0) {
      secp256k1_fe_mul(&signing->own_z, &signing->inverse_z, &signing->chain[i - 1]);
      secp256k1_fe_mul(&signing->inverse_z, &signing->inverse_z, &signing->points[i].z);
      secp256k1_scalar_mul(&signing->products[i], &signing->inverse, &signing->products[i - 1]);
      secp256k1_scalar_mul(&signing->inverse, &signing->inverse, &signing->nonces[i]);
    } else {
      signing->products[0] = signing->inverse;
    }
    secp256k1_ge_set_gej_zinv(&point, &signing->points[i], &signing->own_z);
    if (!finish_signature(signing, &point, &signing->products[i], digests + i * 32, out + i * 65)) return 0;
  }
  return 1;
}

static int sign_together(const SecretProducts *products, const secp256k1_ecmult_gen_context *blinding, const unsigned char *digests,
                         const unsigned char *key, unsigned char *out, size_t count) {
  Signing signing;
  const int made = make_together(&signing, products, blinding, digests, key, out, count);
  OPENSSL_cleanse(&signing, sizeof signing);
  return made;
}

#endif
