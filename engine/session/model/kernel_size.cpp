#include "engine/session/model/kernel_size.h"

#include <fmt/format.h>
#include <unistd.h>

namespace tw::session {
namespace {

/// About a minute of a plain nest: nobody waits longer for one comparison.
constexpr int64_t kMostIterations = 60'000'000'000;

/// A quarter of the machine's: what is made here is made on the device again, and for comparisons
/// in double precision, too.
int64_t most_bytes() {
  return int64_t(sysconf(_SC_PHYS_PAGES)) * int64_t(sysconf(_SC_PAGESIZE)) / 4;
}

/// Sums and products that stay at the largest number.
int64_t plus(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}
int64_t times(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

int64_t bytes_of(ir::BufferNode const& buffer) {
  int64_t bytes = tw::size_of(buffer.type);
  for (int64_t extent : ir::constant_shape(buffer).value_or(std::vector<int64_t>{}))
    bytes = times(bytes, extent);
  return bytes;
}

}  // namespace

KernelSize size_of(te::Kernel const& kernel) {
  KernelSize size;
  for (te::Stage const& stage : kernel.stages) {
    int64_t points = 1;
    for (auto const* list : {&stage.axes, &stage.reduce})
      for (te::Axis const& axis : *list) points = times(points, axis.extent);
    size.iterations = plus(size.iterations, points);
    size.bytes = plus(size.bytes, bytes_of(*stage.output));
  }
  for (te::Buffer const& input : kernel.inputs) size.bytes = plus(size.bytes, bytes_of(*input));
  return size;
}

Status verify_size(te::Kernel const& kernel) {
  KernelSize size = size_of(kernel);
  if (size.iterations > kMostIterations)
    return refused(
        "kernel_too_large",
        fmt::format("{} runs {:.3g} iterations; results can only be compared up to {:.3g}",
                    kernel.name, double(size.iterations), double(kMostIterations)));
  int64_t most = most_bytes();
  if (size.bytes > most)
    return refused("kernel_too_large",
                   fmt::format("the tensors of {} need {:.1f} GB; on this machine results can only "
                               "be compared up to {:.1f} GB",
                               kernel.name, double(size.bytes) * 1e-9, double(most) * 1e-9));
  return {};
}

Status verify_memory(std::string const& what, int64_t bytes) {
  int64_t most = most_bytes();
  if (bytes <= most) return {};
  return bad_input(
      "too_much_memory",
      fmt::format("{} need {:.1f} GB; on this machine tensors of up to {:.1f} GB can be run", what,
                  double(bytes) * 1e-9, double(most) * 1e-9));
}

}  // namespace tw::session
