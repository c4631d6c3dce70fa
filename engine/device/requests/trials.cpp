#include "engine/device/failure.h"
#include "engine/device/request_handler.h"
#include "engine/device/requests.h"
#include "engine/device/requests/trial.h"

namespace tw::request_trials {
namespace {

constexpr int kMostTrials = 64;

/// A trial that fails says nothing about the others. Who asks for an early answer gets no more.
Result<wire::Response> answer(RequestHandler& handler, wire::Request const& request) {
  int count = request.trials().trials_size();
  if (count < 1 || count > kMostTrials)
    return bad_input("bad_trial", "a request has 1 to " + std::to_string(kMostTrials) +
                                      " trials, not " + std::to_string(count));
  for (int i = 0; i + 1 < count; ++i) {
    Result<wire::Response> one = answer_trial(handler, request.trials().trials(i));
    if (handler.stopped()) return refused("cancelled", "the trials were cancelled");
    TRY(handler.tell_part(one ? *one : failure(one.error())));
  }
  return answer_trial(handler, request.trials().trials(count - 1));
}

}  // namespace

RequestRow const& row() {
  static RequestRow const row{wire::Request::kTrials, answer};
  return row;
}

}  // namespace tw::request_trials
