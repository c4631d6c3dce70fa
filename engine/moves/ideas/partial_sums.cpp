// A sum along elements that lie side by side: as many partial sums as a vector has lanes, which are
// added up at the end.
#include <fmt/format.h>

#include <algorithm>

#include "engine/moves/idea.h"
#include "engine/schedule/names.h"

namespace tw::moves::idea_partial_sums {
namespace {

constexpr int64_t kFewRows = 8;  // sums side by side hide the latency of each

/// A vector of partial sums lies side by side: "BA", "BCA".
std::string first_axis_last(size_t rank) {
  std::string layout;
  for (size_t axis = 1; axis < rank; ++axis) layout += char('A' + axis);
  return layout + 'A';
}

/// The partial sums' nest: lanes inside, `rows` of the last loop over results as copies, and the
/// loops that add around both.
void shape(Draft& draft, BlockNest const& partial, ir::LoopId lanes, int64_t rows) {
  auto is_result = [&](NestLoop const& loop) { return !loop.reduces && loop.id != lanes; };
  auto last = std::ranges::find_if(partial.loops.rbegin(), partial.loops.rend(), is_result);
  std::vector<ir::LoopId> order, sums, copies;
  for (NestLoop const& loop : partial.loops) {
    if (loop.id == lanes) continue;
    bool copied =
        last != partial.loops.rend() && loop.id == last->id && rows > 1 && loop.extent > 1;
    auto [outer, inner] =
        copied ? draft.split(loop.id, std::min(rows, loop.extent)) : std::pair(loop.id, loop.id);
    if (copied) copies.push_back(inner);
    if (!copied || outer != inner) (loop.reduces ? sums : order).push_back(outer);
  }
  order.insert(order.end(), sums.begin(), sums.end());
  order.insert(order.end(), copies.begin(), copies.end());
  order.push_back(lanes);
  draft.reorder(order).at("vectorize", lanes);
  for (ir::LoopId copy : copies) draft.at("unroll", copy);
}

void offer_sums(Scene const& scene, BlockNest const& nest, NestLoop const& loop, int64_t rows,
                Offering const& offering) {
  Draft draft(scene.schedule);
  ir::LoopId lanes = draft.split(loop.id, scene.lanes(nest)).second;
  ir::Program const before = draft.schedule().program();
  draft.at("rfactor", lanes);
  if (!draft.possible()) return;
  std::string made = added_block(before, draft.schedule().program());
  if (auto partial = nest_of(draft.schedule().program(), made)) {
    auto is_lanes = [](NestLoop const& one) { return one.reads_neighbours && !one.reduces; };
    auto site = std::ranges::find_if(partial->loops, is_lanes);
    size_t rank = 1 + size_t(std::ranges::count(nest.loops, false, &NestLoop::reduces));
    if (site != partial->loops.end()) shape(draft, *partial, site->id, rows);
    if (site != partial->loops.end() && rank > 1)
      draft.step("transform_layout", {made}, {{"layout", first_axis_last(rank)}});
  }
  offering({std::move(draft), nest.block,
            fmt::format("{} partial sums along {}", scene.lanes(nest), loop.name)});
}

void offer(Scene const& scene, Offering const& offering) {
  for (BlockNest const& nest : scene.nests) {
    if (!nest.sums || nest.marked() || scene.lanes(nest) < 2) continue;
    for (NestLoop const& loop : nest.loops)
      if (loop.reduces && loop.reads_neighbours && loop.extent >= 2 * scene.lanes(nest))
        for (int64_t rows : {int64_t(1), kFewRows}) offer_sums(scene, nest, loop, rows, offering);
  }
}

}  // namespace

Idea const& row() {
  static Idea const idea{.name = "partial_sums", .machines = Machines::kVectors, .offer = offer};
  return idea;
}

}  // namespace tw::moves::idea_partial_sums
