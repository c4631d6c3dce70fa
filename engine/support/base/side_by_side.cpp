#include "engine/support/base/side_by_side.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace tw {
namespace {

/// Threads that any call may still have beside its own.
std::atomic<int>& free_threads() {
  static std::atomic<int> free = int(std::thread::hardware_concurrency()) - 1;
  return free;
}

/// Of `wanted` as many as are free.
int take_threads(size_t wanted) {
  int free = free_threads(), taken;
  do {
    taken = int(std::min<size_t>(wanted, size_t(std::max(free, 0))));
  } while (!free_threads().compare_exchange_weak(free, free - taken));
  return taken;
}

}  // namespace

void side_by_side(size_t count, std::function<void(size_t)> const& work, StopToken stop) {
  if (count == 0) return;
  std::atomic<size_t> next = 0;
  auto take = [&] {
    for (size_t i = next++; i < count && !stop.stop_requested(); i = next++) work(i);
  };
  auto help = [&] {
    take();
    ++free_threads();
  };
  std::vector<std::jthread> others;
  for (int i = take_threads(count - 1); i > 0; --i) others.emplace_back(help);
  take();
}

}  // namespace tw
