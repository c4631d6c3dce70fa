#include "targets/opencl/runtime/opencl_processor.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

#include "engine/support/base/kernel_codes.h"
#include "targets/opencl/hardware/description.h"
#include "targets/opencl/runtime/opencl_library.h"
#include "targets/shared/launch_record/resolve.h"

namespace tw::opencl {
namespace {

using launch_record::Launch;

/// One device with one queue that does what it is given in order.
class OpenClProcessor final : public DeviceRuntime {
public:
  OpenClProcessor(Functions const& cl, FoundDevice const& device, Context context, Queue queue,
                  Memory fault, int64_t most_bytes)
      : cl_(cl),
        device_(device),
        context_(std::move(context)),
        queue_(std::move(queue)),
        fault_(std::move(fault)),
        most_bytes_(most_bytes) {}

  Status can_run(MachineNeeds const& needs) const override {
    if (needs.architecture == kOpenClTarget) return {};
    return bad_input("wrong_processor", "the code is for '" + needs.architecture.substr(0, 80) +
                                            "', and this is an OpenCL device");
  }

  Result<void*> allocate(int64_t bytes) override {
    if (bytes < 0 || bytes > most_bytes_ - used_bytes_)
      return refused("tensor_too_large", "a tensor of " + std::to_string(bytes) +
                                             " bytes does not fit the " +
                                             std::to_string(most_bytes_ - used_bytes_) +
                                             " bytes that the device has left");
    cl_int code = CL_SUCCESS;
    auto size = size_t(std::max<int64_t>(bytes, 1));
    Memory memory(cl_.clCreateBuffer(context_.get(), CL_MEM_READ_WRITE, size, nullptr, &code),
                  {&cl_});
    unsigned char zero = 0;
    if (code == CL_SUCCESS)
      code = cl_.clEnqueueFillBuffer(queue_.get(), memory.get(), &zero, 1, 0, size, 0, nullptr,
                                     nullptr);
    if (code != CL_SUCCESS)
      return refused("tensor_too_large", "the device has no memory for " + std::to_string(bytes) +
                                             " bytes (" + name_of(code) + ")");
    used_bytes_ += bytes;
    void* handle = memory.get();
    tensors_.emplace(handle, Tensor{std::move(memory), bytes});
    return handle;
  }
  void release(void* memory) override {
    auto found = tensors_.find(memory);
    if (found == tensors_.end()) return;
    used_bytes_ -= found->second.bytes;
    tensors_.erase(found);
  }

  // These three cannot say what went wrong: the next call does.
  void write(MemoryPlace to, std::span<std::byte const> from) override {
    if (from.empty()) return;
    note("a tensor could not be written",
         cl_.clEnqueueWriteBuffer(queue_.get(), memory_of(to), CL_TRUE, size_t(to.offset),
                                  from.size(), from.data(), 0, nullptr, nullptr));
  }
  void read(std::span<std::byte> to, MemoryPlace from) override {
    if (to.empty()) return;
    note("a tensor could not be read",
         cl_.clEnqueueReadBuffer(queue_.get(), memory_of(from), CL_TRUE, size_t(from.offset),
                                 to.size(), to.data(), 0, nullptr, nullptr));
  }
  void copy(MemoryPlace to, MemoryPlace from, int64_t bytes) override {
    if (bytes <= 0) return;
    if (to.memory == from.memory && std::abs(to.offset - from.offset) < bytes) {  // they overlap
      std::vector<std::byte> between(static_cast<size_t>(bytes));
      read(between, from);
      return write(to, between);
    }
    note("a tensor could not be copied",
         cl_.clEnqueueCopyBuffer(queue_.get(), memory_of(from), memory_of(to), size_t(from.offset),
                                 size_t(to.offset), size_t(bytes), 0, nullptr, nullptr));
  }
  void* host_address(MemoryPlace) const override { return nullptr; }

  Result<std::unique_ptr<KernelLibrary>> load(std::span<std::byte const> library) override {
    return OpenClLibrary::load(cl_, context_.get(), device_.device, library);
  }

  void use_threads(int) override {}

  int32_t call(void* kernel, std::span<MemoryPlace const> buffers) override {
    if (!failure_)
      if (Status status = run(*static_cast<LoadedKernel*>(kernel), buffers); !status)
        failure_ = status.error();
    return failure_ ? 1 : 0;
  }
  int32_t wait() override {
    note("what was launched did not finish", cl_.clFinish(queue_.get()));
    if (failure_) return 1;
    if (!std::exchange(asks_fault_, false)) return 0;
    cl_int fault = 0;
    cl_int const none = 0;
    note("a kernel's fault could not be read",
         cl_.clEnqueueReadBuffer(queue_.get(), fault_.get(), CL_TRUE, 0, sizeof fault, &fault, 0,
                                 nullptr, nullptr));
    if (fault != 0)
      note("a kernel's fault could not be cleared",
           cl_.clEnqueueWriteBuffer(queue_.get(), fault_.get(), CL_TRUE, 0, sizeof none, &none, 0,
                                    nullptr, nullptr));
    if (failure_) return 1;
    return fault != 0 ? kDividedByZero : 0;
  }
  std::optional<Error> take_failure() override { return std::exchange(failure_, std::nullopt); }

  Result<TwEvent> create_event() override { return reinterpret_cast<TwEvent>(new Moment{nullptr}); }
  using DeviceRuntime::destroy;
  void destroy(TwEvent event) override { delete &of(event); }
  Status record(TwEvent event, TwStream) override {
    cl_event marker = nullptr;
    cl_int code = cl_.clEnqueueMarkerWithWaitList(queue_.get(), 0, nullptr, &marker);
    if (code != CL_SUCCESS) return failed("an event could not be recorded", code);
    of(event).marker = Event(marker, {&cl_});
    return {};
  }
  Result<double> elapsed(TwEvent from, TwEvent to) override {
    TRY_ASSIGN(cl_ulong begin, nanoseconds(of(from)));
    TRY_ASSIGN(cl_ulong end, nanoseconds(of(to)));
    return double(int64_t(end - begin)) * 1e-9;
  }
  TimedBy events_timed_by() const override { return TimedBy::kDevice; }

private:
  struct Tensor {
    Memory memory;
    int64_t bytes = 0;
  };
  struct Moment {
    Event marker;
  };
  static Moment& of(TwEvent event) { return *reinterpret_cast<Moment*>(event); }

  static std::unexpected<Error> failed(std::string const& what, cl_int code) {
    return environment_failed("device_failed", what + " (" + name_of(code) + ")");
  }
  void note(std::string const& what, cl_int code) {
    if (code != CL_SUCCESS && !failure_) failure_ = failed(what, code).error();
  }
  cl_mem memory_of(MemoryPlace place) const {
    auto found = tensors_.find(place.memory);
    return found == tensors_.end() ? nullptr : found->second.memory.get();
  }

  Result<cl_ulong> nanoseconds(Moment const& moment) {
    if (!moment.marker)
      return bad_input("event_not_recorded",
                       "there is no time between events of which one was never recorded");
    cl_event event = moment.marker.get();
    cl_ulong time = 0;
    cl_int code = cl_.clWaitForEvents(1, &event);
    if (code == CL_SUCCESS)
      code =
          cl_.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof time, &time, nullptr);
    if (code != CL_SUCCESS) return failed("an event has no time", code);
    return time;
  }

  /// The values that the kernel's first tensor has.
  Result<std::vector<int64_t>> sizes_of(launch_record::KernelRecord const& record,
                                        std::span<MemoryPlace const> buffers) {
    std::vector<int64_t> sizes(size_t(record.sizes));
    if (sizes.empty()) return sizes;
    read(std::as_writable_bytes(std::span(sizes)), buffers[0]);
    if (failure_) return std::unexpected(*std::exchange(failure_, std::nullopt));
    return sizes;
  }

  Status run(LoadedKernel& kernel, std::span<MemoryPlace const> buffers) {
    TRY(launch_record::check_buffers(kernel.record, buffers.size()));
    TRY_ASSIGN(std::vector<int64_t> sizes, sizes_of(kernel.record, buffers));
    for (size_t i = 0; i < kernel.launched.size(); ++i)
      TRY(enqueue(kernel.launched[i], kernel.record.launches[i], buffers, sizes));
    return {};
  }

  Status enqueue(cl_kernel function, Launch const& launch, std::span<MemoryPlace const> buffers,
                 std::vector<int64_t> const& sizes) {
    cl_uint at = 0;
    for (launch_record::Argument const& one : launch.arguments)
      TRY(pass(function, at, one, buffers, sizes));
    std::array<size_t, 3> block{}, all{};
    TRY_ASSIGN(launch_record::Extents extents, launch_record::extents_of(launch, sizes));
    for (size_t d = 0; d < 3; ++d) {
      block[d] = size_t(extents.block[d]);
      all[d] = size_t(extents.grid[d]) * block[d];
    }
    cl_int code = cl_.clEnqueueNDRangeKernel(queue_.get(), function, 3, nullptr, all.data(),
                                             block.data(), 0, nullptr, nullptr);
    if (code != CL_SUCCESS) return failed("'" + launch.function + "' could not be launched", code);
    return {};
  }

  Status pass(cl_kernel function, cl_uint& at, launch_record::Argument const& argument,
              std::span<MemoryPlace const> buffers, std::vector<int64_t> const& sizes) {
    cl_int code = CL_SUCCESS;
    auto set = [&](auto const& value) {
      if (code == CL_SUCCESS) code = cl_.clSetKernelArg(function, at++, sizeof value, &value);
    };
    if (auto const* tensor = std::get_if<launch_record::BufferArgument>(&argument)) {
      MemoryPlace place = buffers[size_t(tensor->buffer)] + tensor->byte;
      set(memory_of(place));
      set(cl_long(place.offset / tensor->element_bytes));
    } else if (auto const* number = std::get_if<launch_record::NumberArgument>(&argument)) {
      TRY_ASSIGN(int64_t value, launch_record::value_of(number->number, sizes));
      set(cl_long(value));
    } else {
      set(fault_.get());
      asks_fault_ = true;
    }
    if (code != CL_SUCCESS) return failed("an argument could not be passed", code);
    return {};
  }

  Functions const& cl_;
  FoundDevice device_;
  Context context_;
  Queue queue_;
  Memory fault_;  ///< one int: not zero where a kernel was to divide by zero
  int64_t most_bytes_, used_bytes_ = 0;
  bool asks_fault_ = false;  ///< something was launched that may set it
  std::map<void*, Tensor> tensors_;
  std::optional<Error> failure_;
};

}  // namespace

Result<std::unique_ptr<DeviceRuntime>> create_opencl_processor(FoundDevice const& device,
                                                               int64_t most_bytes) {
  TRY_ASSIGN(Functions const* cl, functions());
  return create_opencl_processor(*cl, device, most_bytes);
}

Result<std::unique_ptr<DeviceRuntime>> create_opencl_processor(Functions const& with,
                                                               FoundDevice const& device,
                                                               int64_t most_bytes) {
  Functions const* cl = &with;
  auto failed = [](cl_int code) {
    return environment_failed("no_such_hardware",
                              "the OpenCL device cannot be opened (" + name_of(code) + ")");
  };
  cl_int code = CL_SUCCESS;
  Context context(cl->clCreateContext(nullptr, 1, &device.device, nullptr, nullptr, &code), {cl});
  if (code != CL_SUCCESS) return failed(code);
  Queue queue(
      cl->clCreateCommandQueue(context.get(), device.device, CL_QUEUE_PROFILING_ENABLE, &code),
      {cl});
  if (code != CL_SUCCESS) return failed(code);
  cl_int none = 0;
  Memory fault(cl->clCreateBuffer(context.get(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                  sizeof none, &none, &code),
               {cl});
  if (code != CL_SUCCESS) return failed(code);
  return std::make_unique<OpenClProcessor>(*cl, device, std::move(context), std::move(queue),
                                           std::move(fault), most_bytes);
}

}  // namespace tw::opencl
