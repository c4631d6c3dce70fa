#include "engine/device/sandbox/landlock.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace tw {
namespace {

/// landlock_ruleset_attr with the fields of newer systems: older ones take a shorter one.
struct Rules {
  uint64_t files = 0;
  uint64_t network = 0;
  uint64_t scoped = 0;
};

constexpr uint64_t kFirst = (1 << 13) - 1;  // version 1: to run, read, write, make and remove
constexpr uint64_t kRefer = 1 << 13;        // since version 2
constexpr uint64_t kTruncate = 1 << 14;     // 3
constexpr uint64_t kTcp = 3;                // 4: bind and connect
constexpr uint64_t kDevices = 1 << 15;      // 5: ioctl
constexpr uint64_t kScopes = 3;             // 6: abstract sockets, signals to other processes

int version() {
  return int(syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION));
}

bool allow_reading(int set, char const* file) {
  int own = open(file, O_PATH | O_CLOEXEC);
  if (own < 0) return true;  // what is not there is not read
  landlock_path_beneath_attr beneath{.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE,
                                     .parent_fd = own};
  bool done = syscall(SYS_landlock_add_rule, set, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0) == 0;
  close(own);
  return done;
}

}  // namespace

bool can_sandbox_files() { return version() >= 1; }

bool sandbox_files() {
  int known = version();
  Rules rules{.files = kFirst};
  if (known >= 2) rules.files |= kRefer;
  if (known >= 3) rules.files |= kTruncate;
  if (known >= 4) rules.network = kTcp;
  if (known >= 5) rules.files |= kDevices;
  if (known >= 6) rules.scoped = kScopes;
  size_t size = known >= 6 ? 24 : known >= 4 ? 16 : 8;
  int set = int(syscall(SYS_landlock_create_ruleset, &rules, size, 0));
  if (set < 0) return false;
  // What a device tells of its machine. Libraries of kernels are files of memory, which no rule
  // is about.
  bool done = allow_reading(set, "/proc/uptime") && allow_reading(set, "/proc/loadavg") &&
              syscall(SYS_landlock_restrict_self, set, 0) == 0;
  close(set);
  return done;
}

}  // namespace tw
