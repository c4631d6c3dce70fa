/// The kinds of loops in words.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "engine/ir/handles.h"

namespace tw::ir {

/// How a program's text begins a loop of the kind, by its number: "for", "parallel", ...
inline constexpr std::array<std::string_view, 5> kLoopKeywords{"for", "parallel", "vector",
                                                               "unroll", "bind"};
inline std::string_view keyword(LoopKind kind) { return kLoopKeywords[size_t(kind)]; }

/// What a loop of the kind is: "serial", "parallel", "vectorized", ...
inline std::string_view adjective(LoopKind kind) {
  constexpr std::array<std::string_view, 5> kAdjectives{"serial", "parallel", "vectorized",
                                                        "unrolled", "bound"};
  return kAdjectives[size_t(kind)];
}

/// The kind by a keyword of `kLoopKeywords`; empty: it is none.
inline std::optional<LoopKind> loop_kind(std::string_view word) {
  for (size_t kind = 0; kind < kLoopKeywords.size(); ++kind)
    if (kLoopKeywords[kind] == word) return LoopKind(kind);
  return std::nullopt;
}

}  // namespace tw::ir
