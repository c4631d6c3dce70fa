#include "engine/hardware/launches.h"

namespace tw {

Waves waves_of(int64_t blocks, int units, gpu::Occupancy const& occupancy) {
  Waves made{.at_once = int64_t(units) * occupancy.blocks};
  if (made.at_once < 1 || blocks < 1) return made;
  made.waves = (blocks + made.at_once - 1) / made.at_once;
  made.last = blocks - (made.waves - 1) * made.at_once;
  return made;
}

}  // namespace tw
