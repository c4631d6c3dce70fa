#include "engine/samples/onnx_writer.h"

#include <fmt/format.h>
#include <onnx.pb.h>

#include <limits>

namespace tw {
namespace {

int onnx_type(DType type) {
  using T = onnx::TensorProto;
  switch (type) {
    case DType::kF32:
      return T::FLOAT;
    case DType::kF64:
      return T::DOUBLE;
    case DType::kF16:
      return T::FLOAT16;
    case DType::kBF16:
      return T::BFLOAT16;
    case DType::kI8:
      return T::INT8;
    case DType::kU8:
      return T::UINT8;
    case DType::kI16:
      return T::INT16;
    case DType::kU16:
      return T::UINT16;
    case DType::kI32:
      return T::INT32;
    case DType::kU32:
      return T::UINT32;
    case DType::kI64:
      return T::INT64;
    case DType::kU64:
      return T::UINT64;
    case DType::kBool:
      return T::BOOL;
  }
  return T::UNDEFINED;
}

void fill(onnx::TensorProto& proto, std::string const& name, NDArray const& tensor) {
  proto.set_name(name);
  proto.set_data_type(onnx_type(tensor.type()));
  for (int64_t extent : tensor.shape()) proto.add_dims(extent);
  proto.set_raw_data(tensor.data(), size_t(tensor.byte_size()));
}

void fill(onnx::ValueInfoProto& proto, ForeignValue const& value) {
  proto.set_name(value.name);
  auto* type = proto.mutable_type()->mutable_tensor_type();
  if (value.type) type->set_elem_type(onnx_type(*value.type));
  if (!value.dims) return;
  auto* shape = type->mutable_shape();
  for (ForeignDim const& dim : *value.dims) {
    auto* extent = shape->add_dim();
    if (dim.extent) extent->set_dim_value(*dim.extent);
    if (!dim.extent && !dim.symbol.empty()) extent->set_dim_param(dim.symbol);
  }
}

Status fill(onnx::GraphProto& proto, ForeignGraph const& graph);

struct AttributeWriter {
  onnx::AttributeProto& proto;
  using A = onnx::AttributeProto;

  bool operator()(int64_t v) const { return proto.set_type(A::INT), proto.set_i(v), true; }
  bool operator()(double v) const { return proto.set_type(A::FLOAT), proto.set_f(float(v)), true; }
  bool operator()(std::string const& v) const {
    return proto.set_type(A::STRING), proto.set_s(v), true;
  }
  bool operator()(NDArray const& v) const {
    return proto.set_type(A::TENSOR), fill(*proto.mutable_t(), "", v), true;
  }
  bool operator()(std::vector<int64_t> const& v) const {
    proto.set_type(A::INTS);
    proto.mutable_ints()->Add(v.begin(), v.end());
    return true;
  }
  bool operator()(std::vector<double> const& v) const {
    proto.set_type(A::FLOATS);
    for (double one : v) proto.add_floats(float(one));
    return true;
  }
  bool operator()(std::vector<std::string> const& v) const {
    proto.set_type(A::STRINGS);
    for (std::string const& one : v) proto.add_strings(one);
    return true;
  }
  bool operator()(std::monostate) const { return false; }
  bool operator()(std::shared_ptr<ForeignGraph const> const& v) const {
    proto.set_type(A::GRAPH);
    return fill(*proto.mutable_g(), *v).has_value();
  }
};

Status fill(onnx::NodeProto& proto, ForeignNode const& node) {
  proto.set_name(node.name);
  proto.set_op_type(node.op_type);
  if (!node.domain.empty()) proto.set_domain(node.domain);
  for (std::string const& input : node.inputs) proto.add_input(input);
  for (std::string const& output : node.outputs) proto.add_output(output);
  for (auto const& [name, value] : node.attributes) {
    onnx::AttributeProto& attribute = *proto.add_attribute();
    attribute.set_name(name);
    if (!std::visit(AttributeWriter{attribute}, value))
      return bad_input("unwritable_attribute",
                       fmt::format("the attribute '{}' cannot be written", name),
                       {{}, 0, 0, node.name});
  }
  return {};
}

Status fill(onnx::GraphProto& proto, ForeignGraph const& graph) {
  proto.set_name(graph.name);
  for (ForeignNode const& node : graph.nodes) TRY(fill(*proto.add_node(), node));
  for (auto const& [name, tensor] : graph.initializers)
    fill(*proto.add_initializer(), name, tensor);
  for (ForeignValue const& value : graph.inputs) fill(*proto.add_input(), value);
  for (ForeignValue const& value : graph.outputs) fill(*proto.add_output(), value);
  for (ForeignValue const& value : graph.values) fill(*proto.add_value_info(), value);
  return {};
}

/// The format's parsers refuse a message of 2 GiB.
Result<std::string> serialized(google::protobuf::MessageLite const& proto) {
  if (proto.ByteSizeLong() > size_t(std::numeric_limits<int>::max()))
    return bad_input("model_too_large", "an ONNX file cannot hold more than 2 GiB");
  std::string bytes;
  if (!proto.SerializePartialToString(&bytes))
    return environment_failed("out_of_memory", "there is not enough memory for the ONNX file");
  return bytes;
}

}  // namespace

Result<std::string> write_onnx(ImportedModel const& model) {
  onnx::ModelProto proto;
  proto.set_ir_version(7);
  proto.set_producer_name(model.producer);
  TRY(fill(*proto.mutable_graph(), model.graph));
  for (auto const& [domain, version] : model.opsets) {
    auto* opset = proto.add_opset_import();
    opset->set_domain(domain);
    opset->set_version(version);
  }
  return serialized(proto);
}

Result<std::string> write_onnx_tensor(NDArray const& tensor, std::string const& name) {
  onnx::TensorProto proto;
  fill(proto, name, tensor);
  return serialized(proto);
}

}  // namespace tw
