/// A kernel's text with steps applied, and lowered: for tests of what a target makes of it.
#pragma once

#include <string>

#include "engine/backend/backend.h"
#include "engine/schedule/trace.h"
#include "tests/support/random_schedules.h"

namespace tw::testing {

struct Lowered {
  ir::Program program;
  ir::KernelIr kernel;
};

/// `steps`: lines of a script. What is refused ends the test's program with its sentence.
inline Lowered lowered_by(Backend const& backend, std::string const& text,
                          std::string const& steps) {
  te::Kernel kernel = parsed_kernel(text).value();
  auto script = parse_script("tilewright schedule 1\n" + steps, "steps").value();
  auto schedule = replay(Schedule(te::to_program(kernel).value(), backend.shared_target()), script);
  if (!schedule) qFatal("%s", schedule.error().message.c_str());
  auto stages = lower(schedule->program(), backend.target(), backend.passes(),
                      {.verify = VerifyPasses::kEach});
  if (!stages) qFatal("%s", to_sentence(stages.error()).c_str());
  return {schedule->program(), stages->back().kernel};
}

}  // namespace tw::testing
