// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "app/window/panes/access/journal.h"

#include "app/shared/journal/form_rows.h"

namespace tw {

journal::Vocabulary const& vocabulary_access() {
  using namespace journal;
  static journal::Vocabulary const words{
      {
          row<ChooseAccess>("access of", "shows what that access of a warp costs memory",
                            Word<ChooseAccess>{&ChooseAccess::tensor, "TENSOR"},
                            Word<ChooseAccess>{&ChooseAccess::way, "WAY", {"load", "store"}},
                            Optional<ChooseAccess>{&ChooseAccess::number, "NUMBER"}),
          row<PutAccess>("access at", "puts the warp at an iteration of a loop, or at its number",
                         Word<PutAccess>{&PutAccess::loop, "LOOP"},
                         Number{&PutAccess::iteration, "ITERATION"}),
          row<PutIteration>("access iteration",
                            "puts the warp at an iteration of all loops around the access",
                            Number{&PutIteration::iteration, "ITERATION"}),
          row<PlayAccess>("access player", "plays the loops around the access, or pauses",
                          Word<PlayAccess>{&PlayAccess::how, "HOW", {"play", "pause"}}),
          row<RingLane>("access lane", "focuses a lane of the warp",
                        Number{&RingLane::lane, "LANE"}),
      },
      {
          {"access", "words", "the chosen access of a warp: tensor, then load or store"},
          {"access.count", "", "number of accesses of the kernel's launches"},
          {"access.over", "", "how many of them cost more than their bytes need"},
          {"access.cost", "",
           "sectors or passes of the chosen access, the average over all iterations"},
          {"access.ideal", "", "sectors or passes that its bytes need"},
          {"access.here", "", "sectors or passes of the request that is shown"},
          {"access.iteration", "", "the iteration that is shown, of all loops around the access"},
          {"access.iterations", "", "number of these; 0: nothing is shown"},
          {"access.plays", "words", "whether the iterations are played: yes or no"},
          {"access.lane", "", "the focused lane"},
      }};
  return words;
}

}  // namespace tw
