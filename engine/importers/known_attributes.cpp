#include "engine/importers/known_attributes.h"

#include <fmt/format.h>

#include <algorithm>

namespace tw {
namespace {

struct ToText {
  std::string operator()(int64_t v) const { return std::to_string(v); }
  std::string operator()(double v) const { return fmt::format("{}", v); }
  std::string operator()(std::string const& v) const { return "'" + v + "'"; }
  template <typename T>
  std::string operator()(T const&) const {
    return "of another kind";
  }
};

std::string text_of(ForeignAttribute const& attribute) { return std::visit(ToText(), attribute); }

bool is_in(KnownAttribute const& attribute, int64_t opset) {
  return opset >= attribute.since && (attribute.until == 0 || opset <= attribute.until);
}

std::string complaint(std::span<KnownAttribute const> table, ForeignNode const& node,
                      std::string const& name, ForeignAttribute const& value, int64_t opset) {
  auto found = std::ranges::find_if(table, [&](KnownAttribute const& attribute) {
    return attribute.name == name && is_in(attribute, opset);
  });
  if (found == table.end())
    return fmt::format("the attribute {} of {} is not known in opset {}", name, node.op_type,
                       opset);
  bool any = std::holds_alternative<std::monostate>(found->only);
  if (any || text_of(found->only) == text_of(value)) return "";
  return fmt::format("the attribute {} of {} is {}, but only {} is supported", name, node.op_type,
                     text_of(value), text_of(found->only));
}

}  // namespace

std::string unknown_attribute(std::span<KnownAttribute const> table, ForeignNode const& node,
                              int64_t opset) {
  for (auto const& [name, value] : node.attributes)
    if (std::string reason = complaint(table, node, name, value, opset); !reason.empty())
      return reason;
  return "";
}

std::optional<int64_t> own_opset(ImportedModel const& model, Converters const& rules) {
  std::optional<int64_t> opset;
  for (auto const& [domain, version] : model.opsets)
    if (rules.owns(domain)) opset = version;
  return opset;
}

std::string newer_opset(ImportedModel const& model, Converters const& rules) {
  std::optional<int64_t> opset = own_opset(model, rules);
  if (!opset || *opset <= rules.newest_opset) return "";
  return fmt::format(
      "the model uses opset {}, but the newest supported one is {}: later changes of operators are "
      "not taken into account",
      *opset, rules.newest_opset);
}

}  // namespace tw
