/// What a package is: its files, tensors and steps, as written to model.json. The exporter writes
/// it, the runtime reads it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/hardware/machine_needs.h"
#include "engine/support/base/error.h"
#include "engine/tensor/dtype.h"

namespace tw::package {

/// Since version 2 a step may own bodies, since version 3 steps may run at several places; what has
/// neither is still written as version 1.
inline constexpr int64_t kVersion = 3;

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

/// The same number of bytes from one place to another.
struct Copy {
  Buffer from, to;
  bool operator==(Copy const&) const = default;
};

/// Row `round` of a tensor that is `outer` blocks of all rows, and a place for one of them.
struct Row {
  Buffer all, row;
  int64_t outer = 1;
  bool backward = false;  ///< the last row belongs to the first round
  bool operator==(Row const&) const = default;
};

struct Step;

/// Steps that another step owns, and what is copied after them, in order.
struct Body {
  std::vector<Step> steps;
  std::vector<Copy> copies;
  std::string refuses;  ///< not empty: why it cannot be run; it has no steps then
  bool operator==(Body const& other) const;
};

/// Runs its body while its condition holds, at most `most` times. Buffers that are nothing are
/// absent.
struct Loop {
  Buffer most;                    ///< an i64; absent: no bound
  Buffer number;                  ///< an i64 that gets the round, from 0
  Buffer next;                    ///< a bool that the body makes: whether another round follows
  std::vector<Copy> begin, end;   ///< before the first round, after the last
  std::vector<Row> taken, given;  ///< row by row before a round's steps, and after them
  bool operator==(Loop const&) const = default;
};

enum class StepKind : uint8_t { kKernel, kIf, kLoop, kCopy };

struct Step {
  StepKind kind = StepKind::kKernel;
  std::string symbol;           ///< of a kernel
  std::string makes;            ///< names of the model's values, for people
  std::vector<Buffer> buffers;  ///< of a kernel; of a copy two, from and to
  Buffer condition;             ///< a bool: of an If; of a loop for its first round, or absent
  std::vector<Body> bodies;     ///< of an If two, the first where the condition holds
  Loop loop;
  int place = 0;  ///< where it runs, its bodies, too; of a copy: where to
  int from =
      0;  ///< of a copy: the place that its first buffer lies in; the second one is the place's
  bool operator==(Step const&) const = default;
};

inline bool Body::operator==(Body const& other) const {
  return steps == other.steps && copies == other.copies && refuses == other.refuses;
}

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

struct Target : MachineNeeds {
  std::string name;  ///< of its kind
  bool operator==(Target const&) const = default;
};

/// Where steps run: a processor with its memory and a library for it.
struct Site {
  Target target;
  File library;
  int64_t arena_bytes = 0, workspace_bytes = 0;
  bool operator==(Site const&) const = default;
};

/// Place 0 has the inputs and outputs; every place has the parameters that its steps read.
struct Description : Site {
  std::string name, made_by;
  File parameters;
  std::vector<Site> elsewhere;  ///< places 1, 2, ...
  std::vector<Tensor> inputs, outputs;
  std::vector<Buffer> results;  ///< per output: where it is after a run
  std::vector<Kernel> kernels;
  std::vector<Step> steps;
  bool operator==(Description const&) const = default;

  Site const& site(int place) const { return place == 0 ? *this : elsewhere[size_t(place - 1)]; }
};

/// JSON with a checksum of itself as its last member.
std::string to_text(Description const& description);

/// Every number is checked: buffers lie inside of their regions, names of files are plain ones.
/// Errors: bad_package (what is wrong and where), package_version, damaged_package (the checksum).
Result<Description> parse_description(std::string_view text);

/// Steps inside of steps, too.
void for_each_step(std::vector<Step> const& steps, std::function<void(Step const&)> const& f);

}  // namespace tw::package
