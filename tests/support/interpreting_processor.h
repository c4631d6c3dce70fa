/// A device that interprets lowered kernels, for made-up machines: their code is text.
#pragma once

#include <cstdio>
#include <cstring>
#include <map>
#include <sstream>
#include <utility>

#include "engine/device/device_runtime_table.h"
#include "engine/ir/interpreter.h"
#include "engine/ir/kernel.h"

namespace tw::testing {

struct InterpretedKernel {
  ir::KernelIr code;
  size_t inputs = 0;
};

class InterpretedLibrary final : public KernelLibrary {
public:
  static Result<std::unique_ptr<KernelLibrary>> read(std::string_view text,
                                                     std::string_view magic) {
    auto library = std::make_unique<InterpretedLibrary>();
    if (!text.starts_with(magic))
      return bad_input("module_not_loadable", "this is no library of that machine");
    text.remove_prefix(magic.size());
    while (!text.empty()) {
      std::istringstream head(std::string(text.substr(0, text.find('\n'))));
      std::string word, symbol;
      size_t inputs = 0, bytes = 0, begin = text.find('\n') + 1;
      if (!(head >> word >> symbol >> inputs >> bytes) || word != "kernel" || begin == 0 ||
          bytes > text.size() - begin)
        return bad_input("module_not_loadable", "a kernel of the library is cut off");
      TRY_ASSIGN(ir::KernelIr code, ir::parse_kernel(text.substr(begin, bytes)));
      library->kernels_[symbol] = {std::move(code), inputs};
      text.remove_prefix(begin + bytes);
    }
    return library;
  }
  Result<void*> find(std::string const& symbol) override {
    auto found = kernels_.find(symbol);
    if (found == kernels_.end())
      return bad_input("symbol_not_found", "the library has no kernel '" + symbol + "'");
    return static_cast<void*>(&found->second);
  }

private:
  std::map<std::string, InterpretedKernel> kernels_;
};

/// Its memory is its own: handles are numbers, no addresses. It works when it is waited for, so
/// that whoever does not wait sees old data.
class InterpretingProcessor final : public DeviceRuntime {
public:
  /// `magic`: what its libraries begin with; `sharing`: of its axes and memories, where it has any.
  InterpretingProcessor(std::string_view magic, int64_t most_bytes,
                        ir::Sharing const* sharing = nullptr)
      : magic_(magic), most_bytes_(most_bytes), sharing_(sharing) {}

  Status can_run(MachineNeeds const&) const override { return {}; }

  Result<void*> allocate(int64_t bytes) override {
    if (bytes < 0 || bytes > most_bytes_ - used_bytes_)
      return refused("tensor_too_large", "the machine has no memory for that tensor");
    used_bytes_ += bytes;
    auto* handle = reinterpret_cast<void*>(++last_handle_);
    tensors_[handle] = std::vector<std::byte>(size_t(bytes));
    return handle;
  }
  void release(void* memory) override {
    finish();
    auto found = tensors_.find(memory);
    if (found == tensors_.end()) return;
    used_bytes_ -= int64_t(found->second.size());
    tensors_.erase(found);
  }
  void write(MemoryPlace to, std::span<std::byte const> from) override {
    finish();
    std::memcpy(at(to), from.data(), from.size());
  }
  void read(std::span<std::byte> to, MemoryPlace from) override {
    finish();
    std::memcpy(to.data(), at(from), to.size());
  }
  void copy(MemoryPlace to, MemoryPlace from, int64_t bytes) override {
    finish();
    std::memmove(at(to), at(from), size_t(bytes));
  }
  void* host_address(MemoryPlace) const override { return nullptr; }
  Result<std::unique_ptr<KernelLibrary>> load(std::span<std::byte const> library) override {
    return InterpretedLibrary::read({reinterpret_cast<char const*>(library.data()), library.size()},
                                    magic_);
  }
  void use_threads(int) override {}

  int32_t call(void* kernel, std::span<MemoryPlace const> buffers) override {
    waiting_.push_back({static_cast<InterpretedKernel*>(kernel), {buffers.begin(), buffers.end()}});
    return 0;
  }
  int32_t wait() override {
    finish();
    return std::exchange(code_, 0);
  }

private:
  struct Call {
    InterpretedKernel const* kernel;
    std::vector<MemoryPlace> buffers;
  };

  std::byte* at(MemoryPlace place) { return tensors_.at(place.memory).data() + place.offset; }

  void finish() {
    for (Call const& call : std::exchange(waiting_, {})) {
      Status done = run(*call.kernel, call.buffers);
      if (done) continue;
      std::fprintf(stderr, "interpreted: %s\n", to_sentence(done.error()).c_str());
      code_ = 1;
    }
  }

  Status run(InterpretedKernel const& kernel, std::vector<MemoryPlace> const& buffers) {
    std::vector<NDArray> inputs;
    std::vector<ir::Buffer> const& params = kernel.code.host.params;
    for (size_t i = 0; i < kernel.inputs; ++i) {
      TRY_ASSIGN(NDArray array, NDArray::create(params[i]->type, *ir::constant_shape(*params[i])));
      std::memcpy(array.data(), at(buffers[i]), size_t(array.byte_size()));
      inputs.push_back(std::move(array));
    }
    TRY_ASSIGN(std::vector<NDArray> outputs,
               ir::interpret(kernel.code, kernel.inputs, inputs,
                             {.sharing = sharing_, .registers = true}));
    for (size_t i = 0; i < outputs.size(); ++i)
      std::memcpy(at(buffers[kernel.inputs + i]), outputs[i].data(),
                  size_t(outputs[i].byte_size()));
    return {};
  }

  std::string_view magic_;
  int64_t most_bytes_, used_bytes_ = 0;
  ir::Sharing const* sharing_;
  uintptr_t last_handle_ = 0;
  std::map<void*, std::vector<std::byte>> tensors_;
  std::vector<Call> waiting_;
  int32_t code_ = 0;
};

}  // namespace tw::testing
