#include "engine/graph/quantization/runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace tw {
namespace {

/// How many of `wanted` lie in `given`, one behind another; 0: it is something else.
int64_t times(Shape const& given, Shape const& wanted) {
  if (given == wanted) return 1;
  if (given.empty() || wanted.empty() || wanted.front() < 1) return 0;
  Shape first = given;
  first.front() = wanted.front();
  return first == wanted && given.front() % wanted.front() == 0 ? given.front() / wanted.front()
                                                                : 0;
}

Result<NDArray> part_of(NDArray const& all, Shape const& shape, int64_t number) {
  if (all.shape() == shape) return all;
  TRY_ASSIGN(NDArray part, NDArray::create(all.type(), shape));
  auto const* bytes = static_cast<std::byte const*>(all.data());
  std::memcpy(part.data(), bytes + number * part.byte_size(), size_t(part.byte_size()));
  return part;
}

}  // namespace

Result<std::vector<std::vector<NDArray>>> runs_of(Graph const& graph,
                                                  std::vector<NDArray> const& inputs) {
  int64_t count = 1;
  std::vector<Shape> shapes;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Value const& value = graph.value(graph.inputs[i]);
    shapes.push_back(value.shape().value_or(inputs[i].shape()));
    int64_t here = times(inputs[i].shape(), shapes[i]);
    if (here == 0 || (here > 1 && count > 1 && here != count))
      return bad_input("wrong_input", fmt::format("'{}' is {}, and the model takes {}", value.name,
                                                  to_text(inputs[i].shape()), to_text(shapes[i])));
    count = std::max(count, here);
  }
  std::vector<std::vector<NDArray>> runs{size_t(count)};
  for (int64_t k = 0; k < count; ++k)
    for (size_t i = 0; i < inputs.size(); ++i) {
      TRY_ASSIGN(NDArray part, part_of(inputs[i], shapes[i], k));
      runs[size_t(k)].push_back(std::move(part));
    }
  return runs;
}

}  // namespace tw
