#include "engine/session/parts/queues.h"

#include <chrono>
#include <thread>

namespace tw::session {
namespace {

constexpr auto kLook = std::chrono::milliseconds(5);  // while another job measures

}  // namespace

Queues::Queues(News& news)
    : main([&news] { news.call(); }),
      errands([&news] { news.call(); }),
      model([] {}),
      patience([] {}),
      tune([] {}),
      idle([] {}),
      memo([&news] { news.notify(); }) {}

void Queues::end() {
  Jobs* all[] = {&main, &errands, &model, &patience, &tune, &idle};
  for (Jobs* jobs : all) jobs->end();
  memo.end();
  for (Jobs* jobs : all) jobs->join();
  memo.join();
}

void Queues::wait_until_rest(StopToken stop) const {
  while (!stop.stop_requested() && !rest()) std::this_thread::sleep_for(kLook);
}

bool Queues::wait_idle(double seconds) const {
  return main.wait_idle(seconds) && errands.wait_idle(seconds) && model.wait_idle(seconds) &&
         memo.wait_idle(seconds);
}

std::shared_ptr<void> Queues::hold_others() {
  model.hold();
  memo.hold();
  return std::shared_ptr<void>(nullptr, [this](void*) {
    model.release();
    memo.release();
  });
}

}  // namespace tw::session
