#include "engine/device/wire_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/device/hardware_text.h"
#include "engine/device/rpc_session.h"
#include "engine/device/words.h"

namespace tw {
namespace {

/// Tensors travel in pieces, so that no message is large whatever a tensor's size.
constexpr int64_t kPieceBytes = 8 << 20;

/// The oldest life of the device that a step's handle comes from.
uint64_t oldest_generation(std::span<DeviceStep const> steps) {
  uint64_t oldest = UINT64_MAX;
  auto look = [&](BufferView const& view) {
    if (view.tensor.id != 0) oldest = std::min(oldest, view.tensor.generation);
  };
  for (DeviceStep const& step : steps) {
    oldest = std::min(oldest, step.library.generation);
    std::ranges::for_each(step.buffers, look);
    look(step.workspace);
  }
  return oldest;
}

void fill_view(BufferView const& view, wire::View& out) {
  out.set_tensor(view.tensor.id);
  out.set_offset(view.offset);
}

void fill_run(std::span<DeviceStep const> steps, int threads, wire::Run& out) {
  out.set_threads(threads);
  for (DeviceStep const& step : steps) {
    wire::Step& message = *out.add_steps();
    message.set_library(step.library.id);
    message.set_symbol(step.symbol);
    for (BufferView const& view : step.buffers) fill_view(view, *message.add_buffers());
    fill_view(step.workspace, *message.mutable_workspace());
  }
}

Samples to_samples(wire::SampleList const& list) {
  return {std::vector<double>(list.seconds().begin(), list.seconds().end())};
}

/// Times that a clock can have measured: another machine's word for them is not enough.
bool is_measured(Samples const& samples, size_t count) {
  constexpr double kLongest = 86400 * 2;  // seconds
  return samples.seconds.size() == count &&
         std::ranges::all_of(samples.seconds, [](double s) { return s >= 0 && s <= kLongest; });
}

Status check_timing(Timing const& timing) {
  size_t count = timing.total.seconds.size();
  bool sane = count > 0 && is_measured(timing.total, count) && timing.runs_per_sample > 0 &&
              timing.speed.size() == count;
  for (Samples const& samples : timing.steps) sane = sane && is_measured(samples, count);
  for (double speed : timing.speed) sane = sane && std::isfinite(speed) && speed >= 0;
  if (sane) return {};
  return environment_failed("impossible_times",
                            "the device answered with times that no clock can have measured");
}

void fill_time(std::span<DeviceStep const> steps, int threads, TimingOptions const& options,
               wire::Time& out) {
  fill_run(steps, threads, *out.mutable_run());
  out.set_warm_up(options.warm_up);
  out.set_repeats(options.repeats);
  out.set_min_sample_seconds(options.min_sample_seconds);
  out.set_most_seconds(options.most_seconds);
  out.set_incumbent_seconds(options.incumbent_seconds);
}

Result<Timing> timing_of(wire::TimingReport const& report, size_t steps) {
  if (size_t(report.steps_size()) != steps) return unexpected_answer();
  Timing timing;
  timing.total = to_samples(report.total());
  for (wire::SampleList const& list : report.steps()) timing.steps.push_back(to_samples(list));
  timing.speed.assign(report.speed().begin(), report.speed().end());
  timing.runs_per_sample = report.runs_per_sample();
  if (report.timed_by() < 0 || report.timed_by() > int32_t(TimedBy::kSimulator))
    return unexpected_answer();
  timing.by = TimedBy(report.timed_by());
  TRY(check_timing(timing));
  return timing;
}

std::unexpected<Error> failed(Error const& error) { return std::unexpected(error); }

std::unexpected<Error> too_large(size_t bytes) {
  return bad_input("library_too_large",
                   fmt::format("a kernel library of {} bytes is too large", bytes));
}

Status fill_trial(TrialCall const& call, std::span<LimitedOutput const> outputs, int threads,
                  TimingOptions const& timing_options, wire::Trial& trial) {
  if (call.library.size() > kMostFrameBytes / 2) return too_large(call.library.size());
  trial.set_library(call.library.data(), call.library.size());
  fill_time(std::span(&call.step, 1), threads, timing_options, *trial.mutable_time());
  for (LimitedOutput const& output : outputs) {
    wire::LimitedOutput& message = *trial.add_outputs();
    fill_view(output.values, *message.mutable_values());
    message.set_type(int32_t(output.type));
    message.set_elements(output.elements);
    fill_view(output.low, *message.mutable_low());
    fill_view(output.high, *message.mutable_high());
  }
  return {};
}

/// The oldest life that a tensor of a trial comes from; its library comes with it.
uint64_t oldest_of(std::span<TrialCall const> trials, std::span<LimitedOutput const> outputs) {
  uint64_t oldest = UINT64_MAX;
  for (TrialCall const& trial : trials)
    for (BufferView const& view : trial.step.buffers)
      if (view.tensor.id != 0) oldest = std::min(oldest, view.tensor.generation);
  for (LimitedOutput const& output : outputs)
    oldest = std::min({oldest, output.low.tensor.generation, output.high.tensor.generation});
  return oldest;
}

/// Another machine's word: no more is believed than can be.
Result<TrialAnswer> trial_of(wire::Response const& response, size_t outputs) {
  if (!response.has_trial()) return unexpected_answer();
  wire::TrialReport const& report = response.trial();
  TrialAnswer told{report.wrong_output(), report.wrong_element(), {}, {}, {}};
  if (told.wrong_output >= int(outputs)) return unexpected_answer();
  if (told.wrong_output >= 0) return told;
  TRY_ASSIGN(Timing timing, timing_of(report.timing(), 1));
  told.samples = std::move(timing.total);
  told.speed = std::move(timing.speed);
  told.by = timing.by;
  return told;
}

}  // namespace

WireDevice::WireDevice(OpenConnection open_line, std::chrono::milliseconds patience,
                       std::chrono::milliseconds least_timeout, std::string hint)
    : least_timeout_(least_timeout),
      conversation_(std::make_unique<RpcSession>(std::move(open_line), patience, std::move(hint))) {
}

WireDevice::~WireDevice() = default;

uint64_t WireDevice::generation() const { return conversation_->generation(); }

CallOptions WireDevice::patient(CallOptions const& options) const {
  return {options.stop, std::max(options.timeout, least_timeout_)};
}

Result<Hardware> WireDevice::describe(CallOptions const& options) {
  wire::Request request;
  request.mutable_describe();
  TRY_ASSIGN(Answer answer, conversation_->ask(request, 0, options));
  return parse_hardware(answer.message.hardware());
}

Result<wire::Response> WireDevice::ask(wire::Request const& request, CallOptions const& options) {
  TRY_ASSIGN(Answer answer, conversation_->ask(request, 0, options));
  return std::move(answer.message);
}

Result<TensorHandle> WireDevice::allocate(int64_t bytes, CallOptions const& options) {
  wire::Request request;
  request.mutable_allocate()->set_bytes(bytes);
  TRY_ASSIGN(Answer answer, conversation_->ask(request, 0, patient(options)));
  if (!answer.message.has_handle()) return unexpected_answer();
  return TensorHandle{answer.message.handle(), answer.generation, bytes};
}

Status WireDevice::write(TensorHandle const& tensor, int64_t offset,
                         std::span<std::byte const> from, CallOptions const& options) {
  while (!from.empty()) {
    auto piece = from.first(std::min(from.size(), size_t(kPieceBytes)));
    wire::Request request;
    request.mutable_write()->set_tensor(tensor.id);
    request.mutable_write()->set_offset(offset);
    request.mutable_write()->set_data(piece.data(), piece.size());
    TRY(conversation_->ask(request, tensor.generation, patient(options)));
    from = from.subspan(piece.size());
    offset += int64_t(piece.size());
  }
  return {};
}

Status WireDevice::read(TensorHandle const& tensor, int64_t offset, std::span<std::byte> to,
                        CallOptions const& options) {
  while (!to.empty()) {
    auto piece = to.first(std::min(to.size(), size_t(kPieceBytes)));
    wire::Request request;
    request.mutable_read()->set_tensor(tensor.id);
    request.mutable_read()->set_offset(offset);
    request.mutable_read()->set_bytes(int64_t(piece.size()));
    TRY_ASSIGN(Answer answer, conversation_->ask(request, tensor.generation, patient(options)));
    std::string const& data = answer.message.data();
    if (data.size() != piece.size()) return unexpected_answer();
    std::memcpy(piece.data(), data.data(), piece.size());
    to = to.subspan(piece.size());
    offset += int64_t(piece.size());
  }
  return {};
}

Status WireDevice::free(TensorHandle const& tensor) {
  if (tensor.id == 0 || tensor.generation != generation()) return {};
  wire::Request request;
  request.set_free_tensor(tensor.id);
  Result<Answer> answer = conversation_->ask(request, tensor.generation, {});
  if (answer || answer.error().code == "device_restarted") return {};
  return std::unexpected(answer.error());
}

Result<LibraryHandle> WireDevice::load(std::span<std::byte const> library,
                                       CallOptions const& options) {
  if (library.size() > kMostFrameBytes / 2) {
    return bad_input("library_too_large",
                     fmt::format("a kernel library of {} bytes is too large", library.size()));
  }
  wire::Request request;
  request.set_load_library(library.data(), library.size());
  TRY_ASSIGN(Answer answer, conversation_->ask(request, 0, patient(options)));
  if (!answer.message.has_handle()) return unexpected_answer();
  return LibraryHandle{answer.message.handle(), answer.generation};
}

Result<LibraryHandle> WireDevice::load_network(LibraryHandle const& library,
                                               std::string const& description,
                                               CallOptions const& options) {
  if (description.size() > kMostFrameBytes / 2)
    return bad_input(
        "library_too_large",
        fmt::format(
            "a network whose description has {} bytes is too large for a device; the most is {}",
            description.size(), kMostFrameBytes / 2));
  wire::Request request;
  request.mutable_load_network()->set_library(library.id);
  request.mutable_load_network()->set_description(description);
  TRY_ASSIGN(Answer answer, conversation_->ask(request, library.generation, patient(options)));
  if (!answer.message.has_handle()) return unexpected_answer();
  return LibraryHandle{answer.message.handle(), answer.generation};
}

Status WireDevice::free(LibraryHandle const& library) {
  if (library.id == 0 || library.generation != generation()) return {};
  wire::Request request;
  request.set_free_library(library.id);
  Result<Answer> answer = conversation_->ask(request, library.generation, {});
  if (answer || answer.error().code == "device_restarted") return {};
  return std::unexpected(answer.error());
}

Status WireDevice::run(std::span<DeviceStep const> steps, int threads, CallOptions const& options) {
  if (steps.empty()) return {};
  wire::Request request;
  fill_run(steps, threads, *request.mutable_run());
  TRY(conversation_->ask(request, oldest_generation(steps), patient(options), steps));
  return {};
}

Result<Timing> WireDevice::time(std::span<DeviceStep const> steps, int threads,
                                TimingOptions const& timing_options, CallOptions const& options) {
  if (steps.empty()) return bad_input("nothing_to_time", "there are no steps to time");
  wire::Request request;
  fill_time(steps, threads, timing_options, *request.mutable_time());
  TRY_ASSIGN(Answer answer,
             conversation_->ask(request, oldest_generation(steps), patient(options), steps));
  return timing_of(answer.message.timing(), steps.size());
}

Result<TrialAnswer> WireDevice::attempt(std::span<std::byte const> library, DeviceStep const& step,
                                        std::span<LimitedOutput const> outputs, int threads,
                                        TimingOptions const& timing_options,
                                        CallOptions const& options) {
  TrialCall call{library, step};
  call.step.library = {};
  wire::Request request;
  TRY(fill_trial(call, outputs, threads, timing_options, *request.mutable_trial()));
  TRY_ASSIGN(Answer answer, conversation_->ask(request, oldest_of({&call, 1}, outputs),
                                               patient(options), std::span(&call.step, 1)));
  return trial_of(answer.message, outputs.size());
}

Status WireDevice::attempt_each(std::span<TrialCall const> trials,
                                std::span<LimitedOutput const> outputs, int threads,
                                TimingOptions const& timing_options, CallOptions const& options,
                                OnTrial const& on_answer) {
  if (trials.empty()) return {};
  wire::Request request;
  std::vector<DeviceStep> steps;  // for the words of a failure
  size_t bytes = 0;
  for (TrialCall const& trial : trials) {
    TRY(fill_trial(trial, outputs, threads, timing_options,
                   *request.mutable_trials()->add_trials()));
    steps.push_back(trial.step);
    bytes += trial.library.size();
  }
  if (bytes > kMostFrameBytes / 2) return too_large(bytes);
  size_t told = 0;
  auto part = [&](wire::Response const& response) {
    if (++told >= trials.size()) return false;
    on_answer(response.has_failure() ? Result<TrialAnswer>(failure_of(response))
                                     : trial_of(response, outputs.size()));
    return true;
  };
  auto last =
      conversation_->ask(request, oldest_of(trials, outputs), patient(options), steps, part);
  if (told + 1 < trials.size()) return last ? Status(unexpected_answer()) : failed(last.error());
  // What the last one came to, or the end of the device's process.
  on_answer(last ? trial_of(last->message, outputs.size())
                 : Result<TrialAnswer>(failed(last.error())));
  return {};
}

}  // namespace tw
