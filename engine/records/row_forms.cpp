#include "engine/records/row_forms.h"

#include <limits>
#include <nlohmann/json.hpp>

namespace tw::records {
namespace {

using Json = nlohmann::json;

std::string json_text(Json const& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string knobs_text(Trial const& trial) { return json_text(Json(trial.knobs)); }
std::string samples_text(Trial const& trial) { return json_text(Json(trial.samples)); }

bool read_knobs(std::string const& text, Trial& trial) {
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return false;
  for (auto const& [name, value] : json.items()) {
    if (!value.is_string()) return false;
    trial.knobs[name] = value.get<std::string>();
  }
  return true;
}

bool read_samples(std::string const& text, Trial& trial) {
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_array()) return false;
  for (Json const& sample : json) {
    if (!sample.is_number()) return false;
    trial.samples.push_back(sample.get<double>());
  }
  return true;
}

bool read_words(int64_t outcome, int64_t origin, Trial& trial) {
  if (outcome < 0 || outcome > int64_t(Outcome::kDeviceLost)) return false;
  if (origin < 0 || origin > int64_t(Origin::kImported)) return false;
  trial.outcome = Outcome(outcome);
  trial.origin = Origin(origin);
  return true;
}

std::string stored_knob_words(std::string const& text) {
  std::string words;
  for (char c : text)
    if (c == '=')
      words += "\":\"";
    else if (c == ' ')  // between two of them
      words += "\",\"";
    else
      words += c;
  return words;
}

double order_seconds(Trial const& trial) {
  return seconds_of(trial).value_or(std::numeric_limits<double>::infinity());
}

}  // namespace tw::records
