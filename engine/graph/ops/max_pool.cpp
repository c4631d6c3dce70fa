#include <limits>

#include "engine/graph/shared/window.h"

namespace tw {
namespace {

using namespace ops;

InferResult infer(Attributes const& attributes, Infos inputs) {
  TRY(expect_inputs(inputs, 1, 1));
  TRY_ASSIGN(Window window, window_of(attributes, inputs[0]->shape));
  return one(inputs[0]->type, pooled_shape(window, inputs[0]->shape));
}

Result<Tensors> direct(Attributes const& attributes, Arrangement const& arrangement, Buffers inputs,
                       std::string const& name) {
  TRY_ASSIGN(Window window, window_of(attributes, arrangement.inputs[0].shape));
  return pool_stages(inputs[0], window, ir::lowest(inputs[0]->type), te::Combiner::kMax, name,
                     name);
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  TRY_ASSIGN(Window window, window_of(attributes, inputs[0].shape()));
  return map_windows(inputs[0], window, inputs[0].type(),
                     [](std::span<double const> elements, int64_t) {
                       double best = -std::numeric_limits<double>::infinity();
                       for (double element : elements) best = std::max(best, element);
                       return best;
                     });
}

}  // namespace

Operator const& op_max_pool() {
  static Operator const op{
      .name = "max_pool",
      .doc = "Largest element of each window; padding is ignored.",
      .fusion = Fusion::kReduction,
      .inputs = {"X"},
      .attributes = pool_attributes({"dilations", "steps inside a window (dilations)"}),
      .infer = infer,
      .computes = {{.name = "direct",
                    .doc =
                        "every output looks through its window; channels may be stored in blocks",
                    .takes = pool_takes,
                    .make = direct}},
      .reference = reference,
      .random_case = random_pool,
      .rereads = window_rereads,
  };
  return op;
}

}  // namespace tw
