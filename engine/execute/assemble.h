/// From a plan and its kernels to a description of what runs: where everything lies, and what the
/// parameters hold. A package is made of it, and whatever runs a network here runs it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/compile/compile_plan.h"
#include "engine/device/device.h"
#include "engine/runtime/package/description.h"

namespace tw {

/// The model and who compiles it. `host` and `device` are this machine's: what kernels make of
/// their parameters is made here, once, also for a foreign target.
struct PackageSource {
  Graph const& graph;  ///< fused
  Plan const& plan;
  Backend const& backend;
  Backend const& host;
  Device& device;
  std::map<int, std::string> scripts;  ///< kernel -> script; others: the backend's rule
  /// On `device`: the library of all that the kernels' code holds, where it is loaded there.
  LibraryHandle loaded = {};
  std::vector<Backend const*> elsewhere = {};  ///< of the plan's places 1, 2, ...

  Backend const& backend_at(int place) const {
    return place == 0 ? backend : *elsewhere[size_t(place - 1)];
  }
};

/// A constant's place in the parameters' file.
struct PlacedParameter {
  int64_t offset = 0;
  NDArray content;
};

/// All but the files' sizes and checksums, the target and the names.
struct Assembly {
  package::Description description;
  std::vector<PlacedParameter> parameters;  ///< by offset; between them zeros
  int64_t parameter_bytes = 0;
};

/// Whether every step is a compiled kernel, or runs bodies of such, and every shape is known. A
/// branch that nothing can run may be there: who chooses it is told so. Errors: unknown_shape,
/// not_exportable, which lists the nodes that are in the way with their reasons.
Status check_exportable(Graph const& graph, Plan const& plan);

/// `codes`: one per kernel of the plan. Errors: those of the device, of scripts and of compiling
/// for the host.
Result<Assembly> assemble(PackageSource const& source, std::vector<KernelCode> const& codes,
                          CallOptions const& call);

}  // namespace tw
