// AutoTVM's log, versions 0.1 and 0.2 (function encode in python/tvm/autotvm/record.py and
// ConfigEntity.to_json_dict in python/tvm/autotvm/task/space.py of TVM 0.4 and 0.8):
//   {"i": [target, task, arguments, keywords, workload, {"i": index, "e": knobs, ...}],
//    "r": result, "v": 0.1}
//   {"input": [target, task, arguments, keywords],
//    "config": {"index": index, "code_hash": text or null, "entity": knobs},
//    "result": result, "version": 0.2, "tvm_version": "0.8.0"}
// where a knob is [name, kind, value], kind "sp", "re", "an" or "ot".
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/records/log_reader.h"
#include "engine/records/tvm_result.h"

namespace tw::records {
namespace {

using Json = nlohmann::json;

bool is_first_version(Json const& line) {
  auto input = line.find("i");
  return input != line.end() && input->is_array() && !input->empty() && (*input)[0].is_string();
}

bool is_autotvm(Json const& line) { return line.contains("input") || is_first_version(line); }

Json const& part(Json const& object, char const* key) {
  static Json const none;
  auto found = object.find(key);  // of what is no object: the end
  return found == object.end() ? none : *found;
}

Status read_knobs(Json const& config, bool first, Trial& trial) {
  Json const& index = part(config, first ? "i" : "index");
  Json const& knobs = part(config, first ? "e" : "entity");
  if (!index.is_number_integer() || !knobs.is_array())
    return damaged_line("its configuration has no index and no list of knobs");
  for (Json const& knob : knobs) {
    if (!knob.is_array() || knob.size() != 3 || !knob[0].is_string() || !knob[1].is_string())
      return damaged_line("one of its knobs is not a name, a kind and a value");
    trial.knobs[knob[0].get<std::string>()] =
        knob[2].is_string() ? knob[2].get<std::string>() : knob[2].dump();
  }
  trial.trace = fmt::format("# AutoTVM's configuration {}", index.dump());
  return {};
}

Result<Trial> read_autotvm(Json const& line) {
  bool first = is_first_version(line);
  Json const& input = part(line, first ? "i" : "input");
  if (!input.is_array() || input.size() < (first ? 6u : 4u) || !input[0].is_string() ||
      !input[1].is_string())
    return damaged_line("its input is not a target, a task and arguments");
  Trial trial;
  set_tvm_target(input[0].get<std::string>(), trial);
  trial.task_name = input[1].get<std::string>();
  trial.program = fmt::format("{}{}", trial.task_name, input[2].dump());
  trial.task = hash_of_text(trial.program);
  TRY(read_knobs(first ? input[5] : part(line, "config"), first, trial));
  TRY(read_tvm_result(part(line, first ? "r" : "result"), trial));
  Json const& version = part(line, "tvm_version");
  trial.build = version.is_string() ? "AutoTVM " + version.get<std::string>() : "AutoTVM";
  return trial;
}

}  // namespace

LineFormat const& autotvm_format() {
  static LineFormat const format = {is_autotvm, read_autotvm};
  return format;
}

}  // namespace tw::records
