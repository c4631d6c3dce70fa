#include "engine/tuner/model/candidate_pool.h"

#include <algorithm>

namespace tw {

Result<bool> CandidatePool::add(Point const& point) { return add(space_.at(point)); }

Result<bool> CandidatePool::add(Result<Candidate> candidate) {
  if (!candidate) return std::unexpected(candidate.error());
  features_.see(candidate->knobs);
  Coordinates coordinates = features_.coordinates(candidate->knobs);
  if (!known_.insert(coordinates).second || candidate->rejection) return false;
  if (!scripts_.insert(candidate->schedule.script()).second) return false;
  points_.push_back({candidate->point, {std::move(coordinates), space_.modelled(*candidate)}});
  return true;
}

SeenPoint CandidatePool::note(Candidate const& candidate) {
  features_.see(candidate.knobs);
  Coordinates coordinates = features_.coordinates(candidate.knobs);
  known_.insert(coordinates);
  scripts_.insert(candidate.schedule.script());
  std::erase_if(points_, [&](PooledPoint const& one) { return one.point == candidate.point; });
  return {std::move(coordinates), space_.modelled(candidate)};
}

void CandidatePool::keep(std::span<size_t const> numbers) {
  std::vector<PooledPoint> kept;
  for (size_t number : numbers) kept.push_back(std::move(points_[number]));
  points_ = std::move(kept);
}

}  // namespace tw
