#include "engine/session/model/kernel_roofs.h"

#include <algorithm>

#include "engine/analysis/counted_operations.h"
#include "engine/backend/target_table.h"
#include "engine/compile/load_time.h"
#include "engine/support/base/quantities.h"
#include "engine/te/factors.h"

namespace tw::session {
namespace {

/// Below this, the operations are an ornament of moving the data.
constexpr double kHardlyAnyFlopsPerByte = 0.25;

}  // namespace

analysis::KernelNeeds needs_of(LoadedModel const& model, int kernel, ir::Program const& plain) {
  auto needs =
      analysis::needs_of(split_load_time(plain).at_run, double(model.kernel(kernel).flops));
  te::Kernel const& computed = model.kernel(kernel).kernel;
  needs.integers = te::computes_integers(computed);
  if (auto factors = te::type_of_factors(computed)) needs.factors = to_text(*factors);
  return needs;
}

std::string arithmetic_unit_of(analysis::KernelNeeds const& needs, MachineView const* machine) {
  std::string type = needs.integers ? "i8" : "f32";
  if (!needs.integers && machine && machine->rates) type = analysis::counted_type(*machine->rates);
  return analysis::arithmetic_unit(type);
}

namespace {

/// Of all units together alone, as a kernel takes all of a GPU.
bool has_one_rate(Roofs const& roofs) {
  return !roofs.compute.empty() &&
         roofs.compute.front().rate.one_core == roofs.compute.front().rate.all_cores;
}

}  // namespace

std::optional<KernelRoofView> roof_view(analysis::KernelNeeds const& needs,
                                        MachineView const& machine, int threads) {
  if (!machine.rates || !machine.hardware) return std::nullopt;
  analysis::KernelRoof roof = analysis::roof_of(needs, *machine.hardware, *machine.rates, threads);
  if (roof.seconds <= 0) return std::nullopt;
  KernelRoofView view;
  view.ms = roof.seconds * 1e3;
  view.arithmetic = roof.arithmetic;
  view.moves_data = needs.flops < kHardlyAnyFlopsPerByte * needs.bytes();
  // Where no peak of integers is known, the data alone would promise too much.
  bool unknown = needs.integers && machine.rates->best("i8") == Rate();
  if (unknown && !view.moves_data) return std::nullopt;
  view.level = roof.level;
  view.bytes = needs.bytes();
  view.unit = view.moves_data ? "GB/s" : arithmetic_unit_of(needs, &machine);
  view.value = (view.moves_data ? view.bytes : needs.flops) / view.ms * 1e-6;
  view.words = speed_text(view.value, view.unit);
  Unit const& unit = machine.hardware->unit();
  view.cores =
      has_one_rate(*machine.rates) ? unit.count : std::clamp(threads, 1, std::max(unit.count, 1));
  std::string cores = count_text(view.cores, unit.name);
  bool of_level = !roof.arithmetic && !roof.level.empty();
  view.words += of_level ? " of " + roof.level + ", " + cores : " of " + cores;
  return view;
}

std::optional<double> fraction_of(KernelRoofView const& roof, double ms) {
  if (ms <= 0 || roof.ms > kMostOfRoof * ms) return std::nullopt;
  return roof.ms / ms;
}

double speed_of(KernelRoofView const& roof, double ms) { return roof.value * roof.ms / ms; }

}  // namespace tw::session
