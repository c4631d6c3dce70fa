#include "engine/device/rpc/worker_watch.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "engine/device/device_process.h"
#include "engine/device/rpc/process_facts.h"

namespace tw {
namespace fs = std::filesystem;
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{100};
constexpr size_t kMostProcesses = 32;

void end_process(pid_t worker, int descriptor) {
  if (descriptor >= 0)
    syscall(SYS_pidfd_send_signal, descriptor, SIGKILL, nullptr, 0);
  else
    kill(worker, SIGKILL);  // an old system
}

int64_t bytes_below(fs::path const& folder) {
  int64_t bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    struct stat facts {};
    if (lstat(entry->path().c_str(), &facts) == 0) bytes += int64_t(facts.st_blocks) * 512 + 4096;
  }
  return bytes;
}

double megabytes(int64_t bytes) { return double(bytes) / (1 << 20); }

}  // namespace

WorkerWatch::WorkerWatch(WorkerLimits limits) : limits_(limits) {
  // What a worker leaves behind becomes this process's child.
  if (limits_.owns_children) prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  looker_ = std::jthread([this](std::stop_token stop) { look_all(std::move(stop)); });
}

WorkerWatch::~WorkerWatch() {
  looker_ = {};
  for (auto& [worker, watched] : workers_)
    if (watched.descriptor >= 0) close(watched.descriptor);
}

Result<ChildProcess> WorkerWatch::start(std::vector<std::string> command,
                                        std::vector<std::string> const& environment,
                                        fs::path const& folder) {
  std::lock_guard lock(mutex_);  // else it is taken for an orphan
  TRY_ASSIGN(ChildProcess process, start_device_process(std::move(command), &environment));
  int descriptor = int(syscall(SYS_pidfd_open, process.pid(), 0));
  workers_[process.pid()] = {descriptor, folder, {}, {}};
  wake_.notify_all();
  return process;
}

std::string WorkerWatch::broken_limit(pid_t worker) {
  std::lock_guard lock(mutex_);
  auto found = workers_.find(worker);
  return found == workers_.end() ? std::string() : found->second.broken;
}

void WorkerWatch::forget(pid_t worker) {
  std::lock_guard lock(mutex_);
  auto found = workers_.find(worker);
  if (found == workers_.end()) return;
  if (found->second.descriptor >= 0) close(found->second.descriptor);
  workers_.erase(found);
  end_orphans();
}

/// Each round ends a generation: what an orphan has started is an orphan then.
void WorkerWatch::end_orphans() {
  if (!limits_.owns_children) return;
  constexpr int kMostRounds = 100;
  for (int round = 0; round < kMostRounds; ++round) {
    auto children = children_by_parent();
    auto [first, last] = children.equal_range(getpid());
    bool found = false;
    for (auto child = first; child != last; ++child) {
      if (workers_.contains(child->second)) continue;
      found = true;
      kill(child->second, SIGKILL);
      waitpid(child->second, nullptr, 0);
    }
    if (!found) return;
  }
}

/// The limit that it breaks; empty: none.
std::string WorkerWatch::judge(pid_t worker, Watched& watched,
                               std::multimap<pid_t, pid_t> const& children) const {
  ProcessFacts all;
  std::vector<pid_t> family = family_of(worker, children);
  for (pid_t process : family) {
    ProcessFacts facts = facts_of(process);
    all.memory_bytes += facts.memory_bytes;
    all.threads += facts.threads;
    all.hidden.merge(facts.hidden);
  }
  bool hides =
      std::ranges::any_of(all.hidden, [&](uint64_t file) { return watched.hidden.contains(file); });
  watched.hidden = std::move(all.hidden);  // a library just loaded or freed is seen once
  if (limits_.memory_bytes > 0 && all.memory_bytes > limits_.memory_bytes)
    return fmt::format("it used {:.0f} MB of memory; its limit is {:.0f} MB",
                       megabytes(all.memory_bytes), megabytes(limits_.memory_bytes));
  if (limits_.memory_bytes > 0 && hides) return "it kept memory in files that it had closed";
  if (all.threads > limits_.threads)
    return fmt::format("it had {} threads; its limit is {}", all.threads, limits_.threads);
  if (family.size() > kMostProcesses)
    return fmt::format("it had {} processes; its limit is {}", family.size(), kMostProcesses);
  if (bytes_below(watched.folder) > limits_.folder_bytes)
    return fmt::format("it wrote more than its limit of {:.0f} MB",
                       megabytes(limits_.folder_bytes));
  return {};
}

void WorkerWatch::look_all(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    if (workers_.empty()) {
      wake_.wait(lock, stop, [this] { return !workers_.empty(); });
      continue;
    }
    auto children = limits_.families ? children_by_parent() : std::multimap<pid_t, pid_t>();
    for (auto& [worker, watched] : workers_) {
      if (!watched.broken.empty()) continue;
      watched.broken = judge(worker, watched, children);
      if (!watched.broken.empty()) end_process(worker, watched.descriptor);
    }
    if (limits_.families) end_orphans();
    wake_.wait_for(lock, stop, kBetweenLooks, [] { return false; });
  }
}

}  // namespace tw
