#include "engine/records/text_forms.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

namespace tw::records {
namespace {

std::string dump(auto const& json) {
  using Handler = nlohmann::ordered_json::error_handler_t;
  return json.dump(-1, ' ', false, Handler::replace);
}

/// Quoted where it must be.
std::string cell(std::string const& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

std::string to_json_line(Trial const& trial) {
  nlohmann::ordered_json json = {{"tilewright_trial", 1},
                                 {"task", fmt::format("{:016x}", trial.task)},
                                 {"task_name", trial.task_name},
                                 {"outcome", name_of(trial.outcome)},
                                 {"samples", trial.samples},
                                 {"failure", trial.failure},
                                 {"knobs", trial.knobs},
                                 {"trace", trial.trace},
                                 {"program", trial.program},
                                 {"target", trial.target},
                                 {"target_title", trial.target_title},
                                 {"device", trial.device},
                                 {"machine", trial.machine},
                                 {"build", trial.build},
                                 {"seed", trial.seed},
                                 {"threads", trial.threads},
                                 {"probe_rate", trial.probe_rate},
                                 {"modelled_seconds", trial.modelled_seconds},
                                 {"unix_time", trial.unix_time},
                                 {"job", trial.job},
                                 {"origin", name_of(trial.origin)}};
  return dump(json);
}

std::string csv_head() {
  return "task,task_name,outcome,seconds,samples,failure,knobs,trace,target,target_title,device,"
         "machine,build,seed,threads,probe_rate,modelled_seconds,unix_time,job,origin\r\n";
}

std::string to_csv_line(Trial const& trial) {
  auto seconds = seconds_of(trial);
  std::vector<std::string> cells = {fmt::format("{:016x}", trial.task),
                                    trial.task_name,
                                    std::string(name_of(trial.outcome)),
                                    seconds ? fmt::format("{}", *seconds) : "",
                                    fmt::format("{}", fmt::join(trial.samples, " ")),
                                    trial.failure,
                                    dump(nlohmann::json(trial.knobs)),
                                    trial.trace,
                                    trial.target,
                                    trial.target_title,
                                    trial.device,
                                    trial.machine,
                                    trial.build,
                                    fmt::format("{}", trial.seed),
                                    fmt::format("{}", trial.threads),
                                    fmt::format("{}", trial.probe_rate),
                                    fmt::format("{}", trial.modelled_seconds),
                                    fmt::format("{}", trial.unix_time),
                                    trial.job,
                                    std::string(name_of(trial.origin))};
  std::string line;
  for (std::string const& text : cells) line += (line.empty() ? "" : ",") + cell(text);
  return line + "\r\n";
}

}  // namespace tw::records
