// The scratchpad machine as a device: it interprets the kernels of a library.
#include <cstring>
#include <map>
#include <sstream>

#include "engine/device/processor_table.h"
#include "engine/ir/interpreter.h"
#include "engine/ir/kernel.h"
#include "tests/targets/scratchpad/scratchpad.h"

namespace tw {
namespace {

using namespace scratchpad;

struct Kernel {
  ir::KernelIr code;
  size_t inputs = 0;
};

class Library final : public KernelLibrary {
public:
  static Result<std::unique_ptr<KernelLibrary>> read(std::string_view text) {
    auto library = std::make_unique<Library>();
    if (!text.starts_with(kMagic))
      return bad_input("module_not_loadable", "this is no library of a scratchpad machine");
    text.remove_prefix(std::strlen(kMagic));
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
  std::map<std::string, Kernel> kernels_;
};

class Interpreting final : public Processor {
public:
  explicit Interpreting(int64_t most_bytes) : most_bytes_(most_bytes) {}

  Status can_run(MachineNeeds const&) const override { return {}; }

  Result<void*> allocate(int64_t bytes) override {
    if (bytes < 0 || bytes > most_bytes_ - used_bytes_)
      return refused("tensor_too_large", "the scratchpad machine has no memory for that tensor");
    used_bytes_ += bytes;
    auto memory = std::make_unique<std::byte[]>(size_t(bytes) + 64);
    void* address = memory.get();
    tensors_[address] = {std::move(memory), bytes};
    return address;
  }
  void release(void* memory) override {
    auto found = tensors_.find(memory);
    if (found == tensors_.end()) return;
    used_bytes_ -= found->second.bytes;
    tensors_.erase(found);
  }
  void write(void* to, std::span<std::byte const> from) override {
    std::memcpy(to, from.data(), from.size());
  }
  void read(std::span<std::byte> to, void const* from) override {
    std::memcpy(to.data(), from, to.size());
  }
  Result<std::unique_ptr<KernelLibrary>> load(std::span<std::byte const> library) override {
    return Library::read({reinterpret_cast<char const*>(library.data()), library.size()});
  }
  void use_threads(int) override {}

  int32_t call(void* kernel, void* const* buffers) override {
    Kernel const& called = *static_cast<Kernel*>(kernel);
    Status done = run(called, buffers);
    if (!done) std::fprintf(stderr, "scratchpad: %s\n", to_sentence(done.error()).c_str());
    return done ? 0 : 1;
  }

private:
  struct Tensor {
    std::unique_ptr<std::byte[]> memory;
    int64_t bytes = 0;
  };

  static Status run(Kernel const& kernel, void* const* buffers) {
    std::vector<NDArray> inputs;
    std::vector<ir::Buffer> const& params = kernel.code.host.params;
    for (size_t i = 0; i < kernel.inputs; ++i) {
      TRY_ASSIGN(NDArray array, NDArray::create(params[i]->type, *ir::constant_shape(*params[i])));
      std::memcpy(array.data(), buffers[i], size_t(array.byte_size()));
      inputs.push_back(std::move(array));
    }
    TRY_ASSIGN(std::vector<NDArray> outputs, ir::interpret(kernel.code, kernel.inputs, inputs));
    for (size_t i = 0; i < outputs.size(); ++i)
      std::memcpy(buffers[kernel.inputs + i], outputs[i].data(), size_t(outputs[i].byte_size()));
    return {};
  }

  int64_t most_bytes_, used_bytes_ = 0;
  std::map<void*, Tensor> tensors_;
};

}  // namespace

ProcessorEntry const& processor_scratchpad() {
  static ProcessorEntry const entry{
      .name = kName,
      .detect =
          [] {
            return std::optional(
                Hardware{.target = kName,
                         .name = "scratchpad machine",
                         .units = {{.name = "unit"}},
                         .memories = {{.name = "memory", .bytes = 64 << 20, .cache = false}}});
          },
      .create = [](Hardware const&, int64_t most_bytes) -> Result<std::unique_ptr<Processor>> {
        return std::make_unique<Interpreting>(most_bytes);
      },
  };
  return entry;
}

}  // namespace tw
