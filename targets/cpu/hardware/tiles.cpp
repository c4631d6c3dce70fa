#include "targets/cpu/hardware/tiles.h"

#if defined(__x86_64__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace tw {

bool may_use_tiles() {
#if defined(__x86_64__)
  constexpr int kAskForPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr unsigned long kTileData = 18;    // XFEATURE_XTILEDATA
  static bool const may = syscall(SYS_arch_prctl, kAskForPermission, kTileData) == 0;
  return may;
#else
  return false;
#endif
}

std::string without_tiles(std::string features) {
  for (size_t at = 0; (at = features.find("+amx-", at)) != std::string::npos;) features[at] = '-';
  return features;
}

}  // namespace tw
