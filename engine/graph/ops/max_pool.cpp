#include <cmath>
#include <limits>

#include "engine/graph/shared/window.h"
#include "engine/tensor/integers.h"

namespace tw::op_max_pool {
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

ReferenceResult largest_integers(NDArray const& x, Window const& window) {
  TRY_ASSIGN(NDArray out, NDArray::create(x.type(), pooled_shape(window, x.shape())));
  int64_t in_plane = element_count(window.in).value_or(0),
          out_plane = element_count(window.out).value_or(0);
  for (int64_t i = 0; i < out.size(); ++i) {
    int64_t best = lowest_integer(x.type());
    for_each_in_window(window, i % out_plane, [&](int64_t at, int64_t) {
      if (at < 0) return;
      int64_t element = integer_at(x, i / out_plane * in_plane + at);
      if (is_below(best, element, x.type())) best = element;
    });
    set_integer(out, i, best);
  }
  return std::vector{out};
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  TRY_ASSIGN(Window window, window_of(attributes, inputs[0].shape()));
  if (!is_float(inputs[0].type())) return largest_integers(inputs[0], window);
  return map_windows(inputs[0], window, inputs[0].type(),
                     [](std::span<double const> elements, int64_t) {
                       double best = -std::numeric_limits<double>::infinity();
                       for (double element : elements)
                         best = std::isnan(element) ? element : std::max(best, element);
                       return best;
                     });
}

}  // namespace

Operator const& row() {
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

}  // namespace tw::op_max_pool
