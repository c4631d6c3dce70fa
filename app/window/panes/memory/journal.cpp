// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "app/window/panes/memory/journal.h"

#include "app/shared/journal/form_rows.h"

namespace tw {

journal::Vocabulary const& vocabulary_memory() {
  using namespace journal;
  static journal::Vocabulary const words{
      {
          row<FilmFrom>(
              "trace from",
              "shows the accesses after that share of the kernel's iterations, from 0 to 1",
              Number{&FilmFrom::share, "SHARE"})
              .formerly("film from"),
          row<FilmFrame>("trace at", "shows one iteration's accesses, counted from 0",
                         Number{&FilmFrame::frame, "ITERATION"})
              .formerly("film at"),
          row<FilmShows>("trace shows",
                         "chooses what the cells of tensors show: the location of their lines, or "
                         "the misses so far in one cache or in all",
                         Word<FilmShows>{&FilmShows::what, "WHAT", {"places", "misses"}},
                         Optional<FilmShows>{&FilmShows::level, "CACHE"})
              .formerly("film shows"),
      },
      {
          {"trace.frame", "", "the iteration whose accesses are shown, from 0", "film.frame"},
          {"trace.frames", "",
           "number of iterations whose accesses can be shown; 0: there is no trace", "film.frames"},
          {"trace.cold", "", "compulsory misses up to there", "film.cold"},
          {"trace.capacity", "", "capacity misses up to there", "film.capacity"},
          {"trace.conflict", "", "conflict misses up to there", "film.conflict"},
          {"trace.shows", "words",
           "what cells show: places, misses (of all caches), or misses of a cache", "film.shows"},
          {"trace.most", "", "misses up to there of the line with most, as the cells count",
           "film.most"},
          {"trace.first", "",
           "share of the shown accesses, from 0 to 1, that are the first to their line",
           "film.first"},
          {"memory.links", "", "number of links between memories that show their traffic"},
          {"memory.parts", "", "number of parts of tensors in memories"},
      }};
  return words;
}

}  // namespace tw
