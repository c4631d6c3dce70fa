#include "engine/session/views/tuning_statistics.h"

#include <algorithm>
#include <cmath>

#include "engine/learning/quality.h"

namespace tw::session {
namespace {

struct Group {
  int count = 0;
  double sum = 0;
};

using Trials = std::vector<TuningTrial const*>;

Trials timed(TuningView const& runs) {
  Trials all;
  for (auto const& run : runs.runs)
    for (auto const& trial : run->trials)
      if (trial->ms > 0 && !trial->knobs.empty()) all.push_back(trial.get());
  return all;
}

/// By value. A trial without the knob is of a group of its own: another branch of the template.
std::map<std::string, Group> groups_of(Trials const& trials, std::string const& knob) {
  std::map<std::string, Group> groups;
  for (TuningTrial const* trial : trials) {
    std::string value;
    for (auto const& [name, text] : trial->knobs)
      if (name == knob) value = text;
    Group& group = groups[value];
    ++group.count;
    group.sum += std::log(trial->ms);
  }
  return groups;
}

double share_of(std::map<std::string, Group> const& groups, int count, double mean, double total) {
  double between = 0;
  for (auto const& [value, group] : groups) {
    double away = group.sum / group.count - mean;
    between += group.count * away * away;
  }
  auto values = int(groups.size());
  if (count <= values || total <= 0) return 0;
  double noise = std::max(0.0, total - between) / (count - values);
  return std::clamp((between - (values - 1) * noise) / total, 0.0, 1.0);
}

}  // namespace

KnobImportance knob_importance(TuningView const& runs) {
  Trials trials = timed(runs);
  KnobImportance all;
  all.trials = int(trials.size());
  double mean = 0, total = 0;
  for (TuningTrial const* trial : trials) mean += std::log(trial->ms) / all.trials;
  for (TuningTrial const* trial : trials) total += std::pow(std::log(trial->ms) - mean, 2);
  std::map<std::string, int> names;
  for (TuningTrial const* trial : trials)
    for (auto const& [name, value] : trial->knobs) ++names[name];
  for (auto const& [name, count] : names) {
    auto groups = groups_of(trials, name);
    if (groups.size() < 2) continue;
    all.knobs.push_back({name, share_of(groups, all.trials, mean, total), int(groups.size())});
  }
  std::ranges::stable_sort(all.knobs, std::ranges::greater(), &KnobShare::share);
  return all;
}

PredictionQuality prediction_quality(TuningView const& runs) {
  std::vector<float> predicted, measured;
  for (auto const& run : runs.runs)
    for (auto const& trial : run->trials)
      if (trial->ms > 0 && trial->predicted_ms > 0) {
        predicted.push_back(float(trial->predicted_ms));
        measured.push_back(float(trial->ms));
      }
  return {int(predicted.size()), kendall_tau(predicted, measured)};
}

}  // namespace tw::session
