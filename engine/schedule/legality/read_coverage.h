/// Whether readers keep to the elements that a block makes: a tensor with a layout or room at the
/// ends of its rows has others, and an instance that does not exist cannot be computed in place of
/// a read.
#pragma once

#include <expected>

#include "engine/schedule/legality/stages.h"

namespace tw {

/// `block` is the tensor's only writer, and its instances show in the elements (`iterators_at`).
std::expected<void, Refusal> reads_made_elements(ir::BlockSite const& block,
                                                 std::vector<ir::BlockSite> const& readers,
                                                 std::string const& verb, ProofBudget budget);

}  // namespace tw
