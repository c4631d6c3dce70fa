/// What a foreign node asks for that its operator does not know: it must not be ignored.
#pragma once

#include "engine/graph/operator.h"

namespace tw {

/// The newest version of ONNX's own operators whose attributes are in the tables.
inline constexpr int64_t kNewestOpset = 28;

/// "the attribute antialias of Resize is 1, 0 is understood", or empty: the table has every
/// attribute of the node in this opset, with this value.
std::string unknown_attribute(std::span<OnnxAttribute const> table, ForeignNode const& node,
                              int64_t opset);
/// That the file is newer than the tables, or empty.
std::string newer_opset(ForeignModel const& model);

}  // namespace tw
