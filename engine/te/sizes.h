/// Kernels with sizes: extents that are chosen when the kernel is called. Everybody who knows
/// numbers only sees the kernel with the values that are shown of them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/support/base/error.h"
#include "engine/te/te.h"

namespace tw::te {

/// The greatest value of a size.
inline constexpr int64_t kMostSize = int64_t(1) << 20;
/// What is wrong with a range that is not from 1 on, empty, or too far.
std::string range_text(Size const& size);

/// The extent as an expression of the kernel's sizes.
Expr extent_of(Axis const& axis);
/// What sizes may be in extents: sums of them and of numbers. Empty: it is something else.
std::optional<Expr> affine_extent(Expr const& e);

std::vector<ir::SizeParam> ranges_of(Kernel const& kernel);
std::vector<int64_t> shown_values(Kernel const& kernel);

/// The kernel as if the values had stood in its text: it has no sizes.
Kernel with_values(Kernel const& kernel, std::vector<int64_t> const& values);
/// With the values that are shown; the kernel itself where it has no sizes.
Kernel shown(Kernel const& kernel);
/// The same kernel, which shows other values. Errors: no_such_size; size_out_of_range.
Result<Kernel> showing(Kernel kernel, std::map<std::string, int64_t> const& values);

/// Sizes have ranges that start at 1 and take few enough values together, each is the extent of
/// some input or output, and the kernel is valid with every value. Of a kernel that has some.
Status verify_sizes(Kernel const& kernel);

/// The program whose extents are open. `to_program` is that with the values that are shown.
Result<ir::Program> to_open_program(Kernel const& kernel);

}  // namespace tw::te
