#include "engine/importers/onnx/reader.h"

#include <fmt/format.h>

#include <limits>
#include <set>

#include "engine/importers/onnx/functions.h"
#include "engine/importers/onnx/tensor.h"
#include "engine/importers/onnx/wire.h"
#include "engine/importers/unread.h"
#include "engine/support/base/printable.h"

namespace tw {
namespace {

using namespace onnx_reader;

constexpr int kMostNesting = 24;  // graphs inside graphs

bool parse(google::protobuf::MessageLite& message, std::string_view bytes) {
  if (bytes.size() > size_t(std::numeric_limits<int>::max())) return false;
  return message.ParsePartialFromArray(bytes.data(), int(bytes.size()));
}

std::unexpected<Error> damaged(std::string_view bytes, std::string_view file, bool is_model) {
  std::string what = is_model ? "ONNX model" : "tensor";
  std::string message =
      bytes.empty() ? fmt::format("an empty file is not a valid {}", what)
      : bytes.size() > size_t(std::numeric_limits<int>::max())
          ? fmt::format("a file of over 2 GiB is not a valid {}", what)
          : fmt::format("this is not a complete {}: {}", what, describe_damage(bytes, is_model));
  return bad_input("not_onnx", message, {std::string(file), 0, 0, {}});
}

/// Names go into sentences, texts and JSON: what cannot stand there becomes '?'.
std::string name_of(std::string const& raw) {
  std::string clean;
  for (std::string_view rest = raw; !rest.empty();) {
    size_t length = printable(rest);
    clean += length ? rest.substr(0, length) : "?";
    rest.remove_prefix(std::max<size_t>(1, length));
  }
  return clean;
}

std::vector<std::string> names_of(google::protobuf::RepeatedPtrField<std::string> const& raw) {
  std::vector<std::string> names;
  for (std::string const& name : raw) names.push_back(name_of(name));
  return names;
}

ForeignValue to_value(onnx::ValueInfoProto const& info) {
  ForeignValue value;
  value.name = name_of(info.name());
  onnx::TypeProto const* type = &info.type();
  if (type->has_sequence_type()) {
    value.kind = ForeignKind::kSequence;
    type = &type->sequence_type().elem_type();
  } else if (type->has_optional_type()) {
    value.kind = ForeignKind::kOptional;
    type = &type->optional_type().elem_type();
  }
  if (!type->has_tensor_type()) {
    if (type->value_case() != onnx::TypeProto::VALUE_NOT_SET && value.kind == ForeignKind::kTensor)
      value.kind = ForeignKind::kOther;
    return value;
  }
  value.type = dtype_of(type->tensor_type().elem_type());
  if (!type->tensor_type().has_shape()) return value;
  value.dims.emplace();
  for (auto const& dim : type->tensor_type().shape().dim()) {
    ForeignDim extent;
    if (dim.has_dim_value() && dim.dim_value() >= 0) extent.extent = dim.dim_value();
    if (dim.has_dim_param()) extent.symbol = name_of(dim.dim_param());
    value.dims->push_back(extent);
  }
  return value;
}

class Reader {
public:
  Reader(std::string_view file, ExternalBytes const& external) : file_(file), external_(external) {}

  Result<ForeignGraph> graph(onnx::GraphProto const& proto) {
    if (depth_ > kMostNesting)
      return bad_input("nested_too_deep",
                       fmt::format("its graphs are nested deeper than {}", kMostNesting),
                       place(name_of(proto.name())));
    ++depth_;
    ForeignGraph graph;
    graph.name = name_of(proto.name());
    for (auto const& tensor : proto.initializer()) TRY(initializer(tensor, graph));
    for (auto const& sparse : proto.sparse_initializer()) {
      std::string name = name_of(sparse.values().name());
      add_unread(graph, name,
                 fmt::format("the tensor '{}' is sparse, which is not supported", name));
    }
    for (auto const& info : proto.input())
      if (!unread_.contains(name_of(info.name()))) graph.inputs.push_back(to_value(info));
    unread_.clear();
    for (auto const& info : proto.output()) graph.outputs.push_back(to_value(info));
    for (auto const& info : proto.value_info()) graph.values.push_back(to_value(info));
    for (auto const& source : proto.node()) {
      TRY_ASSIGN(ForeignNode made, node(source));
      graph.nodes.push_back(std::move(made));
    }
    --depth_;
    return graph;
  }

  /// One of a type that we do not read is its readers' trouble, not the file's.
  Status initializer(onnx::TensorProto const& tensor, ForeignGraph& graph) {
    std::string name = name_of(tensor.name());
    auto result = array(tensor, "");
    if (result)
      graph.initializers[name] = std::move(*result);
    else if (result.error().code == "unsupported_type")
      add_unread(graph, name, result.error().message);
    else
      return std::unexpected(result.error());
    return {};
  }

  Result<NDArray> array(onnx::TensorProto const& tensor, std::string const& node) {
    auto result = to_array(tensor, external_);
    if (result) return result;
    Error error = result.error();
    error.message = name_of(error.message);
    error.place = place(node);
    return std::unexpected(error);
  }

private:
  /// In its place a node that nothing can run.
  void add_unread(ForeignGraph& graph, std::string const& name, std::string const& reason) {
    if (name.empty() || !unread_.insert(name).second) return;
    graph.nodes.push_back({name, "unread tensor", kUnreadTensor, {}, {name}, {{"reason", reason}}});
  }

  Place place(std::string node) const { return {std::string(file_), 0, 0, std::move(node)}; }

  Result<ForeignNode> node(onnx::NodeProto const& proto) {
    ForeignNode node{name_of(proto.name()),   name_of(proto.op_type()), name_of(proto.domain()),
                     names_of(proto.input()), names_of(proto.output()), {}};
    for (auto const& source : proto.attribute()) {
      TRY_ASSIGN(node.attributes[name_of(source.name())], attribute(source, node.name));
    }
    return node;
  }

  Result<ForeignAttribute> attribute(onnx::AttributeProto const& proto, std::string const& node) {
    using A = onnx::AttributeProto;
    switch (proto.type()) {
      case A::INT:
        return proto.i();
      case A::FLOAT:
        return double(proto.f());
      case A::STRING:
        return proto.s();
      case A::INTS:
        return std::vector<int64_t>(proto.ints().begin(), proto.ints().end());
      case A::FLOATS:
        return std::vector<double>(proto.floats().begin(), proto.floats().end());
      case A::STRINGS:
        return std::vector<std::string>(proto.strings().begin(), proto.strings().end());
      case A::TENSOR: {
        if (!dtype_of(proto.t().data_type()))
          return ForeignAttribute();  // strings: nothing here reads them
        TRY_ASSIGN(NDArray value, array(proto.t(), node));
        return ForeignAttribute(value);
      }
      case A::GRAPH: {
        TRY_ASSIGN(ForeignGraph body, graph(proto.g()));
        return ForeignAttribute(std::make_shared<ForeignGraph const>(std::move(body)));
      }
      default:
        return ForeignAttribute();
    }
  }

  std::string_view file_;
  ExternalBytes const& external_;
  int depth_ = 0;                 ///< of the graph that is read
  std::set<std::string> unread_;  ///< initializers of the graph that are not read
};

}  // namespace

Result<ImportedModel> read_onnx(std::string_view bytes, std::string_view file,
                                ExternalBytes const& external) {
  onnx::ModelProto proto;
  if (bytes.empty() || !parse(proto, bytes)) return damaged(bytes, file, true);
  // A cut between two fields leaves a model that parses: it lacks its last fields, the versions
  // among them.
  if (!proto.has_graph() || proto.opset_import_size() == 0)
    return bad_input(
        "not_onnx",
        fmt::format("this is not a complete ONNX model: after {} bytes it has no {}", bytes.size(),
                    proto.has_graph() ? "operator set version" : "graph"),
        {std::string(file), 0, 0, {}});
  if (Status expanded = expand_functions(proto); !expanded) {
    Error error = expanded.error();
    error.message = name_of(error.message);
    error.place.file = file;
    return std::unexpected(error);
  }
  ImportedModel model;
  model.format = "onnx";
  model.producer =
      name_of(proto.producer_name() +
              (proto.producer_version().empty() ? "" : " " + proto.producer_version()));
  for (auto const& opset : proto.opset_import())
    model.opsets[name_of(opset.domain())] = opset.version();
  TRY_ASSIGN(model.graph, Reader(file, external).graph(proto.graph()));
  return model;
}

namespace {

/// Constants of nodes and of graphs inside of graphs, too.
void add_external_files(onnx::GraphProto const& graph, int depth, std::set<std::string>& files) {
  if (depth > kMostNesting) return;
  auto add = [&](onnx::TensorProto const& tensor) {
    if (is_external(tensor)) files.insert(external_entry(tensor, "location"));
  };
  for (auto const& tensor : graph.initializer()) add(tensor);
  for (auto const& node : graph.node())
    for (auto const& attribute : node.attribute()) {
      add(attribute.t());
      if (attribute.has_g()) add_external_files(attribute.g(), depth + 1, files);
    }
}

}  // namespace

std::vector<std::string> external_files_in(std::string_view bytes) {
  onnx::ModelProto proto;
  std::set<std::string> files;
  if (parse(proto, bytes)) add_external_files(proto.graph(), 0, files);
  files.erase("");
  return {files.begin(), files.end()};
}

Result<NDArray> read_onnx_tensor(std::string_view bytes, std::string_view file) {
  onnx::TensorProto proto;
  if (bytes.empty() || !parse(proto, bytes)) return damaged(bytes, file, false);
  ExternalBytes none;
  return Reader(file, none).array(proto, "");
}

}  // namespace tw
