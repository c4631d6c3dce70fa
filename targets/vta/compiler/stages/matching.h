/// One statement in its nest as calls: a copy, a product, a sum that begins, what is computed
/// element by element.
#pragma once

#include "targets/vta/compiler/stages/nest.h"
#include "targets/vta/compiler/stages/places.h"
#include "targets/vta/compiler/stages/stage.h"

namespace tw::vta {

struct MatchContext {
  Configuration const& configuration;
  Indices& indices;
  Places const& places;
  Standing const& standing;
};

/// Errors: vta_index, vta_guard, vta_element, vta_transfer, vta_expression, vta_place; each names
/// the loop, tensor or expression that does not fit, and what would.
Result<std::vector<StageCall>> calls_of(Chain const& chain, MatchContext const& context);

/// The two halves of it. A copy or what is computed:
Result<std::vector<StageCall>> calls_of_store(ir::Store const& store,
                                              std::vector<RunningLoop> const& loops,
                                              MatchContext const& context);
/// A product of elements:
Result<std::vector<StageCall>> calls_of_product(ir::IntrinsicCall const& call,
                                                std::vector<RunningLoop> const& loops,
                                                MatchContext const& context);

/// The elements base + sum of factors * loops as intervals, whole ones where they lie side by side;
/// a single one around all where they would be very many.
std::vector<Touched> elements_touched(Memory memory, int64_t base,
                                      std::vector<std::pair<int64_t, int64_t>> const& loops,
                                      bool write);

}  // namespace tw::vta
