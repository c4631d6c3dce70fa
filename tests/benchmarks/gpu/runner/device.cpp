#include "tests/benchmarks/gpu/runner/device.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <utility>

#include "targets/shared/launch_record/resolve.h"

namespace tw::gpu_bench {
namespace {

using namespace cuda;

GraphFunctions graph_functions(std::string const& file) {
  GraphFunctions found;
  void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return found;
  auto look = [&](auto& function, char const* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
  };
  look(found.begin, "cuStreamBeginCapture_v2");
  look(found.end, "cuStreamEndCapture");
  look(found.instantiate, "cuGraphInstantiateWithFlags");
  look(found.launch, "cuGraphLaunch");
  look(found.destroy_made, "cuGraphExecDestroy");
  look(found.destroy, "cuGraphDestroy");
  return found;
}

/// Whose code of the pack a device of that compute capability runs.
Result<std::string> architecture_of(int major, int minor) {
  if (major == 9 && minor == 0) return "sm_90a";
  if (major >= 8) return "sm_80";
  return environment_failed(
      "no_such_hardware",
      fmt::format("the device has compute capability {}.{}, and kernels need 8.0", major, minor));
}

constexpr struct {
  char const* name;
  int attribute;
} kFacts[] = {{"compute capability, major", kCuMajor},
              {"compute capability, minor", kCuMinor},
              {"multiprocessors", kCuMultiprocessors},
              {"clock, kHz", kCuClockKilohertz},
              {"memory clock, kHz", kCuMemoryClockKilohertz},
              {"memory bus, bits", kCuMemoryBusBits},
              {"L2, bytes", kCuL2Bytes},
              {"threads of a multiprocessor", kCuThreadsPerMultiprocessor},
              {"blocks of a multiprocessor", kCuBlocksPerMultiprocessor},
              {"registers of a multiprocessor", 82},
              {"shared memory of a multiprocessor, bytes", kCuSharedPerMultiprocessor},
              {"shared memory of a block at most, bytes", kCuSharedPerBlockAtMost}};

}  // namespace

int Device::attribute(int which) const {
  int value = 0;
  return driver.cuDeviceGetAttribute(&value, which, device) == kCuSuccess ? value : 0;
}

Status Device::told(std::string const& what, CuResult code) const {
  if (code == kCuSuccess) return {};
  return environment_failed("device_failed", what + " (" + driver.name_of(code) + ")");
}

Status Device::finish() const {
  return told("what was launched did not finish", driver.cuStreamSynchronize(stream));
}

Result<Device> open_device(std::string const& driver_file) {
  std::string file = driver_file.empty() ? "libcuda.so.1" : driver_file;
  Device made;
  TRY_ASSIGN(made.driver, open_driver(file));
  made.graphs = graph_functions(file);
  TRY(made.told("there is no device", made.driver.cuDeviceGet(&made.device, 0)));
  TRY_ASSIGN(made.architecture,
             architecture_of(made.attribute(kCuMajor), made.attribute(kCuMinor)));
  CuContext context = nullptr;
  CuResult code = made.driver.cuDevicePrimaryCtxRetain(&context, made.device);
  if (code == kCuSuccess) code = made.driver.cuCtxSetCurrent(context);
  if (code == kCuSuccess) code = made.driver.cuStreamCreate(&made.stream, 0);
  if (code == kCuSuccess) code = made.driver.cuMemAlloc_v2(&made.fault, sizeof(int32_t));
  if (code == kCuSuccess)
    code = made.driver.cuMemsetD8Async(made.fault, 0, sizeof(int32_t), made.stream);
  TRY(made.told("the device cannot be opened", code));
  return made;
}

Json facts_of(Device const& device) {
  std::array<char, 256> name{};
  size_t bytes = 0;
  int version = 0;
  device.driver.cuDeviceGetName(name.data(), int(name.size()) - 1, device.device);
  device.driver.cuDeviceTotalMem_v2(&bytes, device.device);
  device.driver.cuDriverGetVersion(&version);
  Json facts = {{"name", name.data()},
                {"memory, bytes", bytes},
                {"CUDA version of the driver", version},
                {"code", device.architecture},
                {"graphs", device.graphs.found()}};
  for (auto const& one : kFacts) facts[one.name] = device.attribute(one.attribute);
  return facts;
}

// ---- memory ------------------------------------------------------------------------------

Result<Memory> Memory::create(Device const& device, size_t bytes) {
  Memory made;
  made.bytes_ = bytes;
  CuResult code = device.driver.cuMemAlloc_v2(&made.place_, std::max<size_t>(bytes, 1));
  TRY(device.told(fmt::format("there is no memory for {} bytes", bytes), code));
  made.device_ = &device;
  return made;
}
Memory& Memory::operator=(Memory&& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(place_, other.place_);
  std::swap(bytes_, other.bytes_);
  return *this;
}
Memory::~Memory() {
  if (device_) device_->driver.cuMemFree_v2(place_);
}
Status Memory::write(std::span<std::byte const> from) const {
  if (from.empty()) return {};
  TRY(device_->told(
      "a tensor could not be written",
      device_->driver.cuMemcpyHtoDAsync_v2(place_, from.data(), from.size(), device_->stream)));
  return device_->finish();
}
Status Memory::read(std::span<std::byte> to, size_t offset) const {
  if (to.empty()) return {};
  TRY(device_->told("a tensor could not be read",
                    device_->driver.cuMemcpyDtoHAsync_v2(to.data(), place_ + offset, to.size(),
                                                         device_->stream)));
  return device_->finish();
}
Status Memory::fill(unsigned char byte) const {
  if (bytes_ == 0) return {};
  return device_->told("a tensor could not be filled",
                       device_->driver.cuMemsetD8Async(place_, byte, bytes_, device_->stream));
}

// ---- kernels -----------------------------------------------------------------------------

Result<CuModule> load_module(Device const& device, std::string const& code) {
  constexpr int kErrorLog = 5, kErrorLogBytes = 6;  // of CUjit_option
  std::array<char, 4096> log{};
  std::array<int, 2> options{kErrorLog, kErrorLogBytes};
  std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size() - 1)};
  CuModule module = nullptr;
  CuResult result = device.driver.cuModuleLoadDataEx(
      &module, code.c_str(), unsigned(options.size()), options.data(), values.data());
  if (result == kCuSuccess) return module;
  std::string words(log.data());
  words = words.substr(0, words.find('\n')).substr(0, 300);
  return bad_input("module_not_loadable",
                   fmt::format("the driver takes no such code ({}){}{}",
                               device.driver.name_of(result), words.empty() ? "" : ": ", words));
}

Result<Kernel> Kernel::load(Device const& device, Pack const& pack, Json const& code) {
  Kernel made;
  made.device_ = &device;
  for (char const* form : {"cubin", "ptx"}) {
    if (!code.contains(form)) continue;
    TRY_ASSIGN(std::string text, file_text(pack.folder / code[form].get<std::string>()));
    auto module = load_module(device, text);
    if (!module && std::string(form) == "ptx") return std::unexpected(module.error());
    if (!module) continue;
    made.module_ = *module;
    made.form_ = form;
    break;
  }
  if (!made.module_) return bad_input("module_not_loadable", "the pack has no PTX of it");
  TRY_ASSIGN(made.record_, launch_record::parse_record(code.at("record").dump()));
  for (launch_record::Launch const& launch : made.record_.launches) {
    CuFunction function = nullptr;
    CuResult result =
        device.driver.cuModuleGetFunction(&function, made.module_, launch.function.c_str());
    if (result == kCuSuccess && launch.shared_bytes > 0)
      result =
          device.driver.cuFuncSetAttribute(function, kCuMostGivenShared, int(launch.shared_bytes));
    TRY(device.told("'" + launch.function + "' is not to be had", result));
    made.functions_.push_back(function);
  }
  return made;
}
Kernel& Kernel::operator=(Kernel&& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(module_, other.module_);
  std::swap(form_, other.form_);
  std::swap(record_, other.record_);
  std::swap(functions_, other.functions_);
  return *this;
}
Kernel::~Kernel() {
  if (module_) device_->driver.cuModuleUnload(module_);
}

Status Kernel::run(std::span<CuPointer const> buffers) const {
  TRY(launch_record::check_buffers(record_, buffers.size()));
  for (size_t i = 0; i < functions_.size(); ++i) TRY(start(i, buffers));
  return {};
}

/// No kernel of a pack has sizes that are open.
Status Kernel::start(size_t number, std::span<CuPointer const> buffers) const {
  launch_record::Launch const& launch = record_.launches[number];
  std::vector<uint64_t> values;
  for (launch_record::Argument const& one : launch.arguments) {
    if (auto const* tensor = std::get_if<launch_record::BufferArgument>(&one)) {
      values.push_back(buffers[size_t(tensor->buffer)] + uint64_t(tensor->byte));
    } else if (auto const* number_of = std::get_if<launch_record::NumberArgument>(&one)) {
      TRY_ASSIGN(int64_t value, launch_record::value_of(number_of->number, {}));
      values.push_back(uint64_t(value));
    } else {
      values.push_back(device_->fault);
    }
  }
  std::vector<void*> parameters;
  for (uint64_t& value : values) parameters.push_back(&value);
  TRY_ASSIGN(launch_record::Extents extents, launch_record::extents_of(launch, {}));
  auto [grid, block] = extents;
  CuResult code = device_->driver.cuLaunchKernel(
      functions_[number], unsigned(grid[0]), unsigned(grid[1]), unsigned(grid[2]),
      unsigned(block[0]), unsigned(block[1]), unsigned(block[2]), unsigned(launch.shared_bytes),
      device_->stream, parameters.data(), nullptr);
  return device_->told("'" + launch.function + "' could not be launched", code);
}

}  // namespace tw::gpu_bench
