#include "engine/device/confine.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace tw {
namespace {

/// Code, stacks of threads and messages, besides the tensors.
constexpr int64_t kOwnMemory = int64_t(1) << 30;

// The shadow of a sanitizer is private memory, larger than any share.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kLimitsMemory = false;
#else
constexpr bool kLimitsMemory = true;
#endif

/// landlock_ruleset_attr with the fields of newer systems: older ones take a shorter one.
struct Rules {
  uint64_t files = 0;
  uint64_t network = 0;
  uint64_t scoped = 0;
};

constexpr uint64_t kWriting = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                              LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                              LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                              LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                              LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
constexpr uint64_t kRefer = 1 << 13;     // since version 2
constexpr uint64_t kTruncate = 1 << 14;  // 3
constexpr uint64_t kTcp = 3;             // 4: bind and connect
constexpr uint64_t kScopes = 3;          // 6: abstract sockets, signals to other processes

int landlock_version() {
  return int(syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION));
}

Status failed(char const* what) {
  return environment_failed("not_confined", std::string("the worker cannot be confined: ") + what +
                                                ": " + std::strerror(errno));
}

Status confine_writes(std::filesystem::path const& folder) {
  int version = landlock_version();
  if (version < 1) return {};
  Rules rules{.files = kWriting};
  if (version >= 2) rules.files |= kRefer;
  if (version >= 3) rules.files |= kTruncate;
  if (version >= 4) rules.network = kTcp;
  if (version >= 6) rules.scoped = kScopes;
  size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
  int set = int(syscall(SYS_landlock_create_ruleset, &rules, size, 0));
  if (set < 0) return failed("no rules");
  int own = open(folder.c_str(), O_PATH | O_CLOEXEC | O_DIRECTORY);
  landlock_path_beneath_attr beneath{.allowed_access = rules.files, .parent_fd = own};
  bool done = own >= 0 &&
              syscall(SYS_landlock_add_rule, set, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0) == 0 &&
              syscall(SYS_landlock_restrict_self, set, 0) == 0;
  Status status = done ? Status() : failed("the rules are not taken");
  if (own >= 0) close(own);
  close(set);
  return status;
}

bool limit(int resource, int64_t most) {
  rlimit both{rlim_t(most), rlim_t(most)};
  return setrlimit(__rlimit_resource_t(resource), &both) == 0;
}

}  // namespace

bool can_confine_writes() { return landlock_version() >= 1; }

Status confine_this_process(Confinement const& confinement) {
  if (chdir(confinement.folder.c_str()) != 0) return failed("its folder cannot be entered");
  // Only what the kernel of an old system does not know stays open.
  (void)close_range(3, unsigned(confinement.keep) - 1, 0);
  (void)close_range(unsigned(confinement.keep) + 1, ~0U, 0);
  // Private memory is what a kernel can ask for; mapped code does not count.
  bool limited = (!kLimitsMemory || limit(RLIMIT_DATA, confinement.memory_bytes + kOwnMemory)) &&
                 limit(RLIMIT_FSIZE, 64 << 20) && limit(RLIMIT_NOFILE, 256) &&
                 limit(RLIMIT_CORE, 0);
  if (!limited) return failed("a limit is not taken");
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failed("privileges stay");
  return confine_writes(confinement.folder);
}

}  // namespace tw
