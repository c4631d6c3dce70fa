/// What operators on single elements share: one function of one or two elements, broadcast.
#pragma once

#include "engine/graph/shared/elements.h"

namespace tw::ops {

/// One operand, a float; the result is like it.
InferResult infer_float(Attributes const& attributes, Infos inputs);
/// One operand of any type; the result is like it.
InferResult infer_same(Attributes const& attributes, Infos inputs);
/// One operand, a float; the result is bool.
InferResult infer_test(Attributes const& attributes, Infos inputs);
/// Two operands of one type, broadcast.
InferResult infer_pair(Attributes const& attributes, Infos inputs);
/// The same, and the result is bool.
InferResult infer_compare(Attributes const& attributes, Infos inputs);
/// Two operands of bools, broadcast; so is the result.
InferResult infer_logic(Attributes const& attributes, Infos inputs);
/// Any number of operands of one type, broadcast.
InferResult infer_many(Attributes const& attributes, Infos inputs);

/// One stage: `f` of the element of each operand, of which there is at least one.
Tensors map_compute(Buffers inputs, std::string const& name,
                    std::function<ir::Expr(ir::Expr)> const& f);
/// One stage: the first two elements joined by `f`, the result and the third by `f`, ...
Tensors join_compute(Buffers inputs, std::string const& name,
                     std::function<ir::Expr(ir::Expr, ir::Expr)> const& f);
/// A function of two whole numbers that belong to an integer type.
using JoinIntegers = std::function<int64_t(int64_t, int64_t, DType)>;
/// `join_compute` by plain loops: integers by `whole`, where it is given.
ReferenceResult join_elements(Arrays inputs, std::function<double(double, double)> const& f,
                              JoinIntegers const& whole = {});
/// Integers one by one.
ReferenceResult map_integers(NDArray const& input, std::function<int64_t(int64_t, DType)> const& f);
/// What holds of an element or does not.
ReferenceResult test_elements(NDArray const& input, std::function<bool(double)> const& f);
/// Two broadcast operands compared; integers by how they stand to one another, -1, 0 or 1 and 0.
ReferenceResult compare_elements(Arrays inputs, std::function<bool(double, double)> const& f);

/// log(1 + x) without the loss of small x.
ir::Expr log_of_one_plus(ir::Expr x);

RandomCase random_one(Rng& rng);
/// Some elements are infinite or no number.
RandomCase random_special(Rng& rng);
/// Elements above zero.
RandomCase random_positive(Rng& rng);
/// Two shapes that broadcast.
RandomCase random_pair(Rng& rng);
/// The same in integers, so that equal elements meet.
RandomCase random_integer_pair(Rng& rng);
/// Puts the ends of their type, 1 and -1 among integers: what a sign or a width is forgotten for.
void add_extremes(Rng& rng, std::vector<NDArray>& inputs);
/// Two shapes of bools that broadcast.
RandomCase random_logic(Rng& rng);
RandomCase random_many(Rng& rng);

}  // namespace tw::ops
