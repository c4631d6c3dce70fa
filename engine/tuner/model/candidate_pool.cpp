#include "engine/tuner/model/candidate_pool.h"

#include <algorithm>

#include "engine/compile/load_time.h"
#include "engine/tuner/features/program_tree.h"

namespace tw {

SeenPoint CandidatePool::seen(Candidate const& candidate, Coordinates coordinates) const {
  SeenPoint seen{std::move(coordinates), space_.modelled(candidate)};
  bool network = kind_ == ModelKind::kTreeGru;
  bool by_knobs = network || representation_ == Representation::kKnobs;
  if (by_knobs && !network && !experience_) return seen;
  ir::Program program = split_load_time(candidate.schedule.program()).at_run;
  if (network)
    if (auto tree = program_tree(program, with_prior_ ? seen.modelled : std::nullopt))
      seen.program = std::make_shared<FeatureTree const>(std::move(*tree));
  if (by_knobs && !experience_) return seen;
  LoopNest nest = loop_nest(program);
  if (!by_knobs)
    seen.loops =
        std::make_shared<std::vector<float> const>(program_features(representation_, nest));
  if (experience_) seen.experienced = experience_->predict(candidate.knobs, nest, seen.modelled);
  return seen;
}

Result<bool> CandidatePool::add(Point const& point) { return add(space_.at(point)); }

Result<bool> CandidatePool::add(Result<Candidate> candidate) {
  if (!candidate) return std::unexpected(candidate.error());
  features_.see(candidate->knobs);
  Coordinates coordinates = features_.coordinates(candidate->knobs);
  if (!known_.insert(coordinates).second || candidate->rejection) return false;
  if (!scripts_.insert(candidate->schedule.script()).second) return false;
  points_.push_back({candidate->point, seen(*candidate, std::move(coordinates))});
  return true;
}

SeenPoint CandidatePool::note(Candidate const& candidate) {
  features_.see(candidate.knobs);
  Coordinates coordinates = features_.coordinates(candidate.knobs);
  known_.insert(coordinates);
  scripts_.insert(candidate.schedule.script());
  std::erase_if(points_, [&](PooledPoint const& one) { return one.point == candidate.point; });
  return seen(candidate, std::move(coordinates));
}

void CandidatePool::keep(std::span<size_t const> numbers) {
  std::vector<PooledPoint> kept;
  for (size_t number : numbers) kept.push_back(std::move(points_[number]));
  points_ = std::move(kept);
}

}  // namespace tw
