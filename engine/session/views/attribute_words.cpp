#include "engine/session/views/attribute_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>

namespace tw::session {
namespace {

constexpr int64_t kMostShown = 8;  // elements of a tensor that an attribute holds

/// A list has `value` for each spatial axis, or twice, for its begin and its end.
struct Usual {
  std::string_view attribute;
  std::string_view op;  ///< empty: of every operator
  enum class Form : uint8_t { kInteger, kNumber, kText, kPerAxis, kPerEnd, kNothing } form;
  double value = 0;
  std::string_view words = {};
};

std::span<Usual const> usual_values() {
  using enum Usual::Form;
  static Usual const table[] = {
      {"strides", "", kPerAxis, 1},
      {"dilations", "", kPerAxis, 1},
      {"pads", "pad", kNothing, 0},  // what it adds is what it is for
      {"pads", "", kPerEnd, 0},
      {"output_padding", "", kPerAxis, 0},
      {"group", "", kInteger, 1},
      {"ceil", "", kInteger, 0},
      {"count_padding", "", kInteger, 0},
      {"transpose_a", "", kInteger, 0},
      {"transpose_b", "", kInteger, 0},
      {"alpha", "gemm", kNumber, 1},
      {"beta", "gemm", kNumber, 1},
      {"alpha", "lrn", kNumber, 1e-4},
      {"beta", "lrn", kNumber, 0.75},
      {"bias", "lrn", kNumber, 1},
      {"epsilon", "", kNumber, 1e-5},
      {"axis", "softmax", kInteger, -1},
      {"axis", "log_softmax", kInteger, -1},
      {"axis", "hardmax", kInteger, -1},
      {"axis", "layer_norm", kInteger, -1},
      {"axis", "flatten", kInteger, 1},
      {"axis", "gather", kInteger, 0},
      {"axis", "gather_elements", kInteger, 0},
      {"axis", "top_k", kInteger, -1},
      {"axis", "one_hot", kInteger, -1},
      {"largest", "", kInteger, 1},
      {"batch_dims", "", kInteger, 0},
      {"exclusive", "", kInteger, 0},
      {"reverse", "", kInteger, 0},
      {"keep", "", kInteger, 1},
      {"last", "", kInteger, 0},
      {"positive", "", kInteger, 1},
      {"negative", "", kInteger, 1},
      {"like_c", "", kInteger, 0},
      {"allow_zero", "", kInteger, 0},
      {"upper", "", kInteger, 1},
      {"join", "", kText, 0, "none"},
  };
  return table;
}

Attribute made_of(Usual const& usual, size_t spatial) {
  switch (usual.form) {
    case Usual::Form::kNumber:
      return usual.value;
    case Usual::Form::kText:
      return std::string(usual.words);
    case Usual::Form::kPerAxis:
      return std::vector<int64_t>(spatial, int64_t(usual.value));
    case Usual::Form::kPerEnd:
      return std::vector<int64_t>(2 * spatial, int64_t(usual.value));
    default:
      return int64_t(usual.value);
  }
}

/// Few elements themselves, else how many there are.
std::string text_of(NDArray const& tensor) {
  std::string text = fmt::format("{} {}", tw::to_text(tensor.type()), tw::to_text(tensor.shape()));
  if (tensor.size() > kMostShown) return text;
  std::string elements;
  for (int64_t i = 0; i < tensor.size(); ++i)
    elements += (i ? ", " : "") + value_text(tensor.value_at(i));
  return fmt::format("{}: {}", text, elements);
}

struct ToWords {
  std::string operator()(int64_t v) const { return std::to_string(v); }
  std::string operator()(double v) const { return fmt::format("{}", v); }
  std::string operator()(std::string const& v) const { return v; }
  std::string operator()(NDArray const& v) const { return text_of(v); }
  template <typename T>
  std::string operator()(std::vector<T> const& v) const {
    return v.empty() ? "none" : fmt::format("{}", fmt::join(v, ", "));
  }
};

std::string text_of(Attribute const& value) { return std::visit(ToWords(), value); }

bool same(Attribute const& a, Attribute const& b) {
  return a.index() == b.index() && !std::holds_alternative<NDArray>(a) && text_of(a) == text_of(b);
}

size_t spatial_axes(Graph const& graph, Node const& node) {
  if (node.inputs.empty() || !node.inputs[0].valid()) return 0;
  auto const& dims = graph.value(node.inputs[0]).type.dims;
  return dims && dims->size() > 2 ? dims->size() - 2 : 0;
}

std::string doc_of(Operator const* op, std::string const& name) {
  if (!op) return "";
  auto doc = std::ranges::find(op->attributes, name, &AttributeDoc::name);
  return doc == op->attributes.end() ? "" : doc->doc;
}

}  // namespace

std::optional<Attribute> usual_value(std::string const& op, std::string const& attribute,
                                     size_t spatial) {
  for (Usual const& usual : usual_values())
    if (usual.attribute == attribute && (usual.op.empty() || usual.op == op))
      return usual.form == Usual::Form::kNothing ? std::nullopt
                                                 : std::optional(made_of(usual, spatial));
  return std::nullopt;
}

std::vector<InspectedAttribute> attribute_views(Graph const& graph, Node const& node) {
  std::vector<InspectedAttribute> views;
  size_t spatial = spatial_axes(graph, node);
  for (auto const& [name, value] : node.attributes) {
    auto usual = usual_value(node.type, name, spatial);
    views.push_back({name, text_of(value), doc_of(node.op, name), usual && same(*usual, value)});
  }
  if (!node.op) return views;
  for (AttributeDoc const& known : node.op->attributes) {
    if (has(node.attributes, known.name)) continue;
    // What pads itself has no other padding.
    if (known.name == "pads" && has(node.attributes, "auto_pad")) continue;
    if (auto usual = usual_value(node.op->name, known.name, spatial))
      views.push_back({known.name, text_of(*usual), known.doc, true});
  }
  return views;
}

}  // namespace tw::session
