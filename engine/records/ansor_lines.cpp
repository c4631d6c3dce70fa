// Ansor's log (src/auto_scheduler/measure_record.cc of TVM 0.8, versions v0.2 to v0.6):
//   {"i": [[workload, target, numbers of the hardware, host, ...], [[], steps]],
//    "r": result, "v": "v0.6"}
// where the workload is text, a JSON list of a name or hash and shapes, and a step is a list whose
// first word names it: ["SP", 2, 0, 512, [1, 64, 8], 1].
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/records/log_reader.h"
#include "engine/records/tvm_result.h"

namespace tw::records {
namespace {

using Json = nlohmann::json;

bool is_ansor(Json const& line) {
  auto input = line.find("i");
  return input != line.end() && input->is_array() && !input->empty() && (*input)[0].is_array();
}

/// The name or hash in front of the shapes.
std::string name_of_workload(std::string const& workload) {
  Json list = Json::parse(workload, nullptr, false);
  bool named = list.is_array() && !list.empty() && list[0].is_string();
  return named ? list[0].get<std::string>() : workload;
}

Result<Trial> read_ansor(Json const& line) {
  Json const& input = line["i"];
  Json const& task = input[0];
  if (task.size() < 2 || !task[0].is_string() || !task[1].is_string())
    return damaged_line("its task is not a workload and a target");
  bool with_steps =
      input.size() >= 2 && input[1].is_array() && input[1].size() >= 2 && input[1][1].is_array();
  if (!with_steps) return damaged_line("it has no list of steps");
  Trial trial;
  trial.program = task[0].get<std::string>();
  trial.task_name = name_of_workload(trial.program);
  trial.task = hash_of_text(trial.program);
  set_tvm_target(task[1].get<std::string>(), trial);
  for (Json const& step : input[1][1]) {
    if (!step.is_array() || step.empty() || !step[0].is_string())
      return damaged_line("one of its steps is not a list that starts with a name");
    trial.trace += "# " + step.dump() + "\n";
  }
  auto result = line.find("r"), version = line.find("v");
  if (result == line.end()) return damaged_line("it has no result");
  TRY(read_tvm_result(*result, trial));
  bool versioned = version != line.end() && version->is_string();
  trial.build = versioned ? "Ansor " + version->get<std::string>() : "Ansor";
  return trial;
}

}  // namespace

LineFormat const& ansor_format() {
  static LineFormat const format = {is_ansor, read_ansor};
  return format;
}

}  // namespace tw::records
