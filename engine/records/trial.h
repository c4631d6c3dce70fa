/// One attempt to make a kernel faster: what was tried, where, and what came of it. A value; stores
/// keep them (trial_store.h), files carry them (log_reader.h, text_forms.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/support/base/error.h"

namespace tw::records {

/// What came of it. Numbers are kept in stores: never change one, append.
enum class Outcome : uint8_t {
  kOk = 0,
  kWrong = 1,  ///< it ran, and its result is not that of the reference
  kCompileError = 2,
  kInvalid = 3,  ///< a filter refused the point, or a step its legality
  kTimeout = 4,
  kCrash = 5,
  kDeviceLost = 6,  ///< says nothing about the kernel
};

enum class Origin : uint8_t {
  kOurs = 0,
  kImported = 1,  ///< of another tuner's log: its trace is not a script of ours
};

struct Trial {
  uint64_t task = 0;  ///< the kernel's structural hash
  std::string task_name;
  std::string program;                       ///< the kernel before any step, as text
  std::string trace;                         ///< the steps, as a script
  std::map<std::string, std::string> knobs;  ///< the point of the space, where there was one
  std::string target;                        ///< "cpu"
  std::string target_title;                  ///< what exactly it was compiled for
  std::string device;                        ///< the name that a person gave it
  std::string machine;                       ///< what stood behind the name then
  std::string build;                         ///< the version of the program that tried it
  uint64_t seed = 0;
  int threads = 0;  ///< that it ran with; 0: not known. Times with others do not compare
  Outcome outcome = Outcome::kInvalid;
  std::vector<double> samples;  ///< seconds a run, raw, as they came
  double probe_rate = 0;        ///< of the speed probe beside the samples; 0: none was taken
  double modelled_seconds = 0;  ///< what the cost model said before; 0: nothing
  std::string failure;          ///< why there is no time, a sentence
  double unix_time = 0;         ///< seconds since 1970
  std::string job;              ///< the search that asked for it; empty: none
  Origin origin = Origin::kOurs;
  bool operator==(Trial const&) const = default;
};

/// "ok", "wrong", "compile_error", "invalid", "timeout", "crash", "device_lost".
std::string_view name_of(Outcome outcome);
std::optional<Outcome> outcome_of(std::string_view name);
/// "ours", "imported".
std::string_view name_of(Origin origin);
std::optional<Origin> origin_of(std::string_view name);

/// What a right trial is compared by: its shortest sample (others differ by what else the machine
/// did). None where the result was not right, however fast it came.
std::optional<double> seconds_of(Trial const& trial);

/// Errors: bad_trial (a time that is none, a right one without a time).
Status check(Trial const& trial);

/// Of everything in it and its number in a store: tells a damaged row from a whole one.
uint64_t digest_of(Trial const& trial, int64_t id);

}  // namespace tw::records
