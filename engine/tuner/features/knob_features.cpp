#include "engine/tuner/features/knob_features.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <sstream>

namespace tw {
namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

std::optional<double> number_of(std::string const& word) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return {};
  return double(value);
}

float logarithm(double value) {
  return float(std::copysign(std::log2(std::abs(value) + 1), value));
}

std::vector<std::string> words_of(std::string const& value) {
  std::vector<std::string> words;
  std::istringstream stream(value);
  for (std::string word; std::getline(stream, word, ',');) words.push_back(word);
  return words;
}

/// "conv2d." of "conv2d.copies.y"
std::string block_of(std::string const& knob) { return knob.substr(0, knob.find('.') + 1); }

}  // namespace

KnobFeatures::Known& KnobFeatures::known(Knob const& knob) {
  auto [place, is_new] = numbers_.try_emplace(knob.name, knobs_.size());
  if (!is_new) return knobs_[place->second];
  Known known;
  known.name = knob.name;
  known.number =
      std::ranges::all_of(knob.values, [](auto& value) { return bool(number_of(value)); });
  if (known.number) {
    known.column = width_++;
    auto [sum, first] = sums_.try_emplace(block_of(knob.name), width_);
    width_ += first;
    known.sum = sum->second;
  }
  knobs_.push_back(std::move(known));
  return knobs_.back();
}

void KnobFeatures::add_value(Known& known, std::string const& value) {
  known.values.push_back(value);
  std::vector<Column>& columns = known.columns.emplace_back();
  if (known.number) return columns.push_back({known.column, logarithm(*number_of(value))});
  auto column = [&](std::string const& word) {
    auto [place, is_new] = known.words.try_emplace(word, width_);
    width_ += is_new;
    return place->second;
  };
  std::vector<std::string> words = words_of(value);
  if (words.size() < 2) return columns.push_back({column("=" + value), 1});
  for (size_t i = 0; i < words.size(); ++i) columns.push_back({column(words[i]), float(i + 1)});
}

void KnobFeatures::see(std::vector<Knob> const& knobs) {
  for (Knob const& knob : knobs) {
    Known& one = known(knob);
    for (std::string const& value : knob.values)
      if (std::ranges::find(one.values, value) == one.values.end() &&
          (!one.number || number_of(value)))
        add_value(one, value);
  }
}

Coordinates KnobFeatures::coordinates(std::vector<Knob> const& knobs) const {
  Coordinates coordinates(knobs_.size(), kNotAsked);
  for (Knob const& knob : knobs) {
    size_t number = numbers_.at(knob.name);
    auto const& values = knobs_[number].values;
    auto value = std::ranges::find(values, knob.value());
    if (value != values.end()) coordinates[number] = int(value - values.begin());
  }
  return coordinates;
}

Point KnobFeatures::point(Coordinates const& coordinates) const {
  Point point;
  for (size_t i = 0; i < coordinates.size(); ++i)
    if (coordinates[i] != kNotAsked) point[name(i)] = values(i)[size_t(coordinates[i])];
  return point;
}

void KnobFeatures::fill(Coordinates const& coordinates, std::span<float> row) const {
  std::ranges::fill(row, kMissing);
  for (size_t i = 0; i < coordinates.size(); ++i) {
    if (coordinates[i] == kNotAsked) continue;
    Known const& one = knobs_[i];
    for (auto const& [word, column] : one.words)
      if (column < row.size()) row[column] = 0;
    for (Column const& column : one.columns[size_t(coordinates[i])]) {
      if (column.number < row.size()) row[column.number] = column.value;
      if (!one.number || one.sum >= row.size()) continue;
      row[one.sum] = (std::isnan(row[one.sum]) ? 0.0f : row[one.sum]) + column.value;
    }
  }
}

}  // namespace tw
