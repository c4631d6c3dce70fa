/// The rules of ONNX: a file of `rules` says how some of its operators become ours.
#pragma once

#include "engine/importers/rule_words.h"

namespace tw {

/// `onnx_FILE()` of every file of `rules`. Written by the build.
std::span<ConverterList const* const> onnx_converter_lists();
Converters const& onnx_converters();

namespace rules {

/// The element type by ONNX's number for it; empty: one that we have no name for.
std::optional<DType> onnx_dtype(int64_t number);
/// Before opset 7 operands were broadcast on demand: what numpy's rule cannot say is refused.
Status check_old_broadcast(ForeignContext const& context);
/// Keeps two operands, if they are broadcast as numpy does.
Result<Converted> keep_two(ForeignContext const& context);

}  // namespace rules
}  // namespace tw
