/// The searches that claims compare.
#pragma once

#include "engine/tuner/search/learned.h"
#include "engine/tuner/study/claims.h"

namespace tw {

/// As the paper's: nothing is known but the space, neither a schedule by rule nor a model of the
/// machine, and the order is learned.
LearnedOptions paper_options();
Arm learned_arm(std::string name, LearnedOptions const& options);
/// The paper's search, the same arm for all claims.
Arm paper_arm();
/// What `tw tune` does: the rule first, and the machine's model beside what was measured.
Arm our_arm();
/// The paper's search with a recursive network, and `tw tune --model tree-gru`.
LearnedOptions network_options();
Arm network_arm();
Arm our_network_arm();
Arm chance_arm();
Arm genetic_arm();  ///< it, too, knows nothing but the space

/// What some tables teach, as if they had been tuned before: `most` right rows of each by chance.
/// Errors: those of training.
Result<std::shared_ptr<TransferHistory const>> experience_of(
    std::vector<StudiedTable const*> const& tables, TransferHistoryOptions const& options,
    size_t most, std::vector<Point> first = {});
/// The same of a network, which learns the order; its weights are to go on from.
Result<TreeGru> network_of(std::vector<StudiedTable const*> const& tables, size_t most);
double order_of(TreeGru const& network, StudiedTable const& table);
/// The fastest points of each table.
std::vector<Point> best_points(std::vector<StudiedTable const*> const& tables, size_t of_each);
/// How well it orders the rows of a table: Kendall's tau.
double order_of(TransferHistory const& experience, StudiedTable const& table);

}  // namespace tw
