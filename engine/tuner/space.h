/// The space of a kernel's schedules: every point that a target's template can be made to give.
/// Knobs depend on the ones before, so a point is known by running the template, which gives the
/// schedule, too: a trace of primitives. Where the template takes the same steps with and without
/// proofs, by rule and at some points by chance, those that a search looks at are made without: who
/// uses one proves it then (`proven`). A template that needs the refusals of its steps gets them at
/// every point. A table of points that were made before is a space, too.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/schedule/open_script.h"
#include "engine/support/base/random.h"

namespace tw {

/// A point with what the template made of it.
struct Candidate {
  Point point;              ///< without what is as the rule has it
  std::vector<Knob> knobs;  ///< all that were asked, in order
  Schedule schedule;
  /// Not worth compiling; the schedule is none then.
  std::optional<Decisions::Rejection> rejection;
  std::optional<double> predicted_seconds;  ///< by the search that proposed it, before it ran
};

class Space {
public:
  /// `pinned`: knobs that stay as they are said here. `roofs`: of the device; null: not known.
  /// `script`: the template, where it is not the target's own.
  /// `threads`: that points are tried with; on one thread how work is shared stays as the rule has
  /// it.
  Space(ir::Program program, std::shared_ptr<Backend const> backend, Point pinned = {},
        std::shared_ptr<Roofs const> roofs = {}, int threads = 0,
        std::shared_ptr<OpenScript const> script = {});
  virtual ~Space() = default;
  Space(Space const&) = default;
  Space(Space&&) = default;

  /// The space of another program, everything else the same; nothing of it is pinned.
  Space of(ir::Program program) const {
    return Space(std::move(program), backend_, {}, roofs_, threads_);
  }

  ir::Program const& program() const { return program_; }
  Backend const& backend() const { return *backend_; }
  Point const& pinned() const { return pinned_; }

  /// Errors: those of the template; unknown_knob (one that is pinned, but that no schedule by rule
  /// asks for); not_legal (of a script, as its open arguments are where nothing is said).
  Result<Candidate> by_rule() const;
  /// What a result must be faster than: the schedule by rule, and of a script that by the target's
  /// own template.
  Result<Candidate> baseline() const;
  /// Knobs that the template does not ask for at that point say nothing.
  virtual Result<Candidate> at(Point point) const;
  /// Knobs that are not named take their first value, not that of the rule.
  Result<Candidate> first_at(Point point) const;
  /// A candidate of this space whose every step was proven. Errors: not_legal, where that gives
  /// another schedule (then no point of this space is made without proofs any more); those of the
  /// template.
  Result<Candidate> proven(Candidate const& candidate) const;
  /// Each knob by chance.
  virtual Result<Candidate> random(Rng& rng) const;
  /// `from` with one knob changed by chance.
  virtual Result<Candidate> mutated(Candidate const& from, Rng& rng) const;
  /// Points that differ from it in one knob, by a neighbouring value of a number, any other value
  /// of a word; pinned ones stay.
  virtual std::vector<Point> neighbours(Candidate const& of) const;
  /// Points of the knobs that are asked for by rule, taken as independent: how many there may be,
  /// as a number for people.
  Result<double> size() const;
  /// What the target's own model says of what runs each time, before anything was measured. Nothing
  /// where the roofs are not known, or the target has no model.
  virtual std::optional<analysis::TimeModel> modelled(Candidate const& candidate) const;

private:
  Result<Candidate> made(Decisions& decisions) const;
  Point with_pinned(Point point) const;
  bool needs_no_proofs() const;
  ProofBudget budget() const { return *trusts_ ? ProofBudget::kTrusted : ProofBudget::kWork; }

  ir::Program program_;
  std::shared_ptr<Backend const> backend_;
  Point pinned_;
  std::shared_ptr<Roofs const> roofs_;
  int threads_ = 0;
  std::shared_ptr<OpenScript const> script_;
  /// Points that are looked at are made without proofs. Shared by copies, and between threads.
  std::shared_ptr<std::atomic<bool>> trusts_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace tw
