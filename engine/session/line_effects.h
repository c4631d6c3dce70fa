/// What a line of a script does to the program, and what the kernel's time was before and after it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/session/session.h"

namespace tw::session {

struct LineEffect {
  std::string step;                       ///< "split i 8"
  std::string failure;                    ///< a sentence: why it does nothing; the rest is empty
  int added = 0, removed = 0, moved = 0;  ///< lines of the program
  std::vector<std::string> made, gone;    ///< loops, as scripts call them
  int node_before = -1, node_after = -1;  ///< of the history; -1: none has these steps
  std::vector<std::string> written_out;   ///< of a macro: lines of primitives that do the same
};
/// Of the line, from 1, in a text for the current kernel; memoized, the last ones. `step` is empty
/// where no step stands. Null: not there yet, the listener is called when it is; or there is no
/// kernel.
std::shared_ptr<LineEffect const> line_effect(Session& session, std::string const& text, int line);

/// "split i 8: makes C.i0, C.i1 of C.i; program +2 −1 lines; measured 1.71 ms → 0.90 ms, 1.90× as
/// fast". Measured where both states were, else modelled ("○"), else no time is told.
std::string words_of(LineEffect const& effect, HistoryView const* history);

}  // namespace tw::session
