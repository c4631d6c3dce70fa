// After the cuBLAS library reference. Its matrices are column-major: ours are its transposed ones,
// and C = A B is C' = B' A'.
#include <dlfcn.h>
#include <fmt/format.h>

#include "tests/benchmarks/gpu/runner/peers.h"

namespace tw::gpu_bench {
namespace {

using Handle = struct CublasOfLibrary*;
constexpr int kAsItIs = 0, kTransposed = 1;  // of cublasOperation_t
constexpr int kDefaultMath = 0;              // of cublasMath_t: f32 without TF32
constexpr size_t kWorkspace = size_t(32) << 20;

#define TW_CUBLAS_FUNCTIONS(F)                                                                   \
  F(cublasCreate_v2, (Handle * handle))                                                          \
  F(cublasGetVersion_v2, (Handle handle, int* version))                                          \
  F(cublasSetStream_v2, (Handle handle, cuda::CuStream stream))                                  \
  F(cublasSetMathMode, (Handle handle, int mode))                                                \
  F(cublasSetWorkspace_v2, (Handle handle, void* memory, size_t bytes))                          \
  F(cublasSgemm_v2,                                                                              \
    (Handle handle, int of_a, int of_b, int m, int n, int k, float const* alpha, void const* a,  \
     int lda, void const* b, int ldb, float const* beta, void* c, int ldc))                      \
  F(cublasSgemmStridedBatched,                                                                   \
    (Handle handle, int of_a, int of_b, int m, int n, int k, float const* alpha, void const* a,  \
     int lda, long long stride_a, void const* b, int ldb, long long stride_b, float const* beta, \
     void* c, int ldc, long long stride_c, int batch))                                           \
  F(cublasSgemv_v2, (Handle handle, int of_a, int m, int n, float const* alpha, void const* a,   \
                     int lda, void const* x, int step_x, float const* beta, void* y, int step_y))

struct Functions {
#define TW_MEMBER(name, parameters) int(*name) parameters = nullptr;
  TW_CUBLAS_FUNCTIONS(TW_MEMBER)
#undef TW_MEMBER
};

Status told(int code) {
  if (code == 0) return {};
  return environment_failed("device_failed", fmt::format("cuBLAS says {}", code));
}

void* pointer(Memory const& memory) { return reinterpret_cast<void*>(memory.at()); }

class Cublas final : public Peer {
public:
  Cublas(Functions const& functions, Handle handle, Memory workspace)
      : functions_(functions), handle_(handle), workspace_(std::move(workspace)) {}

  std::string name() const override { return "cuBLAS"; }
  std::string version() const override {
    int version = 0;
    functions_.cublasGetVersion_v2(handle_, &version);
    return std::to_string(version);
  }

  Result<std::optional<Arm>> arm(Json const& what, ItemTensors const& tensors,
                                 Memory const& output) override {
    auto size = [&](char const* name) { return what.at(name).get<int>(); };
    void *a = pointer(tensors.inputs[0]), *c = pointer(output);
    void* b = tensors.inputs.size() > 1 ? pointer(tensors.inputs[1]) : nullptr;
    std::string op = what.at("op");
    Arm arm{.name = name()};
    if (op == "matmul")
      arm.run = [=, this, n = size("n"), m = size("m"), k = size("k")] {
        return told(functions_.cublasSgemm_v2(handle_, kAsItIs, kAsItIs, m, n, k, &one_, b, m, a, k,
                                              &zero_, c, m));
      };
    if (op == "batched_matmul")
      arm.run = [=, this, n = size("n"), batch = size("batch")] {
        long long stride = static_cast<long long>(n) * n;
        return told(functions_.cublasSgemmStridedBatched(handle_, kAsItIs, kAsItIs, n, n, n, &one_,
                                                         b, n, stride, a, n, stride, &zero_, c, n,
                                                         stride, batch));
      };
    if (op == "matrix_vector")
      arm.run = [=, this, n = size("n")] {
        return told(
            functions_.cublasSgemv_v2(handle_, kTransposed, n, n, &one_, a, n, b, 1, &zero_, c, 1));
      };
    if (!arm.run) return std::optional<Arm>();
    return arm;
  }

private:
  Functions functions_;
  Handle handle_;
  Memory workspace_;
  float one_ = 1, zero_ = 0;
};

}  // namespace

void* open_library(std::vector<std::string> const& names) {
  for (std::string const& name : names)
    if (void* library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  return nullptr;
}

Result<std::unique_ptr<Peer>> open_cublas(Device const& device, std::string const& file) {
  std::vector<std::string> names{"libcublas.so.13", "libcublas.so.12", "libcublas.so.11",
                                 "libcublas.so"};
  if (!file.empty()) names = {file};
  void* library = open_library(names);
  if (!library) return environment_failed("no_such_hardware", "no cuBLAS was found");
  Functions found;
#define TW_LOOK_UP(name, parameters)                                            \
  found.name = reinterpret_cast<decltype(found.name)>(::dlsym(library, #name)); \
  if (!found.name) return environment_failed("no_such_hardware", "this cuBLAS has no " #name);
  TW_CUBLAS_FUNCTIONS(TW_LOOK_UP)
#undef TW_LOOK_UP
  Handle handle = nullptr;
  TRY_ASSIGN(Memory workspace, Memory::create(device, kWorkspace));
  TRY(told(found.cublasCreate_v2(&handle)));
  TRY(told(found.cublasSetStream_v2(handle, device.stream)));
  TRY(told(found.cublasSetMathMode(handle, kDefaultMath)));
  TRY(told(found.cublasSetWorkspace_v2(handle, pointer(workspace), kWorkspace)));
  return std::make_unique<Cublas>(found, handle, std::move(workspace));
}

}  // namespace tw::gpu_bench
