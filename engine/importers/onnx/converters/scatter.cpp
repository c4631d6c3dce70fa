#include <fmt/format.h>

#include <algorithm>

#include "engine/importers/onnx/converters.h"

namespace tw::onnx_scatter {
namespace {

using namespace rules;

constexpr char const* kJoins[] = {"none", "add", "mul", "min", "max"};

/// How an update joins the element that it finds.
Result<std::string> join_of(ForeignContext const& context) {
  std::string join = foreign_text(context.node, "reduction", "none");
  if (std::ranges::find(kJoins, join) == std::end(kJoins))
    return unsupported(fmt::format("updates that are combined by '{}'", join));
  return join;
}

Result<Converted> convert_elements(ForeignContext const& context) {
  TRY_ASSIGN(std::string join, join_of(context));
  return keep_inputs(context, 3,
                     {{"axis", foreign_integer(context.node, "axis", 0)}, {"join", join}});
}

Result<Converted> convert_nd(ForeignContext const& context) {
  TRY_ASSIGN(std::string join, join_of(context));
  return keep_inputs(context, 3, {{"join", join}});
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "Scatter",
       .attributes = {{"axis", 9}},
       .op = "scatter_elements",
       .convert = convert_elements},
      {.type = "ScatterElements",
       .attributes = {{"axis", 11}, {"reduction", 16}},
       .op = "scatter_elements",
       .convert = convert_elements},
      {.type = "ScatterND",
       .attributes = {{"reduction", 16}},
       .op = "scatter_nd",
       .convert = convert_nd},
  };
  return rules;
}

}  // namespace tw::onnx_scatter
