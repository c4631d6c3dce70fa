/// What a package is: its files, tensors and steps, as written to model.json. The exporter writes
/// it, the runtime reads it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/support/base/error.h"
#include "engine/tensor/dtype.h"

namespace tw::package {

inline constexpr int64_t kVersion = 1;

struct Tensor {
  std::string name;
  DType type = DType::kF32;
  std::vector<int64_t> shape;
  int64_t bytes = 0;  ///< follows from type and shape
  bool operator==(Tensor const&) const = default;
};

enum class Region : uint8_t { kNothing, kInput, kOutput, kParameters, kArena };

/// Where a buffer of a step lies. `at`: of inputs and outputs their number, else bytes from the
/// region's start.
struct Buffer {
  Region region = Region::kNothing;
  int64_t at = 0;
  int64_t bytes = 0;
  bool operator==(Buffer const&) const = default;
};

struct Step {
  std::string symbol;
  std::string makes;  ///< names of the model's values, for people
  std::vector<Buffer> buffers;
  bool operator==(Step const&) const = default;
};

/// For people: what a kernel computes, and the schedule script that made its code.
struct Kernel {
  std::string symbol, operators, script;
  bool operator==(Kernel const&) const = default;
};

struct File {
  std::string name;
  int64_t bytes = 0;
  uint64_t checksum = 0;
  bool operator==(File const&) const = default;
};

struct Target {
  std::string name;                   ///< "cpu"
  std::string architecture;           ///< "x86_64", "aarch64"
  std::string processor;              ///< "znver5", "x86-64-v3"
  std::vector<std::string> features;  ///< that the code needs: "avx2", "fma"
  bool operator==(Target const&) const = default;
};

struct Description {
  std::string name, made_by;
  Target target;
  File library, parameters;
  int64_t arena_bytes = 0, workspace_bytes = 0;
  std::vector<Tensor> inputs, outputs;
  std::vector<Buffer> results;  ///< per output: where it is after a run
  std::vector<Kernel> kernels;
  std::vector<Step> steps;
  bool operator==(Description const&) const = default;
};

/// JSON with a checksum of itself as its last member.
std::string to_text(Description const& description);

/// Every number is checked: buffers lie inside of their regions, names of files are plain ones.
/// Errors: bad_package (what is wrong and where), package_version, damaged_package (the checksum).
Result<Description> parse_description(std::string_view text);

}  // namespace tw::package
