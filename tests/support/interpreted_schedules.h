/// Whether a scheduled kernel still computes what its text says.
#pragma once

#include "engine/ir/interpreter.h"
#include "engine/ir/text.h"
#include "engine/schedule/schedule.h"
#include "tests/support/random_schedules.h"

namespace tw::testing {

/// Random inputs, in a random order of what runs at once; empty: it is right.
inline std::string disagreement(te::Kernel const& kernel, Schedule const& schedule, Rng& rng) {
  auto inputs = random_inputs(kernel, rng);
  te::Expected expected = expected_of(kernel, inputs);
  auto outputs = ir::interpret(schedule.program(), inputs, {.shuffle_seed = rng.next() | 1});
  if (outputs && te::judge(*outputs, expected).equal) return {};
  return (outputs ? "another result" : to_sentence(outputs.error())) + "\n" + schedule.script() +
         ir::to_text(schedule.program());
}

}  // namespace tw::testing
