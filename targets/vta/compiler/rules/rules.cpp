#include "targets/vta/compiler/rules/rules.h"

#include <algorithm>

namespace tw::vta {

Result<Schedule> vta_schedule(ir::Program const& program,
                              std::shared_ptr<Target const> const& target,
                              Configuration const& configuration, Decisions& decisions,
                              StepMemo& memo) {
  Schedule plain = memo.plain(program, target);
  if (auto made = product_schedule(plain, configuration, decisions, memo)) return std::move(*made);
  if (auto made = pool_schedule(plain, configuration, decisions, memo)) return std::move(*made);
  if (auto made = element_schedule(plain, configuration, decisions, memo)) return std::move(*made);
  return plain;
}

std::optional<Schedule> schedule_in_turn(ir::Program const& program,
                                         std::shared_ptr<Target const> const& target,
                                         Configuration const& configuration) {
  StepMemo memo;
  Decisions by_rule;
  if (!vta_schedule(program, target, configuration, by_rule, memo)) return std::nullopt;
  Point in_turn;
  for (Knob const& knob : by_rule.knobs()) {
    if (!knob.name.ends_with(".threads")) continue;
    for (char const* off : {"none", "no"})  // an axis is chosen, or whether there are any
      if (knob.value() != off && std::ranges::find(knob.values, off) != knob.values.end())
        in_turn[knob.name] = off;
  }
  if (in_turn.empty()) return std::nullopt;
  Decisions without(in_turn);
  auto schedule = vta_schedule(program, target, configuration, without, memo);
  return schedule ? std::optional(*std::move(schedule)) : std::nullopt;
}

}  // namespace tw::vta
