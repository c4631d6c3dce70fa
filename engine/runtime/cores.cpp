#include "engine/runtime/cores.h"

#include <sched.h>

#include <algorithm>
#include <mutex>
#include <utility>

namespace tw {
namespace {

// Neither has a destructor: a library that is unloaded leaves nothing to be called.
std::mutex mutex;
int load_of[CPU_SETSIZE];

// A worker only works; a caller has its own affairs between loops.
constexpr int kWorkersLoad = 2, kCallersLoad = 1;

}  // namespace

std::vector<int> usable_cores() {
  std::vector<int> cores;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return {0};
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(size_t(core), &set)) cores.push_back(core);
  }
  return cores;
}

CoreLease::CoreLease(int threads) {
  std::vector<int> cores = usable_cores();
  if (threads < 2 || size_t(threads) > cores.size()) return;
  std::lock_guard lock(mutex);
  auto less = [](int a, int b) { return load_of[a] < load_of[b]; };
  std::stable_sort(cores.begin(), cores.end(), less);
  cores.resize(size_t(threads));
  // The caller gets the busiest of them: where all cores are taken, the workers of one pool share
  // theirs with the callers of another.
  auto busiest = std::max_element(cores.begin(), cores.end(), less);
  std::rotate(cores.begin(), busiest, busiest + 1);
  for (int core : cores) load_of[core] += kWorkersLoad;
  load_of[cores.front()] += kCallersLoad - kWorkersLoad;
  cores_ = std::move(cores);
}

CoreLease::~CoreLease() {
  if (cores_.empty()) return;
  std::lock_guard lock(mutex);
  for (int core : cores_) load_of[core] -= kWorkersLoad;
  load_of[cores_.front()] -= kCallersLoad - kWorkersLoad;
}

}  // namespace tw
