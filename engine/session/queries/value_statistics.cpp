// The values of a tensor that is known before the model runs.
#include "engine/session/inspector.h"
#include "engine/session/model/inspection.h"
#include "engine/session/state/query.h"

namespace tw::session::query_value_statistics {
namespace {

struct Values {
  using Asked = std::string;  ///< the tensor's name
  struct Key {
    Model model;
    std::string tensor;
    bool operator==(Key const&) const = default;
  };
  using View = ValueStatistics;
  static std::optional<Key> key(Seen const& seen, Asked const& tensor) {
    return seen.state.model ? std::optional(Key{seen.state.model, tensor}) : std::nullopt;
  }
  static View make(Key const& key, StopToken stop) {
    auto values = tensor_statistics(*key.model, key.tensor, stop);
    return values ? *values
                  : ValueStatistics{.tensor = key.tensor, .failure = to_sentence(values.error())};
  }
};

}  // namespace

QueryRow const& row() {
  static QueryRow const row = query_row<Values>(
      {.name = "values", .title = "reading values", .lane = QueryLane::kValues, .kept = 16});
  return row;
}

}  // namespace tw::session::query_value_statistics

namespace tw::session {

std::shared_ptr<ValueStatistics const> value_statistics(Session& session,
                                                        std::string const& tensor) {
  using namespace query_value_statistics;
  return answer_of<Values>(session, row(), tensor);
}

}  // namespace tw::session
