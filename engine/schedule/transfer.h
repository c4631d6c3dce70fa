/// A schedule taken over to another kernel: each step is tried there on the loops and blocks that
/// play the same part.
#pragma once

#include <string>
#include <vector>

#include "engine/schedule/schedule.h"

namespace tw {

enum class TransferOutcome : uint8_t { kApplied, kChanged, kRefused };

struct TransferredStep {
  std::string from;  ///< the line as it was taken on the first kernel
  std::string to;    ///< the line as it was taken or tried on the other; empty: no match for names
  TransferOutcome outcome = TransferOutcome::kApplied;
  std::string reason;  ///< what was changed by which rule, or why it was refused; a sentence
};

struct Transfer {
  Schedule schedule;  ///< of the other kernel, with the steps that it took
  std::vector<TransferredStep> steps;
  std::vector<std::string> matches;  ///< a line per loop: "C.i is conv2d.o (role out_channel)"
};

/// Replays every step of `from` from its plain program, and the same step on `target`, whose trace
/// is empty. Only these rules change a step:
/// - a factor larger than its loop becomes the loop's number of iterations;
/// - a factor that does not divide stays, and the remainder is guarded;
/// - reorder leaves out loops that have no match, while two or more remain;
/// - names that a script gave are dropped where the other kernel has them already.
/// A refused step is passed over; later ones that need what it makes are refused, too.
Transfer transfer(Schedule const& from, Schedule target);

}  // namespace tw
