#include "engine/tuner/space.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "engine/compile/load_time.h"

namespace tw {
namespace {

bool is_number(std::string const& word) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size();
}

/// Values that stand beside the one taken, of a number; all others, of a word.
std::vector<int> other_values(Knob const& knob) {
  std::vector<int> others;
  bool numbers = std::ranges::all_of(knob.values, is_number);
  for (int i = 0; i < int(knob.values.size()); ++i)
    if (i != knob.taken && (!numbers || std::abs(i - knob.taken) == 1 || i == knob.preset))
      others.push_back(i);
  return others;
}

}  // namespace

Result<Candidate> Space::made(Decisions& decisions) const {
  TRY_ASSIGN(Schedule schedule, backend_->templated(program_, decisions));
  return Candidate{decisions.point(), decisions.knobs(), std::move(schedule), decisions.rejection(),
                   std::nullopt};
}

Result<Candidate> Space::by_rule() const {
  Decisions decisions(pinned_, {}, threads_);
  TRY_ASSIGN(Candidate rule, made(decisions));
  for (auto const& [name, value] : pinned_) {
    auto knob = std::ranges::find(rule.knobs, name, &Knob::name);
    if (knob == rule.knobs.end())
      return bad_input("unknown_knob", fmt::format("the template has no knob '{}'", name));
    if (knob->value() != value)
      return bad_input("unknown_value", fmt::format("the knob '{}' takes {}, not '{}'", name,
                                                    fmt::join(knob->values, ", "), value));
  }
  return rule;
}

Result<Candidate> Space::at(Point point) const {
  for (auto const& [name, value] : pinned_) point[name] = value;
  Decisions decisions(std::move(point), {}, threads_);
  return made(decisions);
}

Result<Candidate> Space::first_at(Point point) const {
  for (auto const& [name, value] : pinned_) point[name] = value;
  Decisions decisions(
      std::move(point), [](Knob const&) { return 0; }, threads_);
  return made(decisions);
}

Result<Candidate> Space::random(Rng& rng) const {
  // The template may be run more than once, and answers the same then.
  std::map<std::string, int> drawn;
  Decisions decisions(
      pinned_,
      [&](Knob const& knob) {
        auto [known, is_new] = drawn.try_emplace(knob.name, 0);
        if (is_new) known->second = int(rng.below(int64_t(knob.values.size())));
        return known->second;
      },
      threads_);
  return made(decisions);
}

Result<Candidate> Space::mutated(Candidate const& from, Rng& rng) const {
  std::vector<Knob const*> free;
  for (Knob const& knob : from.knobs)
    if (knob.values.size() > 1 && !pinned_.contains(knob.name)) free.push_back(&knob);
  if (free.empty()) return at(from.point);
  Knob const& knob = *free[size_t(rng.below(int64_t(free.size())))];
  int64_t other = rng.below(int64_t(knob.values.size()) - 1);
  Point point = from.point;
  point[knob.name] = knob.values[size_t(other + (other >= knob.taken))];
  return at(std::move(point));
}

std::vector<Point> Space::neighbours(Candidate const& of) const {
  std::vector<Point> points;
  for (Knob const& knob : of.knobs) {
    if (pinned_.contains(knob.name)) continue;
    for (int other : other_values(knob)) {
      Point point = of.point;
      point[knob.name] = knob.values[size_t(other)];
      points.push_back(std::move(point));
    }
  }
  return points;
}

Result<double> Space::size() const {
  TRY_ASSIGN(Candidate rule, by_rule());
  double size = 1;
  for (Knob const& knob : rule.knobs)
    if (!pinned_.contains(knob.name)) size *= double(knob.values.size());
  return size;
}

std::optional<analysis::TimeModel> Space::modelled(Candidate const& candidate) const {
  if (!roofs_) return {};
  ir::Program runs = split_load_time(candidate.schedule.program()).at_run;
  analysis::Locality locality(runs, backend_->target().hardware.line_bytes());
  return backend_->model_time(runs, locality, *roofs_);
}

}  // namespace tw
