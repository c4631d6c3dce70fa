/// What "Learning to Optimize Tensor Programs" (Chen et al. 2018) and its authors' code say of a
/// learned search, asked of tables of measured points: one verdict a claim, with its curves.
#pragma once

#include "engine/tuner/study/curves.h"
#include "engine/tuner/study/table_space.h"

namespace tw {

enum class Verdict : uint8_t { kHolds, kPartly, kFails, kCannotAsk };
/// "holds", "holds in part", "does not hold here", "cannot be asked".
std::string_view name_of(Verdict verdict);

/// A table, and how searches run on it.
struct StudiedTable {
  std::string name;
  std::unique_ptr<TableSpace> space;
  TableTimes times;
  std::vector<double> seconds;  ///< of the space's rows; 0: it failed
  double reference = 0;         ///< seconds that are to be reached: somebody else's, or the rule's
  bool reference_is_rule = true;
  std::string kind;  ///< of its loops: kernels of one kind compute in one way
};
/// `reference` of 0: what the schedule by rule takes. Errors: those of the space; bad_table.
Result<StudiedTable> studied(StudyTable const& table, std::shared_ptr<Backend const> backend,
                             double reference = 0);

/// How a search is made.
struct Arm {
  std::string name;  ///< arms of one name are one
  std::function<std::unique_ptr<Search>(Space const&, uint64_t seed)> make;
};

struct ClaimOptions {
  int trials = 128;
  int seeds = 10;
  std::function<void(std::string const& arm, std::string const& table)> on_run;
  StopToken stop;
};

/// Tables with the runs made so far: several claims ask for the same ones.
class ClaimStudy {
public:
  ClaimStudy(std::vector<StudiedTable> tables, ClaimOptions options)
      : tables_(std::move(tables)), options_(std::move(options)) {}

  std::vector<StudiedTable> const& tables() const { return tables_; }
  int trials() const { return options_.trials; }
  int seeds() const { return options_.seeds; }
  /// `times` as many trials. Errors: those of the space; cancelled.
  Result<Curve> run(size_t table, Arm const& arm, int times = 1);
  /// On every table.
  Result<std::vector<Curve>> run_all(Arm const& arm, int times = 1);

private:
  std::vector<StudiedTable> tables_;
  ClaimOptions options_;
  struct Run {
    Curve curve;
    int trials = 0;
  };
  std::map<std::pair<std::string, size_t>, Run> known_;
};

/// Something that takes time, in seconds.
struct TimedThing {
  std::string name;
  double seconds = 0;
};

struct ClaimResult {
  Verdict verdict = Verdict::kCannotAsk;
  std::string sentence;  ///< with the figures that it rests on
  /// Of each table that was asked, the curves to draw.
  std::map<std::string, std::vector<Curve>> curves;
  std::map<std::string, double> levels;  ///< by table: a speed that is to be reached
  std::string level_name;
  std::vector<TimedThing> times;
};

struct ClaimRow {
  std::string_view key;    ///< "R1"
  std::string_view title;  ///< what is claimed
  Result<ClaimResult> (*ask)(ClaimStudy&);
};
/// R1 to R10.
std::vector<ClaimRow> const& claims();
/// Errors: unknown_claim, with those there are.
Result<ClaimRow> find_claim(std::string_view key);

/// Its picture: curves of each table, or bars.
std::string claim_svg(ClaimRow const& claim, ClaimResult const& result, int trials, int seeds);

}  // namespace tw
