#include "engine/session/state/jobs.h"

#include <chrono>

namespace tw::session {

Jobs::Jobs(std::function<void()> changed)
    : changed_(std::move(changed)), thread_([this] { run(); }) {}

Jobs::~Jobs() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
    waiting_.clear();
    stop_.request_stop();
  }
  wake_.notify_all();
  thread_.join();
}

void Jobs::start(std::string kind, std::string what, Work work) {
  {
    std::lock_guard lock(mutex_);
    std::erase_if(waiting_, [&](Job const& job) { return job.kind == kind; });
    if (running_ && running_->kind == kind) stop_.request_stop();
    waiting_.push_back({std::move(kind), std::move(what), std::move(work)});
  }
  wake_.notify_all();
}

void Jobs::cancel_all() {
  std::lock_guard lock(mutex_);
  waiting_.clear();
  stop_.request_stop();
}

void Jobs::cancel(std::string const& kind) {
  std::lock_guard lock(mutex_);
  std::erase_if(waiting_, [&](Job const& job) { return job.kind == kind; });
  if (running_ && running_->kind == kind) stop_.request_stop();
}

std::optional<JobView> Jobs::current() const {
  std::lock_guard lock(mutex_);
  if (!running_) return std::nullopt;
  return view_;
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
      wake_.wait(lock, [&] { return ending_ || !waiting_.empty(); });
      if (ending_) return;
      running_ = std::move(waiting_.front());
      waiting_.pop_front();
      view_ = {running_->what, 0, 0, true, running_->kind};
      stop_ = std::stop_source();
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
      running_.reset();
    }
    changed_();
    wake_.notify_all();
  }
}

}  // namespace tw::session
