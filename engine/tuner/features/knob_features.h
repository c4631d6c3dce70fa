/// A point of a space as numbers, from its knobs alone: what it costs to have them does not depend
/// on the program, and no template runs. The knobs and values are those that were seen so far, so
/// that there may be more of them later.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/schedule/decisions.h"

namespace tw {

/// For each knob that is known the number of its value among those known; `kNotAsked` for none.
/// What is known later is behind: a shorter one stays good.
using Coordinates = std::vector<int>;
inline constexpr int kNotAsked = -1;

class KnobFeatures {
public:
  /// Knobs and values that are new get columns.
  void see(std::vector<Knob> const& knobs);

  size_t width() const { return width_; }
  size_t knobs() const { return knobs_.size(); }
  std::string const& name(size_t knob) const { return knobs_[knob].name; }
  /// Its values in the order in which they were seen.
  std::vector<std::string> const& values(size_t knob) const { return knobs_[knob].values; }

  /// Of knobs that were seen.
  Coordinates coordinates(std::vector<Knob> const& knobs) const;
  Point point(Coordinates const& coordinates) const;
  /// Into the first columns, as many as `row` has. A number is its logarithm; the numbers of one
  /// block ("conv2d.") are added up, too, as what they multiply; of a list of words ("x,y,z") each
  /// word has its place; of another word each value is 0 or 1. Who was not asked is missing (NaN).
  void fill(Coordinates const& coordinates, std::span<float> row) const;

private:
  struct Column {
    size_t number = 0;
    float value = 0;
  };
  struct Known {
    std::string name;
    bool number = true;          ///< all values are
    size_t column = 0, sum = 0;  ///< of a number
    std::vector<std::string> values;
    std::vector<std::vector<Column>> columns;  ///< of each value
    std::map<std::string, size_t> words;       ///< columns of what values are made of
  };
  Known& known(Knob const& knob);
  void add_value(Known& known, std::string const& value);

  size_t width_ = 0;
  std::vector<Known> knobs_;
  std::map<std::string, size_t> numbers_;  ///< of knobs by name
  std::map<std::string, size_t> sums_;     ///< columns, by blocks
};

}  // namespace tw
