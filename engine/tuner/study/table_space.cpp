#include "engine/tuner/study/table_space.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>

namespace tw {
namespace {

/// What a step to the value beside it counts, of a number; any other value of a knob counts 1.
constexpr double kOneStep = 0.5;
constexpr int kMostDraws = 8;  // of a row that is another one

bool is_number(std::string const& word) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size();
}

size_t mixed(size_t seed, size_t row) {
  return size_t(Rng(seed ^ (row * 0x9E3779B97F4A7C15ull)).next());
}

}  // namespace

Result<std::unique_ptr<TableSpace>> TableSpace::create(StudyTable const& table,
                                                       std::shared_ptr<Backend const> backend) {
  TRY_ASSIGN(Space space, space_of(table, std::move(backend)));
  std::unique_ptr<TableSpace> made(new TableSpace(std::move(space), table.whole));
  TRY(made->add_rows(table));
  return made;
}

Status TableSpace::add_rows(StudyTable const& table) {
  for (TableRow const& row : table.rows) {
    TRY_ASSIGN(Candidate candidate, Space::at(row.point));
    if (candidate.rejection) continue;
    auto [place, is_new] = by_script_.emplace(candidate.schedule.script(), rows_.size());
    by_point_.emplace(point_text(row.point), place->second);
    if (!is_new) continue;
    by_point_.emplace(point_text(candidate.point), place->second);
    knobs_.see(candidate.knobs);
    rows_.push_back(std::move(candidate));
  }
  if (rows_.empty()) return bad_input("bad_table", "no point of the table is worth compiling");
  for (size_t knob = 0; knob < knobs_.knobs(); ++knob)
    numbers_.push_back(std::ranges::all_of(knobs_.values(knob), is_number));
  for (Candidate const& row : rows_) {
    std::vector<Knob> preset = row.knobs;
    for (Knob& knob : preset) knob.taken = knob.preset;
    taken_.push_back(knobs_.coordinates(row.knobs));
    by_rule_.push_back(knobs_.coordinates(preset));
  }
  return {};
}

TableSpace::Wanted TableSpace::wanted(Point const& point) const {
  Wanted wanted(knobs_.knobs(), kNotAsked);
  for (size_t knob = 0; knob < wanted.size(); ++knob) {
    auto named = point.find(knobs_.name(knob));
    if (named == point.end()) continue;
    auto const& values = knobs_.values(knob);
    auto value = std::ranges::find(values, named->second);
    if (value != values.end()) wanted[knob] = int(value - values.begin());
  }
  return wanted;
}

double TableSpace::apart(Wanted const& point, size_t row) const {
  double apart = 0;
  for (size_t knob = 0; knob < taken_[row].size(); ++knob) {
    int taken = taken_[row][knob];
    if (taken == kNotAsked) continue;
    int other = point[knob] == kNotAsked ? by_rule_[row][knob] : point[knob];
    if (other == taken) continue;
    apart += numbers_[knob] && std::abs(other - taken) == 1 ? kOneStep : 1;
  }
  return apart;
}

std::vector<size_t> TableSpace::nearest(Point const& point, size_t count) const {
  Wanted wanted = this->wanted(point);
  size_t seed = std::hash<std::string>()(point_text(point));
  std::vector<std::tuple<double, size_t, size_t>> order;
  order.reserve(rows_.size());
  for (size_t row = 0; row < rows_.size(); ++row)
    order.emplace_back(apart(wanted, row), mixed(seed, row), row);
  count = std::min(count, order.size());
  std::ranges::partial_sort(order, order.begin() + ptrdiff_t(count));
  std::vector<size_t> numbers;
  for (size_t i = 0; i < count; ++i) numbers.push_back(std::get<2>(order[i]));
  return numbers;
}

/// By the template, which is asked once for each point.
Result<Candidate> TableSpace::made(Point point) const {
  std::string text = point_text(point);
  TRY_ASSIGN(Candidate candidate, Space::at(std::move(point)));
  auto row = by_script_.find(candidate.schedule.script());
  if (row != by_script_.end() && !candidate.rejection) {
    by_point_.emplace(text, row->second);
    return rows_[row->second];
  }
  by_point_.emplace(text, rows_.size() + others_.size());
  if (candidate.rejection) candidate.schedule = Schedule(program());  // programs are large
  others_.push_back(candidate);
  return candidate;
}

Result<Candidate> TableSpace::at(Point point) const {
  if (auto known = by_point_.find(point_text(point)); known != by_point_.end())
    return known->second < rows_.size() ? rows_[known->second]
                                        : others_[known->second - rows_.size()];
  if (whole_) return made(std::move(point));
  size_t row = nearest(point, 1).front();
  by_point_.emplace(point_text(point), row);
  return rows_[row];
}

Result<Candidate> TableSpace::random(Rng& rng) const {
  return rows_[size_t(rng.below(int64_t(rows_.size())))];
}

/// The nearest row may be the one it came from, however often another knob is changed.
Result<Candidate> TableSpace::mutated(Candidate const& from, Rng& rng) const {
  TRY_ASSIGN(Candidate other, Space::mutated(from, rng));
  for (int tries = 1; !whole_ && tries < kMostDraws && other.point == from.point; ++tries) {
    TRY_ASSIGN(other, Space::mutated(from, rng));
  }
  if (whole_ || other.point != from.point) return other;
  std::vector<size_t> near = nearest(from.point, kMostDraws + 1);
  std::erase_if(near, [&](size_t row) { return rows_[row].point == from.point; });
  return near.empty() ? from : rows_[near[size_t(rng.below(int64_t(near.size())))]];
}

std::vector<Point> TableSpace::neighbours(Candidate const& of) const {
  std::vector<Point> around = Space::neighbours(of);
  if (whole_) return around;
  std::vector<Point> points;
  for (size_t row : nearest(of.point, around.size() + 1))
    if (rows_[row].point != of.point) points.push_back(rows_[row].point);
  return points;
}

std::optional<analysis::TimeModel> TableSpace::modelled(Candidate const& candidate) const {
  auto [place, is_new] = modelled_.try_emplace(candidate.schedule.script());
  if (is_new) place->second = Space::modelled(candidate);
  return place->second;
}

}  // namespace tw
