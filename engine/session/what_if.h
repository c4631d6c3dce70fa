/// A machine that is not there: the one in use with other roofs or caches, and what a kernel's
/// steps should take on it. Nothing is measured, and nothing else of the session hears of it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/session/model_roofline.h"
#include "engine/session/values.h"
#include "engine/support/base/error.h"

namespace tw {
class Backend;
}

namespace tw::session {

class Session;

enum class QuantityKind : uint8_t { kArithmetic, kBandwidth, kCapacity };
/// One number of a machine: a roof, or how much a cache holds.
struct MachineQuantity {
  QuantityKind kind = QuantityKind::kBandwidth;
  std::string name;  ///< of the roof or of the cache: "FMA f32", "DRAM", "L2"
  double value = 0;  ///< in `unit`, of all cores; of a cache: bytes of one
  std::string unit;  ///< "GFLOP/s", "GOP/s", "GB/s"; of a cache "B"
  bool is(MachineQuantity const& other) const { return kind == other.kind && name == other.name; }
  bool operator==(MachineQuantity const&) const = default;
};
/// What can be changed of a machine, as it is: arithmetic, memories and caches, in this order.
std::vector<MachineQuantity> quantities_of(MachineView const& machine);

/// What is otherwise; nothing: the machine as it is.
struct WhatIf {
  std::vector<MachineQuantity> changes;
  bool operator==(WhatIf const&) const = default;
};
/// "L2=2MB, DRAM=40GB/s, FMA f32=800GFLOP/s": the unit tells a cache's size from its bandwidth.
/// What is as it is anyway is left out. Errors: unknown_roofs, bad_what_if.
Result<WhatIf> parse_what_if(std::string const& text, MachineView const& machine);
std::string to_text(MachineQuantity const& quantity);  ///< "L2=2MB"
std::string to_text(WhatIf const& what);
/// "L2 2 MB instead of 1 MB, DRAM 40 GB/s instead of 20 GB/s".
std::string words_of(WhatIf const& what, MachineView const& machine);

/// For modelling alone: no code is made for it, and no device has it.
struct HypotheticalMachine {
  MachineView view;
  std::shared_ptr<Backend const> backend;
};
/// Errors: those of making the backend.
Result<HypotheticalMachine> machine_if(MachineView const& machine,
                                       std::shared_ptr<Backend const> const& backend,
                                       WhatIf const& what);

/// A step of a kernel on both machines, modelled on each.
struct HypotheticalPoint {
  RooflinePoint now, then;
  std::string bound_now, bound_then;  ///< what takes longest: "arithmetic", "L2"; or not known
};
struct HypotheticalView {
  WhatIf of;
  std::vector<RoofView> roofs;  ///< those of the kernel's roofline or of the layers', changed
  std::vector<HypotheticalPoint> trail;  ///< root to current; steps without a model are left out
  std::string words;                     ///< of the current step: "1.5x as fast, modelled: ..."
  /// Below the machine's own roofs; null: they were not asked for.
  std::shared_ptr<ModelRoofline const> layers;
  std::string failure;  ///< a sentence instead of all this
};
/// Memoized, the last one. Null: not there yet, the session's listener is called when it is; or
/// nothing is changed, or the roofs are not known.
std::shared_ptr<HypotheticalView const> hypothetical(Session& session, WhatIf const& what,
                                                     bool layers);
/// "1.5x as fast, modelled: 3.2 ms -> 2.1 ms, bottleneck: L2 instead of DRAM".
std::string words_of(HypotheticalPoint const& point);

}  // namespace tw::session
