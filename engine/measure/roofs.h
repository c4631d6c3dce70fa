/// The roofs of a device: peak arithmetic and bandwidth, measured with a target's probes.
#pragma once

#include <filesystem>
#include <functional>

#include "engine/device/device.h"
#include "engine/hardware/roof_probes.h"

namespace tw {

struct RoofOptions {
  int rounds = 5;            ///< each goes through all rates: a busy moment spoils one of them
  int repeats = 5;           ///< samples of each rate in a round; the best of all counts
  double most_seconds = 12;  ///< for everything; what is left of it bounds each later sample
  StopToken stop;
  Progress progress;  ///< may be empty
};

/// Takes some 3 s. Errors: those of `Device::time`.
Result<Roofs> measure_roofs(Device& device, Hardware const& hardware, RoofProbes const& probes,
                            RoofOptions const& options);

struct MeasuredRoofs : Roofs {
  bool disturbed = false;  ///< others used the processors: the machine may do better than this
};

/// The roofs kept in `folder` for this hardware, or measured now and then kept. Those that were
/// measured while others used the processors are measured again as soon as nobody does, and the
/// better of both rates counts. A file that cannot be read is replaced; a folder that cannot be
/// written only means that nothing is kept. `build_probes` is called only when needed.
Result<MeasuredRoofs> cached_roofs(Device& device, Hardware const& hardware,
                                   std::filesystem::path const& folder,
                                   std::function<Result<RoofProbes>()> const& build_probes,
                                   RoofOptions const& options);

/// The roofs kept in `folder` for this hardware. Errors: bad_roofs_text (none that can be read).
Result<MeasuredRoofs> kept_roofs(std::filesystem::path const& folder, Hardware const& hardware);

/// A kernel was faster than the kept roofs allow: they are measured again at the next quiet moment.
void doubt_roofs(std::filesystem::path const& folder, Hardware const& hardware);

/// More processes run or wait on the device than half of its cores; one that does not tell is idle.
bool others_run(Device& device, Hardware const& hardware, StopToken stop);

/// Where `cached_roofs` keeps them.
std::filesystem::path roofs_file(std::filesystem::path const& folder, Hardware const& hardware);

}  // namespace tw
