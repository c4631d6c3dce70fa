#include "tests/benchmarks/gpu/runner/network.h"

namespace tw::gpu_bench {

Result<Network> Network::load(Device const& device, Pack const& pack, Json const& item,
                              Json const& code, ItemTensors const& tensors) {
  Network made;
  for (Json const& kernel : code.at("kernels")) {
    TRY_ASSIGN(Kernel loaded, Kernel::load(device, pack, kernel));
    made.kernels_.push_back(std::move(loaded));
  }
  for (Json const& parameter : item.at("parameters")) {
    std::vector<std::byte> values =
        seeded_bytes(parameter.at("seed"), parameter.at("bytes"), parameter.at("scale"));
    TRY_ASSIGN(Memory memory, Memory::create(device, values.size()));
    TRY(memory.write(values));
    made.parameters_.push_back(std::move(memory));
  }
  TRY_ASSIGN(made.arena_, Memory::create(device, code.at("arena").get<size_t>()));
  TRY(made.arena_.fill(0xFF));
  for (Json const& one : code.at("steps")) {
    Step step{one.at("kernel").get<size_t>(), {}};
    for (Json const& place : one.at("places")) {
      std::string where = place.at(0);
      auto at = place.at(1).get<size_t>();
      step.places.push_back(where == "input"       ? tensors.inputs.at(at).at()
                            : where == "output"    ? tensors.outputs.at(at).at()
                            : where == "parameter" ? made.parameters_.at(at).at()
                                                   : made.arena_.at() + at);
    }
    step.places.push_back(tensors.workspace.at());
    made.steps_.push_back(std::move(step));
  }
  if (made.kernels_.empty()) return bad_input("file_unreadable", "a network has no kernel");
  return made;
}

Status Network::run() const {
  for (Step const& step : steps_) TRY(kernels_.at(step.kernel).run(step.places));
  return {};
}

}  // namespace tw::gpu_bench
