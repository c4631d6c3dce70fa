/// Threads that run the tasks of a parallel loop.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "engine/runtime/abi.h"
#include "engine/runtime/cores.h"

namespace tw {

enum class Pinning : uint8_t {
  kNone,
  kEachToItsCore,  ///< where there are no more threads than cores this process may use; cores that
                   ///< no other pool of this process has come first
};

/// The thread that calls `parallel_for` works too: a pool of one has no threads of its own.
/// Between loops, threads spin for at most 50 us and then sleep.
class ThreadPool {
public:
  /// Returns when every thread runs.
  explicit ThreadPool(int threads, Pinning pinning = Pinning::kEachToItsCore);
  ~ThreadPool();
  ThreadPool(ThreadPool const&) = delete;
  ThreadPool& operator=(ThreadPool const&) = delete;

  int threads() const { return int(workers_.size()) + 1; }
  /// Where whoever calls `parallel_for` had better stay meanwhile; -1: anywhere.
  int caller_core() const { return lease_.cores().empty() ? -1 : lease_.cores().front(); }

  /// Runs body(closure, i) for each i in 0..tasks-1 once, in any order, and waits for all. After a
  /// task returned a code other than 0, tasks not yet begun are skipped; returns the first such
  /// code. Called from inside a task, or while another thread's loop runs, it runs serially.
  int32_t parallel_for(int64_t tasks, TwTaskBody body, void* closure);

  /// The table that kernels get; valid as long as the pool.
  TwRuntime const* runtime() const { return &runtime_; }

private:
  void serve(int core);
  void work();
  bool claim(int64_t& first, int64_t& count);
  void wait_for_others(int64_t tasks);

  TwRuntime runtime_{};
  CoreLease lease_;
  std::atomic<int32_t> ready_{0};
  std::atomic<bool> stopping_{false};
  std::atomic<bool> busy_{false};
  // A loop's description is written before `unclaimed_` becomes positive, and stays until the
  // last claimed task is counted in `finished_`: whoever has claimed a task may read it.
  int64_t tasks_ = 0;
  TwTaskBody body_ = nullptr;
  void* closure_ = nullptr;
  alignas(64) std::atomic<int64_t> unclaimed_{0};
  alignas(64) std::atomic<int64_t> finished_{0};
  std::atomic<int32_t> code_{0};
  alignas(64) std::atomic<int32_t> loops_started_{0};
  alignas(64) std::atomic<int32_t> loops_finished_{0};
  std::vector<std::thread> workers_;
};

}  // namespace tw
