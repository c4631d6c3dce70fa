/* Runs a model that Tilewright exported. Plain C, no compiler needed at run time.
 *
 *   TwModel* model = tw_load("folder", 0);
 *   memcpy(tw_input_data(model, 0), pixels, tw_input(model, 0)->bytes);
 *   if (tw_run(model) != 0) fail(tw_error());
 *   use(tw_output_data(model, 0));
 *   tw_free(model);
 *
 * A model is used by one thread at a time; different models by different threads as one likes.
 * Nothing here ends the process or throws: failure is a null pointer or a code other than 0, and
 * tw_error() says in one sentence what was wrong. */
#ifndef TILEWRIGHT_H
#define TILEWRIGHT_H

#include <stdint.h>

#define TW_API_VERSION 1

#if defined(__GNUC__)
#define TW_API __attribute__((visibility("default")))
#else
#define TW_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TwModel TwModel;

/* Element types, little-endian; TW_F16 and TW_BF16 are two bytes each, TW_BOOL one (0 or 1). */
typedef enum TwType {
  TW_F32,
  TW_F64,
  TW_F16,
  TW_BF16,
  TW_I8,
  TW_U8,
  TW_I16,
  TW_U16,
  TW_I32,
  TW_U32,
  TW_I64,
  TW_U64,
  TW_BOOL
} TwType;

/* A dense row-major tensor. What the pointers point to lives as long as the model. */
typedef struct TwTensor {
  char const* name;
  char const* type_name; /* "f32" */
  int32_t type;          /* TwType */
  int32_t rank;
  int64_t const* shape;
  int64_t bytes;
} TwTensor;

/* TW_API_VERSION of the library: the same number as this header's, or do not use it. */
TW_API int32_t tw_api_version(void);

/* Loads the package in `folder`: its files are checked, its code is loaded, its parameters are read
 * into memory. `threads`: how many work in tw_run, 0 = one per core that the process may use. With
 * more than one, tw_run keeps each on a core of its own while it runs. Null on failure. */
TW_API TwModel* tw_load(char const* folder, int32_t threads);
TW_API void tw_free(TwModel* model); /* null: nothing */

/* What failed last in this thread; "" before anything did. */
TW_API char const* tw_error(void);

TW_API char const* tw_name(TwModel const* model);
TW_API int32_t tw_threads(TwModel const* model);
TW_API int32_t tw_input_count(TwModel const* model);
TW_API int32_t tw_output_count(TwModel const* model);
/* Null where there is no tensor of this number. */
TW_API TwTensor const* tw_input(TwModel const* model, int32_t index);
TW_API TwTensor const* tw_output(TwModel const* model, int32_t index);

/* The model's own memory for a tensor, aligned to 64 bytes: inputs are written there before tw_run
 * and keep their content, outputs are read there after it and hold until the next. */
TW_API void* tw_input_data(TwModel* model, int32_t index);
TW_API void const* tw_output_data(TwModel const* model, int32_t index);

/* 0 when done. */
TW_API int32_t tw_run(TwModel* model);

/* Element `index` of `data` as a number, whatever its TwType. */
TW_API double tw_value(void const* data, int32_t type, int64_t index);

#ifdef __cplusplus
}
#endif
#endif
