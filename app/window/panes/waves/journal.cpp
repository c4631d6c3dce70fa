// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "app/window/panes/waves/journal.h"

#include "app/shared/journal/form_rows.h"

namespace tw {

journal::Vocabulary const& vocabulary_waves() {
  using namespace journal;
  static journal::Vocabulary const words{
      {
          row<ChooseLaunch>("waves of", "shows the blocks of that launch of the kernel, from 1",
                            Number{&ChooseLaunch::launch, "LAUNCH"}),
          row<WavesIf>(
              "waves if",
              "shows the waves with other blocks: threads, registers of each, and bytes of "
              "shared memory",
              Number{&WavesIf::threads, "THREADS"}, Number{&WavesIf::registers, "REGISTERS"},
              Number{&WavesIf::shared_bytes, "BYTES"}),
          row<WavesAsIs>("waves as is", "shows the waves as the launch has them"),
      },
      {
          {"waves", "", "waves of the chosen launch's blocks; 0: none is shown"},
          {"waves.blocks", "", "blocks of the chosen launch"},
          {"waves.last", "", "blocks of the last wave"},
          {"waves.at_once", "", "blocks that run at once on all multiprocessors"},
          {"waves.occupancy", "", "warps that run at once, of those that could, from 0 to 1"},
          {"waves.limit", "words", "what limits them"},
          {"waves.if", "words", "threads, registers and bytes of what is tried, or: none"},
          {"waves.registers", "", "registers of a thread; 0: not counted"},
      }};
  return words;
}

}  // namespace tw
