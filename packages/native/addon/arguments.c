#include "arguments.h"

napi_value throw_type_error(napi_env env, const char *message) {
  napi_throw_type_error(env, NULL, message);
  return NULL;
}

int read_arguments(napi_env env, napi_callback_info info, size_t count, napi_value *arguments, void **data) {
  size_t available = count;
  if (napi_get_cb_info(env, info, &available, arguments, NULL, data) == napi_ok && available >= count) return 1;
  throw_type_error(env, "missing argument");
  return 0;
}

int read_bytes(napi_env env, napi_value value, Bytes *bytes) {
  napi_typedarray_type type;
  void *data = NULL;
  /* The call fails without throwing if the value is not a typed array. A detached array has no data and no length. */
  if (napi_get_typedarray_info(env, value, &type, &bytes->length, &data, NULL, NULL) == napi_ok && type == napi_uint8_array) {
    bytes->data = data;
    if (data == NULL) bytes->length = 0;
    return 1;
  }
  throw_type_error(env, "expected a Uint8Array");
  return 0;
}

int read_exactly(napi_env env, napi_value value, size_t length, Bytes *bytes) {
  if (!read_bytes(env, value, bytes)) return 0;
  if (bytes->length == length) return 1;
  throw_type_error(env, "wrong length of a Uint8Array");
  return 0;
}

unsigned char *read_output(napi_env env, napi_value value, size_t length) {
  Bytes bytes;
  return read_exactly(env, value, length, &bytes) ? (unsigned char *)bytes.data : NULL;
}

napi_value to_boolean(napi_env env, int value) {
  napi_value result = NULL;
  napi_get_boolean(env, value != 0, &result);
  return result;
}

napi_value to_function(napi_env env, napi_callback callback, void *data, napi_finalize free_data) {
  napi_value function;
  if (napi_create_function(env, NULL, 0, callback, data, &function) == napi_ok &&
      napi_add_finalizer(env, function, data, free_data, NULL, NULL) == napi_ok)
    return function;
  free_data(env, data, NULL);
  return throw_type_error(env, "out of memory");
}
