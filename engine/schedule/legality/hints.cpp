#include "engine/schedule/legality/hints.h"

#include "engine/ir/fields.h"
#include "engine/ir/stmt.h"
#include "engine/schedule/names.h"

namespace tw {

using namespace ir;

bool is_hint(Block const& block) {
  return dispatch(*block.body, overloaded{
                                   [](HintNode auto const&) { return true; },
                                   [](auto const&) { return false; },
                               });
}

std::vector<BlockSite> working_blocks(LoopSite const& loop) {
  std::vector<BlockSite> blocks = blocks_under(loop);
  std::erase_if(blocks, [](BlockSite const& site) { return is_hint(*site.block); });
  return blocks;
}

}  // namespace tw
