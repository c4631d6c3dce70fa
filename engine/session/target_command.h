/// Commands that a target brings along: parameters as data, a function from arguments to a result.
/// Who shows them knows no target, and a target knows nobody who shows them.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "engine/support/base/error.h"
#include "engine/support/base/job.h"

namespace tw::session {

enum class ParameterKind : uint8_t {
  kFlag,    ///< there or not
  kText,    ///< one word
  kTexts,   ///< one or more words, of an operand; may be given several times, of an option
  kNumber,  ///< a whole number of low..high
};

struct CommandParameter {
  std::string name;  ///< "--seed"; without dashes an operand: "FILE"
  std::string type;  ///< of an option what it takes: "N"
  std::string doc;
  ParameterKind kind = ParameterKind::kText;
  bool required = false;
  int64_t low = 0, high = 0;
};

/// What was given, by the parameters' names.
class CommandArguments {
public:
  void set(std::string const& name, std::vector<std::string> values);
  bool has(std::string const& name) const { return values_.contains(name); }
  std::string text(std::string const& name, std::string const& fallback = {}) const;
  std::vector<std::string> all(std::string const& name) const;
  /// Of a kNumber, whose value was checked.
  int64_t number(std::string const& name, int64_t fallback) const;

private:
  std::map<std::string, std::vector<std::string>> values_;
};

struct CommandOutcome {
  std::string text;  ///< for people, whole lines
  nlohmann::ordered_json json;
  bool failed = false;  ///< a check did not hold: what is wrong is the result, not an error
};

struct TargetCommand {
  int place = 0;  ///< in the list of commands; those of a lower number come first
  std::string name, doc;
  std::vector<CommandParameter> parameters;
  /// Errors: those of the command; cancelled.
  Result<CommandOutcome> (*run)(CommandArguments const& arguments, StopToken stop,
                                Progress const& progress) = nullptr;
};

/// All commands of one target. Its folder `commands` defines one as
/// `session::TargetCommandGroup const& commands_FOLDER()`.
struct TargetCommandGroup {
  std::string name;  ///< of the target: "vta"
  std::string doc;
  std::span<TargetCommand const* const> (*commands)() = nullptr;
};

}  // namespace tw::session

namespace tw {

/// Sorted by the targets' folders; those without commands are not in it. Written by the build.
std::span<session::TargetCommandGroup const* const> target_command_table();

}  // namespace tw
