#include <set>

#include "engine/tuner/study/table.h"

namespace tw {
namespace {

/// Points by chance that are in vain, in a row, before there are taken to be no more.
constexpr int kMostInVain = 5000;

class Collected {
public:
  void take(Candidate const& candidate) {
    if (candidate.rejection || !scripts_.insert(candidate.schedule.script()).second) return;
    points.push_back(candidate.point);
  }
  std::vector<Point> points;

private:
  std::set<std::string> scripts_;
};

/// The point after `candidate`, where all that come before the changed knob stay; nothing: it was
/// the last.
std::optional<Point> point_after(Candidate const& candidate, Point const& pinned) {
  for (size_t i = candidate.knobs.size(); i-- > 0;) {
    Knob const& knob = candidate.knobs[i];
    if (pinned.contains(knob.name) || knob.taken + 1 >= int(knob.values.size())) continue;
    Point point;
    for (size_t before = 0; before < i; ++before)
      point[candidate.knobs[before].name] = candidate.knobs[before].value();
    point[knob.name] = knob.values[size_t(knob.taken) + 1];
    return point;
  }
  return {};
}

}  // namespace

Result<SpacePoints> points_of(Space const& space, size_t most, uint64_t seed, size_t most_visited) {
  Collected collected;
  TRY_ASSIGN(Candidate rule, space.by_rule());
  collected.take(rule);
  std::optional<Point> next = Point();
  // More than are asked for: going on would only say how many.
  for (size_t visited = 0; next && visited < most_visited && collected.points.size() <= most;
       ++visited) {
    TRY_ASSIGN(Candidate candidate, space.first_at(*next));
    collected.take(candidate);
    next = point_after(candidate, space.pinned());
  }
  Rng rng(seed);
  SpacePoints all{std::move(collected.points), !next};
  if (next) {  // what was visited is one corner of the space
    Collected by_chance;
    by_chance.take(rule);
    for (int in_vain = 0; by_chance.points.size() < most && in_vain < kMostInVain; ++in_vain) {
      size_t before = by_chance.points.size();
      TRY_ASSIGN(Candidate candidate, space.random(rng));
      by_chance.take(candidate);
      if (by_chance.points.size() > before) in_vain = 0;
    }
    all.points = std::move(by_chance.points);
  }
  // Measured in random order, so that a busy moment spoils no corner.
  for (size_t i = all.points.size(); i > 2; --i)
    std::swap(all.points[i - 1], all.points[1 + size_t(rng.below(int64_t(i) - 1))]);
  all.whole = all.whole && all.points.size() <= most;
  if (all.points.size() > most) all.points.resize(most);
  return all;
}

}  // namespace tw
