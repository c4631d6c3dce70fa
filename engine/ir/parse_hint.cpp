#include "engine/ir/parse_hint.h"

#include <fmt/format.h>

#include "engine/ir/fields.h"
#include "engine/ir/stmt.h"

namespace tw::ir {
namespace {

/// A hint of its expressions, in the order of its fields.
template <typename N>
Result<Stmt> hint_of(std::vector<Expr> const& fields, LineReader const& reader) {
  constexpr size_t kCount = std::tuple_size_v<decltype(N::fields())>;
  if (fields.size() != kCount)
    return reader.error("wrong_arguments", fmt::format("'{}' takes {} expression{}", N::kWord,
                                                       kCount, kCount == 1 ? "" : "s"));
  Stmt made = [&]<size_t... I>(std::index_sequence<I...>) { return make<N>(fields[I]...); }
  (std::make_index_sequence<kCount>());
  if (char const* fault = made.to<N>().fault()) return reader.error("bad_hint", fault);
  return made;
}

template <typename N>
void match_hint(std::string_view word, HintReader& found) {
  if constexpr (HintNode<N>)
    if (word == N::kWord) found = hint_of<N>;
}

}  // namespace

HintReader hint_named(std::string_view word) {
  HintReader found = nullptr;
#define TW_MATCH(NAME) match_hint<NAME>(word, found);
  TW_STMT_NODES(TW_MATCH)
#undef TW_MATCH
  return found;
}

}  // namespace tw::ir
