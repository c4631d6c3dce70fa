// A tensor whose elements lie in the order in which a nest uses them: copied so before the nest
// begins (weights: when the model is loaded), or stored so by who writes it.
#include <fmt/format.h>

#include "engine/moves/idea.h"
#include "engine/moves/working_set.h"

namespace tw::moves::idea_layouts {
namespace {

void offer_layout(Scene const& scene, BlockNest const& nest, std::string const& tensor,
                  Offering const& offering) {
  std::string layout = liked_layout(nest, tensor);
  if (layout.empty()) return;
  Draft packed(scene.schedule);
  packed.step("pack", {nest.block}, {{"tensor", tensor}, {"layout", layout}});
  offering({std::move(packed), tensor, fmt::format("{} packed as {} uses it", tensor, nest.block),
            tensor});
  BlockNest const* writer = scene.writer_of(tensor);
  if (!writer || writer->block == nest.block) return;
  Draft stored(scene.schedule);
  stored.step("transform_layout", {writer->block}, {{"layout", layout}});
  offering({std::move(stored), tensor,
            fmt::format("{} written in the order in which {} uses it", tensor, nest.block),
            tensor});
}

void offer(Scene const& scene, Offering const& offering) {
  for (BlockNest const& nest : scene.nests)
    for (std::string const& tensor : nest.reads) offer_layout(scene, nest, tensor, offering);
}

}  // namespace

Idea const& row() {
  static Idea const idea{.name = "layouts", .offer = offer};
  return idea;
}

}  // namespace tw::moves::idea_layouts
