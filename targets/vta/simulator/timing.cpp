#include "targets/vta/simulator/timing.h"

#include "targets/vta/simulator/timed_machine.h"

namespace tw::vta {

Result<TimedRun> run_timed(Configuration const& configuration, std::span<Instruction const> stream,
                           Dram dram, TimingOptions const& options) {
  TRY_ASSIGN(TimedMachine machine, TimedMachine::create(configuration, stream, options));
  while (!machine.done()) TRY(machine.step(dram));
  return machine.take();
}

}  // namespace tw::vta
