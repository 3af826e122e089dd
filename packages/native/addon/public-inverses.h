/* Variable-time inverses of public values. Include it after secp256k1.c. */
#ifndef COUNTERSIGN_PUBLIC_INVERSES_H
#define COUNTERSIGN_PUBLIC_INVERSES_H

#include "modular-inverse.h"

/* The order of the group and the prime of the field (SEC 2 section 2.4.1). */
static const Number ORDER = {{0xbfd25e8cd0364141, 0xbaaedce6af48a03b, 0xfffffffffffffffe, 0xffffffffffffffff}};
static const Number FIELD = {{0xfffffffefffffc2f, 0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffffffffff}};

/* Replaces a number below the modulus by its inverse. Returns 0 for zero. */
static int invert_bytes(unsigned char *bytes, const Number *modulus) {
  const Number value = number_from_bytes(bytes);
  Number inverse;
  if (!invert(&inverse, &value, modulus)) return 0;
  number_to_bytes(bytes, &inverse);
  return 1;
}

static int invert_scalar(secp256k1_scalar *inverse, const secp256k1_scalar *scalar) {
  unsigned char bytes[32];
  secp256k1_scalar_get_b32(bytes, scalar);
  if (!invert_bytes(bytes, &ORDER)) return 0;
  secp256k1_scalar_set_b32(inverse, bytes, NULL);
  return 1;
}

static int invert_element(secp256k1_fe *inverse, const secp256k1_fe *element) {
  unsigned char bytes[32];
  secp256k1_fe value = *element;
  secp256k1_fe_normalize_var(&value);
  secp256k1_fe_get_b32(bytes, &value);
  return invert_bytes(bytes, &FIELD) && secp256k1_fe_set_b32(inverse, bytes);
}

#endif
