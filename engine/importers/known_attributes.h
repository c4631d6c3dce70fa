/// What a foreign node asks for that its rule does not know: it must not be ignored.
#pragma once

#include "engine/importers/converter.h"

namespace tw {

/// "the attribute antialias of Resize is 1, 0 is understood", or empty: the table has every
/// attribute of the node in this opset, with this value.
std::string unknown_attribute(std::span<KnownAttribute const> table, ForeignNode const& node,
                              int64_t opset);
/// The version of the format's own operators that the model is written in, where it says so.
std::optional<int64_t> own_opset(ImportedModel const& model, Converters const& rules);
/// That the file is newer than the rules, or empty.
std::string newer_opset(ImportedModel const& model, Converters const& rules);

}  // namespace tw
