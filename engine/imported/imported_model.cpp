#include "engine/imported/imported_model.h"

#include <fmt/format.h>

namespace tw {
namespace {

template <typename List>
std::string joined(List const& list) {
  std::string text;
  for (auto const& item : list) text += fmt::format("{}{}", text.empty() ? "" : ", ", item);
  return text;
}

std::string tensor_text(NDArray const& tensor) {
  return fmt::format("{}[{}] #{:016x}", to_text(tensor.type()), to_text(tensor.shape()),
                     tensor.hash());
}

std::string dims_text(ForeignValue const& value) {
  if (!value.dims) return "[...]";
  std::string text;
  for (ForeignDim const& dim : *value.dims) {
    if (!text.empty()) text += ", ";
    text += dim.extent ? std::to_string(*dim.extent) : dim.symbol.empty() ? "?" : dim.symbol;
  }
  return "[" + text + "]";
}

std::string value_text(char const* what, ForeignValue const& value) {
  constexpr char const* kKinds[] = {"", "sequence ", "optional ", "other "};
  return fmt::format("  {} '{}': {}{}{}\n", what, value.name, kKinds[size_t(value.kind)],
                     value.type ? to_text(*value.type) : "unknown", dims_text(value));
}

struct AttributeText {
  std::string operator()(std::monostate) const { return "unread"; }
  std::string operator()(int64_t v) const { return std::to_string(v); }
  std::string operator()(double v) const { return fmt::format("{}", v); }
  std::string operator()(std::string const& v) const { return "'" + v + "'"; }
  std::string operator()(NDArray const& v) const { return tensor_text(v); }
  std::string operator()(std::shared_ptr<ForeignGraph const> const& v) const {
    return "graph '" + v->name + "'";
  }
  template <typename T>
  std::string operator()(std::vector<T> const& v) const {
    return "[" + joined(v) + "]";
  }
};

std::string node_text(ForeignNode const& node) {
  std::string attributes;
  for (auto const& [name, value] : node.attributes)
    attributes += fmt::format("{}{}={}", attributes.empty() ? "" : ", ", name,
                              std::visit(AttributeText(), value));
  return fmt::format("  node '{}' {}{}({}) -> {}{}\n", node.name,
                     node.domain.empty() ? "" : node.domain + ".", node.op_type,
                     joined(node.inputs), joined(node.outputs),
                     attributes.empty() ? "" : " {" + attributes + "}");
}

}  // namespace

std::string to_text(ImportedModel const& model) {
  std::string text = fmt::format("tilewright foreign 1\n{} '{}' from '{}'\n", model.format,
                                 model.graph.name, model.producer);
  for (auto const& [domain, version] : model.opsets)
    text += fmt::format("  opset '{}' {}\n", domain, version);
  for (ForeignValue const& value : model.graph.inputs) text += value_text("input", value);
  for (ForeignValue const& value : model.graph.outputs) text += value_text("output", value);
  for (auto const& [name, tensor] : model.graph.initializers)
    text += fmt::format("  initializer '{}': {}\n", name, tensor_text(tensor));
  for (ForeignNode const& node : model.graph.nodes) text += node_text(node);
  return text;
}

}  // namespace tw
