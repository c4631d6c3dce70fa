/// The words that are said of loops and blocks, and of what blocks store in lowered code.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/ir/handles.h"

namespace tw::ir {

/// Whether words may be said of a statement of this kind at all.
bool takes_annotations(StmtKind kind);
/// The value that a word has for a statement; empty: it is not said.
std::optional<int64_t> said_of(StmtNode const& s, std::string_view word);
/// The origin with a word said; with the value 0, with the word taken back.
Origin with_word(Origin origin, std::string const& word, int64_t value);
/// The origin without any word.
Origin without_words(Origin origin);
/// " with keep_rolled=1, nontemporal=1"; nothing where there are none.
std::string annotations_text(StmtNode const& s);

}  // namespace tw::ir
