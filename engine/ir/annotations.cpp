#include "engine/ir/annotations.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/stmt.h"

namespace tw::ir {

bool takes_annotations(StmtKind kind) {
  return kind == StmtKind::kFor || kind == StmtKind::kBlock || kind == StmtKind::kStore;
}

std::optional<int64_t> said_of(StmtNode const& s, std::string_view word) {
  auto found = std::ranges::find(s.origin.annotations, word, &Annotation::word);
  if (found == s.origin.annotations.end()) return std::nullopt;
  return found->value;
}

Origin with_word(Origin origin, std::string const& word, int64_t value) {
  std::erase_if(origin.annotations, [&](Annotation const& one) { return one.word == word; });
  if (value == 0) return origin;
  // By word, so that the same words are the same program in whatever order they were said.
  auto at = std::ranges::lower_bound(origin.annotations, word, {}, &Annotation::word);
  origin.annotations.insert(at, {word, value});
  return origin;
}

Origin without_words(Origin origin) {
  origin.annotations.clear();
  return origin;
}

std::string annotations_text(StmtNode const& s) {
  std::string text;
  for (Annotation const& one : s.origin.annotations)
    text += fmt::format("{}{}={}", text.empty() ? " with " : ", ", one.word, one.value);
  return text;
}

}  // namespace tw::ir
