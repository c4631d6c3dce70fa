/// What an index is made of.
#pragma once

#include <set>
#include <string>

#include "engine/ir/expr.h"
#include "engine/ir/rewrite.h"

namespace tw::gpu {

inline std::set<std::string> variables_of(ir::Expr const& e) {
  std::set<std::string> names;
  ir::walk(e, [&](ir::Expr const& one) {
    if (auto const* used = one.as<ir::Variable>()) names.insert(used->name);
    return true;
  });
  return names;
}

inline bool reads_tensor(ir::Expr const& e) {
  bool reads = false;
  ir::walk(e, [&](ir::Expr const& one) { return reads = reads || one.as<ir::Load>(), !reads; });
  return reads;
}

}  // namespace tw::gpu
