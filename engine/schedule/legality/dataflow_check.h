/// The exact question about a block that is put elsewhere, asked of the program as it would be
/// after the step and answered by integer sets: does every read find what it reads whole, and does
/// every instance still run? A complete block may run instances again: they write the same values.
/// A sum that is started again may not, between its first term and a later read.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "engine/arith/proof_budget.h"
#include "engine/ir/program.h"
#include "engine/schedule/refusal.h"

namespace tw {

struct DataflowQuestion {
  ir::Program const& before;
  ir::Program const& after;
  std::set<ir::BlockId> readers = {};  ///< all that these blocks read
  std::set<std::string> tensors = {};  ///< all that is read of these tensors
  /// These blocks run the instances that they ran before, and no others.
  std::set<ir::BlockId> whole = {};
  /// The readers read these where they did before, if at all: nothing is asked of them.
  std::set<std::string> kept = {};
};

struct DataflowAnswer {
  std::string code;     ///< of the fault; empty: none was found
  std::string message;  ///< names the blocks, the element and the iterations
  /// First the write that comes too late, then the read; none where data decide whether they meet.
  std::optional<Conflict> conflict;
  std::string unknown;  ///< why it is not proved that there is no fault
  int questions = 0;

  bool holds() const { return code.empty() && unknown.empty(); }
  std::string proof() const;
};

DataflowAnswer check_dataflow(DataflowQuestion const& question, ProofBudget budget);

/// Tensors whose allocation stands in other loops than before.
std::set<std::string> moved_tensors(ir::Program const& before, ir::Program const& after);

}  // namespace tw
