/// Sums over a tensor with padding: what is added of the padding is left out, and the tensor is not
/// made.
#pragma once

#include <vector>

#include "targets/cpu/compiler/rules/tile.h"

namespace tw {

/// The stage that puts padding around what `stage`, and no other one, reads; null: there is none.
RuleStage const* padding_of(RuleStage const& stage, std::vector<RuleStage> const& stages);

/// Reads the tensor without padding, where whether a term is padding does not differ from lane to
/// lane of the tile.
void skip_padding(Building& building, RuleStage const& stage, Tile const& tile);

}  // namespace tw
