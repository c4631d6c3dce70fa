#include "engine/records/tvm_result.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/records/log_reader.h"
#include "engine/support/base/hash.h"

namespace tw::records {
namespace {

struct TvmError {
  Outcome outcome;
  char const* what;
};

/// By number, from 0.
constexpr TvmError kErrors[] = {
    {Outcome::kOk, ""},
    {Outcome::kInvalid, "the schedule could not be made"},
    {Outcome::kCompileError, "compiling for the host failed"},
    {Outcome::kCompileError, "compiling for the device failed"},
    {Outcome::kCrash, "running on the device failed"},
    {Outcome::kWrong, "the result is wrong"},
    {Outcome::kTimeout, "compiling took too long"},
    {Outcome::kTimeout, "running took too long"},
    {Outcome::kCrash, "it failed for an unknown reason"},
};

}  // namespace

Status read_tvm_result(nlohmann::json const& result, Trial& trial) {
  if (!result.is_array() || result.size() < 4 || !result[0].is_array() ||
      !result[1].is_number_integer() || !result[3].is_number())
    return damaged_line("its result is not a list of costs, an error number and times");
  auto number = result[1].get<int64_t>();
  if (number < 0 || number >= int64_t(std::size(kErrors)))
    return damaged_line(fmt::format("its error number is {}", number));
  trial.outcome = kErrors[number].outcome;
  trial.failure = kErrors[number].what;
  trial.unix_time = result[3].get<double>();
  if (number != 0) return {};
  for (nlohmann::json const& cost : result[0]) {
    if (!cost.is_number()) return damaged_line("one of its costs is not a number");
    trial.samples.push_back(cost.get<double>());
  }
  return {};
}

void set_tvm_target(std::string const& target, Trial& trial) {
  trial.target = target.substr(0, target.find(' '));
  trial.target_title = target;
  trial.device = "imported";
  trial.machine = target;  // the log says no more
  trial.origin = Origin::kImported;
}

uint64_t hash_of_text(std::string const& text) { return Hasher().text(text).finish(); }

}  // namespace tw::records
