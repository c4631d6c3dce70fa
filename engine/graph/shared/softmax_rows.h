/// What the softmax and its logarithm share: rows along which elements are normalized.
#pragma once

#include "engine/graph/shared/elements.h"

namespace tw::ops {

/// Which axes a row runs along: one, or before opset 13 all from `axis` on.
Result<std::vector<bool>> row_axes(Attributes const& attributes, size_t rank);

/// The axes of stages over rows and over their elements.
struct RowSplit {
  std::vector<te::Axis> axes;        ///< of the input
  std::vector<te::Axis> rows, over;  ///< of a reduction along the rows
  std::vector<ir::Expr> element;     ///< of the input, in that reduction
  std::vector<ir::Expr> row;         ///< index of the row, in a stage over `axes`
  std::vector<ir::Expr> row_vars;    ///< the same in that reduction
};
Result<RowSplit> row_split(Attributes const& attributes, te::Buffer const& input);

/// The largest element of each row and exp(x - largest), which do not overflow.
struct SoftmaxStages {
  std::vector<te::Axis> axes;
  te::Stage largest, powers, total;  ///< `total`: the sum of the powers of each row
  ir::Expr shifted;                  ///< x - largest
  std::vector<ir::Expr> row;         ///< index of the element's row
};
Result<SoftmaxStages> softmax_stages(Attributes const& attributes, te::Buffer const& input,
                                     std::string const& name);

/// Per element x - largest and the sum of exp(x - largest) of its row, in doubles.
ReferenceResult map_rows(NDArray const& x, std::vector<bool> const& over,
                         double (*f)(double shifted, double total));

RandomCase random_softmax(Rng& rng);
/// Fills in what the row of an operator along rows leaves out.
Operator of_rows(Operator op);

}  // namespace tw::ops
