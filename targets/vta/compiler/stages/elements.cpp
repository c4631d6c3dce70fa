#include "targets/vta/compiler/stages/elements.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/support/base/quantities.h"

namespace tw::vta {
namespace {

std::unexpected<Error> no_element(std::string message) {
  return refused("vta_element", std::move(message));
}

}  // namespace

Status Elements::sort(size_t loop, int64_t factor, std::string const& tensor) {
  RunningLoop const& one = running_[loop];
  if (one.extent() == 1) return {};
  if (factor % scalars_ == 0) {
    loops_.push_back({one.name, one.extent(), loop, 1});
    return {};
  }
  int64_t lanes = factor > 0 && scalars_ % factor == 0 ? scalars_ / factor : 0;
  if (lanes == 0 || (one.extent() > lanes && one.extent() % lanes != 0))
    return no_element(fmt::format(
        "the loop {} goes through {} in steps of {}, {}: elements have {}; {}pack the tensor in "
        "blocks of that size",
        one.name, tensor, count_text(factor, "number"), count_text(one.extent(), "time"), scalars_,
        lanes > 1 ? fmt::format("split it by {}, or ", lanes) : ""));
  lanes_.push_back({loop, factor, std::min(lanes, one.extent())});
  if (one.extent() > lanes) loops_.push_back({one.name, one.extent() / lanes, loop, lanes});
  return {};
}

Status Elements::lanes_fill_an_element(std::string const& tensor) {
  std::ranges::sort(lanes_, {}, &Lane::factor);
  int64_t filled = 1;
  for (Lane const& lane : lanes_) {
    if (lane.factor != filled) break;
    filled *= lane.extent;
  }
  if (filled == scalars_) return {};
  return no_element(fmt::format(
      "the innermost loops go through {} of {}, but an element has {}: give them whole elements "
      "(pack the tensor, or tile by the block)",
      count_text(filled, "number"), tensor, scalars_));
}

Result<Elements> Elements::create(std::vector<RunningLoop> const& running, Form const& reference,
                                  int64_t scalars, std::string const& tensor) {
  Elements result(running, scalars);
  for (size_t i = 0; i < running.size(); ++i) TRY(result.sort(i, reference.factors[i], tensor));
  TRY(result.lanes_fill_an_element(tensor));
  return result;
}

Result<ElementForm> Elements::of(Form const& form, std::string const& tensor) const {
  ElementForm result;
  result.index = form.index;
  int64_t base = form.base;
  for (size_t i = 0; i < running_.size(); ++i) base += form.factors[i] * running_[i].low;
  for (Lane const& lane : lanes_)
    if (form.factors[lane.running] != lane.factor)
      return no_element(fmt::format(
          "the loop {} goes through {} in steps of {} numbers, elsewhere "
          "of {}: both must lie in the same blocks",
          running_[lane.running].name, tensor, form.factors[lane.running], lane.factor));
  for (ElementLoop const& loop : loops_) {
    int64_t factor = form.factors[loop.running] * loop.step;
    if (factor % scalars_ != 0)
      return no_element(
          fmt::format("the loop {} moves {} by {} numbers, which is no whole element of {}",
                      loop.name, tensor, factor, scalars_));
    result.factors.push_back(factor / scalars_);
  }
  if (base % scalars_ != 0)
    return no_element(fmt::format("{} is reached from number {} on, within an element of {}",
                                  tensor, base, scalars_));
  result.base = base / scalars_;
  return result;
}

}  // namespace tw::vta
