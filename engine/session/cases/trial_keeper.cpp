#include "engine/session/cases/trial_keeper.h"

#include <fmt/format.h>

#include <thread>
#include <vector>

#include "engine/support/base/quantities.h"

namespace tw::session {
namespace {

constexpr std::chrono::milliseconds kBetween{50};

}  // namespace

TrialKeeper::TrialKeeper(records::TrialStore* store, StopToken stop, StopToken enough,
                         KeeperPatience patience)
    : store_(store),
      stop_(std::move(stop)),
      patience_(patience),
      follow_(std::move(enough), [this] { enough_.request_stop(); }) {}

void TrialKeeper::failed(Error const& error) {
  reason_ = to_sentence(error);
  if (!failing_since_) failing_since_ = Clock::now();
}

/// A trial that no store takes must not keep those beside it out.
bool TrialKeeper::store_one_by_one() {
  while (!waiting_.empty()) {
    auto stored = store_->append({&waiting_.front(), 1});
    if (!stored && stored.error().code != "bad_trial") return failed(stored.error()), false;
    if (!stored) ++refused_, reason_ = to_sentence(stored.error());
    waiting_.pop_front();
  }
  return true;
}

/// All that wait; false: they still do.
bool TrialKeeper::store_waiting() {
  if (waiting_.empty()) return true;
  std::vector<records::Trial> trials(waiting_.begin(), waiting_.end());
  auto stored = store_->append(trials);
  if (!stored && stored.error().code != "bad_trial") return failed(stored.error()), false;
  if (stored) waiting_.clear();
  if (!stored && !store_one_by_one()) return false;
  failing_since_.reset();
  return true;
}

bool TrialKeeper::is_over() const {
  return failing_since_ &&
         std::chrono::duration<double>(Clock::now() - *failing_since_).count() > patience_.seconds;
}

void TrialKeeper::wait_while(size_t more_than, Clock::time_point end) {
  while (waiting_.size() > more_than && !stop_.stop_requested() && !is_over() &&
         Clock::now() < end) {
    std::this_thread::sleep_for(kBetween);
    store_waiting();
  }
}

void TrialKeeper::keep(records::Trial trial) {
  if (!store_) return;
  waiting_.push_back(std::move(trial));
  if (store_waiting()) return;
  wait_while(patience_.most_waiting, Clock::time_point::max());
  if (is_over()) enough_.request_stop();
}

void TrialKeeper::finish() {
  if (!store_ || store_waiting()) return;
  std::chrono::duration<double> const last(patience_.last_seconds);
  wait_while(0, Clock::now() + std::chrono::duration_cast<Clock::duration>(last));
}

std::string TrialKeeper::not_stored() const {
  auto count = int64_t(waiting_.size()) + refused_;
  if (count == 0) return {};
  return fmt::format("{}: {}", count_text(count, "trial"), reason_);
}

}  // namespace tw::session
