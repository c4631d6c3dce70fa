/// From programs that differ in numbers only, each for other values of sizes, the one program that
/// has expressions of the sizes in their place.
#pragma once

#include <optional>
#include <vector>

#include "engine/ir/program.h"

namespace tw {

/// A program, and the values of the sizes that it was made for.
struct Instance {
  std::vector<int64_t> values;
  ir::Program program;
};

/// What most of the instances that look alike are instances of: `like` is one of them, whose loops
/// and blocks it has. Numbers that differ are sums of a size, or of an expression of sizes that
/// `open` has, and a constant. Empty: some number is nothing of the kind. Instances that look
/// otherwise, where some value makes a simpler program, are for the caller to compare.
struct Generalized {
  ir::Program program;
  size_t like = 0;
};
std::optional<Generalized> generalized(ir::Program const& open,
                                       std::vector<Instance> const& instances);

}  // namespace tw
