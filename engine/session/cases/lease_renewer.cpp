#include "engine/session/cases/lease_renewer.h"

#include <algorithm>

namespace tw::session {
namespace {

constexpr int kShortWait = 2000;     // milliseconds: the next turn tries again
constexpr double kLongestTurn = 60;  // seconds: who says nothing for long is taken for gone

}  // namespace

LeaseRenewer::LeaseRenewer(TeamRequest const& team, records::Lease lease,
                           records::TeamDevice device, std::stop_source& lost)
    : team_(team),
      lease_(std::move(lease)),
      device_(std::move(device)),
      lost_(lost),
      thread_([this](std::stop_token stop) { keep(std::move(stop)); }) {}

LeaseRenewer::~LeaseRenewer() = default;  // the thread ends first, and is waited for

void LeaseRenewer::keep(std::stop_token stop) {
  auto turn = std::chrono::duration<double>(std::min(team_.lease_seconds / 3, kLongestTurn));
  std::unique_ptr<records::WorkQueue> queue;
  while (true) {
    {
      std::unique_lock lock(mutex_);
      ended_.wait_for(lock, stop, turn, [] { return false; });
    }
    if (stop.stop_requested()) return;
    if (!queue) {
      auto opened = records::open_work_queue(team_.url, kShortWait);
      if (!opened) continue;  // the server may come back before the lease expires
      queue = std::move(*opened);
    }
    auto ours = queue->renew(lease_, made, team_.lease_seconds);
    if (ours && !*ours) {
      lost_.request_stop();
      return;
    }
    if (!ours || !queue->here(device_)) queue.reset();
  }
}

}  // namespace tw::session
