/// What one node of a file becomes in our words.
#pragma once

#include <set>

#include "engine/graph/operator.h"
#include "engine/importers/converter.h"

namespace tw {

struct Conversion {
  Operator const* op = nullptr;  ///< null: nothing here runs the node, and `reason` says why
  Converted words;               ///< of `op`, unless it is dynamic
  bool dynamic = false;  ///< only the operands' elements tell `words`; see dynamic_converter.h
  std::string reason;    ///< why there is no `op`, or why it is dynamic

  /// Values that the node makes at once; the file may have names for more.
  size_t outputs(ForeignNode const& node) const {
    return dynamic ? node.outputs.size() : words.outputs;
  }
};

/// `rule`: that of the format for the node's name, null when there is none. `read`: the names that
/// somebody reads. A node whose other outputs are read, and which we do not make, is not converted.
Conversion conversion_of(ForeignContext const& context, Converters const& rules,
                         Converter const* rule, std::set<std::string> const& read);

}  // namespace tw
