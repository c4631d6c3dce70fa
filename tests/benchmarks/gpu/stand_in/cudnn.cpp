// In the place of cuDNN on the stand-in's device, whose memory is this process's: convolutions in
// NCHW as its reference says, so that how they are asked for is judged.
#include <cstddef>

namespace {

/// A tensor's or a filter's extents, or how a convolution goes.
struct Descriptor {
  int of[4] = {};
  int pad = 0, stride = 1, groups = 1, math = 0;
};

Descriptor const& at(void* object) { return *static_cast<Descriptor*>(object); }

int set(void* object, int a, int b, int c, int d) {
  int const values[4] = {a, b, c, d};
  for (int i = 0; i < 4; ++i) static_cast<Descriptor*>(object)->of[i] = values[i];
  return 0;
}

/// cudnnConvolutionFwdAlgoPerf_t.
struct Tried {
  int algorithm, status;
  float milliseconds;
  size_t bytes;
  int determinism, math;
  int reserved[3];
};

struct Place {
  int image, filter, row, column;
};

double element(Descriptor const& x, float const* values, Descriptor const& w, float const* weights,
               Descriptor const& how, Place const& to) {
  double sum = 0;
  int own = w.of[1], first = to.filter / (w.of[0] / how.groups) * own;
  for (int c = 0; c < own; ++c)
    for (int r = 0; r < w.of[2]; ++r)
      for (int s = 0; s < w.of[3]; ++s) {
        int row = to.row * how.stride - how.pad + r, column = to.column * how.stride - how.pad + s;
        if (row < 0 || column < 0 || row >= x.of[2] || column >= x.of[3]) continue;
        ptrdiff_t from =
            ((ptrdiff_t(to.image) * x.of[1] + first + c) * x.of[2] + row) * x.of[3] + column;
        ptrdiff_t weight = ((ptrdiff_t(to.filter) * own + c) * w.of[2] + r) * w.of[3] + s;
        sum += double(values[from]) * double(weights[weight]);
      }
  return sum;
}

}  // namespace

extern "C" {

#define TW_EXPORT __attribute__((visibility("default")))

TW_EXPORT size_t cudnnGetVersion() { return 1; }
TW_EXPORT int cudnnCreate(void** handle) { return *handle = handle, 0; }
TW_EXPORT int cudnnSetStream(void*, void*) { return 0; }
TW_EXPORT int cudnnCreateTensorDescriptor(void** made) { return *made = new Descriptor, 0; }
TW_EXPORT int cudnnCreateFilterDescriptor(void** made) { return *made = new Descriptor, 0; }
TW_EXPORT int cudnnCreateConvolutionDescriptor(void** made) { return *made = new Descriptor, 0; }
TW_EXPORT int cudnnDestroyTensorDescriptor(void* of) {
  return delete static_cast<Descriptor*>(of), 0;
}
TW_EXPORT int cudnnDestroyFilterDescriptor(void* of) { return cudnnDestroyTensorDescriptor(of); }
TW_EXPORT int cudnnDestroyConvolutionDescriptor(void* of) {
  return cudnnDestroyTensorDescriptor(of);
}
TW_EXPORT int cudnnSetTensor4dDescriptor(void* of, int, int, int n, int c, int h, int w) {
  return set(of, n, c, h, w);
}
TW_EXPORT int cudnnSetFilter4dDescriptor(void* of, int, int, int k, int c, int h, int w) {
  return set(of, k, c, h, w);
}
TW_EXPORT int cudnnSetConvolution2dDescriptor(void* of, int pad, int, int stride, int, int, int,
                                              int, int) {
  static_cast<Descriptor*>(of)->pad = pad;
  static_cast<Descriptor*>(of)->stride = stride;
  return 0;
}
TW_EXPORT int cudnnSetConvolutionGroupCount(void* of, int groups) {
  return static_cast<Descriptor*>(of)->groups = groups, 0;
}
TW_EXPORT int cudnnSetConvolutionMathType(void* of, int math) {
  return static_cast<Descriptor*>(of)->math = math, 0;
}
/// The fastest one uses TF32: not to be taken.
TW_EXPORT int cudnnFindConvolutionForwardAlgorithmEx(void*, void*, void const*, void*, void const*,
                                                     void* convolution, void*, void*, int asked,
                                                     int* returned, Tried* tried, void*, size_t) {
  if (asked < 2) return 1;
  tried[0] = {5, 0, 1, 0, 0, 0, {}};
  tried[1] = {1, 0, 2, 0, 0, at(convolution).math, {}};
  return *returned = 2, 0;
}
TW_EXPORT int cudnnConvolutionForward(void*, void const*, void* of_x, void const* x, void* of_w,
                                      void const* w, void* convolution, int algorithm, void*,
                                      size_t, void const*, void* of_y, void* y) {
  Descriptor const& to = at(of_y);
  if (algorithm != 1 || at(convolution).math != 3) return 3;
  auto* made = static_cast<float*>(y);
  for (int n = 0; n < to.of[0]; ++n)
    for (int k = 0; k < to.of[1]; ++k)
      for (int row = 0; row < to.of[2]; ++row)
        for (int column = 0; column < to.of[3]; ++column)
          *made++ =
              float(element(at(of_x), static_cast<float const*>(x), at(of_w),
                            static_cast<float const*>(w), at(convolution), {n, k, row, column}));
  return 0;
}

}  // extern "C"
