/// The space of a table, made once: a replay asks for the same points again and again, and a
/// template takes longer than a search.
#pragma once

#include <unordered_map>

#include "engine/tuner/features/knob_features.h"
#include "engine/tuner/study/table.h"

namespace tw {

/// A point by chance is a row of the table by chance. Where the table is whole, other points are
/// what the template makes of them; else its rows are all there is, and a point is the row nearest
/// to it: what a search proposes beside them would be thrown away, however many it proposes.
class TableSpace final : public Space {
public:
  /// Errors: those of the space.
  static Result<std::unique_ptr<TableSpace>> create(StudyTable const& table,
                                                    std::shared_ptr<Backend const> backend);

  Result<Candidate> at(Point point) const override;
  Result<Candidate> random(Rng& rng) const override;
  Result<Candidate> mutated(Candidate const& from, Rng& rng) const override;
  std::vector<Point> neighbours(Candidate const& of) const override;
  std::optional<analysis::TimeModel> modelled(Candidate const& candidate) const override;

  /// Of the table, in its order; what is not worth compiling or comes twice is left out.
  std::vector<Candidate> const& rows() const { return rows_; }

private:
  /// Values of the knobs that any row was asked, by number; `kNotAsked`: as the rule has it.
  using Wanted = Coordinates;

  TableSpace(Space space, bool whole) : Space(std::move(space)), whole_(whole) {}
  Status add_rows(StudyTable const& table);
  Wanted wanted(Point const& point) const;
  double apart(Wanted const& point, size_t row) const;
  /// The nearest, the nearest first; of equally near ones the point decides.
  std::vector<size_t> nearest(Point const& point, size_t count) const;
  Result<Candidate> made(Point point) const;

  bool whole_;
  std::vector<Candidate> rows_;
  KnobFeatures knobs_;
  std::vector<bool> numbers_;         ///< of the knobs: values are numbers
  std::vector<Coordinates> taken_;    ///< of each row
  std::vector<Coordinates> by_rule_;  ///< what each row would have taken by itself
  std::unordered_map<std::string, size_t> by_script_;
  /// What points came to be: rows, or (behind them) what is in no row.
  mutable std::unordered_map<std::string, size_t> by_point_;
  mutable std::vector<Candidate> others_;
  mutable std::unordered_map<std::string, std::optional<analysis::TimeModel>> modelled_;
};

}  // namespace tw
