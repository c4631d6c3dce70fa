#include "engine/hardware/machine.h"

#include <unistd.h>

namespace tw {

int64_t machine_memory_bytes() {
  int64_t pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
  return pages > 0 && page_bytes > 0 ? pages * page_bytes : 0;
}

}  // namespace tw
