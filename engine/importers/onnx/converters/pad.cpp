#include <fmt/format.h>

#include "engine/graph/shared/elements.h"
#include "engine/importers/onnx/converters.h"

namespace tw::onnx_pad {
namespace {

using namespace rules;

/// Paddings of some axes only (opset 18) become paddings of all.
Result<std::vector<int64_t>> all_pads(ForeignContext const& context, std::vector<int64_t> pads) {
  if (!input_given(context, 3)) return pads;
  TRY_ASSIGN(std::vector<int64_t> axes, constant_integers(context, 3, "the list of axes"));
  if (context.ranks[0] < 0) return unsupported("the number of dimensions is not known");
  if (pads.size() != 2 * axes.size())
    return unsupported(fmt::format("{} paddings for {} axes", pads.size(), axes.size()));
  auto rank = size_t(context.ranks[0]);
  std::vector<int64_t> all(2 * rank, 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    TRY_ASSIGN(int64_t axis, ops::normal_axis(axes[i], rank));
    all[size_t(axis)] = pads[i];
    all[size_t(axis) + rank] = pads[i + axes.size()];
  }
  return all;
}

Result<Converted> convert(ForeignContext const& context) {
  ForeignNode const& node = context.node;
  Attributes attributes{{"mode", foreign_text(node, "mode", "constant")}};
  std::string mode = text(attributes, "mode");
  if (mode != "constant" && mode != "reflect" && mode != "edge" && mode != "wrap")
    return unsupported(fmt::format("padding in the mode '{}'", mode));
  if (context.opset < 11) {
    attributes["pads"] = foreign_integers(node, context.opset < 2 ? "paddings" : "pads");
    attributes["value"] = foreign_number(node, "value", 0);
    return keep_inputs(context, 1, attributes);
  }
  TRY_ASSIGN(std::vector<int64_t> pads, constant_integers(context, 1, "the padding"));
  TRY_ASSIGN(attributes["pads"], all_pads(context, pads));
  Converted converted = keep_inputs(context, 1, attributes);
  if (mode != "constant" || !input_given(context, 2)) return converted;
  NDArray const& fill = context.constants[2];
  // A constant becomes an attribute, so that it is a number in the kernel.
  if (!fill.empty() && fill.size() == 1 && fits_a_double(fill))
    converted.attributes["value"] = fill.value_at(0);
  else
    converted.inputs.push_back(node.inputs[2]);
  return converted;
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "Pad",
       .attributes = {{"mode"}, {"paddings", 1, 1}, {"pads", 2, 10}, {"value", 1, 10}},
       .op = "pad",
       .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_pad
