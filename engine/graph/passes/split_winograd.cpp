// A convolution by transformed tiles becomes operators of their own, which are a kernel each; known
// weights are transformed at once.
//   y = conv by winograd_2x2(x, w, b)  -->
//   y = winograd_output(matmul(winograd_weights(w), winograd_input(x)), b)
#include "engine/graph/pipeline.h"
#include "engine/graph/reference.h"
#include "engine/graph/rewriter.h"
#include "engine/graph/shared/winograd.h"

namespace tw {
namespace {

/// Results along an edge of a tile; 0: it runs in another way.
int64_t outputs_of(Node const& node) {
  if (!node.op || node.op->name != "conv") return 0;
  return node.algorithm == "winograd_2x2" ? 2 : node.algorithm == "winograd_4x4" ? 4 : 0;
}

class Splitter {
public:
  Splitter(Graph const& graph, PassCounts& counts) : rewriter_(graph), counts_(counts) {}

  Result<Graph> run() {
    while (std::optional<Node> node = rewriter_.take()) {
      if (outputs_of(*node) == 0) {
        rewriter_.keep(std::move(*node));
        continue;
      }
      TRY(split(*node));
      ++counts_["convolutions by transformed tiles"];
    }
    Graph graph = rewriter_.finish();
    auto readers = consumers(graph);
    for (ValueId id : weights_)
      if (readers[size_t(id.value)].empty() && !is_output(graph, id)) graph.value(id).constant = {};
    return graph;
  }

private:
  Status split(Node const& conv) {
    int64_t outputs = outputs_of(conv);
    auto image = tensor_info(rewriter_.value(conv.inputs[0]));
    if (!image) return refused("bad_choice", "transformed tiles of an image of unknown shape");
    TRY_ASSIGN(ops::WinogradTiles tiles,
               ops::winograd_tiles(outputs, conv.attributes, image->shape));
    Attributes of_image{{"outputs", outputs}, {"kernel", std::vector<int64_t>{3, 3}}};
    for (char const* name : {"pads", "auto_pad"})
      if (auto found = conv.attributes.find(name); found != conv.attributes.end())
        of_image.insert(*found);
    std::string name = rewriter_.value(conv.outputs[0]).name;
    TRY_ASSIGN(ValueId weights, weights_for(conv, outputs));
    TRY_ASSIGN(ValueId input,
               add("winograd_input", of_image, {conv.inputs[0]}, name + "/tiles", conv));
    TRY_ASSIGN(ValueId products, add("matmul", {}, {weights, input}, name + "/products", conv));
    std::vector<int64_t> shape{tiles.batch, tiles.out[0], tiles.out[1]};
    std::vector<ValueId> operands{products};
    if (conv.inputs.size() > 2) operands.push_back(conv.inputs[2]);
    Node last = rewriter_.node("winograd_output", {{"outputs", outputs}, {"shape", shape}},
                               operands, conv.outputs[0]);
    last.name = conv.name;
    last.origins = conv.origins;
    rewriter_.keep(std::move(last));
    return {};
  }

  /// Convolutions of one tensor of weights have it transformed once.
  Result<ValueId> weights_for(Node const& conv, int64_t outputs) {
    std::pair key{conv.inputs[1], outputs};
    if (auto known = transformed_.find(key); known != transformed_.end()) return known->second;
    Attributes attributes{{"outputs", outputs}};
    std::string name = rewriter_.value(conv.inputs[1]).name + "/transformed";
    if (!rewriter_.value(conv.inputs[1]).is_constant()) {
      TRY_ASSIGN(ValueId made, add("winograd_weights", attributes, {conv.inputs[1]}, name, conv));
      return transformed_[key] = made;
    }
    weights_.insert(conv.inputs[1]);
    TRY_ASSIGN(std::vector<NDArray> made,
               find_operator("winograd_weights")
                   ->reference(attributes, std::vector{rewriter_.constant(conv.inputs[1])}));
    return transformed_[key] = rewriter_.add_constant(name, made[0]);
  }

  /// Keeps a node that makes a value of that name.
  Result<ValueId> add(char const* op, Attributes attributes, std::vector<ValueId> inputs,
                      std::string const& name, Node const& conv) {
    std::vector<TensorInfo> infos;
    for (ValueId id : inputs)
      infos.push_back(tensor_info(rewriter_.value(id)).value_or(TensorInfo()));
    std::vector<TensorInfo const*> operands;
    for (TensorInfo const& info : infos) operands.push_back(&info);
    TRY_ASSIGN(std::vector<TensorInfo> made, find_operator(op)->infer(attributes, operands));
    ValueId value = rewriter_.add_value({name, tensor_type(made[0].type, made[0].shape), {}, {}});
    Node node = rewriter_.node(op, std::move(attributes), std::move(inputs), value);
    node.origins = conv.origins;
    rewriter_.keep(std::move(node));
    return value;
  }

  GraphRewriter rewriter_;
  PassCounts& counts_;
  std::map<std::pair<ValueId, int64_t>, ValueId> transformed_;
  std::set<ValueId> weights_;  ///< constants that were transformed
};

}  // namespace

GraphPass split_winograd() {
  return {"split_winograd",
          "makes a convolution by transformed tiles (Winograd) the product and the transforms that "
          "it consists of",
          "after the algorithms are chosen; before fusion: each part is a kernel, and what reads "
          "the result joins the last one",
          [](Graph const& graph, PassChoices const&, PassCounts& counts) -> Result<Graph> {
            return Splitter(graph, counts).run();
          }};
}

}  // namespace tw
