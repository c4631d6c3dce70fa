#include "engine/graph/shared/moves.h"

#include <fmt/format.h>

#include "engine/tensor/integers.h"

namespace tw::ops {

ReferenceResult move_elements(NDArray const& input, Shape const& shape,
                              std::function<int64_t(std::span<int64_t const>)> const& from,
                              NDArray const& fill) {
  TRY_ASSIGN(NDArray out, NDArray::create(input.type(), shape));
  std::vector<int64_t> at(shape.size(), 0);
  for (int64_t i = 0; i < out.size(); ++i) {
    int64_t source = from(at);
    if (source >= 0)
      copy_element(out, i, input, source);
    else if (!fill.empty())
      copy_element(out, i, fill, 0);
    for (size_t k = at.size(); k > 0 && ++at[k - 1] == shape[k - 1]; --k) at[k - 1] = 0;
  }
  return std::vector{out};
}

Tensors move_compute(te::Buffer const& input, Shape const& shape, std::string const& name,
                     std::function<std::vector<ir::Expr>(std::vector<ir::Expr>)> const& indices) {
  std::vector<te::Axis> axes = output_axes(shape);
  ir::Expr body = ir::load(input, indices(te::vars(axes)));
  return single(te::compute(name, std::move(axes), body, name));
}

bool is_crd(Attributes const& attributes) { return text(attributes, "mode") == "crd"; }

RandomCase random_blocks(Rng& rng, Shape (*whole)(Shape, int64_t block)) {
  int64_t block = rng.between(1, 3);
  Shape shape = whole(random_shape(rng, 4, 3), block);
  return {{{"block", block}, {"mode", std::string(rng.below(2) ? "crd" : "dcr")}},
          {random_array(rng, shape)}};
}

}  // namespace tw::ops
