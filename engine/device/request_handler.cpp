#include "engine/device/request_handler.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <optional>

#include "engine/device/channel.h"
#include "engine/device/crash.h"
#include "engine/device/hardware_text.h"
#include "engine/runtime/timer.h"

namespace tw {
namespace {

constexpr int kMostThreads = 1024;
constexpr int kMostSteps = 1 << 16;
constexpr double kMostSeconds = 86400;

/// The system's own files, where they can be seen.
std::optional<double> first_number_in(char const* file) {
  double number = 0;
  return std::ifstream(file) >> number ? std::optional(number) : std::nullopt;
}

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
  wire::Response failed;
  failed.mutable_failure()->set_code(response.error().code);
  failed.mutable_failure()->set_message(response.error().message);
  failed.mutable_failure()->set_fault(int32_t(response.error().fault));
  return failed;
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
    case wire::Request::kStatus:
      return status();
    case wire::Request::KIND_NOT_SET:
      break;
  }
  return bad_input("unknown_request", "the device does not know this request");
}

Result<wire::Response> RequestHandler::describe() {
  wire::Response response;
  response.set_hardware(to_json_text(hardware_));
  return response;
}

Result<wire::Response> RequestHandler::status() {
  wire::Response response;
  wire::Status& status = *response.mutable_status();
  auto now = std::chrono::system_clock::now().time_since_epoch();
  status.set_unix_seconds(std::chrono::duration<double>(now).count());
  status.set_uptime_seconds(first_number_in("/proc/uptime").value_or(0));
  status.set_load(first_number_in("/proc/loadavg").value_or(-1));
  return response;
}

Result<wire::Response> RequestHandler::allocate(wire::Allocate const& request) {
  TRY_ASSIGN(void* memory, processor_.allocate(request.bytes()));
  tensors_[++last_id_] = {memory, request.bytes()};
  wire::Response response;
  response.set_handle(last_id_);
  return response;
}

Result<std::byte*> RequestHandler::locate(int64_t id, int64_t offset, int64_t bytes) {
  auto found = tensors_.find(id);
  if (found == tensors_.end()) {
    return bad_input("unknown_tensor", "the device has no tensor " + std::to_string(id));
  }
  int64_t size = found->second.bytes;
  if (offset < 0 || bytes < 0 || offset > size || bytes > size - offset) {
    return bad_input("out_of_tensor", std::to_string(bytes) + " bytes at offset " +
                                          std::to_string(offset) + " are outside of a tensor of " +
                                          std::to_string(size));
  }
  return static_cast<std::byte*>(found->second.memory) + offset;
}

Result<wire::Response> RequestHandler::write(wire::Write const& request) {
  std::string const& data = request.data();
  TRY_ASSIGN(std::byte * to, locate(request.tensor(), request.offset(), int64_t(data.size())));
  processor_.write(to, std::as_bytes(std::span(data)));
  return done();
}

Result<wire::Response> RequestHandler::read(wire::Read const& request) {
  if (request.bytes() > int64_t(kMostFrameBytes) / 2) {
    return bad_input("frame_too_large", "a read is longer than a message may be");
  }
  TRY_ASSIGN(std::byte * from, locate(request.tensor(), request.offset(), request.bytes()));
  wire::Response response;
  std::string& data = *response.mutable_data();
  data.resize(size_t(request.bytes()));
  processor_.read(std::as_writable_bytes(std::span(data)), from);
  return response;
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
  libraries_[++last_id_] = std::move(library);
  wire::Response response;
  response.set_handle(last_id_);
  return response;
}

Result<wire::Response> RequestHandler::free_library(int64_t id) {
  libraries_.erase(id);
  return done();
}

Result<void*> RequestHandler::bind(wire::View const& view) {
  if (view.tensor() == 0) return nullptr;
  TRY_ASSIGN(std::byte * address, locate(view.tensor(), view.offset(), 0));
  return static_cast<void*>(address);
}

Result<RequestHandler::BoundStep> RequestHandler::bind(wire::Step const& step) {
  auto library = libraries_.find(step.library());
  if (library == libraries_.end()) {
    return bad_input("unknown_library",
                     "the device has no library " + std::to_string(step.library()));
  }
  BoundStep bound;
  TRY_ASSIGN(bound.kernel, library->second->find(step.symbol()));
  for (wire::View const& view : step.buffers()) {
    TRY_ASSIGN(void* buffer, bind(view));
    bound.buffers.push_back(buffer);
  }
  TRY_ASSIGN(void* workspace, bind(step.workspace()));
  bound.buffers.push_back(workspace);
  return bound;
}

Result<std::vector<RequestHandler::BoundStep>> RequestHandler::bind(wire::Run const& run) {
  if (run.threads() < 1 || run.threads() > kMostThreads) {
    return bad_input("bad_thread_count", "a device runs 1 to " + std::to_string(kMostThreads) +
                                             " threads, not " + std::to_string(run.threads()));
  }
  if (run.steps_size() > kMostSteps) return bad_input("too_many_steps", "too many steps at once");
  std::vector<BoundStep> steps;
  for (wire::Step const& step : run.steps()) {
    TRY_ASSIGN(BoundStep bound, bind(step));
    steps.push_back(std::move(bound));
  }
  processor_.use_threads(run.threads());
  return steps;
}

int32_t RequestHandler::call(BoundStep const& step, size_t index) {
  running_ = index;
  note_running_step(int(index));
  int32_t code = processor_.call(step.kernel, step.buffers.data());
  note_running_step(-1);
  return code;
}

std::unexpected<Error> RequestHandler::failed(wire::Run const& run, std::string const& how) const {
  return refused("kernel_failed", "the kernel '" + run.steps(int(running_)).symbol() + "' " + how);
}

Result<wire::Response> RequestHandler::run(wire::Run const& request) {
  TRY_ASSIGN(std::vector<BoundStep> steps, bind(request));
  for (size_t i = 0; i < steps.size(); ++i) {
    if (stopped_()) return refused("cancelled", "the run was cancelled");
    if (int32_t code = call(steps[i], i); code != 0) {
      return failed(request, "stopped with code " + std::to_string(code));
    }
  }
  return done();
}

Result<wire::Response> RequestHandler::time(wire::Time const& request) {
  for (double seconds : {request.min_sample_seconds(), request.most_seconds()})
    if (!(seconds >= 0 && seconds <= kMostSeconds))  // also for what is no number
      return bad_input("bad_timing", "a sample and a measurement last from 0 seconds to a day");
  TRY_ASSIGN(std::vector<BoundStep> steps, bind(request.run()));
  TimingPlan plan{.warm_up = std::clamp(request.warm_up(), 0, 1 << 20),
                  .repeats = std::clamp(request.repeats(), 1, 1 << 20),
                  .min_sample_seconds = request.min_sample_seconds(),
                  .most_seconds = request.most_seconds()};
  Result<Timing> timed = time_steps(
      steps.size(), [&](size_t i) { return call(steps[i], i); }, plan, stopped_);
  if (!timed && timed.error().code == "kernel_failed") {
    return failed(request.run(), timed.error().message);
  }
  TRY_ASSIGN(Timing timing, std::move(timed));
  wire::Response response;
  wire::TimingReport& report = *response.mutable_timing();
  auto store = [](Samples const& samples, wire::SampleList& list) {
    list.mutable_seconds()->Add(samples.seconds.begin(), samples.seconds.end());
  };
  store(timing.total, *report.mutable_total());
  for (Samples const& samples : timing.steps) store(samples, *report.add_steps());
  report.mutable_speed()->Add(timing.speed.begin(), timing.speed.end());
  report.set_runs_per_sample(timing.runs_per_sample);
  return response;
}

}  // namespace tw
