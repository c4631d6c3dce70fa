/// Random schedules with sizes that stay open.
#pragma once

#include <map>

#include "tests/support/random_schedules.h"

namespace tw::testing {

/// By primitive, how many steps were taken and refused.
struct Taken {
  std::map<std::string, int> taken, refused;
};

/// Those that are taken while sizes are open, but for the one that opens them.
inline std::vector<Primitive const*> const& open_primitives() {
  static std::vector<Primitive const*> const list = [] {
    std::vector<Primitive const*> some;
    for (Primitive const* one : primitive_table())
      if (one->open_sizes && one->open_sizes->apply && !one->open_sizes->with_value)
        some.push_back(one);
    return some;
  }();
  return list;
}

/// Some steps with numbers, and then with one size open, and a second one.
inline Schedule random_open_schedule(te::Kernel const& kernel, std::shared_ptr<Target const> target,
                                     Rng& rng, Taken& counts) {
  Schedule schedule(te::to_program(kernel).value(), std::move(target));
  auto take = [&](Step const& step) {
    auto next = schedule.apply(step);
    ++(next ? counts.taken : counts.refused)[step.primitive];
    if (next) schedule = std::move(*next);
  };
  for (int64_t tries = rng.between(0, 5); tries > 0; --tries)
    take(propose_step(schedule.program(), rng, schedule.target()));
  for (char const* name : {"T", "U"}) {
    take(random_size(schedule.program(), name, rng));
    for (int64_t tries = rng.between(2, 10); tries > 0; --tries) {
      auto const& table = open_primitives();
      Primitive const& one = *table[size_t(rng.below(int64_t(table.size())))];
      if (!is_for(one, schedule.target())) continue;
      take(propose_step(asked_program(schedule, one), rng, one, schedule.target()));
    }
  }
  return schedule;
}

}  // namespace tw::testing
