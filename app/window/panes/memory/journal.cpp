// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "app/window/panes/memory/journal.h"

#include "app/shared/journal/form_rows.h"

namespace tw {

journal::Vocabulary const& vocabulary_memory() {
  using namespace journal;
  static journal::Vocabulary const words{
      {
          row<FilmFrom>(
              "film from",
              "shows the accesses after that share of the kernel's iterations, from 0 to 1",
              Number{&FilmFrom::share, "SHARE"}),
          row<FilmFrame>("film at", "shows one iteration's accesses, counted from 0",
                         Number{&FilmFrame::frame, "ITERATION"}),
      },
      {
          {"film.frame", "", "the iteration whose accesses are shown, from 0"},
          {"film.frames", "", "number of iterations whose accesses can be shown; 0: not there"},
          {"film.cold", "", "misses up to there of lines that were never seen before"},
          {"film.capacity", "", "misses up to there for want of room"},
          {"film.conflict", "", "misses up to there because of lines of the same set"},
          {"film.first", "",
           "share of the shown accesses, from 0 to 1, that are the first to their line"},
          {"memory.links", "", "number of links between memories that show what moves over them"},
          {"memory.parts", "", "number of parts of tensors that stand in memories"},
      }};
  return words;
}

}  // namespace tw
