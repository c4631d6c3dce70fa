// After the cuDNN library reference, convolutions of f32 in NCHW.
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tests/benchmarks/gpu/runner/peers.h"

namespace tw::gpu_bench {
namespace {

using Object = void*;  // a handle or a descriptor
constexpr int kFloat = 0, kRowMajor = 0, kCrossCorrelation = 1, kFmaMath = 3;
constexpr size_t kWorkspace = size_t(512) << 20;

/// cudnnConvolutionFwdAlgoPerf_t.
struct Tried {
  int algorithm, status;
  float milliseconds;
  size_t bytes;
  int determinism, math;
  int reserved[3];
};

#define TW_CUDNN_FUNCTIONS(F)                                                                      \
  F(cudnnCreate, (Object * handle))                                                                \
  F(cudnnSetStream, (Object handle, cuda::CuStream stream))                                        \
  F(cudnnCreateTensorDescriptor, (Object * made))                                                  \
  F(cudnnSetTensor4dDescriptor, (Object of, int format, int type, int n, int c, int h, int w))     \
  F(cudnnDestroyTensorDescriptor, (Object of))                                                     \
  F(cudnnCreateFilterDescriptor, (Object * made))                                                  \
  F(cudnnSetFilter4dDescriptor, (Object of, int type, int format, int k, int c, int h, int w))     \
  F(cudnnDestroyFilterDescriptor, (Object of))                                                     \
  F(cudnnCreateConvolutionDescriptor, (Object * made))                                             \
  F(cudnnSetConvolution2dDescriptor, (Object of, int pad_h, int pad_w, int stride_h, int stride_w, \
                                      int dilation_h, int dilation_w, int mode, int type))         \
  F(cudnnSetConvolutionGroupCount, (Object of, int groups))                                        \
  F(cudnnSetConvolutionMathType, (Object of, int math))                                            \
  F(cudnnDestroyConvolutionDescriptor, (Object of))                                                \
  F(cudnnFindConvolutionForwardAlgorithmEx,                                                        \
    (Object handle, Object of_x, void const* x, Object of_w, void const* w, Object convolution,    \
     Object of_y, void* y, int asked, int* returned, Tried* tried, void* workspace,                \
     size_t workspace_bytes))                                                                      \
  F(cudnnConvolutionForward,                                                                       \
    (Object handle, void const* alpha, Object of_x, void const* x, Object of_w, void const* w,     \
     Object convolution, int algorithm, void* workspace, size_t workspace_bytes, void const* beta, \
     Object of_y, void* y))

struct Functions {
#define TW_MEMBER(name, parameters) int(*name) parameters = nullptr;
  TW_CUDNN_FUNCTIONS(TW_MEMBER)
#undef TW_MEMBER
  size_t (*cudnnGetVersion)() = nullptr;
};

Status told(char const* what, int code) {
  if (code == 0) return {};
  return environment_failed("device_failed", fmt::format("cuDNN says {} to {}", code, what));
}

void* pointer(Memory const& memory) { return reinterpret_cast<void*>(memory.at()); }

/// The descriptors of one convolution, given back at the end.
class Convolution {
public:
  static Result<std::shared_ptr<Convolution>> create(Functions const& f, Json const& what) {
    auto size = [&](char const* name) { return what.at(name).get<int>(); };
    int image = size("image"), window = size("window"), stride = size("stride");
    int pad = window / 2, side = (image + 2 * pad - window) / stride + 1, groups = size("groups");
    auto made = std::make_shared<Convolution>(f);
    TRY(told("a tensor", f.cudnnCreateTensorDescriptor(&made->x)));
    TRY(told("a tensor", f.cudnnCreateTensorDescriptor(&made->y)));
    TRY(told("a filter", f.cudnnCreateFilterDescriptor(&made->w)));
    TRY(told("a convolution", f.cudnnCreateConvolutionDescriptor(&made->convolution)));
    TRY(told("the input", f.cudnnSetTensor4dDescriptor(made->x, kRowMajor, kFloat, size("batch"),
                                                       size("channels"), image, image)));
    TRY(told("the output", f.cudnnSetTensor4dDescriptor(made->y, kRowMajor, kFloat, size("batch"),
                                                        size("filters"), side, side)));
    TRY(told("the weights",
             f.cudnnSetFilter4dDescriptor(made->w, kFloat, kRowMajor, size("filters"),
                                          size("channels") / groups, window, window)));
    TRY(told("the window",
             f.cudnnSetConvolution2dDescriptor(made->convolution, pad, pad, stride, stride, 1, 1,
                                               kCrossCorrelation, kFloat)));
    TRY(told("groups", f.cudnnSetConvolutionGroupCount(made->convolution, groups)));
    TRY(told("f32 without TF32", f.cudnnSetConvolutionMathType(made->convolution, kFmaMath)));
    return made;
  }
  explicit Convolution(Functions const& functions) : functions_(functions) {}
  Convolution(Convolution const&) = delete;
  Convolution& operator=(Convolution const&) = delete;
  ~Convolution() {
    if (x) functions_.cudnnDestroyTensorDescriptor(x);
    if (y) functions_.cudnnDestroyTensorDescriptor(y);
    if (w) functions_.cudnnDestroyFilterDescriptor(w);
    if (convolution) functions_.cudnnDestroyConvolutionDescriptor(convolution);
  }

  Object x = nullptr, y = nullptr, w = nullptr, convolution = nullptr;

private:
  Functions const& functions_;
};

class Cudnn final : public Peer {
public:
  Cudnn(Functions const& functions, Object handle, Memory workspace)
      : functions_(functions), handle_(handle), workspace_(std::move(workspace)) {}

  std::string name() const override { return "cuDNN"; }
  std::string version() const override { return std::to_string(functions_.cudnnGetVersion()); }

  /// By the algorithm that it measures as its fastest one.
  Result<std::optional<Arm>> arm(Json const& what, ItemTensors const& tensors,
                                 Memory const& output) override {
    if (what.at("op") != "conv") return std::optional<Arm>();
    TRY_ASSIGN(auto of, Convolution::create(functions_, what));
    void *x = pointer(tensors.inputs[0]), *w = pointer(tensors.inputs[1]), *y = pointer(output);
    std::array<Tried, 10> tried{};
    int count = 0;
    TRY(told("trying all algorithms",
             functions_.cudnnFindConvolutionForwardAlgorithmEx(
                 handle_, of->x, x, of->w, w, of->convolution, of->y, y, int(tried.size()), &count,
                 tried.data(), pointer(workspace_), kWorkspace)));
    auto best = std::ranges::find_if(tried.begin(), tried.begin() + count, [](Tried const& one) {
      return one.status == 0 && one.math == kFmaMath;
    });
    if (best == tried.begin() + count)
      return environment_failed("device_failed", "cuDNN has no algorithm for it without TF32");
    TRY(told("the arithmetic", functions_.cudnnSetConvolutionMathType(of->convolution, kFmaMath)));
    Arm arm{.name = name(), .facts = {{"algorithm", best->algorithm}}};
    arm.run = [=, this, algorithm = best->algorithm] {
      return told("a convolution",
                  functions_.cudnnConvolutionForward(
                      handle_, &one_, of->x, x, of->w, w, of->convolution, algorithm,
                      pointer(workspace_), kWorkspace, &zero_, of->y, y));
    };
    return arm;
  }

private:
  Functions functions_;
  Object handle_;
  Memory workspace_;
  float one_ = 1, zero_ = 0;
};

}  // namespace

Result<std::unique_ptr<Peer>> open_cudnn(Device const& device, std::string const& file) {
  std::vector<std::string> names{"libcudnn.so.9", "libcudnn.so.8", "libcudnn.so"};
  if (!file.empty()) names = {file};
  void* library = open_library(names);
  if (!library) return environment_failed("no_such_hardware", "no cuDNN was found");
  Functions found;
#define TW_LOOK_UP(name, parameters)                                            \
  found.name = reinterpret_cast<decltype(found.name)>(::dlsym(library, #name)); \
  if (!found.name) return environment_failed("no_such_hardware", "this cuDNN has no " #name);
  TW_CUDNN_FUNCTIONS(TW_LOOK_UP)
  TW_LOOK_UP(cudnnGetVersion, ())
#undef TW_LOOK_UP
  Object handle = nullptr;
  TRY_ASSIGN(Memory workspace, Memory::create(device, kWorkspace));
  TRY(told("a handle", found.cudnnCreate(&handle)));
  TRY(told("a stream", found.cudnnSetStream(handle, device.stream)));
  return std::make_unique<Cudnn>(found, handle, std::move(workspace));
}

}  // namespace tw::gpu_bench
