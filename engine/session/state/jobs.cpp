#include "engine/session/state/jobs.h"

#include <algorithm>
#include <chrono>

namespace tw::session {

Jobs::Jobs(std::function<void()> changed)
    : changed_(std::move(changed)), thread_([this] { run(); }) {}

Jobs::~Jobs() {
  end();
  join();
}

void Jobs::end() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
    waiting_.clear();
    stop_.request_stop();
  }
  wake_.notify_all();
}

void Jobs::join() {
  if (thread_.joinable()) thread_.join();
}

void Jobs::start(std::string kind, std::string what, Work work) {
  cancel(kind);
  {
    std::lock_guard lock(mutex_);
    if (ending_) return;
    waiting_.push_back({std::move(kind), std::move(what), std::move(work)});
  }
  wake_.notify_all();
}

void Jobs::start_first(std::string kind, std::string what, Work work,
                       std::initializer_list<char const*> give_way_kinds) {
  cancel(kind);
  {
    std::lock_guard lock(mutex_);
    if (ending_) return;
    waiting_.push_front({std::move(kind), std::move(what), std::move(work)});
    give_way(give_way_kinds);
  }
  wake_.notify_all();
}

void Jobs::give_way(std::initializer_list<char const*> kinds) {
  if (!running_ || stop_.stop_requested()) return;
  if (std::ranges::find(kinds, running_->kind) == kinds.end()) return;
  gives_way_ = true;
  stop_.request_stop();
}

void Jobs::cancel_all(std::string const& kept) {
  std::lock_guard lock(mutex_);
  std::erase_if(waiting_, [&](Job const& job) { return job.kind != kept; });
  gives_way_ = false;
  stop_.request_stop();
}

void Jobs::cancel_all_but(std::initializer_list<char const*> kinds) {
  auto stays = [&](Job const& job) { return std::ranges::find(kinds, job.kind) != kinds.end(); };
  std::lock_guard lock(mutex_);
  std::erase_if(waiting_, [&](Job const& job) { return !stays(job); });
  if (running_ && stays(*running_)) return;
  gives_way_ = false;
  stop_.request_stop();
}

void Jobs::cancel(std::string const& kind) {
  std::lock_guard lock(mutex_);
  std::erase_if(waiting_, [&](Job const& job) { return job.kind == kind; });
  if (!running_ || running_->kind != kind) return;
  gives_way_ = false;
  stop_.request_stop();
}

void Jobs::hold() {
  std::lock_guard lock(mutex_);
  ++held_;
}

void Jobs::release() {
  {
    std::lock_guard lock(mutex_);
    --held_;
  }
  wake_.notify_all();
}

void Jobs::wait_while_held(StopToken stop) {
  std::unique_lock lock(mutex_);
  while (held_ > 0 && !ending_ && !stop.stop_requested())
    wake_.wait_for(lock, std::chrono::milliseconds(20));
}

std::optional<JobView> Jobs::current() const {
  std::lock_guard lock(mutex_);
  if (!running_) return std::nullopt;
  return view_;
}

bool Jobs::waits(std::string const& kind) const {
  std::lock_guard lock(mutex_);
  return std::ranges::find(waiting_, kind, &Job::kind) != waiting_.end();
}

bool Jobs::idle() const {
  std::lock_guard lock(mutex_);
  return !running_ && waiting_.empty();
}

bool Jobs::wait_idle(double seconds) const {
  std::unique_lock lock(mutex_);
  return wake_.wait_for(lock, std::chrono::duration<double>(seconds),
                        [&] { return !running_ && waiting_.empty(); });
}

void Jobs::run() {
  while (true) {
    Work work;
    StopToken stop;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return ending_ || (!waiting_.empty() && held_ == 0); });
      if (ending_) return;
      running_ = std::move(waiting_.front());
      waiting_.pop_front();
      view_ = {running_->what, 0, 0, true, running_->kind};
      stop_ = std::stop_source();
      gives_way_ = false;
      stop = stop_.get_token();
      work = running_->work;
    }
    changed_();
    work(stop, [this](ProgressReport const& report) {
      {
        std::lock_guard lock(mutex_);
        view_ = {report.what, report.done, report.total, true, view_.kind};
      }
      changed_();
    });
    {
      std::lock_guard lock(mutex_);
      if (gives_way_ && !ending_)  // behind the one that came first
        waiting_.insert(waiting_.begin() + (waiting_.empty() ? 0 : 1), *std::move(running_));
      running_.reset();
    }
    changed_();
    wake_.notify_all();
  }
}

}  // namespace tw::session
