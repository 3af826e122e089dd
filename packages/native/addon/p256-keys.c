/*
 * ECDSA verification on P-256 (SEC 1 section 4.1.4) for keys that are used often, by OpenSSL's own arithmetic. OpenSSL precomputes
 * multiples of the generator of a group. Here that generator is the caller's key, so (r / s) Q costs what (m / s) G costs.
 *
 * Everything here is public: messages, signatures, public keys.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "p256-keys.h"

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>
#include <openssl/sha.h>
#include <stdlib.h>

#include "arguments.h"
#include "modular-inverse.h"
#include "sha256.h"

#define KEY_BYTES 33
#define SIGNATURE_BYTES 64

/* The order of the group (SEC 2 section 2.4.2). */
static const Number ORDER = {{0xf3b9cac2fc632551, 0xbce6faada7179e84, 0xffffffffffffffff, 0xffffffff00000000}};

struct P256State {
  EC_GROUP *group;
  EC_POINT *sum, *product;
  BN_CTX *numbers;
};

typedef struct {
  P256State *state;
  EC_GROUP *table; /* a group that the key generates, with its multiples */
} Verifier;

/* The making of a verifier, most of it on another thread. */
typedef struct {
  napi_async_work work;
  napi_deferred deferred;
  P256State *state;
  unsigned char key[KEY_BYTES];
  EC_GROUP *table;
} Making;

P256State *p256_state_create(void) {
  P256State *state = calloc(1, sizeof *state);
  if (state == NULL) return NULL;
  state->group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
  state->numbers = BN_CTX_new();
  if (state->group != NULL) {
    state->sum = EC_POINT_new(state->group);
    state->product = EC_POINT_new(state->group);
  }
  if (state->numbers != NULL && state->sum != NULL && state->product != NULL) return state;
  p256_state_destroy(state);
  return NULL;
}

void p256_state_destroy(P256State *state) {
  if (state == NULL) return;
  EC_POINT_free(state->sum);
  EC_POINT_free(state->product);
  EC_GROUP_free(state->group);
  BN_CTX_free(state->numbers);
  free(state);
}

/* Gives 0 for a number outside [1, n - 1]. */
static int read_scalar(BIGNUM *value, const unsigned char *bytes, const BIGNUM *order) {
  return BN_bin2bn(bytes, 32, value) != NULL && !BN_is_zero(value) && BN_ucmp(value, order) < 0;
}

/* Gives 0 for a number outside [1, n - 1]. */
static int read_inverse(BIGNUM *inverse, const unsigned char *bytes) {
  unsigned char inverted[32];
  const Number value = number_from_bytes(bytes);
  Number result;
  if (!invert(&result, &value, &ORDER)) return 0;
  number_to_bytes(inverted, &result);
  return BN_bin2bn(inverted, sizeof inverted, inverse) != NULL;
}

/*
 * Whether r is the x of the sum modulo n. The sum is (X / Z^2, Y / Z^3), so r fits if X = r Z^2 or X = (r + n) Z^2 modulo p: that
 * saves the inversion of Z. The sum is not at infinity.
 */
static int has_x(const P256State *state, const BIGNUM *r) {
  const BIGNUM *order = EC_GROUP_get0_order(state->group), *field = EC_GROUP_get0_field(state->group);
  BIGNUM *x = BN_CTX_get(state->numbers), *square = BN_CTX_get(state->numbers), *candidate = BN_CTX_get(state->numbers);
  if (candidate == NULL) return 0;
  if (!EC_POINT_get_Jprojective_coordinates_GFp(state->group, state->sum, x, NULL, square, state->numbers)) return 0;
  if (!BN_mod_sqr(square, square, field, state->numbers)) return 0;
  if (!BN_mod_mul(candidate, r, square, field, state->numbers)) return 0;
  if (BN_cmp(candidate, x) == 0) return 1;
  if (!BN_add(candidate, r, order) || BN_cmp(candidate, field) >= 0) return 0;
  return BN_mod_mul(candidate, candidate, square, field, state->numbers) && BN_cmp(candidate, x) == 0;
}

/* INVARIANT: gives 1 only where every step succeeded and the equation holds. */
static int holds(const Verifier *verifier, const unsigned char *digest, const unsigned char *signature) {
  const P256State *state = verifier->state;
  BN_CTX *numbers = state->numbers;
  const BIGNUM *order = EC_GROUP_get0_order(state->group);
  BIGNUM *r = BN_CTX_get(numbers), *m = BN_CTX_get(numbers), *inverse = BN_CTX_get(numbers);
  /* If one of them fails, all later ones fail too. */
  if (inverse == NULL) return 0;
  if (!read_scalar(r, signature, order) || !read_inverse(inverse, signature + 32)) return 0;
  if (BN_bin2bn(digest, SHA256_DIGEST_LENGTH, m) == NULL) return 0;
  if (!BN_mod_mul(m, m, inverse, order, numbers) || !BN_mod_mul(inverse, r, inverse, order, numbers)) return 0;
  if (!EC_POINT_mul(state->group, state->sum, m, NULL, NULL, numbers)) return 0;
  if (!EC_POINT_mul(verifier->table, state->product, inverse, NULL, NULL, numbers)) return 0;
  if (!EC_POINT_add(state->group, state->sum, state->sum, state->product, numbers)) return 0;
  if (EC_POINT_is_at_infinity(state->group, state->sum)) return 0;
  return has_x(state, r);
}

static napi_value verify(napi_env env, napi_callback_info info) {
  napi_value arguments[2];
  void *data;
  Bytes message, signature;
  unsigned char digest[SHA256_DIGEST_LENGTH];
  if (!read_arguments(env, info, 2, arguments, &data) || !read_bytes(env, arguments[0], &message) ||
      !read_exactly(env, arguments[1], SIGNATURE_BYTES, &signature))
    return NULL;
  const Verifier *verifier = data;
  sha256(message.data, message.length, digest);
  BN_CTX_start(verifier->state->numbers);
  const int good = holds(verifier, digest, signature.data);
  BN_CTX_end(verifier->state->numbers);
  return to_boolean(env, good);
}

static void free_verifier(napi_env env, void *data, void *hint) {
  Verifier *verifier = data;
  (void)env, (void)hint;
  EC_GROUP_free(verifier->table);
  free(verifier);
}

/* A group that the key generates, with the multiples of the key; NULL for bytes that are not a point of the curve. */
static EC_GROUP *make_table(const unsigned char *key) {
  BN_CTX *numbers = BN_CTX_new();
  EC_GROUP *group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
  EC_POINT *point = group == NULL ? NULL : EC_POINT_new(group);
  int made = 0;
  if (numbers != NULL && point != NULL && (key[0] == 2 || key[0] == 3)) {
    /* The order is a copy: it is the group's own, and setting the generator replaces it. */
    BIGNUM *order = BN_dup(EC_GROUP_get0_order(group));
    /* oct2point checks that the point is on the curve. The cofactor is 1. */
    made = order != NULL && EC_POINT_oct2point(group, point, key, KEY_BYTES, numbers) &&
           !EC_POINT_is_at_infinity(group, point) && EC_GROUP_set_generator(group, point, order, BN_value_one()) &&
           EC_GROUP_precompute_mult(group, numbers) && EC_GROUP_have_precompute_mult(group);
    BN_free(order);
  }
  EC_POINT_free(point);
  BN_CTX_free(numbers);
  if (made) return group;
  EC_GROUP_free(group);
  return NULL;
}

static void make(napi_env env, void *data) {
  Making *making = data;
  (void)env;
  making->table = make_table(making->key);
}

static void finish(napi_env env, napi_status status, void *data) {
  Making *making = data;
  napi_value function = NULL, message, error;
  Verifier *verifier = status == napi_ok && making->table != NULL ? calloc(1, sizeof *verifier) : NULL;
  if (verifier != NULL) {
    verifier->state = making->state;
    verifier->table = making->table;
    function = to_function(env, verify, verifier, free_verifier);
  } else {
    EC_GROUP_free(making->table);
  }
  if (function != NULL) {
    napi_resolve_deferred(env, making->deferred, function);
  } else {
    napi_get_and_clear_last_exception(env, &error);
    napi_create_string_utf8(env, "no table can be made for this key", NAPI_AUTO_LENGTH, &message);
    napi_create_error(env, NULL, message, &error);
    napi_reject_deferred(env, making->deferred, error);
  }
  napi_delete_async_work(env, making->work);
  free(making);
}

napi_value p256_verifier(napi_env env, napi_callback_info info) {
  napi_value arguments[1], name, promise;
  void *state;
  Bytes key;
  if (!read_arguments(env, info, 1, arguments, &state) || !read_exactly(env, arguments[0], KEY_BYTES, &key)) return NULL;
  Making *making = calloc(1, sizeof *making);
  if (making == NULL) return refuse(env, "there is not enough memory");
  making->state = state;
  for (size_t i = 0; i < KEY_BYTES; i++) making->key[i] = key.data[i];
  if (napi_create_string_utf8(env, "countersign:p256", NAPI_AUTO_LENGTH, &name) != napi_ok ||
      napi_create_async_work(env, NULL, name, make, finish, making, &making->work) != napi_ok) {
    free(making);
    return refuse(env, "there is not enough memory");
  }
  if (napi_create_promise(env, &making->deferred, &promise) != napi_ok) {
    napi_delete_async_work(env, making->work);
    free(making);
    return refuse(env, "there is not enough memory");
  }
  if (napi_queue_async_work(env, making->work) != napi_ok) finish(env, napi_generic_failure, making);
  return promise;
}
