#include "engine/records/log_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tw::records {
namespace {

constexpr size_t kMostDamaged = 100;
constexpr size_t kMostBytes = size_t(16) << 20;  // of a line
constexpr int kMostNested = 64;

/// How deep brackets stand in brackets: what is made of them is walked by recursion.
int nesting_of(std::string_view text) {
  int depth = 0, deepest = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (quoted && text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      quoted = !quoted;
    else if (!quoted && (text[i] == '[' || text[i] == '{'))
      deepest = std::max(deepest, ++depth);
    else if (!quoted && (text[i] == ']' || text[i] == '}'))
      --depth;
  }
  return deepest;
}

Result<Trial> read_line(std::string_view line) {
  if (line.size() > kMostBytes)
    return damaged_line(fmt::format("it has more than {} bytes", kMostBytes));
  if (nesting_of(line) > kMostNested) return damaged_line("its lists are nested too deeply");
  nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
  if (!json.is_object()) return damaged_line("it is not a JSON object");
  for (LineFormat const* format : {&our_format(), &autotvm_format(), &ansor_format()}) {
    if (!format->is_it(json)) continue;
    TRY_ASSIGN(Trial trial, format->read(json));
    TRY(check(trial));
    return trial;
  }
  return damaged_line("it is no trial of Tilewright, AutoTVM or Ansor");
}

}  // namespace

ReadLog read_log(std::string_view text) {
  ReadLog log;
  for (int64_t number = 1; !text.empty(); ++number) {
    size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_not_of(" \t") == line.npos || line.starts_with('#')) continue;
    auto trial = read_line(line);
    if (trial) {
      log.trials.push_back(std::move(*trial));
      continue;
    }
    ++log.damaged_count;
    if (log.damaged.size() < kMostDamaged) log.damaged.push_back({number, trial.error().message});
  }
  return log;
}

}  // namespace tw::records
