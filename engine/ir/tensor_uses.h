/// What a device function does with its tensors.
#pragma once

#include <set>
#include <string>

#include "engine/ir/rewrite.h"

namespace tw::ir {

struct TensorUses {
  std::set<std::string> read, written;

  /// One thread may read what another one wrote before a barrier. No compiler may be told that
  /// nobody else reaches such a tensor: it would take what it read for what is there after the
  /// barrier.
  bool is_exchanged(std::string const& tensor) const {
    return read.contains(tensor) && written.contains(tensor);
  }
};

inline TensorUses tensor_uses(Stmt const& body) {
  TensorUses uses;
  walk_reads(body, [&](Touched const& at) { uses.read.insert(at.buffer->name); });
  walk_writes(body, [&](Touched const& at) { uses.written.insert(at.buffer->name); });
  return uses;
}

}  // namespace tw::ir
