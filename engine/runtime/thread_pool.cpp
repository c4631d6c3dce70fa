#include "engine/runtime/thread_pool.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <chrono>

#include "engine/runtime/kernel_runtime.h"

namespace tw {
namespace {

constexpr auto kMostSpinning = std::chrono::microseconds(50);

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  asm volatile("yield");
#endif
}

/// Spins until `done()` or for 50 us; returns whether it was done.
template <typename Done>
bool spin_until(Done done) {
  auto deadline = std::chrono::steady_clock::now() + kMostSpinning;
  while (true) {
    for (int i = 0; i < 32; ++i) {
      if (done()) return true;
      relax();
    }
    if (std::chrono::steady_clock::now() >= deadline) return false;
  }
}

void pin_to(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(size_t(core), &set);
  sched_setaffinity(0, sizeof set, &set);  // where refused, the thread floats
}

int32_t call_parallel_for(void* pool, int64_t tasks, TwTaskBody body, void* closure) {
  return static_cast<ThreadPool*>(pool)->parallel_for(tasks, body, closure);
}

int32_t run_serially(int64_t tasks, TwTaskBody body, void* closure) {
  for (int64_t task = 0; task < tasks; ++task) {
    if (int32_t code = body(closure, task); code != 0) return code;
  }
  return 0;
}

}  // namespace

ThreadPool::ThreadPool(int threads, Pinning pinning)
    : lease_(pinning == Pinning::kEachToItsCore ? threads : 0) {
  runtime_ = table_without_device(call_parallel_for, this);
  std::vector<int> const& cores = lease_.cores();
  for (int i = 1; i < threads; ++i) {
    workers_.emplace_back([this, core = cores.empty() ? -1 : cores[size_t(i)]] { serve(core); });
  }
  // A new thread begins on its maker's core: a maker that went on to compute at once would keep
  // it from reaching its own for milliseconds, and a first measurement would miss it.
  for (int32_t ready = 0; ready < int32_t(workers_.size()); ready = ready_.load()) {
    ready_.wait(ready);
  }
}

ThreadPool::~ThreadPool() {
  stopping_ = true;
  ++loops_started_;
  loops_started_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::serve(int core) {
  if (core >= 0) pin_to(core);
  ready_.fetch_add(1, std::memory_order_release);
  ready_.notify_one();
  int32_t seen = 0;
  while (true) {
    auto changed = [&] { return loops_started_.load(std::memory_order_acquire) != seen; };
    if (!spin_until(changed)) loops_started_.wait(seen, std::memory_order_acquire);
    seen = loops_started_.load(std::memory_order_acquire);
    if (stopping_) return;
    work();
  }
}

/// Takes a share of what is left: large at first, single tasks at the end, so that threads that
/// came late or were interrupted do not hold up the others.
bool ThreadPool::claim(int64_t& first, int64_t& count) {
  int64_t left = unclaimed_.load(std::memory_order_relaxed);
  do {
    if (left <= 0) return false;
    count = std::max<int64_t>(1, left / (2 * threads()));
  } while (!unclaimed_.compare_exchange_weak(left, left - count, std::memory_order_acq_rel));
  first = tasks_ - left;
  return true;
}

void ThreadPool::work() {
  int64_t first = 0, count = 0;
  while (claim(first, count)) {
    int64_t tasks = tasks_;
    for (int64_t task = first; task < first + count; ++task) {
      if (code_.load(std::memory_order_relaxed) != 0) break;
      if (int32_t code = body_(closure_, task); code != 0) {
        int32_t none = 0;
        code_.compare_exchange_strong(none, code);
      }
    }
    if (finished_.fetch_add(count, std::memory_order_acq_rel) + count == tasks) {
      loops_finished_.fetch_add(1, std::memory_order_release);
      loops_finished_.notify_all();
    }
  }
}

void ThreadPool::wait_for_others(int64_t tasks) {
  auto done = [&] { return finished_.load(std::memory_order_acquire) == tasks; };
  while (!spin_until(done)) {
    int32_t seen = loops_finished_.load(std::memory_order_acquire);
    if (done()) return;
    loops_finished_.wait(seen, std::memory_order_acquire);
  }
}

int32_t ThreadPool::parallel_for(int64_t tasks, TwTaskBody body, void* closure) {
  if (tasks <= 0) return 0;
  if (tasks == 1 || workers_.empty() || busy_.exchange(true, std::memory_order_acquire)) {
    return run_serially(tasks, body, closure);
  }
  tasks_ = tasks;
  body_ = body;
  closure_ = closure;
  code_.store(0, std::memory_order_relaxed);
  finished_.store(0, std::memory_order_relaxed);
  unclaimed_.store(tasks, std::memory_order_release);
  loops_started_.fetch_add(1, std::memory_order_release);
  loops_started_.notify_all();
  work();
  wait_for_others(tasks);
  int32_t code = code_.load(std::memory_order_relaxed);
  busy_.store(false, std::memory_order_release);
  return code;
}

}  // namespace tw
