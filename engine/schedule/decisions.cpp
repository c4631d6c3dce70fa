#include "engine/schedule/decisions.h"

#include <algorithm>
#include <charconv>

namespace tw {

std::string point_text(Point const& point) {
  std::string text;
  for (auto const& [name, value] : point) text += (text.empty() ? "" : " ") + name + "=" + value;
  return text.empty() ? "by rule" : text;
}

std::string Decisions::choose(std::string const& name, std::vector<std::string> values,
                              std::string const& preset) {
  if (auto known = std::ranges::find(knobs_, name, &Knob::name); known != knobs_.end())
    return known->value();
  if (std::ranges::find(values, preset) == values.end()) values.push_back(preset);
  Knob knob{name, std::move(values), 0, 0};
  auto index = [&](std::string const& value) {
    return int(std::ranges::find(knob.values, value) - knob.values.begin());
  };
  knob.preset = knob.taken = index(preset);
  auto given = given_.find(name);
  if (given != given_.end() && index(given->second) < int(knob.values.size()))
    knob.taken = index(given->second);
  else if (given == given_.end() && otherwise_)
    knob.taken = std::clamp(otherwise_(knob), 0, int(knob.values.size()) - 1);
  knobs_.push_back(std::move(knob));
  return knobs_.back().value();
}

int64_t Decisions::choose(std::string const& name, std::vector<int64_t> const& values,
                          int64_t preset) {
  std::vector<std::string> words;
  for (int64_t value : values) words.push_back(std::to_string(value));
  std::string word = choose(name, std::move(words), std::to_string(preset));
  int64_t value = preset;
  std::from_chars(word.data(), word.data() + word.size(), value);
  return value;
}

bool Decisions::choose(std::string const& name, bool preset) {
  return choose(name, {"no", "yes"}, preset ? std::string("yes") : "no") == "yes";
}

std::string Decisions::choose_sharing(std::string const& name, std::vector<std::string> values,
                                      std::string const& preset) {
  if (threads_ == 1) values = {preset};
  return choose(name, std::move(values), preset);
}

void Decisions::reject(std::string reason, std::string sentence) {
  if (!rejection_) rejection_ = Rejection{std::move(reason), std::move(sentence)};
}

Point Decisions::point() const {
  Point point;
  for (Knob const& knob : knobs_)
    if (knob.taken != knob.preset) point[knob.name] = knob.value();
  return point;
}

void Decisions::forget_asked() {
  knobs_.clear();
  rejection_.reset();
}

}  // namespace tw
