/// Takes slices of a team's jobs and searches them. It knows nothing that the server does not: it
/// may end at any time.
#pragma once

#include <chrono>
#include <map>
#include <memory>

#include "engine/records/work_queue.h"
#include "engine/session/cases/team_cases.h"

namespace tw::session {

/// What a job searches for, beside its model.
struct TeamSearch {
  std::string search, build;
  uint64_t seed = 1;
  int threads = 0;
  Learning learning = {};
};
std::string to_text(TeamSearch const& search);
/// What code for this device is, and of which version: only like times compare.
std::string team_target(Backend const& backend, std::string const& build);
/// Errors: other_version, where it was not written by this version of the program;
/// unknown_model_kind, bad_learning.
Result<TeamSearch> team_search(std::string const& text, std::string const& build);

class TeamWorker {
public:
  using Clock = std::chrono::steady_clock;

  static Result<std::unique_ptr<TeamWorker>> create(ModelTuneRequest const& request,
                                                    TeamRequest const& team,
                                                    std::shared_ptr<Backend const> backend,
                                                    Device& device, Progress const& progress);
  ~TeamWorker();

  /// The job's model is here already.
  void know(std::string const& job, Model model, TeamSearch search);
  /// Until the team's job has ended or this is stopped; nothing is begun after `end`.
  Status work(Clock::time_point end = Clock::time_point::max());

  records::WorkQueue& queue() { return *queue_; }
  Joined const& joined() const { return joined_; }
  /// Calls it again while the server is away, as long as the team waits.
  template <typename Work>
  auto patiently(Work work) -> decltype(work()) {
    auto last = Clock::now() + std::chrono::duration<double>(team_.wait_seconds);
    while (true) {
      auto done = work();
      if (done || !is_away(done.error()) || Clock::now() > last || stopped()) return done;
      pause();
    }
  }

private:
  struct Known {
    Model model;
    TeamSearch search;
  };
  TeamWorker(ModelTuneRequest const& request, TeamRequest const& team,
             std::shared_ptr<Backend const> backend, Device& device, Progress const& progress);
  static bool is_away(Error const& error);
  void pause() const;
  bool stopped() const { return request_.kernels.options.stop.stop_requested(); }
  records::TeamDevice row(std::string const& doing) const;
  Result<Known const*> known(std::string const& job);
  Status work_on(records::Lease const& lease);
  Status after(records::Lease const& lease, Result<TuneEnd> const& end, int made);
  Result<bool> has_ended();

  ModelTuneRequest const& request_;
  TeamRequest const& team_;
  std::shared_ptr<Backend const> backend_;
  Device& device_;
  Progress const& progress_;
  bool claims(records::Lease const& lease, std::string const& point);

  std::unique_ptr<records::WorkQueue> queue_;
  std::mutex claiming_;
  std::unique_ptr<records::WorkQueue> claims_;  ///< of the search's threads, behind `claiming_`
  std::map<std::string, Known> known_;
  Joined joined_;
  int failures_ = 0;  ///< of the device, one after the other
};

}  // namespace tw::session
