#include "targets/vta/commands/shared/watch.h"

namespace tw::vta {
namespace {

constexpr int64_t kStepsBetween = 1 << 22;  ///< some hundredths of a second

}  // namespace

Watch::Watch(std::string what, std::span<Instruction const> stream, StopToken stop,
             Progress const& progress)
    : what_(std::move(what)), stream_(stream), stop_(std::move(stop)), progress_(progress) {}

Status Watch::operator()(int32_t instruction) {
  if (stop_.stop_requested()) return refused("cancelled", "the simulation was stopped");
  steps_ += 1 + stream_[size_t(instruction)].nest.steps();
  ++begun_;
  if (steps_ < kStepsBetween || !progress_) return {};
  steps_ = 0;
  progress_({what_, begun_, int64_t(stream_.size())});
  return {};
}

}  // namespace tw::vta
