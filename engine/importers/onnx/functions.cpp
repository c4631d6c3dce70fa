#include "engine/importers/onnx/functions.h"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace tw::onnx_reader {
namespace {

constexpr int kMostDepth = 24;            // functions that call functions
constexpr int64_t kMostNodes = 1 << 20;   // small functions that call each other grow as powers
constexpr uint64_t kMostBytes = 1 << 30;  // and carry their constants along
constexpr int kMostNesting = 24;          // graphs inside graphs, as the reader has it
constexpr int kAttributeDefaults = 11;    // FunctionProto.attribute_proto, newer than the library

using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;
using Names = std::map<std::string, std::string>;
using Attributes = std::map<std::string, onnx::AttributeProto>;

struct Function {
  onnx::FunctionProto const* proto = nullptr;
  Attributes defaults;
};

std::string domain_of(std::string const& domain) { return domain == "ai.onnx" ? "" : domain; }

/// Read from what the library keeps as unknown.
Attributes defaults_of(onnx::FunctionProto const& function) {
  using google::protobuf::internal::WireFormatLite;
  constexpr uint32_t kTag = kAttributeDefaults << 3 | 2;  // with a length
  Attributes defaults;
  std::string const& bytes = function.unknown_fields();
  google::protobuf::io::CodedInputStream in(reinterpret_cast<uint8_t const*>(bytes.data()),
                                            int(bytes.size()));
  while (uint32_t tag = in.ReadTag()) {
    uint32_t length = 0;
    std::string content;
    onnx::AttributeProto attribute;
    if (tag != kTag) {
      if (!WireFormatLite::SkipField(&in, tag)) break;
    } else if (!in.ReadVarint32(&length) || !in.ReadString(&content, int(length))) {
      break;
    } else if (attribute.ParsePartialFromString(content)) {
      defaults[attribute.name()] = attribute;
    }
  }
  return defaults;
}

/// One call: what the function's names become in the graph of the caller.
class Call {
public:
  Call(Function const& function, onnx::NodeProto const& caller, std::string prefix)
      : function_(function), caller_(caller), prefix_(std::move(prefix)) {
    onnx::FunctionProto const& proto = *function.proto;
    for (int i = 0; i < proto.input_size(); ++i)
      names_[proto.input(i)] = i < caller.input_size() ? caller.input(i) : "";
    for (int i = 0; i < proto.output_size() && i < caller.output_size(); ++i)
      if (!caller.output(i).empty() && !names_.contains(proto.output(i)))
        names_[proto.output(i)] = caller.output(i);
  }

  void add_nodes(Nodes& into) {
    onnx::FunctionProto const& proto = *function_.proto;
    for (onnx::NodeProto const& source : proto.node()) {
      onnx::NodeProto& node = *into.Add();
      node = source;
      rename(node, names_, 0);
    }
    // An output that is one of the inputs, or another output once more.
    for (int i = 0; i < proto.output_size() && i < caller_.output_size(); ++i) {
      std::string from = renamed(proto.output(i), names_);
      if (caller_.output(i).empty() || from == caller_.output(i)) continue;
      onnx::NodeProto& copy = *into.Add();
      copy.set_name(prefix_ + "output " + std::to_string(i));
      copy.set_op_type("Identity");
      copy.add_input(from);
      copy.add_output(caller_.output(i));
    }
  }

private:
  std::string renamed(std::string const& name, Names const& names) const {
    if (name.empty()) return name;
    auto found = names.find(name);
    return found == names.end() ? prefix_ + name : found->second;
  }

  void rename(onnx::NodeProto& node, Names const& names, int depth) {
    if (!node.name().empty()) node.set_name(prefix_ + node.name());
    for (std::string& input : *node.mutable_input()) input = renamed(input, names);
    for (std::string& output : *node.mutable_output()) output = renamed(output, names);
    settle_attributes(node);
    for (onnx::AttributeProto& attribute : *node.mutable_attribute())
      if (attribute.has_g() && depth < kMostNesting)
        rename(*attribute.mutable_g(), names, depth + 1);
  }

  void rename(onnx::GraphProto& graph, Names const& names, int depth) {
    for (auto* list : {graph.mutable_input(), graph.mutable_output(), graph.mutable_value_info()})
      for (onnx::ValueInfoProto& info : *list) info.set_name(renamed(info.name(), names));
    for (onnx::TensorProto& tensor : *graph.mutable_initializer())
      tensor.set_name(renamed(tensor.name(), names));
    for (onnx::NodeProto& node : *graph.mutable_node()) rename(node, names, depth);
  }

  /// An attribute that is one of the function's gets its value, or goes where there is none.
  void settle_attributes(onnx::NodeProto& node) {
    auto& list = *node.mutable_attribute();
    for (int i = list.size(); i-- > 0;) {
      if (list[i].ref_attr_name().empty()) continue;
      onnx::AttributeProto const* value = value_of(list[i].ref_attr_name());
      std::string name = list[i].name();
      if (value) {
        list[i] = *value;
        list[i].set_name(name);
      } else {
        list.DeleteSubrange(i, 1);
      }
    }
  }

  onnx::AttributeProto const* value_of(std::string const& name) const {
    for (onnx::AttributeProto const& attribute : caller_.attribute())
      if (attribute.name() == name) return &attribute;
    auto found = function_.defaults.find(name);
    return found == function_.defaults.end() ? nullptr : &found->second;
  }

  Function const& function_;
  onnx::NodeProto const& caller_;
  std::string prefix_;
  Names names_;
};

class Expander {
public:
  explicit Expander(onnx::ModelProto& model) : model_(model) {
    std::set<std::pair<std::string, std::string>> overloaded;
    for (onnx::FunctionProto const& proto : model.functions()) {
      std::pair<std::string, std::string> key{domain_of(proto.domain()), proto.name()};
      if (!functions_.emplace(key, Function{&proto, defaults_of(proto)}).second)
        overloaded.insert(key);
    }
    for (auto const& key : overloaded) functions_.erase(key);
  }

  Status run() {
    if (functions_.empty()) return {};
    TRY(expand(*model_.mutable_graph(), 0));
    std::set<std::string> known;
    for (auto const& opset : model_.opset_import()) known.insert(domain_of(opset.domain()));
    for (auto const& [key, function] : functions_)
      for (auto const& opset : function.proto->opset_import())
        if (known.insert(domain_of(opset.domain())).second) *model_.add_opset_import() = opset;
    return {};
  }

private:
  Function const* called(onnx::NodeProto const& node) const {
    auto found = functions_.find({domain_of(node.domain()), node.op_type()});
    return found == functions_.end() ? nullptr : &found->second;
  }

  Status expand(onnx::GraphProto& graph, int nesting) {
    if (nesting > kMostNesting) return {};  // the reader says so
    bool calls = std::ranges::any_of(graph.node(), [&](auto const& node) { return called(node); });
    if (calls) {
      Nodes nodes;
      graph.mutable_node()->Swap(&nodes);
      for (onnx::NodeProto& node : nodes) TRY(add(std::move(node), *graph.mutable_node(), 0));
    }
    for (onnx::NodeProto& node : *graph.mutable_node())
      for (onnx::AttributeProto& attribute : *node.mutable_attribute())
        if (attribute.has_g()) TRY(expand(*attribute.mutable_g(), nesting + 1));
    return {};
  }

  Status add(onnx::NodeProto node, Nodes& into, int depth) {
    Function const* function = called(node);
    if (!function) {
      if (depth > 0) bytes_ += node.ByteSizeLong();
      if (++made_ > kMostNodes || bytes_ > kMostBytes)
        return bad_input("functions_too_large",
                         fmt::format("the functions of the file expand to more than {} nodes, or "
                                     "{} MiB, for the graph's {} calls",
                                     kMostNodes, kMostBytes >> 20, calls_));
      *into.Add() = std::move(node);
      return {};
    }
    if (depth >= kMostDepth)
      return bad_input("functions_too_deep",
                       fmt::format("the function '{}' of the file calls itself, or others deeper "
                                   "than {}",
                                   node.op_type(), kMostDepth));
    std::string label = node.name().empty() ? node.op_type() : node.name();
    Nodes nodes;
    Call(*function, node, fmt::format("{}#{}/", label, ++calls_)).add_nodes(nodes);
    for (onnx::NodeProto& inner : nodes) TRY(add(std::move(inner), into, depth + 1));
    return {};
  }

  onnx::ModelProto& model_;
  std::map<std::pair<std::string, std::string>, Function> functions_;  ///< by domain and name
  int64_t made_ = 0, calls_ = 0;
  uint64_t bytes_ = 0;  ///< of the nodes that came from functions
};

}  // namespace

Status expand_functions(onnx::ModelProto& model) { return Expander(model).run(); }

}  // namespace tw::onnx_reader
