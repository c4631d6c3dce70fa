/// Random damage to an ONNX model that still parses: for tests of everything behind the reader.
#pragma once

#include <onnx.pb.h>

#include <string>
#include <vector>

#include "engine/support/base/random.h"

namespace tw::testing {

class ModelMutator {
public:
  ModelMutator(onnx::ModelProto& model, Rng& rng) : rng_(rng), graph_(pick_graph(model)) {
    for (auto const* list : {&graph_.input(), &graph_.output(), &graph_.value_info()})
      for (auto const& info : *list) names_.push_back(info.name());
    for (auto const& tensor : graph_.initializer()) names_.push_back(tensor.name());
    for (auto const& node : graph_.node())
      for (std::string const& output : node.output()) names_.push_back(output);
    names_.push_back("");
    names_.push_back("nowhere");
    if (rng_.below(12) == 0 && model.opset_import_size() > 0)
      model.mutable_opset_import(0)->set_version(rng_.between(1, 24));
  }

  void mutate() {
    switch (rng_.below(12)) {
      case 0:
      case 1:
        return change_name();
      case 2:
      case 3:
        return change_attribute();
      case 4:
        return change_type_of_node();
      case 5:
      case 6:
        return change_declaration();
      case 7:
      case 8:
        return change_tensor();
      case 9:
        return change_nodes();
      case 10:
        return change_list_of_names();
      default:
        return change_graph_attribute();
    }
  }

private:
  /// The model's graph, or one inside it.
  onnx::GraphProto& pick_graph(onnx::ModelProto& model) {
    onnx::GraphProto* graph = model.mutable_graph();
    for (int depth = 0; depth < 4 && rng_.below(2) == 0; ++depth) {
      std::vector<onnx::GraphProto*> inside;
      for (auto& node : *graph->mutable_node())
        for (auto& attribute : *node.mutable_attribute())
          if (attribute.has_g()) inside.push_back(attribute.mutable_g());
      if (inside.empty()) break;
      graph = any(inside);
    }
    return *graph;
  }

  template <typename List>
  auto any(List& list) -> decltype(list[0]) {
    return list[int(rng_.below(int64_t(list.size())))];
  }
  std::string const& any_name() { return names_[size_t(rng_.below(int64_t(names_.size())))]; }

  int64_t odd_number() {
    int64_t const numbers[] = {0,
                               1,
                               -1,
                               2,
                               3,
                               4,
                               7,
                               16,
                               17,
                               -2,
                               -3,
                               255,
                               1000,
                               65536,
                               INT32_MAX,
                               INT32_MIN,
                               INT64_MAX,
                               INT64_MIN,
                               int64_t(1) << 40};
    return numbers[rng_.below(std::size(numbers))];
  }
  float odd_float() {
    float const numbers[] = {0, -0.0F, 1, -1, 0.5F, 1e-30F, 1e30F, -1e30F, 3e38F};
    if (rng_.below(8) == 0) return 0.0F / numbers[0];
    return numbers[rng_.below(std::size(numbers))];
  }

  onnx::NodeProto* node() {
    return graph_.node_size() == 0 ? nullptr : &any(*graph_.mutable_node());
  }

  void change_name() {
    onnx::NodeProto* one = node();
    if (!one) return;
    auto& list = rng_.below(3) == 0 ? *one->mutable_output() : *one->mutable_input();
    if (!list.empty()) any(list) = any_name();
  }

  void change_list_of_names() {
    onnx::NodeProto* one = node();
    if (!one) return;
    auto& list = rng_.below(2) == 0 ? *one->mutable_output() : *one->mutable_input();
    if (rng_.below(2) == 0 || list.empty())
      *list.Add() = rng_.below(2) == 0 ? any_name() : "new" + std::to_string(rng_.below(9));
    else
      list.RemoveLast();
  }

  void change_attribute() {
    onnx::NodeProto* one = node();
    if (!one || one->attribute_size() == 0) return;
    onnx::AttributeProto& attribute = any(*one->mutable_attribute());
    switch (rng_.below(6)) {
      case 0:
        attribute.set_i(odd_number());
        break;
      case 1:
        attribute.set_f(odd_float());
        break;
      case 2:
        if (!attribute.ints().empty()) any(*attribute.mutable_ints()) = odd_number();
        break;
      case 3:
        if (rng_.below(2) == 0 || attribute.ints().empty())
          attribute.add_ints(odd_number());
        else
          attribute.mutable_ints()->RemoveLast();
        break;
      case 4:
        attribute.set_type(onnx::AttributeProto::AttributeType(rng_.between(1, 8)));
        break;
      default:
        one->mutable_attribute()->RemoveLast();
    }
  }

  /// Operators of the model itself, of every family, and ones that own graphs.
  void change_type_of_node() {
    char const* const types[] = {
        "Add",    "Relu",  "MatMul",    "Conv",    "Reshape",     "Transpose",  "Concat", "Split",
        "Gather", "Slice", "ReduceSum", "Pad",     "Cast",        "Softmax",    "LSTM",   "MaxPool",
        "Gemm",   "Where", "Resize",    "Expand",  "Shape",       "Range",      "If",     "Loop",
        "Scan",   "Tile",  "TopK",      "Squeeze", "SequenceMap", "QLinearConv"};
    onnx::NodeProto* one = node();
    if (!one) return;
    one->set_op_type(rng_.below(2) == 0 ? types[rng_.below(std::size(types))] : node()->op_type());
  }

  void change_declaration() {
    auto& list = rng_.below(3) == 0 ? *graph_.mutable_output() : *graph_.mutable_input();
    if (list.empty()) return;
    onnx::ValueInfoProto& info = any(list);
    auto& tensor = *info.mutable_type()->mutable_tensor_type();
    auto& dims = *tensor.mutable_shape()->mutable_dim();
    switch (rng_.below(6)) {
      case 0:
        tensor.set_elem_type(int(rng_.below(18)));
        break;
      case 1:
        if (!dims.empty())
          any(dims).set_dim_value(rng_.below(3) == 0 ? odd_number() : rng_.below(9));
        break;
      case 2:
        dims.Add()->set_dim_value(rng_.between(1, 4));
        break;
      case 3:
        if (!dims.empty()) dims.RemoveLast();
        break;
      case 4:
        if (!dims.empty()) any(dims).set_dim_param("N");
        break;
      default:
        info.set_name(any_name());
    }
  }

  void change_tensor() {
    if (graph_.initializer_size() == 0) return change_attribute();
    onnx::TensorProto& tensor = any(*graph_.mutable_initializer());
    switch (rng_.below(4)) {
      case 0:
        if (!tensor.dims().empty()) any(*tensor.mutable_dims()) = odd_number();
        break;
      case 1:
        if (!tensor.int64_data().empty()) any(*tensor.mutable_int64_data()) = odd_number();
        break;
      case 2:
        if (!tensor.raw_data().empty()) any(*tensor.mutable_raw_data()) = char(rng_.below(256));
        break;
      default:
        tensor.set_data_type(int(rng_.below(18)));
    }
  }

  void change_nodes() {
    auto& nodes = *graph_.mutable_node();
    if (nodes.empty()) return;
    int at = int(rng_.below(nodes.size()));
    switch (rng_.below(3)) {
      case 0:
        nodes.DeleteSubrange(at, 1);
        break;
      case 1:
        nodes.SwapElements(at, int(rng_.below(nodes.size())));
        break;
      default: {
        onnx::NodeProto copy = nodes[at];
        for (std::string& output : *copy.mutable_output()) output += "_again";
        *nodes.Add() = copy;
      }
    }
  }

  /// A node gets the graph of another, or loses its own.
  void change_graph_attribute() {
    onnx::NodeProto *from = node(), *to = node();
    if (!from || from->attribute_size() == 0) return;
    onnx::AttributeProto attribute = any(*from->mutable_attribute());
    if (rng_.below(3) == 0)
      from->mutable_attribute()->RemoveLast();
    else
      *to->add_attribute() = attribute;
  }

  Rng& rng_;
  onnx::GraphProto& graph_;
  std::vector<std::string> names_;
};

/// One to four changes; the bytes of what came out.
inline std::string mutated_model(std::string const& bytes, Rng& rng) {
  onnx::ModelProto model;
  if (!model.ParsePartialFromString(bytes)) return bytes;
  for (int64_t edits = rng.between(1, 4); edits > 0; --edits) ModelMutator(model, rng).mutate();
  return model.SerializePartialAsString();
}

}  // namespace tw::testing
