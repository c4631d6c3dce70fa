#include "engine/device/sandbox/landlock.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

namespace tw {
namespace {

/// landlock_ruleset_attr with the fields of newer systems: older ones take a shorter one.
struct Rules {
  uint64_t files = 0;
  uint64_t network = 0;
  uint64_t scoped = 0;
};

constexpr uint64_t kFirst = (1 << 13) - 1;      // version 1: to run, read, write, make and remove
constexpr uint64_t kRefer = 1 << 13;            // since version 2
constexpr uint64_t kTruncate = 1 << 14;         // 3
constexpr uint64_t kTcp = 3;                    // 4: bind and connect
constexpr uint64_t kDevices = 1 << 15;          // 5: ioctl
constexpr uint64_t kSockets = 1, kSignals = 2;  // 6: abstract sockets, signals to other processes

constexpr uint64_t kRead = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr uint64_t kStart = kRead | LANDLOCK_ACCESS_FS_EXECUTE;
constexpr uint64_t kOrder = kRead | LANDLOCK_ACCESS_FS_WRITE_FILE | kDevices;
constexpr uint64_t kWrite = kRead | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                            LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR |
                            LANDLOCK_ACCESS_FS_MAKE_REG | kRefer | kTruncate;
/// All that can be said of what is no folder.
constexpr uint64_t kOfFiles = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |
                              LANDLOCK_ACCESS_FS_READ_FILE | kTruncate | kDevices;

int version() {
  return int(syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION));
}

bool allow(int set, std::string const& path, uint64_t access) {
  int own = open(path.c_str(), O_PATH | O_CLOEXEC);
  if (own < 0) return true;  // what is not there is not read
  struct stat facts {};
  bool folder = fstat(own, &facts) == 0 && S_ISDIR(facts.st_mode);
  landlock_path_beneath_attr beneath{.allowed_access = folder ? access : access & kOfFiles,
                                     .parent_fd = own};
  bool done = syscall(SYS_landlock_add_rule, set, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0) == 0;
  close(own);
  return done;
}

/// `known`: what this system can be told to refuse; of anything else it takes no rule.
bool allow_all(int set, FileRules const& rules, uint64_t known) {
  bool done = true;
  for (auto const& [paths, access] :
       {std::pair(&rules.readable, kRead), std::pair(&rules.programs, kStart),
        std::pair(&rules.writable, kWrite), std::pair(&rules.devices, kOrder)})
    for (std::string const& path : *paths) done = done && allow(set, path, access & known);
  return done;
}

}  // namespace

bool can_sandbox_files() { return version() >= 1; }

bool sandbox_files(FileRules const& files) {
  int known = version();
  Rules rules{.files = kFirst};
  if (known >= 2) rules.files |= kRefer;
  if (known >= 3) rules.files |= kTruncate;
  if (known >= 4) rules.network = kTcp;
  if (known >= 5) rules.files |= kDevices;
  if (known >= 6) rules.scoped = files.signals ? kSockets : kSockets | kSignals;
  size_t size = known >= 6 ? 24 : known >= 4 ? 16 : 8;
  int set = int(syscall(SYS_landlock_create_ruleset, &rules, size, 0));
  if (set < 0) return false;
  // Libraries of kernels are files of memory, which no rule is about.
  bool done =
      allow_all(set, files, rules.files) && syscall(SYS_landlock_restrict_self, set, 0) == 0;
  close(set);
  return done;
}

}  // namespace tw
