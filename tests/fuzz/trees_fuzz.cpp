// Trees of a cost model, as our text (with any hash and with the right one) and as XGBoost's JSON.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "engine/learning/tree_text.h"
#include "engine/learning/xgboost_model.h"
#include "engine/support/base/hash.h"
#include "tests/fuzz/target.h"

using namespace tw;

namespace {

/// What was read survives its text, and predicts.
void check(Result<TreeEnsemble> const& trees) {
  if (!trees) return fuzz::check_sentence(trees.error());
  ++fuzz::accepted;
  auto again = parse_trees(to_text(*trees));
  TW_ASSERT(again && *again == *trees, "trees survive their text");
  if (trees->width() > 4096) return;
  std::vector<float> rows(3 * trees->width(), 0.5f);
  for (size_t i = 0; i < trees->width(); ++i) rows[i] = std::numeric_limits<float>::quiet_NaN();
  TW_ASSERT(trees->predict({rows, trees->width()}).size() == 3, "every row is predicted");
}

std::string with_end(std::string_view text) {
  std::string above(text.substr(0, text.rfind("end ")));
  return above + fmt::format("end {:016x}\n", Hasher().text(above).finish());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(uint8_t const* data, size_t size) {
  std::string_view text = fuzz::text_of(data, size);
  if (text.starts_with('{')) {
    check(parse_xgboost_model(text));
    return 0;
  }
  check(parse_trees(text));
  check(parse_trees(with_end(text)));
  return 0;
}
