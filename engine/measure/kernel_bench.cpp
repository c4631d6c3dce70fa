#include "engine/measure/kernel_bench.h"

#include <algorithm>
#include <cstring>

#include "engine/support/base/random.h"
#include "engine/tensor/bytes.h"

namespace tw {
namespace {

/// NaN as f32, a wild number as anything else: what a kernel forgets to write is seen.
Result<NDArray> poison(ir::BufferNode const& buffer) {
  auto shape = ir::constant_shape(buffer);
  if (!shape)
    return bad_input("unknown_size", "the tensor " + buffer.name + " has no constant shape");
  TRY_ASSIGN(NDArray array, NDArray::create(buffer.type, *shape));
  std::memset(array.data(), 0xFF, size_t(array.byte_size()));
  return array;
}

}  // namespace

KernelBench::KernelBench(Device& device, ir::Program const& program, std::vector<NDArray> inputs)
    : device_(device),
      input_buffers_(program.inputs),
      output_buffers_(program.outputs),
      inputs_(std::move(inputs)) {}

KernelBench::~KernelBench() {
  for (TensorHandle const& tensor : tensors_) (void)device_.free(tensor);
  for (TensorHandle const& tensor : made_) (void)device_.free(tensor);
  if (workspace_bytes_ > 0) (void)device_.free(workspace_);
}

void KernelBench::forget() {
  tensors_.clear();
  made_.clear();
  workspace_bytes_ = -1;
}

Status KernelBench::upload(int64_t workspace, CallOptions const& call) {
  if (tensors_.empty()) {
    for (NDArray const& input : inputs_) {
      TRY_ASSIGN(TensorHandle handle, put_tensor(device_, input, call));
      tensors_.push_back(handle);
    }
    for (ir::Buffer const& output : output_buffers_) {
      TRY_ASSIGN(NDArray wild, poison(*output));
      TRY_ASSIGN(TensorHandle handle, device_.allocate(wild.byte_size(), call));
      tensors_.push_back(handle);
    }
  }
  if (workspace <= workspace_bytes_ || workspace == 0) return {};
  if (workspace_bytes_ > 0) TRY(device_.free(workspace_));
  TRY_ASSIGN(workspace_, device_.allocate(workspace, call));
  workspace_bytes_ = workspace;
  return {};
}

Result<DeviceStep> KernelBench::prepare(KernelCode const& code, CallOptions const& call) {
  for (size_t i = 0; i < output_buffers_.size(); ++i) {
    TRY_ASSIGN(NDArray wild, poison(*output_buffers_[i]));
    TRY(device_.write(tensors_[inputs_.size() + i], 0, bytes_of(wild), call));
  }
  DeviceStep step;
  TRY_ASSIGN(step.library, device_.load(code.run.library, call));
  step.symbol = code.run.symbol;
  for (TensorHandle const& tensor : tensors_) step.buffers.push_back({tensor, 0});
  for (size_t i = 0; i < made_.size(); ++i)
    step.buffers.insert(step.buffers.begin() + std::ptrdiff_t(inputs_.size() + i), {made_[i], 0});
  if (code.run.workspace_bytes > 0) step.workspace = {workspace_, 0};
  return step;
}

/// What the code makes of parameters when a model is loaded.
Status KernelBench::make_parameters(KernelCode const& code, BenchOptions const& options) {
  for (TensorHandle const& tensor : made_) (void)device_.free(tensor);
  made_.clear();
  if (!code.load) return {};
  DeviceStep step;
  TRY_ASSIGN(step.library, device_.load(code.load->library, options.call));
  step.symbol = code.load->symbol;
  for (size_t i = 0; i < inputs_.size(); ++i) step.buffers.push_back({tensors_[i], 0});
  for (ir::Buffer const& buffer : code.made) {
    TRY_ASSIGN(NDArray wild, poison(*buffer));
    TRY_ASSIGN(TensorHandle tensor, put_tensor(device_, wild, options.call));
    made_.push_back(tensor);
    step.buffers.push_back({tensor, 0});
  }
  if (code.load->workspace_bytes > 0) step.workspace = {workspace_, 0};
  std::vector<DeviceStep> steps{step};
  TRY(device_.run(steps, options.threads, options.call));
  return device_.free(step.library);
}

Result<BenchResult> KernelBench::attempt(KernelCode const& code, BenchOptions const& options,
                                         bool timed) {
  TRY(upload(std::max(code.run.workspace_bytes, code.load ? code.load->workspace_bytes : 0),
             options.call));
  TRY(make_parameters(code, options));
  TRY_ASSIGN(DeviceStep step, prepare(code, options.call));
  BenchResult result;
  std::vector<DeviceStep> steps{step};
  Status ran = device_.run(steps, options.threads, options.call);
  if (!ran) return std::unexpected(ran.error());
  for (size_t i = 0; i < output_buffers_.size(); ++i) {
    TRY_ASSIGN(NDArray output,
               get_tensor(device_, tensors_[inputs_.size() + i], output_buffers_[i]->type,
                          ir::constant_shape(*output_buffers_[i]).value(), options.call));
    result.outputs.push_back(std::move(output));
  }
  if (timed) {
    TRY_ASSIGN(Timing timing, device_.time(steps, options.threads, options.timing, options.call));
    result.samples = std::move(timing.total);
  }
  (void)device_.free(step.library);
  return result;
}

Result<BenchResult> KernelBench::measure(KernelCode const& code, BenchOptions const& options) {
  auto result = attempt(code, options, true);
  if (!result) {
    bool stale = result.error().code == "device_restarted";
    forget();  // whatever was lost with the device is sent again next time
    if (stale) result = attempt(code, options, true);
  }
  return result;
}

Result<std::vector<NDArray>> KernelBench::run(KernelCode const& code, BenchOptions const& options) {
  auto result = attempt(code, options, false);
  if (!result) {
    bool stale = result.error().code == "device_restarted";
    forget();
    if (stale) result = attempt(code, options, false);
  }
  if (!result) return std::unexpected(result.error());
  return std::move(result->outputs);
}

Result<std::string> KernelBench::run_checked(KernelCode const& code, BenchOptions const& options) {
  Artifact const& artifact = code.run;
  TRY(upload(std::max(artifact.workspace_bytes, code.load ? code.load->workspace_bytes : 0),
             options.call));
  TRY(make_parameters(code, options));
  TRY_ASSIGN(DeviceStep step, prepare(code, options.call));
  std::vector<DeviceStep> steps{step};
  Status ran = device_.run(steps, options.threads, options.call);
  std::string what;
  if (!ran && ran.error().code == "kernel_failed") {
    std::vector<std::byte> record(kReportBytes);
    TRY(device_.read(workspace_, artifact.report_offset, record, options.call));
    what = describe_report(artifact.accesses, record);
  }
  if (!ran && what.empty()) {
    forget();
    return std::unexpected(ran.error());
  }
  (void)device_.free(step.library);
  return what;
}

Result<std::vector<NDArray>> random_kernel_inputs(std::vector<ir::Buffer> const& inputs,
                                                  uint64_t seed) {
  std::vector<NDArray> arrays;
  Rng rng(seed);
  for (ir::Buffer const& buffer : inputs) {
    auto shape = ir::constant_shape(*buffer);
    if (!shape)
      return bad_input("unknown_size", "the tensor " + buffer->name + " has no constant shape");
    TRY_ASSIGN(NDArray array, NDArray::create(buffer->type, *shape));
    for (int64_t i = 0; i < array.size(); ++i)
      array.set_value(i, is_float(buffer->type)
                             ? rng.normal()
                             : double(rng.below(buffer->type == DType::kBool ? 2 : 10)));
    arrays.push_back(std::move(array));
  }
  return arrays;
}

}  // namespace tw
