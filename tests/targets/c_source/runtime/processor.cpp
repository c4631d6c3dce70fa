// Whoever has a C compiler as a device: it compiles a library of C when it is loaded, and calls the
// kernels in this process.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <thread>
#include <utility>
#include <vector>

#include "engine/device/device_runtime_table.h"
#include "engine/runtime/abi.h"
#include "engine/runtime/module.h"
#include "engine/runtime/thread_pool.h"
#include "engine/support/files.h"
#include "tests/targets/c_source/c_source.h"

namespace tw {
namespace {

namespace fs = std::filesystem;
using namespace c_source;

/// A folder of its own, which goes away with this value.
class Folder {
public:
  static Result<Folder> create() {
    std::error_code error;
    std::string pattern = (fs::temp_directory_path(error) / "tilewright-c-XXXXXX").string();
    if (error || ::mkdtemp(pattern.data()) == nullptr)
      return environment_failed("module_not_loadable", "no folder can be made to compile C in");
    return Folder(pattern);
  }
  Folder(Folder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  Folder& operator=(Folder&&) = delete;
  ~Folder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  fs::path const& path() const { return path_; }

private:
  explicit Folder(fs::path path) : path_(std::move(path)) {}
  fs::path path_;
};

Result<LoadedModule> compiled(std::span<std::byte const> library) {
  std::string_view text(reinterpret_cast<char const*>(library.data()), library.size());
  if (!text.starts_with(kMagic))
    return bad_input("module_not_loadable", "this is no library of C source");
  TRY_ASSIGN(Folder folder, Folder::create());
  TRY(write_file(folder.path() / "library.c", text, Durability::kFast));
  // Signed numbers wrap in kernel IR, and buffers of different types may share memory.
  std::string command = "cd '" + folder.path().string() +
                        "' && cc -std=c11 -O2 -w -fwrapv -fno-strict-aliasing -fPIC -shared "
                        "library.c -o library.so -lm 2>messages";
  if (std::system(command.c_str()) != 0) {
    std::string said = read_file(folder.path() / "messages").value_or("it cannot be started");
    return refused("module_not_loadable",
                   "the C compiler made no library: " + said.substr(0, said.find('\n')));
  }
  TRY_ASSIGN(std::string bytes, read_file(folder.path() / "library.so"));
  return LoadedModule::load(std::as_bytes(std::span(bytes)));
}

class CLibrary final : public KernelLibrary {
public:
  explicit CLibrary(LoadedModule loaded) : module_(std::move(loaded)) {}
  Result<void*> find(std::string const& symbol) override { return module_.symbol(symbol); }

private:
  LoadedModule module_;
};

class CProcessor final : public DeviceRuntime {
public:
  explicit CProcessor(int64_t most_bytes) : most_bytes_(most_bytes) {}
  ~CProcessor() override {
    while (!sizes_.empty()) release(sizes_.begin()->first);
  }

  Status can_run(MachineNeeds const&) const override { return {}; }

  Result<void*> allocate(int64_t bytes) override {
    size_t rounded = (size_t(bytes) + 63) / 64 * 64;
    bool fits = bytes >= 0 && bytes <= most_bytes_ - used_bytes_;
    void* memory = fits ? std::aligned_alloc(64, std::max<size_t>(rounded, 64)) : nullptr;
    if (!memory)
      return refused("tensor_too_large",
                     "there is no memory for " + std::to_string(bytes) + " bytes on this device");
    std::memset(memory, 0, rounded);
    used_bytes_ += bytes;
    sizes_[memory] = bytes;
    return memory;
  }
  void release(void* memory) override {
    auto found = sizes_.find(memory);
    if (found == sizes_.end()) return;
    used_bytes_ -= found->second;
    sizes_.erase(found);
    std::free(memory);
  }
  void write(MemoryPlace to, std::span<std::byte const> from) override {
    std::memcpy(host_address(to), from.data(), from.size());
  }
  void read(std::span<std::byte> to, MemoryPlace from) override {
    std::memcpy(to.data(), host_address(from), to.size());
  }
  void copy(MemoryPlace to, MemoryPlace from, int64_t bytes) override {
    std::memmove(host_address(to), host_address(from), size_t(bytes));
  }
  void* host_address(MemoryPlace place) const override {
    return place.memory ? static_cast<std::byte*>(place.memory) + place.offset : nullptr;
  }

  Result<std::unique_ptr<KernelLibrary>> load(std::span<std::byte const> library) override {
    TRY_ASSIGN(LoadedModule loaded, compiled(library));
    return std::make_unique<CLibrary>(std::move(loaded));
  }

  void use_threads(int threads) override {
    if (threads != pool_->threads()) pool_ = std::make_unique<ThreadPool>(threads);
  }
  int32_t call(void* kernel, std::span<MemoryPlace const> buffers) override {
    std::vector<void*> pointers;
    for (MemoryPlace const& one : buffers) pointers.push_back(host_address(one));
    return reinterpret_cast<TwKernel>(kernel)(pointers.data(), pool_->runtime());
  }

private:
  int64_t most_bytes_, used_bytes_ = 0;
  std::map<void*, int64_t> sizes_;
  std::unique_ptr<ThreadPool> pool_ = std::make_unique<ThreadPool>(1);
};

}  // namespace

DeviceRuntimeEntry const& device_runtime_c_source() {
  static DeviceRuntimeEntry const entry{
      .name = kName,
      .detect = []() -> Result<Hardware> {
        if (std::system("command -v cc >/dev/null 2>&1") != 0)
          return environment_failed("no_such_hardware", "there is no C compiler 'cc' on the path");
        auto cores = int(std::max(1u, std::thread::hardware_concurrency()));
        return Hardware{
            .target = kName,
            .name = "C compiler",
            .units = {{.count = cores}},
            .memories = {{.name = "memory", .bytes = int64_t(1) << 30, .cache = false}}};
      },
      .create = [](Hardware const&, int64_t most_bytes) -> Result<std::unique_ptr<DeviceRuntime>> {
        return std::make_unique<CProcessor>(most_bytes);
      },
  };
  return entry;
}

}  // namespace tw
