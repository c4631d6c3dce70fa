/// Layouts that a step packs a tensor into, as words: a letter per dimension, upper case for the
/// dimension (or what is left of it outside of its blocks), a number and the lower-case letter for
/// a block of it. "ABcd16b16a" is oneDNN's word for weights blocked by input and output channels
/// (dnnl_format_tag_t).
#pragma once

#include <string_view>

#include "engine/ir/program.h"
#include "engine/tensor/layout.h"

namespace tw {

/// Errors: bad_layout with what is wrong.
Result<Layout> parse_layout(std::string_view word, size_t rank);
/// Where an element lies as stored.
std::vector<ir::Expr> blocked_indices(Layout const& layout, std::vector<ir::Expr> const& indices);
/// The program with a tensor of constant shape stored in another layout.
ir::Program with_layout(ir::Program program, std::string const& tensor, Layout const& layout);

/// A nest that copies a tensor that is stored in a layout, whole blocks only, to a plain one: a
/// loop and an iterator for each dimension as stored.
ir::Stmt blocked_copy_nest(ir::Buffer const& stored, ir::Buffer const& plain, Layout const& layout,
                           ir::Program& program);

}  // namespace tw
