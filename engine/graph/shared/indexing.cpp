#include "engine/graph/shared/indexing.h"

#include <fmt/format.h>

#include <algorithm>

namespace tw::ops {

ir::Expr safe_index(ir::Expr index, int64_t extent) {
  index = ir::cast(DType::kI64, index);
  index = ir::select(index < 0, index + extent, index);
  return ir::min(ir::max(index, ir::int_imm(0)), ir::int_imm(extent - 1));
}

Result<int64_t> checked_index(double index, int64_t extent) {
  int64_t from_start = int64_t(index) + (index < 0 ? extent : 0);
  if (from_start < 0 || from_start >= extent)
    return unfit(
        fmt::format("index {} is out of range for an axis of extent {}", int64_t(index), extent));
  return from_start;
}

NDArray random_indices(Rng& rng, Shape const& shape, int64_t extent) {
  NDArray indices = NDArray::create(rng.below(2) ? DType::kI64 : DType::kI32, shape).value();
  for (int64_t i = 0; i < indices.size(); ++i)
    indices.set_value(i, double(rng.between(-extent, extent - 1)));
  return indices;
}

namespace {

constexpr char const* kJoins[] = {"none", "add", "mul", "min", "max"};

}  // namespace

std::string random_join(Rng& rng) { return kJoins[rng.below(std::ssize(kJoins))]; }

AttributeDoc join_attribute() {
  return {"join",
          "none, add, mul, min or max: how an update is combined with the existing element"};
}

InferResult infer_scatter(Infos inputs, bool fits) {
  TensorInfo const &into = *inputs[0], &places = *inputs[1], &updates = *inputs[2];
  if (!fits)
    return unfit(
        fmt::format("updates of shape {} with indices of shape {} for a tensor of shape {}",
                    to_text(updates.shape), to_text(places.shape), to_text(into.shape)));
  if (!is_integer(places.type)) return unfit("the indices are not integers");
  if (updates.type != into.type)
    return unfit(fmt::format("updates of type {} for a tensor of type {}", to_text(updates.type),
                             to_text(into.type)));
  return one(into.type, into.shape);
}

double joined_update(std::string const& join, double before, double update) {
  if (join == "add") return before + update;
  if (join == "mul") return before * update;
  if (join == "min") return std::min(before, update);
  if (join == "max") return std::max(before, update);
  return update;
}

}  // namespace tw::ops
