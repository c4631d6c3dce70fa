// In the place of cuBLAS on the stand-in's device, whose memory is this process's: column-major
// products as its reference says, so that how they are asked for is judged.
#include <cstddef>
#include <cstdlib>
#include <string>

namespace {

/// What the environment says that it is to do wrong.
bool is_to(char const* what) {
  char const* value = std::getenv("TW_STAND_IN_CUBLAS");
  return value && std::string(value) == what;
}

/// Element (i, j) of what a product takes of a column-major matrix.
float element(float const* matrix, int columns_apart, bool transposed, int i, int j) {
  return transposed ? matrix[j + ptrdiff_t(i) * columns_apart]
                    : matrix[i + ptrdiff_t(j) * columns_apart];
}

}  // namespace

extern "C" {

#define TW_EXPORT __attribute__((visibility("default")))

TW_EXPORT int cublasCreate_v2(void** handle) { return *handle = handle, 0; }
TW_EXPORT int cublasGetVersion_v2(void*, int* version) { return *version = 1, 0; }
TW_EXPORT int cublasSetStream_v2(void*, void*) { return 0; }
TW_EXPORT int cublasSetMathMode(void*, int mode) { return mode; }
TW_EXPORT int cublasSetWorkspace_v2(void*, void*, size_t) { return 0; }

TW_EXPORT int cublasSgemm_v2(void*, int of_a, int of_b, int m, int n, int k, float const* alpha,
                             float const* a, int lda, float const* b, int ldb, float const* beta,
                             float* c, int ldc) {
  if (is_to("crash")) std::abort();
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) {
      double sum = 0;
      for (int l = 0; l < k; ++l)
        sum += double(element(a, lda, of_a != 0, i, l)) * double(element(b, ldb, of_b != 0, l, j));
      float& made = c[i + ptrdiff_t(j) * ldc];
      made = float(double(*alpha) * sum + (*beta == 0 ? 0 : double(*beta) * double(made)));
    }
  if (is_to("wrong")) c[0] += 1;
  return 0;
}
TW_EXPORT int cublasSgemmStridedBatched(void* handle, int of_a, int of_b, int m, int n, int k,
                                        float const* alpha, float const* a, int lda,
                                        long long stride_a, float const* b, int ldb,
                                        long long stride_b, float const* beta, float* c, int ldc,
                                        long long stride_c, int batch) {
  for (int i = 0; i < batch; ++i)
    cublasSgemm_v2(handle, of_a, of_b, m, n, k, alpha, a + i * stride_a, lda, b + i * stride_b, ldb,
                   beta, c + i * stride_c, ldc);
  return 0;
}
TW_EXPORT int cublasSgemv_v2(void* handle, int of_a, int m, int n, float const* alpha,
                             float const* a, int lda, float const* x, int, float const* beta,
                             float* y, int) {
  int rows = of_a != 0 ? n : m, terms = of_a != 0 ? m : n;
  return cublasSgemm_v2(handle, of_a, 0, rows, 1, terms, alpha, a, lda, x, terms, beta, y, rows);
}

}  // extern "C"
