#include "engine/device/request_handler.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "engine/device/channel.h"
#include "engine/device/crash.h"
#include "engine/device/failure.h"
#include "engine/device/hardware_text.h"
#include "engine/device/processor_clock.h"
#include "engine/device/request_check.h"
#include "engine/device/requests.h"
#include "engine/runtime/kernel_code.h"
#include "engine/runtime/timer.h"

namespace tw {
namespace {

wire::Response done() {
  wire::Response response;
  response.mutable_done();
  return response;
}

}  // namespace

RequestHandler::~RequestHandler() {
  for (auto& [id, tensor] : tensors_) processor_.release(tensor.memory);
}

wire::Response RequestHandler::answer(wire::Request const& request) {
  Result<wire::Response> response = dispatch(request);
  if (response) return std::move(*response);
  return failure(response.error());
}

Status RequestHandler::tell_part(wire::Response const& response) const {
  if (part_) return part_(response);
  return bad_input("unknown_request", "the device cannot answer one by one");
}

Result<wire::Response> RequestHandler::dispatch(wire::Request const& request) {
  switch (request.kind_case()) {
    case wire::Request::kDescribe:
      return describe();
    case wire::Request::kAllocate:
      return allocate(request.allocate());
    case wire::Request::kWrite:
      return write(request.write());
    case wire::Request::kRead:
      return read(request.read());
    case wire::Request::kFreeTensor:
      return free_tensor(request.free_tensor());
    case wire::Request::kLoadLibrary:
      return load(request.load_library());
    case wire::Request::kFreeLibrary:
      return free_library(request.free_library());
    case wire::Request::kRun:
      return run(request.run());
    case wire::Request::kTime:
      return time(request.time());
    case wire::Request::kLoadNetwork:
      return load_network(request.load_network());
    default:
      break;
  }
  for (RequestRow const* row : request_table())
    if (row->kind == request.kind_case()) return row->answer(*this, request);
  return bad_input("unknown_request", "the device does not know this request");
}

Result<wire::Response> RequestHandler::describe() {
  wire::Response response;
  response.set_hardware(to_json_text(hardware_));
  return response;
}

DeviceHolding RequestHandler::holding() const {
  DeviceHolding holding{int64_t(tensors_.size()), 0, int64_t(libraries_.size()), 0};
  for (auto const& [id, tensor] : tensors_) holding.tensor_bytes += tensor.bytes;
  for (auto const& [id, library] : libraries_) holding.library_bytes += library.bytes;
  return holding;
}

Result<wire::Response> RequestHandler::allocate(wire::Allocate const& request) {
  TRY_ASSIGN(void* memory, processor_.allocate(request.bytes()));
  tensors_[++last_id_] = {memory, request.bytes()};
  wire::Response response;
  response.set_handle(last_id_);
  return response;
}

Result<MemoryPlace> RequestHandler::locate(int64_t id, int64_t offset, int64_t bytes) {
  auto found = tensors_.find(id);
  if (found == tensors_.end()) {
    return bad_input("unknown_tensor", "the device has no tensor " + std::to_string(id));
  }
  int64_t size = found->second.bytes;
  if (offset < 0 || bytes < 0 || offset > size || bytes > size - offset) {
    return bad_input("out_of_tensor", std::to_string(bytes) + " bytes at offset " +
                                          std::to_string(offset) + " are outside a tensor of " +
                                          std::to_string(size));
  }
  return MemoryPlace{found->second.memory, offset};
}

Result<wire::Response> RequestHandler::write(wire::Write const& request) {
  std::string const& data = request.data();
  TRY_ASSIGN(MemoryPlace to, locate(request.tensor(), request.offset(), int64_t(data.size())));
  processor_.write(to, std::as_bytes(std::span(data)));
  TRY(memory_failure());
  return done();
}

Result<wire::Response> RequestHandler::read(wire::Read const& request) {
  if (request.bytes() > int64_t(kMostFrameBytes) / 2) {
    return bad_input("frame_too_large", "the tensor is too large to be read in one message");
  }
  TRY_ASSIGN(MemoryPlace from, locate(request.tensor(), request.offset(), request.bytes()));
  wire::Response response;
  std::string& data = *response.mutable_data();
  data.resize(size_t(request.bytes()));
  processor_.read(std::as_writable_bytes(std::span(data)), from);
  TRY(memory_failure());
  return response;
}

/// Of the access just made: told where it was asked for, not at some later call.
Status RequestHandler::memory_failure() {
  if (auto failure = processor_.take_failure()) return std::unexpected(std::move(*failure));
  return {};
}

Result<wire::Response> RequestHandler::free_tensor(int64_t id) {
  auto found = tensors_.find(id);
  if (found != tensors_.end()) {
    processor_.release(found->second.memory);
    tensors_.erase(found);
  }
  return done();
}

Result<wire::Response> RequestHandler::load(std::string const& bytes) {
  TRY_ASSIGN(auto library, processor_.load(std::as_bytes(std::span(bytes))));
  libraries_[++last_id_] = {std::move(library), {}, int64_t(bytes.size())};
  wire::Response response;
  response.set_handle(last_id_);
  return response;
}

Result<wire::Response> RequestHandler::load_network(wire::LoadNetwork const& request) {
  TRY_ASSIGN(Library const* library, find_library(request.library()));
  TRY_ASSIGN(package::Description network, network_of(request.description()));
  libraries_[++last_id_] = {library->kernels, std::move(network),
                            int64_t(request.description().size())};
  wire::Response response;
  response.set_handle(last_id_);
  return response;
}

Result<wire::Response> RequestHandler::free_library(int64_t id) {
  libraries_.erase(id);
  return done();
}

Result<MemoryPlace> RequestHandler::bind(wire::View const& view, int64_t bytes) {
  if (view.tensor() == 0 && bytes == 0) return MemoryPlace{};
  return locate(view.tensor(), view.offset(), bytes);
}

Result<RequestHandler::Library const*> RequestHandler::find_library(int64_t id) const {
  auto library = libraries_.find(id);
  if (library != libraries_.end()) return &library->second;
  return bad_input("unknown_library", "the device has no library " + std::to_string(id));
}

/// Every region gets a tensor that is large enough for it.
Result<package::BoundSteps> RequestHandler::bind_network(Library const& library,
                                                         wire::Step const& step) {
  package::Description const& network = *library.network;
  package::Memory memory;
  size_t tensors = network.inputs.size() + network.outputs.size();
  if (size_t(step.buffers_size()) != tensors + 2)
    return bad_input("wrong_buffers", "the network takes " + std::to_string(tensors + 2) +
                                          " buffers, not " + std::to_string(step.buffers_size()));
  int next = 0;
  for (auto const& [list, of] :
       {std::pair(&network.inputs, &memory.inputs), std::pair(&network.outputs, &memory.outputs)})
    for (package::Tensor const& tensor : *list) {
      TRY_ASSIGN(MemoryPlace address, bind(step.buffers(next++), tensor.bytes));
      of->push_back(address);
    }
  TRY_ASSIGN(memory.parameters, bind(step.buffers(next++), network.parameters.bytes));
  TRY_ASSIGN(memory.arena, bind(step.buffers(next), network.arena_bytes));
  TRY_ASSIGN(memory.workspace, bind(step.workspace(), network.workspace_bytes));
  return package::BoundSteps::bind(network.steps,
                                   {{library.kernels.get(), &processor_, std::move(memory)}});
}

Result<RequestHandler::BoundStep> RequestHandler::bind(wire::Step const& step) {
  TRY_ASSIGN(Library const* library, find_library(step.library()));
  BoundStep bound{.symbol = &step.symbol(), .kernel = nullptr, .buffers = {}, .network = {}};
  if (library->network) {
    TRY_ASSIGN(bound.network, bind_network(*library, step));
    return bound;
  }
  TRY_ASSIGN(bound.kernel, library->kernels->find(step.symbol()));
  for (wire::View const& view : step.buffers()) {
    TRY_ASSIGN(MemoryPlace buffer, bind(view));
    bound.buffers.push_back(buffer);
  }
  TRY_ASSIGN(MemoryPlace workspace, bind(step.workspace()));
  bound.buffers.push_back(workspace);
  return bound;
}

Result<std::vector<RequestHandler::BoundStep>> RequestHandler::bind(wire::Run const& run) {
  TRY(check_run(run));
  std::vector<BoundStep> steps;
  for (wire::Step const& step : run.steps()) {
    TRY_ASSIGN(BoundStep bound, bind(step));
    steps.push_back(std::move(bound));
  }
  processor_.use_threads(run.threads());
  return steps;
}

Status RequestHandler::call_kernel(std::string const& symbol, void* kernel,
                                   std::span<MemoryPlace const> buffers, size_t index) {
  note_running_step(int(index), symbol.c_str());
  int32_t code = processor_.call(kernel, buffers);
  note_running_step(-1, nullptr);
  if (code == 0) return {};
  if (auto failure = processor_.take_failure()) return std::unexpected(std::move(*failure));
  return stopped_with("the kernel '" + symbol + "'", code);
}

Status RequestHandler::call(BoundStep const& step, size_t index) {
  if (!step.network) return call_kernel(*step.symbol, step.kernel, step.buffers, index);
  // To ask takes as long as a small kernel.
  constexpr std::chrono::milliseconds kBetweenQuestions{1};
  auto asked = std::chrono::steady_clock::now();
  return step.network->run([&](DeviceRuntime&, std::string const& symbol, void* kernel,
                               std::span<MemoryPlace const> buffers) -> Status {
    TRY(call_kernel(symbol, kernel, buffers, index));
    auto now = std::chrono::steady_clock::now();
    if (now - asked < kBetweenQuestions) return {};
    asked = now;
    return stopped_() ? Status(refused("cancelled", "the run was cancelled")) : Status();
  });
}

Result<wire::Response> RequestHandler::run(wire::Run const& request) {
  TRY_ASSIGN(std::vector<BoundStep> steps, bind(request));
  own_time_.reset();
  (void)processor_.own_seconds();  // of what was before
  for (size_t i = 0; i < steps.size(); ++i) {
    if (stopped_()) return refused("cancelled", "the run was cancelled");
    TRY(call(steps[i], i));
  }
  TRY(processor_.finish());
  if (std::optional<double> seconds = processor_.own_seconds(); seconds && steps.size() == 1)
    own_time_ = {request.SerializeAsString(), *seconds};
  return done();
}

Result<Timing> RequestHandler::timed(wire::Time const& request) {
  TRY_ASSIGN(TimingOptions timing_options, timing_options_of(request));
  TRY_ASSIGN(std::vector<BoundStep> steps, bind(request.run()));
  if (own_time_ && own_time_->run == request.run().SerializeAsString()) {
    Samples once{{own_time_->seconds}};
    return Timing{
        .total = once, .steps = {once}, .speed = {probe_speed()}, .by = TimedBy::kSimulator};
  }
  ProcessorClock clock(processor_);
  TRY(clock.make(step_moments(steps.size())));
  Status called;
  auto one = [&](size_t i) -> int32_t {
    called = call(steps[i], i);
    // By the host's clock the time of a step is until it is done.
    if (called && clock.by() == TimedBy::kHost) called = processor_.finish();
    return called ? 0 : 1;
  };
  Result<Timing> timing = time_steps(
      steps.size(), one, timing_options, stopped_, [&] { return processor_.own_seconds(); },
      &clock);
  // What is under way still is no part of the next request, and may have failed.
  Status finished = processor_.finish();
  TRY(called);  // it says more than a code
  if (timing) TRY(finished);
  if (timing && timing->by == TimedBy::kSimulator && steps.size() == 1)
    own_time_ = {request.run().SerializeAsString(), timing->total.least()};
  return timing;
}

Result<wire::Response> RequestHandler::time(wire::Time const& request) {
  TRY_ASSIGN(Timing timing, timed(request));
  wire::Response response;
  wire::TimingReport& report = *response.mutable_timing();
  auto store = [](Samples const& samples, wire::SampleList& list) {
    list.mutable_seconds()->Add(samples.seconds.begin(), samples.seconds.end());
  };
  store(timing.total, *report.mutable_total());
  for (Samples const& samples : timing.steps) store(samples, *report.add_steps());
  report.mutable_speed()->Add(timing.speed.begin(), timing.speed.end());
  report.set_runs_per_sample(timing.runs_per_sample);
  report.set_timed_by(int32_t(timing.by));
  return response;
}

}  // namespace tw
