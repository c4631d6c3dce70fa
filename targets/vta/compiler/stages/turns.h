/// What virtual threads do, as one list: each module's work of one thread after that of the other.
#pragma once

#include <vector>

#include "targets/vta/compiler/stages/stage.h"

namespace tw::vta {

/// Calls of one statement for one module, or a loop that ran: one list for each iteration.
struct Course {
  Module module = Module::kLoad;
  uint32_t first = 0, count = 0;  ///< of all calls; no calls for a loop
  std::vector<std::vector<Course>> iterations;
  bool is_loop() const { return count == 0; }
};
using Courses = std::vector<Course>;

/// Threads that run the same loops go through them together; within, neighbouring statements for
/// one module stay together, and the threads follow one another. Where the threads do not have the
/// same statements they run one after the other from there on.
///   t0: load a, load b, multiply; t1: the same  -->  a0 b0 a1 b1 multiply0 multiply1
/// Source: Moreau et al. 2018, §4.3.
Courses in_turns(std::vector<Courses> threads);

/// The numbers of all calls in their order.
std::vector<uint32_t> flattened(Courses const& courses);

}  // namespace tw::vta
