#include "engine/graph/shared/indexing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/tensor/integers.h"

namespace tw::ops {

ir::Expr safe_index(ir::Expr index, int64_t extent) {
  index = ir::cast(DType::kI64, index);
  index = ir::select(index < 0, index + extent, index);
  return ir::min(ir::max(index, ir::int_imm(0)), ir::int_imm(extent - 1));
}

Result<int64_t> checked_index(int64_t index, int64_t extent) {
  int64_t from_start = index + (index < 0 ? extent : 0);
  if (from_start < 0 || from_start >= extent)
    return unfit(fmt::format("index {} is out of range for an axis of extent {}", index, extent));
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

namespace {

double joined_number(std::string const& join, double before, double update) {
  if (join == "add") return before + update;
  if (join == "mul") return before * update;
  if (std::isnan(before) || std::isnan(update)) return std::nan("");
  return join == "min" ? std::min(before, update) : std::max(before, update);
}

int64_t joined_integer(std::string const& join, int64_t before, int64_t update, DType type) {
  if (join == "add") return wrapped_sum(before, update);
  if (join == "mul") return wrapped_product(before, update);
  return is_below(update, before, type) == (join == "min") ? update : before;
}

}  // namespace

void update_element(std::string const& join, NDArray& out, int64_t target, NDArray const& updates,
                    int64_t i) {
  if (join == "none")
    copy_element(out, target, updates, i);
  else if (is_float(out.type()))
    out.set_value(target, joined_number(join, out.value_at(target), updates.value_at(i)));
  else
    set_integer(out, target,
                joined_integer(join, integer_at(out, target), integer_at(updates, i), out.type()));
}

}  // namespace tw::ops
