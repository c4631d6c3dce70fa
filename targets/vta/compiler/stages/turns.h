/// What virtual threads do, as one list: each module's work of one thread after that of the other.
#pragma once

#include <vector>

#include "targets/vta/compiler/stages/stage.h"

namespace tw::vta {

/// A call, or a loop that ran: one list for each iteration.
struct Course {
  std::vector<StageCall> calls;  ///< of one statement; empty for a loop
  std::vector<std::vector<Course>> iterations;
  bool is_loop() const { return calls.empty(); }
};
using Courses = std::vector<Course>;

/// Threads that run the same loops go through them together; within, neighbouring statements for
/// one module stay together, and the threads follow one another. Where the threads do not have the
/// same statements they run one after the other from there on.
///   t0: load a, load b, multiply; t1: the same  -->  a0 b0 a1 b1 multiply0 multiply1
/// Source: Moreau et al. 2018, §4.3.
Courses in_turns(std::vector<Courses> threads);

/// All calls in their order.
std::vector<StageCall> flattened(Courses courses);

}  // namespace tw::vta
