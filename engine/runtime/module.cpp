#include "engine/runtime/module.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <utility>

namespace tw {
namespace {

bool write_all(int file, std::span<std::byte const> bytes) {
  while (!bytes.empty()) {
    ssize_t count = write(file, bytes.data(), bytes.size());
    if (count <= 0) return false;
    bytes = bytes.subspan(size_t(count));
  }
  return true;
}

std::atomic<uint64_t> loads = 0;  // only tells paths apart

}  // namespace

Result<LoadedModule> LoadedModule::load(std::span<std::byte const> library) {
  // The loader reads past what a truncated file has: the header must at least be one.
  if (library.size() < 64 || std::memcmp(library.data(), "\177ELF", 4) != 0) {
    return refused("module_not_loadable", "the kernel library is not an ELF file");
  }
  int file = memfd_create("tilewright-kernels", MFD_CLOEXEC);
  if (file < 0) return environment_failed("module_not_loadable", "no memory file can be made");
  void* handle = nullptr;
  if (write_all(file, library)) {
    // The loader takes a name that it has seen for the library that it has: descriptors come again,
    // so every load spells its path differently ("/proc/self/fd/./././7").
    std::string path = "/proc/self/fd/";
    for (uint64_t count = ++loads, bit = 0; (count >> bit) != 0; ++bit)
      path += (count >> bit) & 1 ? "./" : "/";
    path += std::to_string(file);
    handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  if (handle == nullptr) {
    char const* words = dlerror();
    close(file);
    return refused("module_not_loadable", std::string("the kernel library cannot be loaded: ") +
                                              (words ? words : "out of memory"));
  }
  return LoadedModule(handle, file);
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
