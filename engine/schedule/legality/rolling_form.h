/// What a rolling update fuses: the loops of a maximum, of the powers of e that it is subtracted
/// in, and of sums of these.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "engine/schedule/primitive.h"

namespace tw {

/// A nest with one block below the loop that is fused, and the loops between the two.
struct RollingNest {
  ir::LoopSite loop;
  ir::BlockSite site;

  ir::Block const& block() const { return *site.block; }
  ir::Store const& store() const;
  std::vector<ir::For const*> inner() const;  ///< below the fused loop, outermost first
};

/// A block that makes powers of e in which the maximum is subtracted; or that sums such powers of
/// one iteration, for each iteration apart; or of all.
enum class RollingKind : uint8_t { kPowers, kParts, kSum };

struct RollingPart {
  RollingNest nest;
  RollingKind kind = RollingKind::kPowers;
  int64_t tile = 1;               ///< values of its axis in one iteration of the fused loop
  std::vector<ir::Expr> maximum;  ///< indices of the maximum's element, over the iterators
  /// Of the body: `exp(x - M[..])` as it stands there; null: it reads them from a tensor.
  ir::Expr power = nullptr;
  ir::Expr argument = nullptr;  ///< x
  ir::Expr step = nullptr;      ///< the iteration of the fused loop, over the iterators
  /// Of sums: the term without what is the same in all terms and needs other sums, and that, by
  /// which the whole sum is multiplied or divided.
  ir::Expr term = nullptr;
  struct Factor {
    ir::Expr value;
    bool divides;
  };
  std::vector<Factor> last = {};

  /// Its tensor is that of one iteration alone.
  bool of_iteration() const { return kind != RollingKind::kSum; }
};

struct RollingForm {
  RollingNest maximum;
  std::vector<RollingPart> parts;  ///< in their order
  int64_t count = 0;               ///< iterations of the fused loop
};

/// Errors: those of rolling_update about the shape of its nests and what their blocks compute.
std::expected<RollingForm, Refusal> rolling_form(StepRequest const& request);

}  // namespace tw
