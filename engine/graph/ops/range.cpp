#include <algorithm>
#include <cmath>

#include "engine/graph/shared/elements.h"
#include "engine/tensor/integers.h"

namespace tw::op_range {
namespace {

using namespace ops;

struct Sequence {
  NDArray start, step;  // one element each
  int64_t count = 0;
};

/// Of integers, whose distance may be more than 64 bits hold.
double exact_count(NDArray const& start, NDArray const& end, NDArray const& step) {
  auto wide = [](NDArray const& bound) {
    int64_t value = integer_at(bound, 0);
    return bound.type() == DType::kU64 ? __int128(uint64_t(value)) : __int128(value);
  };
  __int128 distance = wide(end) - wide(start), by = wide(step);
  if (distance == 0 || (distance < 0) != (by < 0)) return 0;
  return double((distance + by + (by > 0 ? -1 : 1)) / by);
}

Result<Sequence> sequence_of(Attributes const& attributes) {
  NDArray start = tensor(attributes, "start"), end = tensor(attributes, "end"),
          step = tensor(attributes, "step");
  for (NDArray const& bound : {start, end, step})
    if (bound.empty() || bound.size() != 1 || bound.type() != start.type())
      return unfit("start, end and step must be one element each, of the same type");
  if (start.type() == DType::kBool) return unfit("a range of bools");
  double distance = step.value_at(0);
  if (distance == 0) return unfit("a step of 0");
  double count = is_float(start.type())
                     ? std::ceil((end.value_at(0) - start.value_at(0)) / distance)
                     : exact_count(start, end, step);
  if (!(count < 1e15)) return unfit("a range without an end");
  return Sequence{start, step, std::max<int64_t>(0, int64_t(count))};
}

InferResult infer(Attributes const& attributes, Infos) {
  TRY_ASSIGN(Sequence sequence, sequence_of(attributes));
  return one(sequence.start.type(), {sequence.count});
}

Result<Tensors> compute(Attributes const& attributes, Buffers, std::string const& name) {
  TRY_ASSIGN(Sequence sequence, sequence_of(attributes));
  std::vector<te::Axis> axes = output_axes({sequence.count});
  DType type = sequence.start.type();
  auto constant = [&](NDArray const& one) {
    return is_float(type) ? ir::float_imm(one.value_at(0), type)
                          : ir::int_imm(integer_at(one, 0), type);
  };
  ir::Expr body =
      ir::cast(type, axes[0].var()) * constant(sequence.step) + constant(sequence.start);
  return single(te::compute(name, axes, body, name));
}

ReferenceResult reference(Attributes const& attributes, Arrays) {
  TRY_ASSIGN(Sequence sequence, sequence_of(attributes));
  TRY_ASSIGN(NDArray out, NDArray::create(sequence.start.type(), {sequence.count}));
  if (is_float(out.type())) {
    double start = sequence.start.value_at(0), step = sequence.step.value_at(0);
    for (int64_t i = 0; i < out.size(); ++i) out.set_value(i, start + double(i) * step);
    return std::vector{out};
  }
  int64_t start = integer_at(sequence.start, 0), step = integer_at(sequence.step, 0);
  for (int64_t i = 0; i < out.size(); ++i)
    set_integer(out, i, wrapped_sum(start, wrapped_product(i, step)));
  return std::vector{out};
}

RandomCase random_case(Rng& rng) {
  DType type = rng.below(2) ? DType::kF32 : DType::kI64;
  auto scalar = [&](int64_t value) {
    NDArray array = NDArray::create(type, {}).value();
    array.set_value(0, double(value) * (type == DType::kF32 ? 0.5 : 1));
    return array;
  };
  int64_t start = rng.between(-9, 9), step = rng.between(1, 4) * (rng.below(2) ? 1 : -1);
  return {{{"start", scalar(start)},
           {"end", scalar(start + step * rng.between(1, 9))},
           {"step", scalar(step)}},
          {}};
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "range",
      .doc = "The numbers start, start + step, ... before the end.",
      .fusion = Fusion::kInjective,
      .attributes = {{"start", "the first"}, {"end", "not reached"}, {"step", "the distance"}},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_range
