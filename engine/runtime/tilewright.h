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
#define TW_API_REVISION 1 /* 1: the functions with DLPack's tensors */

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
 * into memory; loads of the same folder share them. `threads`: how many work in tw_run, 0 = one per
 * core that the process may use. With more than one, threads - 1 are started here; each keeps to a
 * core, and so does the caller while it is in tw_run; other models of the process get other cores
 * where there are more. Null on failure. */
TW_API TwModel* tw_load(char const* folder, int32_t threads);
/* Ends its threads. Once every model is freed, and every tensor of tw_input_tensor and
 * tw_output_tensor given back, the library can be unloaded. Null: nothing. */
TW_API void tw_free(TwModel* model);

/* What failed last in this thread; "" before anything did. */
TW_API char const* tw_error(void);

TW_API char const* tw_name(TwModel const* model);
TW_API int32_t tw_threads(TwModel const* model);
TW_API int32_t tw_input_count(TwModel const* model);
TW_API int32_t tw_output_count(TwModel const* model);
/* Null where there is no tensor of this number. */
TW_API TwTensor const* tw_input(TwModel const* model, int32_t index);
TW_API TwTensor const* tw_output(TwModel const* model, int32_t index);

/* The memory of a tensor, the model's own aligned to 64 bytes: inputs are written there before
 * tw_run and keep their content, outputs are read there after it and hold until the next. */
TW_API void* tw_input_data(TwModel* model, int32_t index);
TW_API void const* tw_output_data(TwModel const* model, int32_t index);

/* The caller's own memory in its place, by DLPack (dlpack.h has the struct): dense, row-major, in
 * the processor's memory, of exactly the tensor's type and shape, and no two of them overlap.
 * From now on tw_run reads the input there, writes the output there; nothing is copied (but for an
 * output that is an input or a constant). The model takes the tensor over and calls its deleter
 * when another one, or null (the model's own memory again), is given, or the model is freed.
 * 0 when done; else nothing has changed, and the tensor is still the caller's. */
struct DLManagedTensor;
TW_API int32_t tw_use_input(TwModel* model, int32_t index, struct DLManagedTensor* tensor);
TW_API int32_t tw_use_output(TwModel* model, int32_t index, struct DLManagedTensor* tensor);
/* The memory that the model uses for a tensor now, for others: whoever gets it calls its deleter,
 * until then the memory stays, even when the model is freed. Null on failure. */
TW_API struct DLManagedTensor* tw_input_tensor(TwModel* model, int32_t index);
TW_API struct DLManagedTensor* tw_output_tensor(TwModel* model, int32_t index);

/* 0 when done. */
TW_API int32_t tw_run(TwModel* model);

/* Element `index` of `data` as a number, whatever its TwType. */
TW_API double tw_value(void const* data, int32_t type, int64_t index);

#ifdef __cplusplus
}
#endif
#endif
