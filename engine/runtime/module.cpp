#include "engine/runtime/module.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "engine/runtime/abi.h"

namespace tw {
namespace {

bool write_all(int file, std::span<std::byte const> bytes) {
  while (!bytes.empty()) {
    ssize_t count = write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes = bytes.subspan(size_t(count));
  }
  return true;
}

std::atomic<uint64_t> loads = 0;  // only tells paths apart

/// A handle, or why there is none.
struct Opened {
  void* handle = nullptr;
  std::string reason;
  int file = -1;  ///< of memory, to be kept open as long as the library
};

Opened open_library(std::string const& path) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  char const* words = handle ? nullptr : dlerror();
  return {handle, handle ? "" : words ? words : "out of memory", -1};
}

Opened open_from_memory(std::span<std::byte const> library) {
  int file = memfd_create("tilewright-kernels", MFD_CLOEXEC);
  if (file < 0)
    return {nullptr, std::string("no memory file can be created: ") + strerror(errno), -1};
  Opened opened{nullptr, "there is not enough memory for it", -1};
  if (write_all(file, library)) {
    // The loader takes a name that it has seen for the library that it has: descriptors come again,
    // so every load spells its path differently ("/proc/self/fd/./././7").
    std::string path = "/proc/self/fd/";
    for (uint64_t count = ++loads, bit = 0; (count >> bit) != 0; ++bit)
      path += (count >> bit) & 1 ? "./" : "/";
    opened = open_library(path + std::to_string(file));
  }
  if (opened.handle != nullptr)
    opened.file = file;
  else
    close(file);
  return opened;
}

/// A sandbox that refuses to look is no such system.
bool is_without_proc() { return access("/proc/self/fd", X_OK) != 0 && errno == ENOENT; }

/// A file that nobody else may read or change, and that is gone when this returns. Its name is
/// never used twice, or the loader would take it for a library that it has.
Opened open_from_folder(std::string const& folder, std::span<std::byte const> library) {
  std::string path = folder + "/tilewright-" + std::to_string(getpid()) + "-" +
                     std::to_string(++loads) + "-XXXXXX";
  int file = mkostemp(path.data(), O_CLOEXEC);
  if (file < 0) return {nullptr, folder + ": " + strerror(errno), -1};
  Opened opened{nullptr, folder + ": " + strerror(ENOSPC), -1};
  if (write_all(file, library)) opened = open_library(path);
  close(file);
  unlink(path.c_str());
  return opened;
}

Opened open_without_proc(std::span<std::byte const> library) {
  std::vector<std::string> folders{"/dev/shm"};
  if (char const* own = secure_getenv("TMPDIR"); own != nullptr && *own == '/')
    folders.push_back(own);
  folders.insert(folders.end(), {"/tmp", "/var/tmp"});
  std::string reasons;
  for (std::string const& folder : folders) {
    Opened opened = open_from_folder(folder, library);
    if (opened.handle != nullptr) return opened;
    reasons += "; " + opened.reason;
  }
  return {nullptr, "/proc is not mounted, and no folder can hold a file to load it from" + reasons,
          -1};
}

/// A library that says nothing was made for version 1, which every later one contains.
Status check_version(void* handle) {
  auto const* needed = static_cast<uint32_t const*>(dlsym(handle, "tw_needs_runtime"));
  if (needed == nullptr || *needed <= kTwRuntimeVersion) return {};
  return refused("module_too_new", "the kernel library needs version " + std::to_string(*needed) +
                                       " of what kernels may call, and this runtime has version " +
                                       std::to_string(kTwRuntimeVersion));
}

}  // namespace

Result<LoadedModule> LoadedModule::load(std::span<std::byte const> library) {
  // The loader reads past what a truncated file has: the header must at least be one.
  if (library.size() < 64 || std::memcmp(library.data(), "\177ELF", 4) != 0) {
    return refused("module_not_loadable", "the kernel library is not an ELF file");
  }
  Opened opened = open_from_memory(library);
  if (opened.handle == nullptr && is_without_proc()) opened = open_without_proc(library);
  if (opened.handle == nullptr)
    return refused("module_not_loadable", "the kernel library cannot be loaded: " + opened.reason);
  LoadedModule loaded(opened.handle, opened.file);
  TRY(check_version(opened.handle));
  return loaded;
}

LoadedModule::LoadedModule(LoadedModule&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), file_(std::exchange(other.file_, -1)) {}

LoadedModule& LoadedModule::operator=(LoadedModule&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(file_, other.file_);
  return *this;
}

LoadedModule::~LoadedModule() {
  if (handle_ != nullptr) dlclose(handle_);
  if (file_ >= 0) close(file_);  // after the mapping: memory that no descriptor names is hidden
}

Result<void*> LoadedModule::symbol(std::string const& name) const {
  void* address = dlsym(handle_, name.c_str());
  if (address == nullptr) {
    return refused("symbol_not_found", "the kernel library has no function '" + name + "'");
  }
  return address;
}

}  // namespace tw
