#include "engine/device/requests/trial.h"

#include <algorithm>

#include "engine/device/request_handler.h"
#include "engine/device/requests.h"
#include "engine/tensor/limits.h"

namespace tw::request_trial {
namespace {

/// Of what is read and written at a time: it stays in the caches.
constexpr int64_t kPieceBytes = 256 << 10;
constexpr int64_t kMostBytes = NDArray::kMaxBytes;

/// A trial is made of the other requests: they check everything that a client may send.
Result<wire::Response> ask(RequestHandler& handler, wire::Request const& request) {
  wire::Response response = handler.answer(request);
  if (!response.has_failure()) return response;
  wire::Failure const& failure = response.failure();
  return std::unexpected(Error{failure.code(), failure.message(), {}, Fault(failure.fault())});
}

Result<std::string> read(RequestHandler& handler, wire::View const& view, int64_t at,
                         int64_t bytes) {
  wire::Request request;
  request.mutable_read()->set_tensor(view.tensor());
  request.mutable_read()->set_offset(view.offset() + at);
  request.mutable_read()->set_bytes(bytes);
  TRY_ASSIGN(wire::Response response, ask(handler, request));
  return std::move(*response.mutable_data());
}

/// Sums of what passes do not leave 64 bits.
Result<int64_t> bytes_of(wire::LimitedOutput const& output) {
  bool good = output.type() >= 0 && output.type() <= int32_t(DType::kBool) &&
              output.elements() >= 0 && output.elements() <= kMostBytes;
  for (wire::View const* view : {&output.values(), &output.low(), &output.high()})
    good = good && view->offset() >= 0 && view->offset() <= kMostBytes;
  if (!good) return bad_input("bad_output", "an output of the trial has no known type or size");
  return output.elements() * size_of(DType(output.type()));
}

/// What a kernel forgets to write is seen: NaN as floats, wild numbers as anything else.
Status fill_with_nonsense(RequestHandler& handler, wire::LimitedOutput const& output) {
  TRY_ASSIGN(int64_t bytes, bytes_of(output));
  for (int64_t at = 0; at < bytes; at += kPieceBytes) {
    wire::Request request;
    request.mutable_write()->set_tensor(output.values().tensor());
    request.mutable_write()->set_offset(output.values().offset() + at);
    request.mutable_write()->set_data(
        std::string(size_t(std::min(kPieceBytes, bytes - at)), '\xFF'));
    TRY(ask(handler, request));
  }
  return {};
}

/// The first element outside of its limits, -1: there is none.
Result<int64_t> first_outside(RequestHandler& handler, wire::LimitedOutput const& output) {
  TRY_ASSIGN(int64_t bytes, bytes_of(output));
  DType type = DType(output.type());
  for (int64_t at = 0; at < bytes; at += kPieceBytes) {
    int64_t piece = std::min(kPieceBytes, bytes - at);
    TRY_ASSIGN(std::string values, read(handler, output.values(), at, piece));
    TRY_ASSIGN(std::string low, read(handler, output.low(), at, piece));
    TRY_ASSIGN(std::string high, read(handler, output.high(), at, piece));
    int64_t wrong = first_outside(type, std::as_bytes(std::span(values)),
                                  std::as_bytes(std::span(low)), std::as_bytes(std::span(high)));
    if (wrong >= 0) return at / size_of(type) + wrong;
  }
  return -1;
}

Result<wire::TrialReport> tried(RequestHandler& handler, wire::Trial const& trial,
                                wire::Request& time) {
  for (wire::LimitedOutput const& output : trial.outputs())
    TRY(fill_with_nonsense(handler, output));
  wire::Request run;
  *run.mutable_run() = time.time().run();
  TRY(ask(handler, run));
  wire::TrialReport report;
  report.set_wrong_output(-1);
  for (int i = 0; i < trial.outputs_size(); ++i) {
    TRY_ASSIGN(int64_t wrong, first_outside(handler, trial.outputs(i)));
    if (wrong < 0) continue;
    report.set_wrong_output(i);
    report.set_wrong_element(wrong);
    return report;
  }
  TRY_ASSIGN(wire::Response timed, ask(handler, time));
  *report.mutable_timing() = std::move(*timed.mutable_timing());
  return report;
}

Result<wire::Response> answer(RequestHandler& handler, wire::Request const& request) {
  return answer_trial(handler, request.trial());
}

}  // namespace
}  // namespace tw::request_trial

namespace tw {

Result<wire::Response> answer_trial(RequestHandler& handler, wire::Trial const& trial) {
  if (trial.time().run().steps_size() != 1) return bad_input("bad_trial", "a trial is of one step");
  wire::Request load;
  load.set_load_library(trial.library());
  TRY_ASSIGN(wire::Response loaded, request_trial::ask(handler, load));
  wire::Request time;
  *time.mutable_time() = trial.time();
  time.mutable_time()->mutable_run()->mutable_steps(0)->set_library(loaded.handle());
  auto report = request_trial::tried(handler, trial, time);
  wire::Request forget;
  forget.set_free_library(loaded.handle());
  TRY(request_trial::ask(handler, forget));
  if (!report) return std::unexpected(report.error());
  wire::Response response;
  *response.mutable_trial() = std::move(*report);
  return response;
}

}  // namespace tw

namespace tw::request_trial {

RequestRow const& row() {
  static RequestRow const row{wire::Request::kTrial, answer};
  return row;
}

}  // namespace tw::request_trial
