#include "engine/measure/kernel_bench.h"

#include <algorithm>
#include <cstring>

#include "engine/execute/prepacked_tensors.h"
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

/// Whatever was lost with the device, or left in an unknown state, is sent again next time.
void KernelBench::forget() {
  tensors_.clear();
  made_.clear();
  limits_.clear();
  workspace_.reset();
}

Status KernelBench::upload(KernelCode const& code, CallOptions const& call) {
  if (tensors_.empty()) {
    std::vector<ScopedTensor> tensors;
    for (NDArray const& input : inputs_) {
      TRY_ASSIGN(ScopedTensor tensor, put_scoped(device_, input, call));
      tensors.push_back(std::move(tensor));
    }
    for (ir::Buffer const& output : output_buffers_) {
      TRY_ASSIGN(NDArray wild, poison(*output));
      TRY_ASSIGN(ScopedTensor tensor, allocate_scoped(device_, wild.byte_size(), call));
      tensors.push_back(std::move(tensor));
    }
    tensors_ = std::move(tensors);
  }
  int64_t workspace =
      std::max(code.run.workspace_bytes, code.load ? code.load->workspace_bytes : 0);
  if (workspace <= workspace_.get().bytes) return {};
  workspace_.reset();  // before the larger one: a small device may not hold both
  TRY_ASSIGN(workspace_, allocate_scoped(device_, workspace, call));
  return {};
}

Result<KernelBench::Prepared> KernelBench::prepare(KernelCode const& code,
                                                   BenchOptions const& options) {
  TRY(upload(code, options.call));
  TRY(make_parameters(code, options));
  for (size_t i = 0; i < output_buffers_.size(); ++i) {
    TRY_ASSIGN(NDArray wild, poison(*output_buffers_[i]));
    TRY(device_.write(tensors_[inputs_.size() + i].get(), 0, bytes_of(wild), options.call));
  }
  Prepared prepared;
  TRY_ASSIGN(prepared.library, load_scoped(device_, code.run.library, options.call));
  prepared.steps.push_back(step_of(code));
  prepared.steps[0].library = prepared.library.get();
  return prepared;
}

/// Without its library.
DeviceStep KernelBench::step_of(KernelCode const& code) const {
  DeviceStep step{{}, code.run.symbol, {}, {}};
  for (ScopedTensor const& tensor : tensors_) step.buffers.push_back({tensor.get(), 0});
  for (size_t i = 0; i < made_.size(); ++i)
    step.buffers.insert(step.buffers.begin() + std::ptrdiff_t(inputs_.size() + i),
                        {made_[i].get(), 0});
  if (code.run.workspace_bytes > 0) step.workspace = {workspace_.get(), 0};
  return step;
}

/// What the code makes of parameters when a model is loaded.
Status KernelBench::make_parameters(KernelCode const& code, BenchOptions const& options) {
  made_.clear();
  if (!code.load) return {};
  TRY_ASSIGN(ScopedLibrary library, load_scoped(device_, code.load->library, options.call));
  LoadPart part{library.get(), code.load->symbol, {}, code.made};
  if (code.load->workspace_bytes > 0) part.workspace = {workspace_.get(), 0};
  std::vector<BufferView> inputs;
  for (size_t i = 0; i < inputs_.size(); ++i) inputs.push_back({tensors_[i].get(), 0});
  auto room = [&](ir::BufferNode const& buffer) -> Result<TensorHandle> {
    TRY_ASSIGN(NDArray wild, poison(buffer));
    TRY_ASSIGN(ScopedTensor tensor, put_scoped(device_, wild, options.call));
    made_.push_back(std::move(tensor));
    return made_.back().get();
  };
  TRY(make_tensors(device_, part, std::move(inputs), room, options.threads, options.call));
  return {};
}

Result<std::vector<NDArray>> KernelBench::read_outputs(CallOptions const& call) {
  std::vector<NDArray> outputs;
  for (size_t i = 0; i < output_buffers_.size(); ++i) {
    ir::BufferNode const& buffer = *output_buffers_[i];
    TRY_ASSIGN(NDArray output, get_tensor(device_, tensors_[inputs_.size() + i].get(), buffer.type,
                                          ir::constant_shape(buffer).value(), call));
    outputs.push_back(std::move(output));
  }
  return outputs;
}

Result<BenchResult> KernelBench::run_once(KernelCode const& code, BenchOptions const& options,
                                          bool timed) {
  TRY_ASSIGN(Prepared prepared, prepare(code, options));
  BenchResult result;
  TRY(device_.run(prepared.steps, options.threads, options.call));
  TRY_ASSIGN(result.outputs, read_outputs(options.call));
  if (timed) {
    TRY_ASSIGN(Timing timing,
               device_.time(prepared.steps, options.threads, options.timing, options.call));
    result.samples = std::move(timing.total);
    result.speed = std::move(timing.speed);
  }
  return result;
}

Result<BenchResult> KernelBench::persist(KernelCode const& code, BenchOptions const& options,
                                         bool timed) {
  auto result = run_once(code, options, timed);
  if (!result) {
    bool stale = result.error().code == "device_restarted";
    forget();
    if (stale) result = run_once(code, options, timed);
    if (!result) forget();
  }
  return result;
}

Status KernelBench::upload(std::span<Limits const> limits, CallOptions const& call) {
  if (!limits_.empty()) return {};
  std::vector<ScopedTensor> tensors;
  for (Limits const& limit : limits)
    for (NDArray const* array : {&limit.low, &limit.high}) {
      TRY_ASSIGN(ScopedTensor tensor, put_scoped(device_, *array, call));
      tensors.push_back(std::move(tensor));
    }
  limits_ = std::move(tensors);
  return {};
}

std::vector<LimitedOutput> KernelBench::limited_outputs(std::span<Limits const> limits) const {
  std::vector<LimitedOutput> outputs;
  for (size_t i = 0; i < limits.size(); ++i)
    outputs.push_back({{tensors_[inputs_.size() + i].get(), 0},
                       limits[i].low.type(),
                       limits[i].low.size(),
                       {limits_[2 * i].get(), 0},
                       {limits_[2 * i + 1].get(), 0}});
  return outputs;
}

Result<TrialAnswer> KernelBench::attempt_once(KernelCode const& code,
                                              std::span<Limits const> limits,
                                              BenchOptions const& options) {
  TRY(upload(code, options.call));
  TRY(make_parameters(code, options));
  TRY(upload(limits, options.call));
  return device_.attempt(code.run.library, step_of(code), limited_outputs(limits), options.threads,
                         options.timing, options.call);
}

Status KernelBench::attempt_each(std::span<KernelCode const* const> codes,
                                 std::span<Limits const> limits, BenchOptions const& options,
                                 OnTrial const& on_answer) {
  auto ready = [&]() -> Status {
    for (KernelCode const* code : codes) TRY(upload(*code, options.call));
    made_.clear();
    return upload(limits, options.call);
  };
  Status status = ready();
  std::vector<TrialCall> calls;
  if (status)
    for (KernelCode const* code : codes) calls.push_back({code->run.library, step_of(*code)});
  if (status)
    status = device_.attempt_each(calls, limited_outputs(limits), options.threads, options.timing,
                                  options.call, on_answer);
  if (!status && status.error().code != "unknown_request") forget();
  return status;
}

Result<TrialAnswer> KernelBench::attempt(KernelCode const& code, std::span<Limits const> limits,
                                         BenchOptions const& options) {
  auto answer = attempt_once(code, limits, options);
  if (answer || answer.error().code == "unknown_request") return answer;
  bool stale = answer.error().code == "device_restarted";
  forget();
  if (stale) answer = attempt_once(code, limits, options);
  if (!answer) forget();
  return answer;
}

Result<BenchResult> KernelBench::measure(KernelCode const& code, BenchOptions const& options) {
  return persist(code, options, true);
}

Result<std::vector<NDArray>> KernelBench::run(KernelCode const& code, BenchOptions const& options) {
  TRY_ASSIGN(BenchResult result, persist(code, options, false));
  return std::move(result.outputs);
}

Result<std::string> KernelBench::attempt_checked(KernelCode const& code,
                                                 BenchOptions const& options) {
  TRY_ASSIGN(Prepared prepared, prepare(code, options));
  Status ran = device_.run(prepared.steps, options.threads, options.call);
  if (ran) return std::string();
  if (ran.error().code != "kernel_failed") return std::unexpected(ran.error());
  std::vector<std::byte> record(kReportBytes);
  TRY(device_.read(workspace_.get(), code.run.report_offset, record, options.call));
  std::string what = describe_report(code.run.accesses, record);
  if (what.empty()) return std::unexpected(ran.error());
  return what;
}

Result<std::string> KernelBench::run_checked(KernelCode const& code, BenchOptions const& options) {
  auto what = attempt_checked(code, options);
  if (!what) forget();
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
