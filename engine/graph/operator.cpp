#include "engine/graph/operator.h"

#include <array>

namespace tw {

std::string_view to_text(Fusion fusion) {
  constexpr std::array<std::string_view, 4> kNames{"injective", "reduction", "complex-out-fusable",
                                                   "opaque"};
  return kNames[size_t(fusion)];
}

Operator const* find_operator(std::string_view name) {
  for (Operator const* op : operator_table())
    if (op->name == name) return op;
  return nullptr;
}

}  // namespace tw
