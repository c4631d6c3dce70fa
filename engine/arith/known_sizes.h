/// Sizes that are chosen when a kernel is called, and what they make of it once they are known.
#pragma once

#include <map>
#include <vector>

#include "engine/arith/simplify.h"
#include "engine/ir/program.h"
#include "engine/ir/rewrite.h"

namespace tw::arith {

/// What sizes may take together, so that anything can be decided for each value by itself.
inline constexpr int64_t kMostSizeValues = 128;

/// How many values sizes take together; more than `kMostSizeValues` count as one more than that.
int64_t size_value_count(std::vector<ir::SizeParam> const& sizes);
/// All of them; the first size changes slowest.
std::vector<std::vector<int64_t>> all_size_values(std::vector<ir::SizeParam> const& sizes);

/// The values that each may take.
Ranges ranges_of(std::vector<ir::SizeParam> const& sizes);

/// Puts values in the place of sizes, in expressions, extents and shapes of tensors. Where that
/// leaves constants only they are folded; all else is kept as it is, as the same nodes.
class KnownSizes : public ir::Rewriter {
public:
  KnownSizes(std::vector<ir::SizeParam> const& sizes, std::vector<int64_t> const& values);
  ir::Expr visit(ir::Expr const& e) override;
  ir::Stmt visit(ir::Stmt const& s) override;
  ir::Buffer tensor(ir::Buffer const& buffer);

private:
  ir::Substitution values_;
  std::map<ir::Buffer, ir::Buffer> tensors_;  // those that differ
};

}  // namespace tw::arith
