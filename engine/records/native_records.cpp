// Our own JSON lines, as to_json_line writes them. What an older version did not know may be
// missing; what is there must be of its kind.
#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "engine/records/log_reader.h"

namespace tw::records {
namespace {

using Json = nlohmann::json;

constexpr int64_t kVersion = 1;

std::unexpected<Error> not_a(char const* what, char const* key) {
  return damaged_line(fmt::format("its \"{}\" is not {}", key, what));
}

Status read_text(Json const& line, char const* key, std::string& into) {
  auto found = line.find(key);
  if (found == line.end()) return {};
  if (!found->is_string()) return not_a("a string", key);
  into = found->get<std::string>();
  return {};
}

Status read_number(Json const& line, char const* key, double& into) {
  auto found = line.find(key);
  if (found == line.end()) return {};
  if (!found->is_number()) return not_a("a number", key);
  into = found->get<double>();
  return {};
}

Status read_task(Json const& line, uint64_t& into) {
  std::string text;
  TRY(read_text(line, "task", text));
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into, 16);
  if (text.empty() || error != std::errc() || end != text.data() + text.size())
    return not_a("a hash in hexadecimal digits", "task");
  return {};
}

Status read_seed(Json const& line, uint64_t& into) {
  auto found = line.find("seed");
  if (found == line.end()) return {};
  if (!found->is_number_unsigned()) return not_a("an integer", "seed");
  into = found->get<uint64_t>();
  return {};
}

Status read_threads(Json const& line, int& into) {
  constexpr uint64_t kMost = 1 << 20;
  auto found = line.find("threads");
  if (found == line.end()) return {};
  if (!found->is_number_unsigned() || found->get<uint64_t>() > kMost)
    return not_a("a number of threads", "threads");
  into = int(found->get<uint64_t>());
  return {};
}

Status read_words(Json const& line, Trial& trial) {
  std::string outcome, origin(name_of(trial.origin));
  TRY(read_text(line, "outcome", outcome));
  TRY(read_text(line, "origin", origin));
  auto known_outcome = outcome_of(outcome);
  if (!known_outcome) return not_a("a known word", "outcome");
  auto known_origin = origin_of(origin);
  if (!known_origin) return not_a("a known word", "origin");
  trial.outcome = *known_outcome;
  trial.origin = *known_origin;
  return {};
}

Status read_samples(Json const& line, std::vector<double>& into) {
  auto found = line.find("samples");
  if (found == line.end()) return {};
  if (!found->is_array()) return not_a("a list", "samples");
  for (Json const& sample : *found) {
    if (!sample.is_number()) return not_a("a list of numbers", "samples");
    into.push_back(sample.get<double>());
  }
  return {};
}

Status read_knobs(Json const& line, std::map<std::string, std::string>& into) {
  auto found = line.find("knobs");
  if (found == line.end()) return {};
  if (!found->is_object()) return not_a("an object", "knobs");
  for (auto const& [name, value] : found->items()) {
    if (!value.is_string()) return not_a("an object of strings", "knobs");
    into[name] = value.get<std::string>();
  }
  return {};
}

bool is_ours(Json const& line) { return line.contains("tilewright_trial"); }

Result<Trial> read_ours(Json const& line) {
  Json const& version = line["tilewright_trial"];
  if (!version.is_number_unsigned()) return not_a("a version", "tilewright_trial");
  if (version.get<uint64_t>() != kVersion)
    return damaged_line(fmt::format("it has version {}, and only version {} can be read",
                                    version.get<uint64_t>(), kVersion));
  Trial trial;
  TRY(read_task(line, trial.task));
  TRY(read_seed(line, trial.seed));
  TRY(read_threads(line, trial.threads));
  TRY(read_words(line, trial));
  for (auto [key, into] : {std::pair{"task_name", &trial.task_name},
                           {"program", &trial.program},
                           {"trace", &trial.trace},
                           {"target", &trial.target},
                           {"target_title", &trial.target_title},
                           {"device", &trial.device},
                           {"machine", &trial.machine},
                           {"build", &trial.build},
                           {"failure", &trial.failure},
                           {"job", &trial.job}})
    TRY(read_text(line, key, *into));
  for (auto [key, into] : {std::pair{"probe_rate", &trial.probe_rate},
                           {"modelled_seconds", &trial.modelled_seconds},
                           {"unix_time", &trial.unix_time}})
    TRY(read_number(line, key, *into));
  TRY(read_samples(line, trial.samples));
  TRY(read_knobs(line, trial.knobs));
  return trial;
}

}  // namespace

LineFormat const& our_format() {
  static LineFormat const format = {is_ours, read_ours};
  return format;
}

}  // namespace tw::records
