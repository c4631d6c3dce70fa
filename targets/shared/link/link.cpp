#include "targets/shared/link/link.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <string>
#include <utility>

#include "lld/Common/Driver.h"
#include "llvm/Support/raw_ostream.h"

LLD_HAS_DRIVER(elf)

namespace tw {
namespace {

namespace fs = std::filesystem;

constexpr char kScratchName[] = "tilewright-link-";

/// Held for as long as a process uses its folder; -1: somebody has it, or it is gone.
int lock_of(fs::path const& folder) {
  int lock = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0 && access(folder.c_str(), F_OK) == 0)
    return lock;
  if (lock >= 0) close(lock);
  return -1;
}

/// Removes what killed processes of this user left there.
void sweep(fs::path const& parent) {
  std::error_code ignored;
  for (auto const& entry : fs::directory_iterator(parent, ignored)) {
    struct stat info {};
    if (!entry.path().filename().string().starts_with(kScratchName) ||
        lstat(entry.path().c_str(), &info) != 0 || info.st_uid != geteuid())
      continue;
    int lock = lock_of(entry.path());
    if (lock < 0) continue;
    fs::remove_all(entry.path(), ignored);
    close(lock);
  }
}

/// A private folder that goes away with this value.
class ScratchFolder {
public:
  static Result<ScratchFolder> create(fs::path parent) {
    constexpr int kMostTries = 10;  // a sweeper may come before the lock
    std::error_code error;
    if (parent.empty()) parent = fs::temp_directory_path(error);
    static std::once_flag swept;
    std::call_once(swept, sweep, parent);
    for (int i = 0; i < kMostTries && !error; ++i) {
      std::string pattern = (parent / kScratchName).string() + "XXXXXX";
      if (mkdtemp(pattern.data()) == nullptr) break;
      if (int lock = lock_of(pattern); lock >= 0) return ScratchFolder(pattern, lock);
    }
    std::string reason = error ? error.message() : std::strerror(errno);
    if (parent.empty()) parent = "the temporary folder";
    return environment_failed("scratch_unusable", "no folder can be created in " + parent.string() +
                                                      " to link a kernel in: " + reason +
                                                      "; TMPDIR may name another one");
  }
  ScratchFolder(ScratchFolder&& other) noexcept
      : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)) {
    other.path_.clear();
  }
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
    if (lock_ >= 0) close(lock_);
  }
  fs::path const& path() const { return path_; }

private:
  ScratchFolder(fs::path path, int lock) : path_(std::move(path)), lock_(lock) {}
  fs::path path_;
  int lock_;
};

Status write_file(fs::path const& path, std::span<std::byte const> bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<char const*>(bytes.data()), std::streamsize(bytes.size()));
  file.close();
  if (file) return {};
  return environment_failed("scratch_unusable",
                            "no kernel can be linked in " + path.parent_path().string() + ": " +
                                std::strerror(errno) + "; TMPDIR may name another folder");
}

Result<std::vector<std::byte>> read_file(fs::path const& path) {
  std::error_code error;
  uintmax_t size = fs::file_size(path, error);
  if (error) return environment_failed("scratch_unusable", "cannot read " + path.string());
  std::vector<std::byte> bytes(size);
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(bytes.data()), std::streamsize(size));
  if (!file) return environment_failed("scratch_unusable", "cannot read " + path.string());
  return bytes;
}

/// The words after `marker` in each line of the linker's messages, once each, comma-separated.
/// Without those in `known`.
std::string names_after(std::string const& messages, std::string const& marker,
                        std::vector<std::string> const& known = {}) {
  std::string names;
  size_t at = 0;
  while ((at = messages.find(marker, at)) != std::string::npos) {
    at += marker.size();
    std::string word = messages.substr(at, messages.find('\n', at) - at);
    if (std::ranges::find(known, word) != known.end()) continue;
    std::string name = "'" + word + "'";
    if (names.find(name) == std::string::npos) names += (names.empty() ? "" : ", ") + name;
  }
  return names;
}

std::unexpected<Error> explain(std::string const& messages, std::vector<std::string> const& known) {
  std::string missing = names_after(messages, "undefined symbol: ", known);
  if (!missing.empty()) {
    return refused("undefined_symbol", "the kernel library needs " + missing +
                                           ", which nothing defines: a kernel may call nothing "
                                           "but the table it is given");
  }
  std::string twice = names_after(messages, "duplicate symbol: ");
  if (!twice.empty()) {
    return refused("duplicate_symbol", "the kernel library defines " + twice + " more than once");
  }
  return refused("link_failed",
                 "the kernel could not be linked: " + messages.substr(0, messages.find('\n')));
}

/// Runs the linker; what it says is empty when it succeeded.
Status run_linker(std::vector<std::string> const& arguments,
                  std::vector<std::string> const& known) {
  // lld keeps its state in globals: two links at once crash.
  static std::mutex one_at_a_time;
  static bool broken = false;
  std::lock_guard lock(one_at_a_time);
  if (broken) {
    return environment_failed("link_failed",
                              "the linker failed earlier in this process and cannot be used again");
  }
  std::vector<char const*> raw;
  for (std::string const& argument : arguments) raw.push_back(argument.c_str());
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  lld::Result result = lld::lldMain(raw, stream, stream, {{lld::Gnu, &lld::elf::link}});
  broken = !result.canRunAgain;
  // With known names, others that nothing defines are warnings of the linker's.
  bool lacks = !known.empty() && !names_after(stream.str(), "undefined symbol: ", known).empty();
  if (result.retCode != 0 || lacks) return explain(stream.str(), known);
  return {};
}

}  // namespace

Result<std::vector<std::byte>> link_shared_library(std::span<std::vector<std::byte> const> objects,
                                                   LinkOptions const& options) {
  if (objects.empty()) return refused("link_failed", "there is nothing to link");
  TRY_ASSIGN(ScratchFolder folder, ScratchFolder::create(options.scratch_folder));
  fs::path output = folder.path() / "kernel.so";
  // -z now: a name that is missing must fail here, not at the first call on a device.
  std::vector<std::string> arguments = {"ld.lld",
                                        "-shared",
                                        "--no-undefined",
                                        "-z",
                                        "now",
                                        "-z",
                                        "noexecstack",
                                        "--hash-style=gnu",
                                        "--strip-debug",
                                        "--build-id=none",
                                        "--threads=1",
                                        "--color-diagnostics=never",
                                        "-o",
                                        output.string()};
  if (!options.of_the_loader.empty()) arguments.push_back("--warn-unresolved-symbols");
  for (size_t i = 0; i < objects.size(); ++i) {
    fs::path path = folder.path() / (std::to_string(i) + ".o");
    TRY(write_file(path, objects[i]));
    arguments.push_back(path.string());
  }
  TRY(run_linker(arguments, options.of_the_loader));
  return read_file(output);
}

}  // namespace tw
