#include "keccak256.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "arguments.h"

#define LANES 25
#define ROUNDS 24
#define DIGEST_BYTES 32
/* The block of a sponge with twice the digest as its capacity. */
#define RATE_BYTES (LANES * 8 - 2 * DIGEST_BYTES)

/* FIPS 202, section 3.2.5. */
static const uint64_t round_constants[ROUNDS] = {
    0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000, 0x000000000000808b, 0x0000000080000001,
    0x8000000080008081, 0x8000000000008009, 0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
    0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003, 0x8000000000008002, 0x8000000000000080,
    0x000000000000800a, 0x800000008000000a, 0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
};

/* Sections 3.2.2 and 3.2.3: the lanes in the order in which pi moves them, and the rotation of each. */
static const uint8_t moved_to[LANES - 1] = {10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1};
static const uint8_t rotations[LANES - 1] = {1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44};

static uint64_t rotate(uint64_t lane, unsigned bits) { return lane << bits | lane >> (64 - bits); }

static void permute(uint64_t state[LANES]) {
  for (int round = 0; round < ROUNDS; round++) {
    uint64_t columns[5];
    for (int x = 0; x < 5; x++) columns[x] = state[x] ^ state[x + 5] ^ state[x + 10] ^ state[x + 15] ^ state[x + 20];
    for (int x = 0; x < 5; x++) {
      uint64_t parity = columns[(x + 4) % 5] ^ rotate(columns[(x + 1) % 5], 1);
      for (int y = 0; y < LANES; y += 5) state[y + x] ^= parity;
    }
    uint64_t carried = state[1];
#pragma GCC unroll 24
    for (int step = 0; step < LANES - 1; step++) {
      uint64_t replaced = state[moved_to[step]];
      state[moved_to[step]] = rotate(carried, rotations[step]);
      carried = replaced;
    }
#pragma GCC unroll 5
    for (int y = 0; y < LANES; y += 5) {
      uint64_t row[5];
      for (int x = 0; x < 5; x++) row[x] = state[y + x];
      for (int x = 0; x < 5; x++) state[y + x] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5]);
    }
    state[0] ^= round_constants[round];
  }
}

static uint64_t load_lane(const unsigned char *bytes) {
  uint64_t lane = 0;
  for (int at = 7; at >= 0; at--) lane = lane << 8 | bytes[at];
  return lane;
}

static void absorb(uint64_t state[LANES], const unsigned char *block) {
  for (int lane = 0; lane < RATE_BYTES / 8; lane++) state[lane] ^= load_lane(block + 8 * lane);
  permute(state);
}

static void keccak256(const unsigned char *data, size_t length, unsigned char *digest) {
  uint64_t state[LANES] = {0};
  unsigned char last[RATE_BYTES] = {0};
  for (; length >= RATE_BYTES; data += RATE_BYTES, length -= RATE_BYTES) absorb(state, data);
  if (length > 0) memcpy(last, data, length);
  last[length] = 0x01;
  last[RATE_BYTES - 1] |= 0x80;
  absorb(state, last);
  for (int at = 0; at < DIGEST_BYTES; at++) digest[at] = (unsigned char)(state[at / 8] >> (8 * (at % 8)));
}

napi_value keccak256_of(napi_env env, napi_callback_info info) {
  napi_value arguments[2], nothing = NULL;
  Bytes data;
  if (!read_arguments(env, info, 2, arguments, NULL) || !read_bytes(env, arguments[0], &data)) return NULL;
  unsigned char *digest = read_output(env, arguments[1], DIGEST_BYTES);
  if (digest == NULL) return NULL;
  keccak256(data.data, data.length, digest);
  napi_get_undefined(env, &nothing);
  return nothing;
}
