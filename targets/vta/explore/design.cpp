#include "targets/vta/explore/design.h"

namespace tw::vta {

int64_t sram_bytes(Configuration const& configuration) {
  int64_t sum = 0;
  for (Memory memory : kOnChip) sum += configuration.buffer_bytes(memory);
  return sum;
}

}  // namespace tw::vta
