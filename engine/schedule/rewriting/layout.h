/// Layouts that a step packs a tensor into, as words: a letter per dimension, upper case for the
/// dimension (or what is left of it outside of its blocks), a number and the lower-case letter for
/// a block of it. "ABcd16b16a" is oneDNN's word for weights blocked by input and output channels
/// (dnnl_format_tag_t).
#pragma once

#include <string_view>
#include <vector>

#include "engine/ir/program.h"
#include "engine/support/base/error.h"

namespace tw {

struct PackLayout {
  struct Part {
    size_t dimension = 0;
    int64_t block = 0;  ///< 0: all that lies outside of the blocks
  };
  std::vector<Part> parts;  ///< outermost first
  size_t rank = 0;
};

/// Errors: bad_layout with what is wrong.
Result<PackLayout> parse_layout(std::string_view word, size_t rank);
/// Extents that do not divide are rounded up.
std::vector<int64_t> blocked_shape(PackLayout const& layout, std::vector<int64_t> const& shape);
std::vector<ir::Expr> blocked_indices(PackLayout const& layout,
                                      std::vector<ir::Expr> const& indices);
/// The program with a tensor of constant shape stored in another layout.
ir::Program with_layout(ir::Program program, std::string const& tensor, PackLayout const& layout);

}  // namespace tw
