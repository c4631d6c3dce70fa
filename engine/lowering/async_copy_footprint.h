/// What statements touch of the tensors that copies fill and read, element by element.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/arith/simplify.h"
#include "engine/ir/rewrite.h"
#include "engine/lowering/async_copy_order.h"
#include "engine/target/target.h"

namespace tw {

/// As sorted numbers.
using Elements = std::vector<int64_t>;

/// A part of a tensor: of every dimension the places that an access may reach.
struct ElementBox {
  int64_t tensor = 0;
  std::vector<arith::Interval> places;
  bool meets(ElementBox const& other) const;
};

/// What a statement without commits touches in one iteration of the loops that hold commits.
struct Effect {
  Elements reads, writes;
  /// The same of a queue with a name. What is started updates in turn with others of its queue.
  std::vector<ElementBox> read_parts = {}, written_parts = {}, updated_parts = {};
  int64_t released = -1;  ///< a tensor that goes away here, by its number
  bool known = true;      ///< no: it would be too many, or they are not told
  bool clashes = false;   ///< copies that are started together disturb one another
  bool nothing() const {
    return reads.empty() && writes.empty() && read_parts.empty() && written_parts.empty() &&
           updated_parts.empty() && released < 0;
  }
  /// Whether it comes too early for a copy that is under way.
  bool disturbs(Effect const& copy) const;
};

/// Finds what statements touch, point by point; for a queue with a name as boxes, in which all
/// threads and all loops without commits run.
class Touching {
public:
  /// The threads' loops stand around `body`: each of their points is taken.
  Touching(Target const& target, AsyncQueue const& queue, ir::Stmt const& body,
           LoopsAround const& around);

  /// -1: no copy touches it.
  int64_t number_of(std::string const& tensor) const;
  /// With counters of the loops around at `values`.
  Effect of(ir::Stmt const& s, std::map<std::string, int64_t> const& values);
  /// Whether `name` tells what is touched, or whether it is, anywhere in the statement.
  bool tells(ir::Stmt const& s, std::string const& name) const;
  /// After how many values of `name` what is touched comes again, as slots of a ring do: 1 where it
  /// tells nothing, 0 where it never does.
  int64_t period(ir::Stmt const& s, std::string const& name) const;

private:
  using Running = std::vector<std::pair<std::string, int64_t>>;  // counters with their extents
  template <typename F>
  void each_telling(ir::Stmt const& s, F const& f) const;
  ir::Expr choice_of(ir::Expr const& e) const;
  bool reads(ir::Expr const& root) const;
  void visit(ir::Stmt const& s);
  template <typename F>
  void where(ir::Expr const& condition, F const& f);
  void look(ir::Expr const& root);
  void put_read(ir::Touched const& at);
  void visit_parts(ir::Stmt const& s);
  void put_started(ir::IntrinsicCall const& call);
  void put_box(ir::Touched const& at, Elements& into);
  void put_part(ir::Touched const& at, std::vector<ElementBox>& into);
  void run(ir::Expr const& counter, ir::Expr const& extent);
  void put(ir::Touched const& at, Elements& into);
  bool is_private(ir::BufferNode const& tensor) const;
  void enumerate(ir::BufferNode const& buffer, std::vector<ir::Expr> const& at,
                 std::vector<int64_t> const& shape, int64_t tensor, Running const& running,
                 int64_t points, Elements& into);

  Target const& target_;
  AsyncQueue const& queue_;
  bool in_parts_;
  size_t threads_;  ///< the first of the loops
  std::map<std::string, size_t> tensors_;
  std::set<std::string> filled_;  ///< those of them that copies write
  std::vector<ir::For const*> loops_;
  arith::Ranges running_;  // of boxes
  std::vector<ir::Expr> conditions_;
  Effect effect_;
  bool starting_ = false;
  int64_t points_ = 0;
};

}  // namespace tw
