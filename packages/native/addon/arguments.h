/* Argument parsing of the addon: every argument is a Uint8Array of the expected length, or the function throws a TypeError. */
#ifndef COUNTERSIGN_ARGUMENTS_H
#define COUNTERSIGN_ARGUMENTS_H

#include <node_api.h>
#include <stddef.h>

typedef struct {
  const unsigned char *data;
  size_t length;
} Bytes;

/* Reads `count` arguments and the data of the function. Throws and returns 0 if there are fewer. */
int read_arguments(napi_env env, napi_callback_info info, size_t count, napi_value *arguments, void **data);
/* Throws and returns 0 unless the value is a Uint8Array. */
int read_bytes(napi_env env, napi_value value, Bytes *bytes);
/* Throws and returns 0 unless the value is a Uint8Array of this length. */
int read_exactly(napi_env env, napi_value value, size_t length, Bytes *bytes);
/* A Uint8Array of this length to write to, or NULL after throwing. */
unsigned char *read_output(napi_env env, napi_value value, size_t length);

napi_value to_boolean(napi_env env, int value);
/* Throws a TypeError and returns NULL. */
napi_value throw_type_error(napi_env env, const char *message);
/* A function with data. `free_data` runs when the function is garbage-collected, or immediately if creating the function fails. */
napi_value to_function(napi_env env, napi_callback callback, void *data, napi_finalize free_data);

#endif
