#include <algorithm>
#include <cmath>

#include "engine/graph/shared/elements.h"

namespace tw {
namespace {

using namespace ops;

struct Sequence {
  DType type = DType::kF32;
  double start = 0, step = 1;
  int64_t count = 0;
};

Result<Sequence> sequence_of(Attributes const& attributes) {
  NDArray start = tensor(attributes, "start"), end = tensor(attributes, "end"),
          step = tensor(attributes, "step");
  for (NDArray const& bound : {start, end, step})
    if (bound.empty() || bound.size() != 1 || bound.type() != start.type())
      return unfit("start, end and step must be one element each, of the same type");
  if (start.type() == DType::kBool) return unfit("a range of bools");
  double distance = step.value_at(0);
  if (distance == 0) return unfit("a step of 0");
  double count = std::ceil((end.value_at(0) - start.value_at(0)) / distance);
  if (!(count < 1e15)) return unfit("a range without an end");
  return Sequence{start.type(), start.value_at(0), distance, std::max<int64_t>(0, int64_t(count))};
}

InferResult infer(Attributes const& attributes, Infos) {
  TRY_ASSIGN(Sequence sequence, sequence_of(attributes));
  return one(sequence.type, {sequence.count});
}

Result<Tensors> compute(Attributes const& attributes, Buffers, std::string const& name) {
  TRY_ASSIGN(Sequence sequence, sequence_of(attributes));
  std::vector<te::Axis> axes = output_axes({sequence.count});
  DType type = sequence.type;
  ir::Expr body = ir::cast(type, axes[0].var()) * immediate(sequence.step, type) +
                  immediate(sequence.start, type);
  return single(te::compute(name, axes, body, name));
}

ReferenceResult reference(Attributes const& attributes, Arrays) {
  TRY_ASSIGN(Sequence sequence, sequence_of(attributes));
  TRY_ASSIGN(NDArray out, NDArray::create(sequence.type, {sequence.count}));
  for (int64_t i = 0; i < out.size(); ++i)
    out.set_value(i, sequence.start + double(i) * sequence.step);
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

Operator const& op_range() {
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

}  // namespace tw
