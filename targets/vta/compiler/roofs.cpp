#include "targets/vta/compiler/roofs.h"

#include "targets/vta/simulator/costs.h"

namespace tw::vta {
namespace {

Rate rate(double billions) { return {.one_core = billions, .all_cores = billions}; }

}  // namespace

Roofs roofs_of(Configuration const& configuration, TimingConstants const& constants) {
  double ghz = configuration.clock_mhz * 1e-3;
  auto lanes = double(configuration.batch() * configuration.block());
  Roofs roofs;
  roofs.compute = {{"GEMM i8", "gemm", "i8", rate(configuration.peak_gops())},
                   {"ALU i32", "alu", "i32", rate(lanes / constants.alu_cycles_per_uop * ghz)}};
  auto add = [&](char const* name, double bytes_per_cycle) {
    Rate both = rate(bytes_per_cycle * ghz);
    roofs.memory.push_back({.name = name, .working_set = 0, .load = both, .triad = both});
  };
  add(kWeightsWay, port_rate(configuration, constants, Memory::kWgt));
  add(kLoadWay, port_rate(configuration, constants, Memory::kInp));
  add(kStoreWay, port_rate(configuration, constants, Memory::kOut));
  add(kPort, configuration.memory_bits / 8.0);
  return roofs;
}

}  // namespace tw::vta
