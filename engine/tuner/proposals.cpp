#include "engine/tuner/proposals.h"

#include <algorithm>
#include <chrono>
#include <limits>

namespace tw {
namespace {

constexpr std::chrono::milliseconds kPatience{50};
constexpr int kAhead = 2;  // for each who takes
/// Points in a row that are known or rejected: the space is as good as searched.
constexpr int kMostInVain = 2000;
/// Of lowering, which counts before it writes anything out: nothing was compiled.
constexpr std::string_view kTooMuchCode = "too_many_statements";

using Clock = std::chrono::steady_clock;

}  // namespace

Proposals::Proposals(Space const& space, Search& search, TuneOptions const& options, int takers,
                     std::vector<Candidate> const& known)
    : space_(space),
      search_(search),
      options_(options),
      ahead_(size_t(kAhead * takers)),
      most_making_(std::max(2, int(std::thread::hardware_concurrency()))) {
  for (Candidate const& one : known) known_.insert(one.schedule.script());
  worker_ = std::jthread([this] { work(); });
}

Proposals::~Proposals() {
  {
    std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
}

/// The search begins with the schedule by rule, which stays the first.
Result<std::optional<Candidate>> Proposals::proposed() {
  if (!known_.empty() && known_points_ < options_.first.size()) {
    TRY_ASSIGN(Candidate candidate, space_.at(options_.first[known_points_++]));
    return candidate;
  }
  return search_.next();
}

Result<std::optional<Candidate>> Proposals::fresh(bool may_wait, int& number) {
  for (int in_vain = 0; in_vain < kMostInVain; ++in_vain) {
    std::unique_lock lock(mutex_);
    if (closed_ || options_.stop.stop_requested()) return std::optional<Candidate>();
    TRY_ASSIGN(std::optional<Candidate> candidate, proposed());
    if (!candidate) {
      if (untold_ == 0 || !may_wait) return std::optional<Candidate>();
      // What is being measured may lead further.
      changed_.wait_for(lock, kPatience);
      continue;
    }
    if (candidate->rejection) {
      ++rejected_[candidate->rejection->reason];
      continue;
    }
    std::string script = candidate->schedule.script();
    bool is_new = known_.insert(script).second;
    if (is_new && options_.claims) {
      lock.unlock();  // others are asked, who may be far away
      is_new = options_.claims(script);
      lock.lock();
    }
    if (is_new) {
      ++untold_;
      number = proposed_++;
      return candidate;
    }
    ++repeated_;
  }
  return std::optional<Candidate>();
}

Proposals::Made Proposals::make_one(bool may_wait) {
  {
    std::lock_guard lock(mutex_);
    if (closed_ || begun_ >= options_.trials) return Made::kNone;
    if (making_ >= most_making_) return Made::kBusy;
    ++begun_;
    ++making_;
  }
  auto start = Clock::now();
  int number = 0;
  auto candidate = fresh(may_wait, number);
  if (candidate && *candidate) {
    compile(std::move(**candidate), number, since(start));
    return Made::kOne;
  }
  {
    std::lock_guard lock(mutex_);
    --begun_;
    --making_;
    if (!candidate) failure_ = candidate.error();
  }
  changed_.notify_all();
  return Made::kNone;
}

void Proposals::compile(Candidate candidate, int number, double proposing) {
  auto start = Clock::now();
  auto code = [&] {
    MachineTurns::Compiling turn(options_.turns.get());
    return compile_kernel(candidate.schedule.program(), space_.backend(), CodeTier::kFast,
                          options_.stop);
  }();
  std::lock_guard lock(mutex_);
  --making_;
  costs_.proposing += proposing;
  costs_.compiling += since(start);
  if (!code && code.error().code == kTooMuchCode) {
    ++rejected_["size of the code"];
    search_.tell(candidate, std::nullopt);
    first_is_out_ = first_is_out_ || number == 0;
    --untold_;
    --begun_;
    changed_.notify_all();
    return;
  }
  auto place = std::ranges::upper_bound(ready_, number, {}, &Compiled::number);
  ready_.insert(place, {std::move(candidate), std::move(code), number});
  changed_.notify_all();
}

void Proposals::work() {
  do {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] {
      if (closed_) return true;
      bool wanted = options_.overlap ? ready_.size() < ahead_ : waiting_ > 0 && ready_.empty();
      return wanted && making_ < most_making_;
    });
  } while (make_one(true) != Made::kNone);
  {
    std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
}

Result<std::optional<Compiled>> Proposals::next() {
  std::unique_lock lock(mutex_);
  ++waiting_;
  changed_.notify_all();
  while (!is_ready()) {
    bool ended = ended_;
    lock.unlock();
    Made made = make_one(false);
    lock.lock();
    if (made == Made::kOne || is_ready()) continue;
    if (made == Made::kNone && ended && making_ == 0) break;
    changed_.wait_for(lock, kPatience);
  }
  --waiting_;
  if (!is_ready() && failure_) return std::unexpected(*failure_);
  if (!is_ready()) return std::optional<Compiled>();
  first_is_out_ = true;
  std::optional<Compiled> compiled(std::move(ready_.front()));
  ready_.pop_front();
  changed_.notify_all();
  return compiled;
}

std::optional<Compiled> Proposals::another() {
  std::unique_lock lock(mutex_);
  if (!is_ready() || !ready_.front().code || ready_.front().code->load) return std::nullopt;
  std::optional<Compiled> compiled(std::move(ready_.front()));
  ready_.pop_front();
  lock.unlock();
  changed_.notify_all();
  return compiled;
}

void Proposals::expect(int at_a_time) {
  std::lock_guard lock(mutex_);
  ahead_ = std::max(ahead_, size_t(kAhead * at_a_time));
}

void Proposals::tell(Candidate const& candidate, std::optional<double> seconds) {
  {
    std::lock_guard lock(mutex_);
    search_.tell(candidate, seconds);
    --untold_;
  }
  changed_.notify_all();
}

void Proposals::drop() {
  {
    std::lock_guard lock(mutex_);
    --untold_;
  }
  changed_.notify_all();
}

void Proposals::put_back(Compiled compiled) {
  {
    std::lock_guard lock(mutex_);
    // One that was lost again and again may be why: others come before it, but for the first of
    // all.
    bool later = compiled.losses > 1 && compiled.number > 0;
    if (later) compiled.number = std::numeric_limits<int>::max();
    ready_.insert(later ? ready_.end() : ready_.begin(), std::move(compiled));
  }
  changed_.notify_all();
}

std::map<std::string, int> Proposals::rejected() const {
  std::lock_guard lock(mutex_);
  return rejected_;
}

ProposalCosts Proposals::costs() const {
  std::lock_guard lock(mutex_);
  return costs_;
}

int Proposals::repeated() const {
  std::lock_guard lock(mutex_);
  return repeated_;
}

}  // namespace tw
