/* What every function of the addon needs to read its arguments. All of them refuse anything but Uint8Arrays of the right length. */
#ifndef COUNTERSIGN_ARGUMENTS_H
#define COUNTERSIGN_ARGUMENTS_H

#include <node_api.h>
#include <stddef.h>

typedef struct {
  const unsigned char *data;
  size_t length;
} Bytes;

/* Reads exactly `count` arguments, and the data of the function. Throws and gives 0 for fewer. */
int read_arguments(napi_env env, napi_callback_info info, size_t count, napi_value *arguments, void **data);
/* Throws and gives 0 for anything but a Uint8Array. */
int read_bytes(napi_env env, napi_value value, Bytes *bytes);
/* Throws and gives 0 for anything but a Uint8Array of this length. */
int read_exactly(napi_env env, napi_value value, size_t length, Bytes *bytes);
/* A Uint8Array of this length to write to, or NULL after throwing. */
unsigned char *read_output(napi_env env, napi_value value, size_t length);

napi_value to_boolean(napi_env env, int value);
/* Throws a TypeError. Gives NULL, which is what a function returns after throwing. */
napi_value refuse(napi_env env, const char *message);
/* A function with data that `free_data` gets when the function is collected. Frees the data itself where that cannot be arranged. */
napi_value to_function(napi_env env, napi_callback callback, void *data, napi_finalize free_data);

#endif
