/// How a model's values lie and by which algorithms its nodes run: what a network gains by another
/// choice than its target's own.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/session/use_cases.h"

namespace tw::session {

/// Of a tuning's time, at most, where both have one budget.
inline constexpr double kArrangingShare = 0.2;

struct TriedArrangement {
  std::string knob, value;
  double ratio =
      0;  ///< the network's time with it, over that of the best so far; 0: it did not run
  bool kept = false;  ///< faster by more than noise: what is tried next has it, too
  std::string why;    ///< why it did not run, a sentence
};

struct ArrangeRequest {
  int threads = 0;                      ///< 0: all cores of the device
  double seconds = 0;                   ///< nothing is begun after these; 0: everything is tried
  std::filesystem::path cache_folder;   ///< empty: no cache
  Point fixed;                          ///< knobs that stay as they are
  std::map<int, std::string> standing;  ///< schedules by row; other kernels run by rule
  StopToken stop = {}, enough = {};
  std::function<void(TriedArrangement const&)> on_tried = {};
};

struct Arranged {
  Model model;        ///< the same where nothing was faster
  Point arrangement;  ///< its own: what is not as by rule
  std::vector<TriedArrangement> tried;
  double seconds = 0;  ///< that it took
};

/// Tries every other value of the model's knobs, one after the other, the ones of the longest
/// kernels first, by networks on the device in turns with the best so far; layouts that have to be
/// changed in a run are in their times. Results are compared with those by rule. Errors: those of
/// the network by rule, cancelled.
Result<Arranged> arrange_model(Model const& model, ArrangeRequest const& request,
                               Backend const& backend, Device& device,
                               Progress const& progress = {});

/// What a job's search has chosen stays its choice when it goes on: the trials that it has made are
/// of those kernels. `folder`: a cache of this machine's. Nothing, where the job is not known.
std::optional<Point> chosen_for_job(std::filesystem::path const& folder, std::string const& job);
/// Errors: those of writing.
Status keep_for_job(std::filesystem::path const& folder, std::string const& job,
                    Point const& arrangement);

}  // namespace tw::session
