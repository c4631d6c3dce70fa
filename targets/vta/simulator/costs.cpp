#include "targets/vta/simulator/costs.h"

#include <algorithm>

namespace tw::vta {
namespace {

/// The width of the port that the constants' rates are of.
constexpr double kCalibratedBits = 64;

double nest_cycles(TimingConstants const& constants, Instruction const& instruction) {
  Nest const& nest = instruction.nest;
  if (instruction.opcode == Opcode::kAlu)
    return double(nest.steps()) * constants.alu_cycles_per_uop;
  // Only the loop over micro-ops is pipelined: each inner iteration drains.
  return double(nest.outer) * nest.inner * (double(nest.uops()) + constants.gemm_drain_cycles);
}

}  // namespace

double port_rate(Configuration const& configuration, TimingConstants const& constants,
                 Memory memory) {
  double rate =
      memory == Memory::kWgt ? constants.memory_bytes_per_cycle : constants.dma_bytes_per_cycle;
  return rate * configuration.memory_bits / kCalibratedBits;
}

double port_cycles(Configuration const& configuration, TimingConstants const& constants,
                   Memory memory, int64_t rows, int64_t bytes) {
  return double(rows) * constants.dma_row_cycles +
         double(bytes) / port_rate(configuration, constants, memory);
}

InstructionCost cost_of(Configuration const& configuration, TimingConstants const& constants,
                        Instruction const& instruction, int64_t missed) {
  Transfer const& t = instruction.transfer;
  switch (instruction.opcode) {
    case Opcode::kLoad:
    case Opcode::kStore: {
      if (t.nothing()) return {.own = 1};
      int64_t elements = int64_t(t.y_size) * t.x_size;
      double bytes = double(elements * configuration.element_bytes_in_dram(t.memory));
      double held = (bytes - double(missed)) / constants.dma_bytes_per_cycle,
             rest = double(missed) / constants.memory_bytes_per_cycle;
      return {.port = t.y_size * constants.dma_row_cycles +
                      (held + rest) * kCalibratedBits / configuration.memory_bits};
    }
    case Opcode::kGemm:
    case Opcode::kAlu:
      return {.own = std::max(1.0, nest_cycles(constants, instruction))};
    case Opcode::kFinish:
      return {.own = 1};
  }
  return {};
}

}  // namespace tw::vta
