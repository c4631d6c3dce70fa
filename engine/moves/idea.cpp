#include "engine/moves/idea.h"

#include <algorithm>

namespace tw::moves {

int Scene::lanes() const { return std::max(1, hardware.unit().vector_bytes / 4); }

BlockNest const* Scene::writer_of(std::string const& tensor) const {
  auto found = std::ranges::find(nests, tensor, &BlockNest::writes);
  return found == nests.end() ? nullptr : &*found;
}

}  // namespace tw::moves
