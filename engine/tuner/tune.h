/// The tuner's loop: a search proposes, one thread compiles while another measures, every result is
/// judged against the right answer, and what is called the best was measured again beside the
/// schedule by rule.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/device/device.h"
#include "engine/records/trial.h"
#include "engine/te/expected.h"
#include "engine/tuner/search/search.h"

namespace tw {

/// What became of a candidate. Only what was right has a time.
struct Attempt {
  int number = 0;  ///< from 1
  Point point;
  std::string script;
  records::Outcome outcome = records::Outcome::kOk;
  std::vector<double> seconds;  ///< samples
  std::string sentence;         ///< of what was not right
  double best_seconds = 0;      ///< of all so far, this one too; 0: none was right
};

struct TuneOptions {
  int trials = 64;     ///< candidates that are compiled; the least of both budgets ends the search
  double seconds = 0;  ///< 0: as long as the trials take
  uint64_t seed = 1;
  int threads = 1;  ///< that kernels run with
  std::string search = "genetic";
  /// Compile the next candidate while one is measured: not where the kernels need all processors of
  /// the machine that compiles.
  bool overlap = true;
  std::vector<Point> first;  ///< tried before what the search proposes: known from earlier
  StopToken stop;
  std::function<void(Attempt const&)> on_attempt;
};

/// Why a search ended.
enum class TuneEnd : uint8_t { kTrials, kSeconds, kConverged, kStopped };
std::string_view name_of(TuneEnd end);

struct TuneResult {
  std::string script;       ///< of the best; the one by rule where nothing was better
  Point point;              ///< of that
  double seconds = 0;       ///< median of the last, interleaved comparison
  double rule_seconds = 0;  ///< of the schedule by rule, in the same comparison
  std::vector<Attempt> attempts;
  std::map<std::string, int> rejected;  ///< points that were not compiled, by reason
  int repeated = 0;                     ///< proposals that were known
  double space_size = 0;
  double wall_seconds = 0;  ///< of the search, without the last comparison
  TuneEnd end = TuneEnd::kTrials;
};

/// `inputs` and `expected` are the kernel's. Errors: unknown_search, those of the space;
/// nothing_ran, where not even the schedule by rule was right.
Result<TuneResult> tune(Space const& space, Device& device, std::vector<NDArray> inputs,
                        te::Expected const& expected, TuneOptions const& options);

}  // namespace tw
