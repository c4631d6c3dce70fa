#include "targets/cuda/runtime/cuda_processor.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

#include "engine/support/base/kernel_codes.h"
#include "targets/cuda/hardware/description.h"
#include "targets/cuda/runtime/cuda_graph.h"
#include "targets/cuda/runtime/cuda_library.h"
#include "targets/shared/launch_record/resolve.h"

namespace tw::cuda {
namespace {

using launch_record::Launch;

/// The device's number: 90 of "sm_90a".
int number_of_architecture(std::string_view name) {
  int number = 0;
  if (name.starts_with("sm_")) std::from_chars(name.data() + 3, name.data() + name.size(), number);
  return number;
}

/// One device with one stream that does what it is given in order, and others beside it.
class CudaProcessor final : public DeviceRuntime {
public:
  CudaProcessor(Driver const& driver, FoundDevice const& device, CuContext context,
                int64_t most_bytes)
      : driver_(driver), device_(device), context_(context), most_bytes_(most_bytes) {}
  CudaProcessor(CudaProcessor const&) = delete;
  CudaProcessor& operator=(CudaProcessor const&) = delete;
  ~CudaProcessor() override {
    enter();
    begun_.clear();
    for (auto const& [memory, bytes] : tensors_) driver_.cuMemFree_v2(memory);
    if (fault_ != 0) driver_.cuMemFree_v2(fault_);
    if (stream_) driver_.cuStreamDestroy_v2(stream_);
    driver_.cuDevicePrimaryCtxRelease_v2(device_.device);
  }

  Status open() {
    enter();
    CuResult code = driver_.cuStreamCreate(&stream_, 0);
    if (code == kCuSuccess) code = driver_.cuMemAlloc_v2(&fault_, sizeof(int32_t));
    if (code == kCuSuccess) code = driver_.cuMemsetD8Async(fault_, 0, sizeof(int32_t), stream_);
    if (code == kCuSuccess) return {};
    return environment_failed(
        "no_such_hardware",
        fmt::format("the CUDA device cannot be opened ({})", driver_.name_of(code)));
  }

  /// PTX is compiled by the driver for any later device; of what only one kind of device has, for
  /// no other.
  Status can_run(MachineNeeds const& needs) const override {
    std::string own = device_.hardware.word(kArchitecture);
    int asked = number_of_architecture(needs.architecture);
    bool exact = needs.architecture.ends_with('a');
    if (needs.architecture == own || (!exact && asked > 0 && asked <= number_of_architecture(own)))
      return {};
    return bad_input("wrong_processor",
                     fmt::format("the code is for '{}', and this CUDA device is {}",
                                 needs.architecture.substr(0, 80), own));
  }

  Result<void*> allocate(int64_t bytes) override {
    if (bytes < 0 || bytes > most_bytes_ - used_bytes_)
      return refused(
          "tensor_too_large",
          fmt::format("a tensor of {} bytes does not fit the {} bytes that the device has "
                      "left",
                      bytes, most_bytes_ - used_bytes_));
    enter();
    auto size = size_t(std::max<int64_t>(bytes, 1));
    CuPointer memory = 0;
    CuResult code = driver_.cuMemAlloc_v2(&memory, size);
    if (code == kCuSuccess) {
      code = driver_.cuMemsetD8Async(memory, 0, size, stream_);
      if (code != kCuSuccess) driver_.cuMemFree_v2(memory);
    }
    if (code == kCuOutOfMemory)
      return refused("tensor_too_large", fmt::format("the device has no memory for {} bytes ({})",
                                                     bytes, driver_.name_of(code)));
    if (code != kCuSuccess) return failed("memory could not be had", code);
    used_bytes_ += bytes;
    tensors_.emplace(memory, bytes);
    return reinterpret_cast<void*>(memory);
  }
  void release(void* memory) override {
    auto found = tensors_.find(reinterpret_cast<CuPointer>(memory));
    if (found == tensors_.end()) return;
    enter();
    note("memory could not be given back", driver_.cuMemFree_v2(found->first));
    used_bytes_ -= found->second;
    tensors_.erase(found);
  }

  // These three cannot say what went wrong: the next call does.
  void write(MemoryPlace to, std::span<std::byte const> from) override {
    if (from.empty()) return;
    enter();
    note("a tensor could not be written",
         driver_.cuMemcpyHtoDAsync_v2(address_of(to), from.data(), from.size(), stream_));
    note("a tensor could not be written", driver_.cuStreamSynchronize(stream_));
  }
  void read(std::span<std::byte> to, MemoryPlace from) override {
    if (to.empty()) return;
    enter();
    note("a tensor could not be read",
         driver_.cuMemcpyDtoHAsync_v2(to.data(), address_of(from), to.size(), stream_));
    note("a tensor could not be read", driver_.cuStreamSynchronize(stream_));
  }
  void copy(MemoryPlace to, MemoryPlace from, int64_t bytes) override {
    if (bytes <= 0) return;
    if (to.memory == from.memory && std::abs(to.offset - from.offset) < bytes) {  // they overlap
      std::vector<std::byte> between(static_cast<size_t>(bytes));
      read(between, from);
      return write(to, between);
    }
    enter();
    note("a tensor could not be copied",
         driver_.cuMemcpyDtoDAsync_v2(address_of(to), address_of(from), size_t(bytes), stream_));
  }
  void* host_address(MemoryPlace) const override { return nullptr; }

  Result<std::unique_ptr<KernelLibrary>> load(std::span<std::byte const> library) override {
    enter();
    return CudaLibrary::load(driver_, context_, library);
  }

  void use_threads(int) override {}

  int32_t call(void* kernel, std::span<MemoryPlace const> buffers) override {
    enter();
    if (!failure_)
      if (Status status = run(*static_cast<LoadedKernel*>(kernel), buffers); !status)
        failure_ = status.error();
    return failure_ ? 1 : 0;
  }
  void begin_sequence() override {
    enter();
    captures_ =
        !failure_ && driver_.cuStreamBeginCapture_v2(stream_, kCuCaptureThreadLocal) == kCuSuccess;
  }
  /// Nothing has run of what a stream captured: it is started here.
  std::unique_ptr<CallSequence> end_sequence() override {
    enter();
    if (!std::exchange(captures_, false)) return nullptr;
    CuResult code = kCuSuccess;
    std::unique_ptr<CudaGraph> graph = CudaGraph::captured(driver_, context_, stream_, code);
    note("launches could not be put together", code);
    if (failure_) return nullptr;
    graph->asks_fault = asks_fault_;
    note("what is launched together could not be", graph->launch(stream_));
    return graph;
  }
  int32_t start(CallSequence& kept) override {
    enter();
    auto& graph = static_cast<CudaGraph&>(kept);
    asks_fault_ = asks_fault_ || graph.asks_fault;
    note("what is launched together could not be", graph.launch(stream_));
    return failure_ ? 1 : 0;
  }
  int32_t wait() override {
    enter();
    note("what was launched did not finish", driver_.cuStreamSynchronize(stream_));
    begun_.clear();
    if (failure_) return 1;
    if (!std::exchange(asks_fault_, false)) return 0;
    int32_t fault = 0;
    read(std::as_writable_bytes(std::span(&fault, 1)), fault_place());
    if (fault != 0)
      note("a kernel's fault could not be cleared",
           driver_.cuMemsetD8Async(fault_, 0, sizeof fault, stream_));
    if (failure_) return 1;
    return fault != 0 ? kDividedByZero : 0;
  }
  std::optional<Error> take_failure() override { return std::exchange(failure_, std::nullopt); }

  Result<TwStream> create_stream() override {
    enter();
    CuStream stream = nullptr;
    CuResult code = driver_.cuStreamCreate(&stream, 0);
    if (code != kCuSuccess) return failed("a stream could not be made", code);
    return reinterpret_cast<TwStream>(stream);
  }
  void destroy(TwStream stream) override {
    enter();
    if (stream) driver_.cuStreamDestroy_v2(of(stream));
  }
  Status synchronize(TwStream stream) override {
    if (!stream) return finish();
    enter();
    return told("what was launched did not finish", driver_.cuStreamSynchronize(of(stream)));
  }

  Result<TwEvent> create_event() override { return reinterpret_cast<TwEvent>(new Moment); }
  void destroy(TwEvent event) override {
    enter();
    if (moment(event).event) driver_.cuEventDestroy_v2(moment(event).event);
    delete &moment(event);
  }
  Status record(TwEvent event, TwStream stream) override {
    enter();
    Moment& at = moment(event);
    CuResult code = at.event ? kCuSuccess : driver_.cuEventCreate(&at.event, 0);
    if (code == kCuSuccess) code = driver_.cuEventRecord(at.event, of(stream));
    at.recorded = code == kCuSuccess;
    return told("an event could not be recorded", code);
  }
  Status wait_event(TwStream stream, TwEvent event) override {
    enter();
    if (!moment(event).recorded) return {};
    return told("a stream cannot wait for an event",
                driver_.cuStreamWaitEvent(of(stream), moment(event).event, 0));
  }
  Result<double> elapsed(TwEvent from, TwEvent to) override {
    enter();
    if (!moment(from).recorded || !moment(to).recorded)
      return bad_input("event_not_recorded",
                       "there is no time between events of which one was never recorded");
    float milliseconds = 0;
    CuResult code = driver_.cuEventSynchronize(moment(from).event);
    if (code == kCuSuccess) code = driver_.cuEventSynchronize(moment(to).event);
    if (code == kCuSuccess)
      code = driver_.cuEventElapsedTime(&milliseconds, moment(from).event, moment(to).event);
    if (code != kCuSuccess) return failed("an event has no time", code);
    return double(milliseconds) * 1e-3;
  }
  TimedBy events_timed_by() const override { return TimedBy::kDevice; }

  Status launch(TwFunction function, TwLaunch const& how, TwStream stream) override {
    enter();
    std::vector<std::byte> packed;
    std::vector<void*> parameters;
    auto const* from = static_cast<std::byte const*>(how.packed);
    for (uint32_t i = 0; i < how.argument_count; ++i)
      packed.resize(
          std::max(packed.size(), size_t(how.arguments[i].offset) + how.arguments[i].bytes));
    if (!packed.empty()) std::copy(from, from + packed.size(), packed.begin());
    for (uint32_t i = 0; i < how.argument_count; ++i)
      parameters.push_back(packed.data() + how.arguments[i].offset);
    auto* code = reinterpret_cast<CuFunction>(function);
    CuResult result = driver_.cuFuncSetAttribute(code, kCuMostGivenShared, int(how.shared_bytes));
    if (result == kCuSuccess)
      result = driver_.cuLaunchKernel(code, how.grid[0], how.grid[1], how.grid[2], how.block[0],
                                      how.block[1], how.block[2], how.shared_bytes, of(stream),
                                      parameters.data(), nullptr);
    if (result == kCuSuccess) return {};
    return bad_input("bad_launch",
                     "a device function could not be launched (" + driver_.name_of(result) + ")");
  }

private:
  struct Moment {
    CuEvent event = nullptr;
    bool recorded = false;
  };
  static Moment& moment(TwEvent event) { return *reinterpret_cast<Moment*>(event); }
  CuStream of(TwStream stream) const {
    return stream ? reinterpret_cast<CuStream>(stream) : stream_;
  }

  /// A context is current in one thread at a time, and calls may come from several.
  void enter() const { driver_.cuCtxSetCurrent(context_); }

  /// After most failures of what ran the context is of no more use, and says the same to all that
  /// follows.
  std::unexpected<Error> failed(std::string const& what, CuResult code) const {
    return environment_failed("device_failed", what + " (" + driver_.name_of(code) + ")");
  }
  Status told(std::string const& what, CuResult code) const {
    if (code != kCuSuccess) return failed(what, code);
    return {};
  }
  void note(std::string const& what, CuResult code) {
    if (code != kCuSuccess && !failure_) failure_ = failed(what, code).error();
  }
  static CuPointer address_of(MemoryPlace place) {
    return reinterpret_cast<CuPointer>(place.memory) + CuPointer(place.offset);
  }
  MemoryPlace fault_place() const { return {reinterpret_cast<void*>(fault_), 0}; }

  /// The values that the kernel's first tensor has.
  Result<std::vector<int64_t>> sizes_of(launch_record::KernelRecord const& record,
                                        std::span<MemoryPlace const> buffers) {
    std::vector<int64_t> sizes(size_t(record.sizes));
    if (sizes.empty()) return sizes;
    if (auto begun = end_sequence()) begun_.push_back(std::move(begun));  // what makes the sizes
    read(std::as_writable_bytes(std::span(sizes)), buffers[0]);
    if (failure_) return std::unexpected(*std::exchange(failure_, std::nullopt));
    return sizes;
  }

  Status run(LoadedKernel& kernel, std::span<MemoryPlace const> buffers) {
    TRY(launch_record::check_buffers(kernel.record, buffers.size()));
    TRY_ASSIGN(std::vector<int64_t> sizes, sizes_of(kernel.record, buffers));
    for (size_t i = 0; i < kernel.functions.size(); ++i)
      TRY(enqueue(kernel.functions[i], kernel.record.launches[i], buffers, sizes));
    return {};
  }

  Status enqueue(CuFunction function, Launch const& launch, std::span<MemoryPlace const> buffers,
                 std::vector<int64_t> const& sizes) {
    std::vector<uint64_t> values;
    for (launch_record::Argument const& one : launch.arguments) {
      TRY_ASSIGN(uint64_t value, value_of(one, launch, buffers, sizes));
      values.push_back(value);
    }
    std::vector<void*> parameters;
    for (uint64_t& value : values) parameters.push_back(&value);
    TRY_ASSIGN(launch_record::Extents extents, launch_record::extents_of(launch, sizes));
    auto [grid, block] = extents;
    CuResult code =
        driver_.cuLaunchKernel(function, unsigned(grid[0]), unsigned(grid[1]), unsigned(grid[2]),
                               unsigned(block[0]), unsigned(block[1]), unsigned(block[2]),
                               unsigned(launch.shared_bytes), stream_, parameters.data(), nullptr);
    return told("'" + launch.function + "' could not be launched", code);
  }

  /// All arguments have 64 bits: places, sizes, and where the fault word is.
  Result<uint64_t> value_of(launch_record::Argument const& argument, Launch const& launch,
                            std::span<MemoryPlace const> buffers,
                            std::vector<int64_t> const& sizes) {
    if (auto const* tensor = std::get_if<launch_record::BufferArgument>(&argument)) {
      CuPointer place = address_of(buffers[size_t(tensor->buffer)] + tensor->byte);
      if (place % CuPointer(kTensorAlignment) != 0)
        return bad_input("bad_launch",
                         fmt::format("a tensor of '{}' does not begin at a multiple of "
                                     "{} bytes",
                                     launch.function, kTensorAlignment));
      return place;
    }
    if (auto const* number = std::get_if<launch_record::NumberArgument>(&argument)) {
      TRY_ASSIGN(int64_t value, launch_record::value_of(number->number, sizes));
      return uint64_t(value);
    }
    asks_fault_ = true;
    return fault_;
  }

  Driver const& driver_;
  FoundDevice device_;
  CuContext context_;
  CuStream stream_ = nullptr;
  CuPointer fault_ = 0;  ///< one int: not zero where a kernel was to divide by zero
  int64_t most_bytes_, used_bytes_ = 0;
  bool asks_fault_ = false;  ///< something was launched that may set it
  bool captures_ = false;    ///< launches are put together, and do not run yet
  std::vector<std::unique_ptr<CallSequence>> begun_;  ///< that nobody keeps
  std::map<CuPointer, int64_t> tensors_;
  std::optional<Error> failure_;
};

}  // namespace

Result<std::unique_ptr<DeviceRuntime>> create_cuda_processor(Driver const& driver,
                                                             FoundDevice const& device,
                                                             int64_t most_bytes) {
  CuContext context = nullptr;
  CuResult code = driver.cuDevicePrimaryCtxRetain(&context, device.device);
  if (code != kCuSuccess)
    return environment_failed(
        "no_such_hardware",
        fmt::format("the CUDA device cannot be opened ({})", driver.name_of(code)));
  auto made = std::make_unique<CudaProcessor>(driver, device, context, most_bytes);
  TRY(made->open());
  return made;
}

}  // namespace tw::cuda
