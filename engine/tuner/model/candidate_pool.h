/// Points that went through the template, are worth compiling and were not proposed yet: a search
/// chooses among them, in numbers.
#pragma once

#include <set>

#include "engine/tuner/model/transfer_history.h"
#include "engine/tuner/space.h"

namespace tw {

struct PooledPoint {
  Point point;
  SeenPoint seen;
};

class CandidatePool {
public:
  /// `experience` may be null.
  CandidatePool(Space const& space, PointModelOptions const& model,
                std::shared_ptr<TransferHistory const> experience)
      : space_(space),
        kind_(model.kind),
        with_prior_(model.with_prior),
        representation_(model.representation),
        experience_(std::move(experience)) {}

  KnobFeatures const& features() const { return features_; }
  std::vector<PooledPoint> const& points() const { return points_; }
  /// Coordinates of all points that were ever here or noted; what the template made another point
  /// of, or rejected, too.
  std::set<Coordinates> const& known() const { return known_; }

  /// Whether it is a new one. Errors: those of the space.
  Result<bool> add(Point const& point);
  Result<bool> add(Result<Candidate> candidate);
  /// It was proposed, or measured by somebody else: it is in the pool no more.
  SeenPoint note(Candidate const& candidate);
  /// Keeps those with these numbers alone.
  void keep(std::span<size_t const> numbers);

private:
  SeenPoint seen(Candidate const& candidate, Coordinates coordinates) const;

  Space const& space_;
  ModelKind kind_;
  bool with_prior_;
  Representation representation_;  ///< of trees
  std::shared_ptr<TransferHistory const> experience_;
  KnobFeatures features_;
  std::set<Coordinates> known_;
  std::set<std::string> scripts_;
  std::vector<PooledPoint> points_;
};

}  // namespace tw
