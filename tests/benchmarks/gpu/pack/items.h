/// What is timed on a GPU: kernels as text, and what peers need to know to do the same.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tw::gpu_bench {

struct TimedItem {
  std::string name;
  std::string text;  ///< "kernel NAME(...) -> ..."
  nlohmann::json
      peer;  ///< {"op": "matmul", "n": ...}; f32, row-major, inputs in the kernel's order
};

enum class Sizes : uint8_t {
  kFull,
  kSmall  ///< for a test of the whole way on a stand-in
};
std::vector<TimedItem> timed_items(Sizes sizes);

}  // namespace tw::gpu_bench
