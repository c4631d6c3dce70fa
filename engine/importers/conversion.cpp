#include "engine/importers/conversion.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/importers/known_attributes.h"
#include "engine/importers/rule_words.h"

namespace tw {
namespace {

Conversion none(std::string reason) { return {nullptr, {}, false, std::move(reason)}; }

std::string full_name(Converters const& rules, ForeignNode const& node) {
  return rules.owns(node.domain) ? node.op_type : node.domain + "." + node.op_type;
}

/// Why the file's outputs are not what is made; empty: they are.
std::string strange_output(ForeignNode const& node, Converted const& words,
                           std::set<std::string> const& read) {
  if (node.outputs.empty() || (node.outputs[0].empty() && words.outputs == 1))
    return "its first output is not used";
  for (size_t i = std::max(words.outputs, words.each_output.size()); i < node.outputs.size(); ++i)
    if (read.contains(node.outputs[i]))
      return fmt::format("output {} of {} is not supported", i + 1, node.op_type);
  return "";
}

}  // namespace

Conversion conversion_of(ForeignContext const& context, Converters const& rules,
                         Converter const* rule, std::set<std::string> const& read) {
  ForeignNode const& node = context.node;
  Operator const* op = rule ? find_operator(rule->op) : nullptr;
  if (!op) return none(fmt::format("the operator {} is not supported", full_name(rules, node)));
  if (std::string unknown = unknown_attribute(rule->attributes, node, context.opset);
      !unknown.empty())
    return none(unknown);
  Result<Converted> words = rule->convert(context);
  bool named = !node.outputs.empty() && !node.outputs[0].empty();
  if (!words && tw::rules::is_known_at_run_time(words.error()) && named)
    return {op, {}, true, words.error().message};
  if (!words) return none(words.error().message);
  if (std::string strange = strange_output(node, *words, read); !strange.empty())
    return none(strange);
  if (!words->op.empty()) op = find_operator(words->op);
  TW_ASSERT(op, "a conversion names an operator of the table");
  return {op, std::move(*words), false, ""};
}

}  // namespace tw
