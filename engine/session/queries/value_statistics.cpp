// The values of a tensor that is known before the model runs.
#include "engine/session/inspector.h"
#include "engine/session/model/inspection.h"
#include "engine/session/state/query_keys.h"

namespace tw::session {
namespace query_value_statistics {

/// Asked: the tensor's name.
struct Values : OfModel<std::string, ValueStatistics> {
  static View make(Key const& key, StopToken stop) {
    auto values = tensor_statistics(*key.model, key.asked, stop);
    return values ? *values
                  : ValueStatistics{.tensor = key.asked, .failure = to_sentence(values.error())};
  }
};

QueryRow const& row() {
  static QueryRow const row = query_row<Values>(
      {.name = "values", .title = "reading values", .lane = QueryLane::kValues, .kept = 16});
  return row;
}

}  // namespace query_value_statistics

std::shared_ptr<ValueStatistics const> value_statistics(Session& session,
                                                        std::string const& tensor) {
  using namespace query_value_statistics;
  return answer_of<Values>(session, row(), tensor);
}

}  // namespace tw::session
