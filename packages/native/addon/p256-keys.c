/*
 * ECDSA verification on P-256 (SEC 1 section 4.1.4) with precomputed tables of the key and of the generator. OpenSSL parses and validates
 * the key.
 *
 * SECURITY: variable time. Public values only: messages, signatures, public keys.
 */
#include "p256-keys.h"

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/obj_mac.h>
#include <openssl/sha.h>
#include <string.h>

#include "arguments.h"
#include "p256-field.h"
#include "sha256.h"

/* One signature at a time, with the digits of two scalars. */
#define MOST_LISTS 1
#define MOST_POINTS 64
#include "affine.h"

#define KEY_BYTES 33
#define SIGNATURE_BYTES 64
/* 26 rows of 512 points: 850 KB, computed when the first key gets a table */
#define GENERATOR_WIDTH 10
/* 37 rows of 64 points: 150 KB per key */
#define KEY_WIDTH 7
_Static_assert(TABLE_ROWS(GENERATOR_WIDTH) + TABLE_ROWS(KEY_WIDTH) <= MOST_POINTS, "a list has room for all digits");

/* The order of the group (SEC 2 section 2.4.2), and 2^512 modulo the order. */
static const Number ORDER = {{0xf3b9cac2fc632551, 0xbce6faada7179e84, 0xffffffffffffffff, 0xffffffff00000000}};
static const Number SQUARED_RADIX_OF_ORDER = {{0x83244c95be79eea2, 0x4699799c49bd6fa6, 0x2845b2392b6bec59, 0x66e12d94f3d95620}};

struct P256State {
  Table generator; /* empty until a key has a table */
  Sums sums; /* scratch space of one call */
};

typedef struct {
  P256State *state;
  Table table;
} Verifier;

/* A job on another thread that computes the tables of a verifier. */
typedef struct {
  napi_async_work work;
  napi_deferred deferred;
  P256State *state;
  unsigned char key[KEY_BYTES];
  int needs_generator;
  Table table, generator;
} TableJob;

P256State *p256_state_create(void) { return calloc(1, sizeof(P256State)); }

void p256_state_destroy(P256State *state) {
  if (state == NULL) return;
  free(state->generator.points);
  free(state);
}

/* a b / 2^256 modulo a modulus above 2^255, for b below the modulus: Montgomery multiplication, word by word as in p256-field.h. */
static void multiply_modulo(Number *product, const Number *a, const Number *b, const Number *modulus) {
  const uint64_t minus_inverse = minus_inverse_of(modulus->words[0]);
  uint64_t t[WORDS + 1] = {0};
  for (int i = 0; i < WORDS; i++) {
    Product sum = 0;
    for (int j = 0; j < WORDS; j++) {
      sum = (Product)a->words[i] * b->words[j] + t[j] + (uint64_t)(sum >> 64);
      t[j] = (uint64_t)sum;
    }
    t[WORDS] += (uint64_t)(sum >> 64);
    /* Add the multiple of the modulus that makes the last word 0, and drop that word. */
    const uint64_t multiple = t[0] * minus_inverse;
    sum = (Product)multiple * modulus->words[0] + t[0];
    for (int j = 1; j < WORDS; j++) {
      sum = (Product)multiple * modulus->words[j] + t[j] + (uint64_t)(sum >> 64);
      t[j - 1] = (uint64_t)sum;
    }
    sum = (Product)t[WORDS] + (uint64_t)(sum >> 64);
    t[WORDS - 1] = (uint64_t)sum;
    t[WORDS] = (uint64_t)(sum >> 64);
  }
  memcpy(product->words, t, sizeof product->words);
  reduce_once(product, t[WORDS], modulus);
}

/* a b modulo the order, for b below the order */
static Number multiply_modulo_order(const Number *a, const Number *b) {
  Number product;
  multiply_modulo(&product, a, b, &ORDER);
  multiply_modulo(&product, &product, &SQUARED_RADIX_OF_ORDER, &ORDER);
  return product;
}

static int is_same(const Number *a, const Number *b) { return memcmp(a->words, b->words, sizeof a->words) == 0; }

static int is_below(const Number *number, const Number *modulus) {
  Number reduced = *number;
  reduce_once(&reduced, 0, modulus);
  return is_same(&reduced, number);
}

/* Whether a number is from 1 to n - 1. */
static int is_scalar(const Number *number) {
  const Number zero = {{0, 0, 0, 0}};
  return is_below(number, &ORDER) && !is_same(number, &zero);
}

/*
 * Self-test of the compiled field with words of zeros and ones, which have the longest carries. Random numbers have some of these carries
 * once in 2^32 times, so known signatures do not cover them. multiply_modulo() shares only the last reduction with multiply().
 */
static int field_passes_self_test(void) {
  static const uint64_t words[] = {0, 1, 0xffffffff, 0xffffffff00000000, 0xfffffffffffffffe, UINT64_MAX};
  const int choices = sizeof words / sizeof *words, all = choices * choices * choices * choices;
  Element previous = SQUARED_RADIX;
  for (int i = 0; i < all; i++) {
    Element a, result, expected;
    for (int j = 0, rest = i; j < WORDS; j++, rest /= choices) a.words[j] = words[rest % choices];
    if (!is_below(&a, &FIELD)) continue;
    multiply(&result, &a, &previous);
    multiply_modulo(&expected, &a, &previous, &FIELD);
    if (!is_same(&result, &expected)) return 0;
    square(&result, &a);
    multiply_modulo(&expected, &a, &a, &FIELD);
    if (!is_same(&result, &expected)) return 0;
    add(&result, &a, &previous);
    if (!is_below(&result, &FIELD)) return 0;
    subtract(&result, &result, &previous);
    if (!is_same(&result, &a)) return 0;
    previous = a;
  }
  return 1;
}

/* INVARIANT: returns 1 only if every step succeeds and the equation holds. */
static int is_valid(const Verifier *verifier, const unsigned char *digest, const unsigned char *signature) {
  Sums *sums = &verifier->state->sums;
  const Number r = number_from_bytes(signature), s = number_from_bytes(signature + 32), m = number_from_bytes(digest);
  Number inverse;
  Point point;
  if (!is_scalar(&r) || !is_scalar(&s) || !invert(&inverse, &s, &ORDER)) return 0;
  const Number g = multiply_modulo_order(&m, &inverse), q = multiply_modulo_order(&r, &inverse);
  sums->count = 1;
  sums->lists[0].length = 0;
  list_product(&sums->lists[0], &verifier->state->generator, &g);
  list_product(&sums->lists[0], &verifier->table, &q);
  add_halves(sums);
  if (!sum_of(&point, &sums->lists[0])) return 0;
  /* r is x modulo the order, and x is below twice the order. */
  Number x = from_element(&point.x);
  reduce_once(&x, 0, &ORDER);
  return is_same(&x, &r);
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
  return to_boolean(env, is_valid(verifier, digest, signature.data));
}

static void free_verifier(napi_env env, void *data, void *hint) {
  Verifier *verifier = data;
  (void)env, (void)hint;
  free(verifier->table.points);
  free(verifier);
}

static int read_coordinate(Element *element, const BIGNUM *value) {
  unsigned char bytes[32];
  if (BN_bn2binpad(value, bytes, sizeof bytes) != sizeof bytes) return 0;
  const Number number = number_from_bytes(bytes);
  to_element(element, &number);
  return 1;
}

static int read_coordinates(Point *result, const EC_GROUP *group, const EC_POINT *point) {
  BIGNUM *x = BN_new(), *y = BN_new();
  const int done = x != NULL && y != NULL && EC_POINT_get_affine_coordinates(group, point, x, y, NULL) &&
                   read_coordinate(&result->x, x) && read_coordinate(&result->y, y);
  BN_free(x);
  BN_free(y);
  return done;
}

/* Computes the tables of a key and, if needed, of the generator. Returns 0 if the bytes are not a point of the curve. */
static int make_tables(TableJob *job) {
  EC_GROUP *group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
  EC_POINT *point = group == NULL ? NULL : EC_POINT_new(group);
  Point key, generator;
  /* oct2point rejects points off the curve. The cofactor is 1, so every point except infinity is a valid public key. */
  const int done = (!job->needs_generator || field_passes_self_test()) && point != NULL && (job->key[0] == 2 || job->key[0] == 3) &&
                   EC_POINT_oct2point(group, point, job->key, KEY_BYTES, NULL) && !EC_POINT_is_at_infinity(group, point) &&
                   read_coordinates(&key, group, point) && read_coordinates(&generator, group, EC_GROUP_get0_generator(group)) &&
                   make_table(&job->table, &key, KEY_WIDTH) &&
                   (!job->needs_generator || make_table(&job->generator, &generator, GENERATOR_WIDTH));
  EC_POINT_free(point);
  EC_GROUP_free(group);
  return done;
}

static void make(napi_env env, void *data) {
  TableJob *job = data;
  (void)env;
  if (make_tables(job)) return;
  free(job->table.points);
  job->table.points = NULL;
}

/* Takes ownership of the tables. Returns NULL if there is no table, or out of memory. */
static Verifier *to_verifier(TableJob *job) {
  Table *shared = &job->state->generator;
  /* A concurrent job may have stored the generator's table already. */
  if (shared->points == NULL) *shared = job->generator;
  else free(job->generator.points);
  Verifier *verifier = job->table.points == NULL || shared->points == NULL ? NULL : calloc(1, sizeof *verifier);
  if (verifier == NULL) {
    free(job->table.points);
    return NULL;
  }
  verifier->state = job->state;
  verifier->table = job->table;
  return verifier;
}

static void finish(napi_env env, napi_status status, void *data) {
  TableJob *job = data;
  napi_value function = NULL, message, error;
  Verifier *verifier = to_verifier(job);
  if (verifier != NULL && status != napi_ok) free_verifier(env, verifier, NULL);
  else if (verifier != NULL) function = to_function(env, verify, verifier, free_verifier);
  if (function != NULL) {
    napi_resolve_deferred(env, job->deferred, function);
  } else {
    napi_get_and_clear_last_exception(env, &error);
    napi_create_string_utf8(env, "cannot compute a table for this key", NAPI_AUTO_LENGTH, &message);
    napi_create_error(env, NULL, message, &error);
    napi_reject_deferred(env, job->deferred, error);
  }
  napi_delete_async_work(env, job->work);
  free(job);
}

napi_value p256_verifier(napi_env env, napi_callback_info info) {
  napi_value arguments[1], name, promise;
  void *state;
  Bytes key;
  if (!read_arguments(env, info, 1, arguments, &state) || !read_exactly(env, arguments[0], KEY_BYTES, &key)) return NULL;
  TableJob *job = calloc(1, sizeof *job);
  if (job == NULL) return throw_type_error(env, "out of memory");
  job->state = state;
  job->needs_generator = job->state->generator.points == NULL;
  for (size_t i = 0; i < KEY_BYTES; i++) job->key[i] = key.data[i];
  if (napi_create_string_utf8(env, "countersign:p256", NAPI_AUTO_LENGTH, &name) != napi_ok ||
      napi_create_async_work(env, NULL, name, make, finish, job, &job->work) != napi_ok) {
    free(job);
    return throw_type_error(env, "out of memory");
  }
  if (napi_create_promise(env, &job->deferred, &promise) != napi_ok) {
    napi_delete_async_work(env, job->work);
    free(job);
    return throw_type_error(env, "out of memory");
  }
  if (napi_queue_async_work(env, job->work) != napi_ok) finish(env, napi_generic_failure, job);
  return promise;
}
