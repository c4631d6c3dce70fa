/// Lines for the bodies of functions that normalize a tensor x.
#pragma once

#include "engine/importers/onnx/converters.h"

namespace tw::rules {

/// "wide": x in the type that means are taken in.
std::string wide_line(ForeignContext const& context);
/// Refuses an x of unknown rank.
Status expect_rank(ForeignContext const& context);
/// Refuses what keeps a mean in another type than "wide" has.
Status expect_plain_stash(ForeignContext const& context);
/// "axes": from the node's attribute `axis` to the last one. Errors: wrong_shapes.
Result<std::string> last_axes_line(ForeignContext const& context);
/// "mean", "rest" and "variance" of the tensor `of` along "axes".
std::string variance_lines(std::string const& of);
/// "root" of the value `of` and the node's epsilon.
std::string root_lines(ForeignContext const& context, std::string const& of);

}  // namespace tw::rules
