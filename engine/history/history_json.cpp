#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/history/history.h"
#include "engine/schedule/trace.h"

namespace tw {
namespace {

constexpr int kVersion = 2;
constexpr int kWithoutDevices = 1;  // had one time for a state, wherever it was measured
constexpr char const* kVerdicts[] = {"unknown", "correct", "wrong"};
using Json = nlohmann::ordered_json;

Json trial_json(TriedOn const& where, Trial const& trial) {
  Json json = {{"device", where.device}, {"machine", where.machine}};
  if (trial.measured)
    json["measured"] = {{"min_ms", trial.measured->min_ms},
                        {"spread", trial.measured->spread},
                        {"gflops", trial.measured->gflops}};
  if (trial.measured && trial.measured->disturbed) json["measured"]["disturbed"] = true;
  if (trial.measured && trial.measured->samples > 0)
    json["measured"]["samples"] = trial.measured->samples;
  if (trial.correctness != Correctness::kUnknown)
    json["verdict"] = kVerdicts[int(trial.correctness)];
  if (!trial.correctness_text.empty()) json["verdict_text"] = trial.correctness_text;
  if (!trial.failure.empty()) json["failure"] = trial.failure;
  return json;
}

Json node_json(HistoryNode const& node) {
  Json json = {{"parent", node.parent}, {"label", node.label}, {"steps", node.steps}};
  for (auto const& [where, trial] : node.trials)
    if (trial != Trial()) json["trials"].push_back(trial_json(where, trial));
  if (!node.note.empty()) json["note"] = node.note;
  if (node.tagged) json["tagged"] = true;
  if (!node.name.empty()) json["name"] = node.name;
  if (!node.refusal.empty()) json["refused"] = node.refusal;
  if (node.redo >= 0) json["redo"] = node.redo;
  return json;
}

std::unexpected<Error> broken(std::string const& what) {
  return bad_input("not_a_history", "this is not a saved history: " + what);
}

std::string text_of(Json const& json, char const* key) {
  auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// A whole number that fits, or the fallback.
int number_of(Json const& json, char const* key, int fallback) {
  auto found = json.find(key);
  if (found == json.end() || !found->is_number_integer()) return fallback;
  int64_t value = found->get<int64_t>();
  return value < -1 || value > 1'000'000'000 ? fallback : int(value);
}

Result<std::vector<Step>> steps_of(Json const& lines, int id) {
  if (!lines.is_array() || lines.empty())
    return broken(fmt::format("entry {} has no list of steps", id));
  std::vector<Step> steps;
  for (Json const& line : lines) {
    if (!line.is_string())
      return broken(fmt::format("entry {} has a step that is not a string", id));
    TRY_ASSIGN(Step step, parse_step(line.get<std::string>()));
    steps.push_back(std::move(step));
  }
  return steps;
}

/// An entry on top of its parent: `schedule`, or the sentence that it is refused with.
std::expected<Schedule, std::string> rebuilt(HistoryNode const& parent,
                                             std::vector<Step> const& steps) {
  if (!parent.refusal.empty()) return std::unexpected(parent.refusal);
  Schedule schedule = parent.schedule;
  for (Step const& step : steps) {
    auto next = schedule.apply(step);
    if (!next)
      return std::unexpected(
          fmt::format("{} was refused: {}", to_text(step), next.error().message));
    schedule = std::move(*next);
  }
  return schedule;
}

constexpr uint64_t kMostSamples = 1000000;

/// `json`: a trial, or a node of version 1, which held the only one itself.
Result<History> restore_trial(History history, int id, Json const& json, TriedOn const& where) {
  if (auto found = json.find("measured"); found != json.end()) {
    Measured measured;
    for (auto [key, into] : {std::pair{"min_ms", &measured.min_ms},
                             {"spread", &measured.spread},
                             {"gflops", &measured.gflops}}) {
      if (!found->is_object() || !found->contains(key) || !(*found)[key].is_number())
        return broken(fmt::format("the times of entry {} are incomplete", id));
      *into = (*found)[key].get<double>();
    }
    auto disturbed = found->find("disturbed");
    measured.disturbed =
        disturbed != found->end() && disturbed->is_boolean() && disturbed->get<bool>();
    auto samples = found->find("samples");
    if (samples != found->end() && samples->is_number_unsigned())
      measured.samples = int(std::min<uint64_t>(samples->get<uint64_t>(), kMostSamples));
    history = history.with_measured(id, where, measured);
  }
  std::string verdict = text_of(json, "verdict");
  Correctness correctness = verdict == "correct" ? Correctness::kCorrect
                            : verdict == "wrong" ? Correctness::kWrong
                                                 : Correctness::kUnknown;
  std::string text = text_of(json, "verdict_text"), failure = text_of(json, "failure");
  if (correctness != Correctness::kUnknown || !text.empty())
    history = history.with_correctness(id, where, correctness, text);
  return failure.empty() ? history : history.with_failure(id, where, failure);
}

Result<History> restore_badges(History history, int id, Json const& json, TriedOn const& untold) {
  history = history.with_note(id, text_of(json, "note")).with_name(id, text_of(json, "name"));
  auto tagged = json.find("tagged");
  bool has_tag = tagged != json.end() && tagged->is_boolean() && tagged->get<bool>();
  history = history.with_tag(id, has_tag);
  auto trials = json.find("trials");
  if (trials == json.end()) return restore_trial(std::move(history), id, json, untold);
  if (!trials->is_array()) return broken(fmt::format("the trials of entry {} are not a list", id));
  for (Json const& trial : *trials) {
    if (!trial.is_object()) return broken(fmt::format("a trial of entry {} is not an object", id));
    TriedOn where{text_of(trial, "device"), text_of(trial, "machine")};
    TRY_ASSIGN(history, restore_trial(std::move(history), id, trial, where));
  }
  return history;
}

}  // namespace

Json History::to_json() const {
  Json json = {{"kind", "tilewright history"},
               {"version", kVersion},
               {"kernel", node(0).schedule.origin().name},
               {"current", left_ < 0 ? current_ : left_}};
  if (baseline_ >= 0) json["baseline"] = baseline_;
  for (auto const& node : *nodes_) json["nodes"].push_back(node_json(*node));
  return json;
}

/// With one entry more, whose parent is there.
Result<History> History::with_entry(int id, Json const& json, RefusedEntries refused) const {
  int parent = number_of(json, "parent", -1);
  if (parent < 0 || parent >= id || !json.contains("steps"))
    return broken(fmt::format("entry {} has no parent before it", id));
  TRY_ASSIGN(std::vector<Step> steps, steps_of(json["steps"], id));
  std::string label = text_of(json, "label");
  auto schedule = rebuilt(node(parent), steps);
  if (schedule) {
    TRY_ASSIGN(History next, add(parent, std::move(*schedule), label));
    if (next.current() != id) return broken(fmt::format("entry {} appears twice", id));
    return next;
  }
  if (refused == RefusedEntries::kFail && text_of(json, "refused").empty())
    return bad_input("step_refused", fmt::format("entry {} of the history cannot be rebuilt: {}",
                                                 id, schedule.error()));
  std::vector<std::string> lines;
  for (Step const& step : steps) lines.push_back(to_text(step));
  for (int child : children(parent))
    if (node(child).steps == lines) return broken(fmt::format("entry {} appears twice", id));
  History next = *this;
  next.append(parent, std::move(lines), label.empty() ? steps.back().primitive : label,
              node(parent).schedule, schedule.error());
  return next;
}

/// With redo and the current entry as they were saved.
Result<History> History::standing_at(Json const& json) const {
  History history = *this;
  for (int id = 0; id < int(size()); ++id) {
    int redo = number_of(json["nodes"][size_t(id)], "redo", -1);
    bool child = redo >= 0 && has(redo) && node(redo).parent == id;
    history = history.changed(id, [&](HistoryNode& node) { node.redo = child ? redo : -1; });
  }
  int current = number_of(json, "current", 0);
  if (!has(current)) return broken(fmt::format("its current entry {} is missing", current));
  history.left_ = node(current).refusal.empty() ? -1 : current;
  while (!node(current).refusal.empty()) current = node(current).parent;
  history.current_ = current;
  int baseline = number_of(json, "baseline", -1);
  return history.with_baseline(has(baseline) ? baseline : -1);
}

Result<History> History::from_json(Json const& json, Schedule plain, TriedOn const& untold,
                                   RefusedEntries refused) {
  if (!json.is_object() || text_of(json, "kind") != "tilewright history")
    return broken("its kind is missing");
  if (int version = number_of(json, "version", -1);
      version != kVersion && version != kWithoutDevices)
    return bad_input(
        "unknown_version",
        fmt::format("this history has version {}; only version {} can be read", version, kVersion));
  if (std::string kernel = text_of(json, "kernel"); kernel != plain.origin().name)
    return bad_input("other_kernel", fmt::format("this history belongs to the kernel {}, not to {}",
                                                 kernel, plain.origin().name));
  if (!json.contains("nodes") || !json["nodes"].is_array() || json["nodes"].empty())
    return broken("it has no entries");
  History history(std::move(plain));
  Json const& nodes = json["nodes"];
  for (int id = 0; id < int(nodes.size()); ++id) {
    Json const& node = nodes[size_t(id)];
    if (!node.is_object()) return broken(fmt::format("entry {} is not an object", id));
    if (id > 0) {
      TRY_ASSIGN(history, history.with_entry(id, node, refused));
    }
    TRY_ASSIGN(history, restore_badges(std::move(history), id, node, untold));
  }
  return history.standing_at(json);
}

}  // namespace tw
