#include "engine/te/bounds.h"

#include <fmt/format.h>

#include "engine/arith/linear.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/text.h"

namespace tw::te {
namespace {

struct Extremes {
  int64_t low = 0, high = 0;
};

std::optional<int64_t> extent_of(Stage const& stage, std::string const& axis) {
  for (auto const* list : {&stage.axes, &stage.reduce})
    for (Axis const& candidate : *list)
      if (candidate.name == axis) return candidate.extent;
  return std::nullopt;
}

/// Both ends are reached: each axis occurs once in a linear form, and all run independently.
std::optional<Extremes> extremes(Stage const& stage, Expr const& index) {
  arith::Linear linear = arith::to_linear(index);
  Extremes ends{linear.constant, linear.constant};
  for (auto const& [term, factor] : linear.terms) {
    auto const* axis = term.as<ir::Variable>();
    auto extent = axis ? extent_of(stage, axis->name) : std::nullopt;
    if (!extent) return std::nullopt;
    int64_t far = 0;
    if (__builtin_mul_overflow(factor, *extent - 1, &far) ||
        __builtin_add_overflow(far < 0 ? ends.low : ends.high, far,
                               far < 0 ? &ends.low : &ends.high))
      return std::nullopt;
  }
  return ends;
}

Status verify_read(Stage const& stage, ir::Load const& read) {
  auto shape = ir::constant_shape(*read.buffer);
  if (!shape || shape->size() != read.indices.size()) return {};
  for (size_t d = 0; d < shape->size(); ++d) {
    auto ends = extremes(stage, read.indices[d]);
    if (!ends || (ends->low >= 0 && ends->high < (*shape)[d])) continue;
    return bad_input(
        "outside_of_tensor",
        fmt::format("stage {} reads '{}' outside: its index {} goes from {} to {}, "
                    "dimension {} has 0 to {}",
                    stage.output->name, read.buffer->name, ir::to_text(read.indices[d]), ends->low,
                    ends->high, d, (*shape)[d] - 1));
  }
  return {};
}

}  // namespace

Status verify_bounds(Stage const& stage) {
  Status status;
  ir::walk(stage.body, [&](Expr const& e) {
    if (!status || e.as<ir::Select>()) return false;
    if (auto const* read = e.as<ir::Load>()) status = verify_read(stage, *read);
    return status.has_value();
  });
  return status;
}

}  // namespace tw::te
