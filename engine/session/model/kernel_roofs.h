/// What kernels could reach on a machine, as values: the one place where a time meets its roof.
#pragma once

#include <optional>

#include "engine/analysis/kernel_roof.h"
#include "engine/session/model/loaded_model.h"

namespace tw::session {

/// A kernel that is faster than this part of its roof shows that the roof was measured too low.
constexpr double kMostOfRoof = 1.05;

/// Of the plain nest, without what is computed when the model is loaded.
analysis::KernelNeeds needs_of(LoadedModel const& model, int kernel, ir::Program const& plain);
/// "GFLOP/s" of floats, "GOP/s" of integers, which is all that some machines compute.
std::string arithmetic_unit_of(analysis::KernelNeeds const& needs, MachineView const* machine);
/// Empty: the roofs are not known.
std::optional<KernelRoofView> roof_view(analysis::KernelNeeds const& needs,
                                        MachineView const& machine, int threads);
/// The part of the roof that a measured time reaches; empty where it is more than kMostOfRoof.
std::optional<double> fraction_of(KernelRoofView const& roof, double ms);
/// In the roof's unit.
double speed_of(KernelRoofView const& roof, double ms);

}  // namespace tw::session
