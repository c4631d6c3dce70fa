#include <cstring>
#include <map>

#include "engine/graph/passes.h"
#include "engine/graph/shared/blocks.h"

namespace tw {
namespace {

bool can_pack(Graph const& graph, Node const& node) {
  if (!node.op || node.op->name != "conv" || node.inputs.size() < 2) return false;
  if (integer(node.attributes, "group", 1) != 1 || has(node.attributes, "weights_block"))
    return false;
  NDArray const& weights = graph.value(node.inputs[1]).constant;
  return !weights.empty() && weights.type() == DType::kF32 && weights.shape().size() >= 3 &&
         weights.shape()[0] >= kChannelBlock;
}

/// In blocks of output channels; zeros fill up the last one.
Result<NDArray> packed(NDArray const& plain) {
  Shape shape = plain.shape();
  int64_t rest = shape[0] % kChannelBlock;
  if (rest == 0) return ops::in_blocks(plain, 0, kChannelBlock);
  shape[0] += kChannelBlock - rest;
  TRY_ASSIGN(NDArray whole, NDArray::create(plain.type(), shape));
  std::memset(whole.data(), 0, size_t(whole.byte_size()));
  std::memcpy(whole.data(), plain.data(), size_t(plain.byte_size()));
  return ops::in_blocks(whole, 0, kChannelBlock);
}

bool can_turn(Graph const& graph, Node const& node) {
  if (!node.op || node.op->name != "gemm" || integer(node.attributes, "transpose_b") == 0)
    return false;
  NDArray const& weights = graph.value(node.inputs[1]).constant;
  return !weights.empty() && weights.type() == DType::kF32 && weights.shape().size() == 2;
}

Result<NDArray> transposed(NDArray const& plain) {
  int64_t rows = plain.shape()[0], columns = plain.shape()[1];
  TRY_ASSIGN(NDArray result, NDArray::create(plain.type(), {columns, rows}));
  float const* from = plain.as<float>().data();
  float* to = result.as<float>().data();
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) to[j * rows + i] = from[i * columns + j];
  return result;
}

}  // namespace

Result<Graph> pack_weights(Graph const& graph) {
  Graph result = graph;
  std::map<ValueId, ValueId> done;  // two nodes of one kind may share weights
  for (Node& node : result.nodes) {
    bool pack = can_pack(result, node);
    if (!pack && !can_turn(result, node)) continue;
    ValueId weights = node.inputs[1];
    if (!done.contains(weights)) {
      NDArray const& plain = result.value(weights).constant;
      TRY_ASSIGN(NDArray blocks, pack ? packed(plain) : transposed(plain));
      Value value;
      value.name = result.value(weights).name + "/packed";
      value.type = tensor_type(blocks.type(), blocks.shape());
      value.constant = std::move(blocks);
      done[weights] = result.add_value(std::move(value));
    }
    node.inputs[1] = done[weights];
    if (!pack) {
      node.attributes["transpose_b"] = int64_t(0);
      continue;
    }
    node.attributes["weights_block"] = kChannelBlock;
    int64_t outputs = result.value(weights).constant.shape()[0];
    if (outputs % kChannelBlock != 0) node.attributes["outputs"] = outputs;
  }
  // Weights that only packed convolutions read give their memory back.
  auto readers = consumers(result);
  for (auto const& [plain, blocks] : done)
    if (readers[size_t(plain.value)].empty() && !is_output(result, plain))
      result.value(plain).constant = {};
  return result;
}

}  // namespace tw
