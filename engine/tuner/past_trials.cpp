#include "engine/tuner/past_trials.h"

#include <algorithm>

#include "engine/compile/load_time.h"
#include "engine/ir/text.h"

namespace tw {
namespace {

/// A kernel that was tuned: its best trial, and how far its shape is from the one to be tuned.
struct Task {
  records::Trial best;
  ir::Program program;
  double apart = 0;
};

bool is_alike(records::Trial const& one, records::Trial const& like) {
  return one.origin == records::Origin::kOurs && one.target == like.target &&
         one.machine == like.machine && one.threads == like.threads && one.task != like.task;
}

/// The nearest first.
Result<std::vector<Task>> tasks_of_its_kind(records::TrialStore& store, records::Trial const& like,
                                            Space const& space) {
  NestShape shape = nest_shape(space.program());
  std::vector<records::DamagedRow> damaged;  // they say nothing
  TRY_ASSIGN(std::vector<records::StoredTrial> best, store.best({.device = like.device,
                                                                 .outcome = records::Outcome::kOk,
                                                                 .threads = like.threads,
                                                                 .damaged = &damaged}));
  std::vector<Task> tasks;
  for (records::StoredTrial& one : best) {
    if (!is_alike(one.trial, like)) continue;
    auto program = ir::parse_program(one.trial.program, one.trial.task_name);
    if (!program) continue;  // of another version
    NestShape other = nest_shape(*program);
    if (other.kind != shape.kind) continue;
    tasks.push_back({std::move(one.trial), std::move(*program), apart(shape, other)});
  }
  std::ranges::stable_sort(tasks, {}, &Task::apart);
  return tasks;
}

/// What the template of today makes of its trials; a point that is no longer one says nothing.
Result<std::vector<TransferredTrial>> trials_of(records::TrialStore& store, Task const& task,
                                                Space const& space, int64_t most) {
  std::vector<records::DamagedRow> damaged;
  TRY_ASSIGN(std::vector<records::StoredTrial> stored, store.find({.task = task.best.task,
                                                                   .device = task.best.device,
                                                                   .outcome = records::Outcome::kOk,
                                                                   .threads = task.best.threads,
                                                                   .limit = most,
                                                                   .damaged = &damaged}));
  std::vector<TransferredTrial> trials;
  for (records::StoredTrial const& one : stored) {
    std::optional<double> seconds = records::seconds_of(one.trial);
    if (!seconds || one.trial.machine != task.best.machine ||
        one.trial.origin != records::Origin::kOurs)
      continue;
    auto candidate = space.at(one.trial.knobs);
    if (!candidate || candidate->rejection || candidate->schedule.script() != one.trial.trace)
      continue;
    trials.push_back({one.trial.task_name, candidate->knobs,
                      loop_nest(split_load_time(candidate->schedule.program()).at_run),
                      space.modelled(*candidate), *seconds});
  }
  return trials;
}

}  // namespace

Result<std::shared_ptr<TransferHistory const>> experience_from(records::TrialStore& store,
                                                               records::Trial const& like,
                                                               Space const& space,
                                                               PastTrialsOptions const& options) {
  TRY_ASSIGN(std::vector<Task> tasks, tasks_of_its_kind(store, like, space));
  tasks.resize(std::min(tasks.size(), options.most_tasks));
  std::vector<TransferredTrial> trials;
  std::vector<Point> first;
  for (Task& task : tasks) {
    if (!task.best.knobs.empty()) first.push_back(task.best.knobs);  // else it is the rule
    TRY_ASSIGN(std::vector<TransferredTrial> more,
               trials_of(store, task, space.of(std::move(task.program)), options.most_trials));
    std::ranges::move(more, std::back_inserter(trials));
  }
  if (trials.size() < options.least_trials) trials.clear();
  if (tasks.empty()) return std::shared_ptr<TransferHistory const>();
  return TransferHistory::learn(trials, {}, std::move(first));
}

}  // namespace tw
