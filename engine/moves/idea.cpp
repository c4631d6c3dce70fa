#include "engine/moves/idea.h"

#include <algorithm>

#include "engine/analysis/instructions.h"

namespace tw::moves {

int Scene::lanes(BlockNest const& nest) const {
  int words = hardware.unit().vector_bytes / 4;
  return words < 2 ? 1 : analysis::lanes_of(nest.accesses, words);
}

BlockNest const* Scene::writer_of(std::string const& tensor) const {
  auto found = std::ranges::find(nests, tensor, &BlockNest::writes);
  return found == nests.end() ? nullptr : &*found;
}

}  // namespace tw::moves
