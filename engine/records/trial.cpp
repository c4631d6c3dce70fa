#include "engine/records/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

#include "engine/support/base/hash.h"

namespace tw::records {
namespace {

constexpr std::string_view kOutcomes[] = {"ok",      "wrong", "compile_error", "invalid",
                                          "timeout", "crash", "device_lost"};
constexpr std::string_view kOrigins[] = {"ours", "imported"};

template <typename Value>
std::optional<Value> value_of(auto const& names, std::string_view name) {
  auto found = std::ranges::find(names, name);
  if (found == std::end(names)) return std::nullopt;
  return Value(found - std::begin(names));
}

bool is_amount(double value) { return std::isfinite(value) && value >= 0; }

std::unexpected<Error> bad(std::string const& why) {
  return bad_input("bad_trial", "this is no trial: " + why);
}

}  // namespace

std::string_view name_of(Outcome outcome) { return kOutcomes[size_t(outcome)]; }
std::optional<Outcome> outcome_of(std::string_view name) {
  return value_of<Outcome>(kOutcomes, name);
}
std::string_view name_of(Origin origin) { return kOrigins[size_t(origin)]; }
std::optional<Origin> origin_of(std::string_view name) { return value_of<Origin>(kOrigins, name); }

std::optional<double> seconds_of(Trial const& trial) {
  if (trial.outcome != Outcome::kOk || trial.samples.empty()) return std::nullopt;
  return std::ranges::min(trial.samples);
}

Status check(Trial const& trial) {
  for (double sample : trial.samples)
    if (!is_amount(sample) || sample == 0) return bad(fmt::format("{} s is no time", sample));
  if (trial.outcome == Outcome::kOk && trial.samples.empty())
    return bad("it is right and has no time");
  if (!is_amount(trial.probe_rate) || !is_amount(trial.modelled_seconds))
    return bad("its probe rate or its modelled time is no amount");
  if (trial.threads < 0) return bad(fmt::format("it ran with {} threads", trial.threads));
  if (!std::isfinite(trial.unix_time)) return bad("its date is no number");
  return {};
}

uint64_t digest_of(Trial const& trial, int64_t id) {
  auto bits = [](double value) { return std::bit_cast<uint64_t>(value); };
  Hasher hasher;
  hasher.number(uint64_t(id)).number(trial.task).number(trial.seed);
  for (std::string const* text :
       {&trial.task_name, &trial.program, &trial.trace, &trial.target, &trial.target_title,
        &trial.device, &trial.machine, &trial.build, &trial.failure, &trial.job})
    hasher.text(*text);
  hasher.number(trial.knobs.size());
  for (auto const& [name, value] : trial.knobs) hasher.text(name).text(value);
  hasher.number(trial.samples.size());
  for (double sample : trial.samples) hasher.number(bits(sample));
  hasher.number(bits(trial.probe_rate)).number(bits(trial.modelled_seconds));
  hasher.number(bits(trial.unix_time));
  hasher.number(uint64_t(trial.outcome)).number(uint64_t(trial.origin));
  // Older rows do not have them.
  if (trial.threads > 0) hasher.number(uint64_t(trial.threads));
  return hasher.finish();
}

}  // namespace tw::records
