/// What one node of a file becomes in our words.
#pragma once

#include <set>

#include "engine/graph/operator.h"

namespace tw {

struct Conversion {
  Operator const* op = nullptr;  ///< null: nothing here runs the node, and `reason` says why
  Converted words;               ///< of `op`, unless it is late
  bool late = false;             ///< only the operands' elements tell `words`; see graph/late.h
  std::string reason;            ///< why there is no `op`, or why it is late

  /// Values that the node makes at once; the file may have names for more.
  size_t outputs(ForeignNode const& node) const {
    return late ? node.outputs.size() : words.outputs;
  }
};

/// `op`: the operator of ONNX with the node's name, null when there is none. `read`: the names that
/// somebody reads. A node whose other outputs are read, and which we do not make, is not converted.
Conversion conversion_of(ForeignContext const& context, Operator const* op,
                         std::set<std::string> const& read);

}  // namespace tw
