#include "targets/vta/runtime/vta_processor.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "targets/vta/runtime/run_kernel.h"

namespace tw::vta {
namespace {

class VtaLibrary final : public KernelLibrary {
public:
  explicit VtaLibrary(std::vector<CallProgram> programs) {
    for (CallProgram& program : programs) {
      std::string symbol = program.symbol;
      kernels_.try_emplace(std::move(symbol), std::move(program));
    }
  }
  Result<void*> find(std::string const& symbol) override {
    auto found = kernels_.find(symbol);
    if (found == kernels_.end())
      return bad_input("symbol_not_found",
                       fmt::format("the library has no kernel '{}'", symbol.substr(0, 80)));
    return static_cast<void*>(&found->second);
  }

private:
  std::map<std::string, LoadedKernel> kernels_;
};

class VtaProcessor final : public DeviceRuntime {
public:
  VtaProcessor(std::unique_ptr<Driver> driver, ProcessorOptions const& options)
      : driver_(std::move(driver)), options_(options) {}

  Status can_run(MachineNeeds const& needs) const override {
    std::string own = driver_->configuration().key();
    if (needs.architecture == own) return {};
    return bad_input("wrong_processor",
                     fmt::format("the code is for '{}', and this accelerator is '{}'",
                                 needs.architecture.substr(0, 80), own));
  }

  Result<void*> allocate(int64_t bytes) override {
    if (bytes < 0 || bytes > options_.most_bytes - used_bytes_)
      return refused("tensor_too_large",
                     fmt::format("a tensor of {} bytes does not fit the {} bytes that the device "
                                 "has left",
                                 bytes, options_.most_bytes - used_bytes_));
    TRY_ASSIGN(uint64_t address, driver_->allocate(bytes));
    used_bytes_ += bytes;
    sizes_[address] = bytes;
    return handle_of(address);
  }
  void release(void* memory) override {
    auto found = sizes_.find(address_of({memory}));
    if (found == sizes_.end()) return;
    used_bytes_ -= found->second;
    driver_->release(found->first);
    sizes_.erase(found);
  }

  // These three cannot say what went wrong: the next call does.
  void write(MemoryPlace to, std::span<std::byte const> from) override {
    note(driver_->write(address_of(to), from));
  }
  void read(std::span<std::byte> to, MemoryPlace from) override {
    note(driver_->read(to, address_of(from)));
  }
  void copy(MemoryPlace to, MemoryPlace from, int64_t bytes) override {
    std::vector<std::byte> between(static_cast<size_t>(bytes));
    read(between, from);
    write(to, between);
  }
  void* host_address(MemoryPlace) const override { return nullptr; }

  Result<std::unique_ptr<KernelLibrary>> load(std::span<std::byte const> library) override {
    std::string_view text(reinterpret_cast<char const*>(library.data()), library.size());
    auto programs = parse_call_programs(text);
    if (!programs) return bad_input("module_not_loadable", to_sentence(programs.error()));
    std::string own = driver_->configuration().key();
    for (CallProgram const& program : *programs)
      if (std::string other = program.configuration.key(); other != own)
        return bad_input("module_not_loadable",
                         fmt::format("the kernel '{}' is for the accelerator '{}', and this one is "
                                     "'{}'",
                                     program.symbol.substr(0, 80), other, own));
    return std::make_unique<VtaLibrary>(std::move(*programs));
  }

  void use_threads(int) override {}

  int32_t call(void* kernel, std::span<MemoryPlace const> buffers) override {
    if (!failure_) note(run(*static_cast<LoadedKernel*>(kernel), buffers));
    return failure_ ? 1 : 0;
  }
  std::optional<Error> take_failure() override { return std::exchange(failure_, std::nullopt); }
  std::optional<double> own_seconds() override { return driver_->own_seconds(); }

private:
  static void* handle_of(uint64_t address) {
    return reinterpret_cast<void*>(static_cast<uintptr_t>(address));
  }
  static uint64_t address_of(MemoryPlace place) {
    return uint64_t(reinterpret_cast<uintptr_t>(place.memory)) + uint64_t(place.offset);
  }
  void note(Status const& status) {
    if (!status && !failure_) failure_ = status.error();
  }

  /// The kernel's tensors, then a workspace that it has none of.
  Status run(LoadedKernel& kernel, std::span<MemoryPlace const> buffers) {
    std::vector<CallTensor> const& tensors = kernel.program().tensors;
    if (buffers.size() < tensors.size())
      return bad_input("wrong_buffers",
                       fmt::format("the kernel '{}' takes {} buffers, not {}",
                                   kernel.program().symbol, tensors.size(), buffers.size()));
    std::vector<uint64_t> addresses;
    for (size_t i = 0; i < tensors.size(); ++i) {
      auto found = sizes_.find(address_of({buffers[i].memory}));
      int64_t has = found == sizes_.end() ? 0 : found->second;
      if (buffers[i].offset < 0 || tensors[i].bytes > has - buffers[i].offset)
        return bad_input("wrong_buffers",
                         fmt::format("'{}' of the kernel '{}' takes {} bytes, and there are {}",
                                     tensors[i].name, kernel.program().symbol, tensors[i].bytes,
                                     std::max<int64_t>(has - buffers[i].offset, 0)));
      addresses.push_back(address_of(buffers[i]));
    }
    return kernel.run(*driver_, std::move(addresses), options_.limit);
  }

  std::unique_ptr<Driver> driver_;
  ProcessorOptions options_;
  int64_t used_bytes_ = 0;
  std::map<uint64_t, int64_t> sizes_;
  std::optional<Error> failure_;
};

}  // namespace

std::unique_ptr<DeviceRuntime> create_vta_processor(std::unique_ptr<Driver> driver,
                                                    ProcessorOptions const& options) {
  return std::make_unique<VtaProcessor>(std::move(driver), options);
}

}  // namespace tw::vta
