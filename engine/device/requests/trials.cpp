#include "engine/device/request_handler.h"
#include "engine/device/requests.h"
#include "engine/device/requests/trial.h"

namespace tw::request_trials {
namespace {

constexpr int kMostTrials = 64;

wire::Response told(Result<wire::Response> answer) {
  if (answer) return std::move(*answer);
  wire::Response failed;
  failed.mutable_failure()->set_code(answer.error().code);
  failed.mutable_failure()->set_message(answer.error().message);
  failed.mutable_failure()->set_fault(int32_t(answer.error().fault));
  return failed;
}

/// A trial that fails says nothing about the others. Who asks for an early answer gets no more.
Result<wire::Response> answer(RequestHandler& handler, wire::Request const& request) {
  int count = request.trials().trials_size();
  if (count < 1 || count > kMostTrials)
    return bad_input("bad_trial", "a request has 1 to " + std::to_string(kMostTrials) +
                                      " trials, not " + std::to_string(count));
  for (int i = 0; i + 1 < count; ++i) {
    wire::Response one = told(answer_trial(handler, request.trials().trials(i)));
    if (handler.stopped()) return refused("cancelled", "the trials were cancelled");
    TRY(handler.tell_part(one));
  }
  return answer_trial(handler, request.trials().trials(count - 1));
}

}  // namespace

RequestRow const& row() {
  static RequestRow const row{wire::Request::kTrials, answer};
  return row;
}

}  // namespace tw::request_trials
