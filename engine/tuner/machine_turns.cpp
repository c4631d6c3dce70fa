#include "engine/tuner/machine_turns.h"

namespace tw {

MachineTurns::Compiling::Compiling(MachineTurns* turns) : turns_(turns) {
  if (!turns_) return;
  std::unique_lock lock(turns_->mutex_);
  turns_->changed_.wait(lock, [&] { return !turns_->measuring_ && turns_->waiting_ == 0; });
  ++turns_->compiling_;
}

MachineTurns::Compiling::~Compiling() {
  if (!turns_) return;
  {
    std::lock_guard lock(turns_->mutex_);
    --turns_->compiling_;
  }
  turns_->changed_.notify_all();
}

MachineTurns::Measuring::Measuring(MachineTurns* turns) : turns_(turns) {
  if (!turns_) return;
  std::unique_lock lock(turns_->mutex_);
  ++turns_->waiting_;
  turns_->changed_.wait(lock, [&] { return !turns_->measuring_ && turns_->compiling_ == 0; });
  --turns_->waiting_;
  turns_->measuring_ = true;
}

MachineTurns::Measuring::~Measuring() {
  if (!turns_) return;
  {
    std::lock_guard lock(turns_->mutex_);
    turns_->measuring_ = false;
  }
  turns_->changed_.notify_all();
}

}  // namespace tw
