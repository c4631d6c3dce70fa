#include <fmt/format.h>

#include "engine/importers/onnx/converters.h"

namespace tw::onnx_scan {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  ForeignNode const& node = context.node;
  bool batched = context.opset < 9;
  int64_t count = foreign_integer(node, "num_scan_inputs", 0);
  if (batched && input_given(context, 0))
    return bad_input("unsupported", "a Scan over sequences of different lengths");
  if (count < 1 || count > int64_t(node.inputs.size()) - batched)
    return bad_input("unsupported",
                     fmt::format("a Scan over {} of {} inputs", count, node.inputs.size()));
  Attributes attributes{{"sequences", count}, {"batched", int64_t(batched)}};
  if (batched) attributes["directions"] = foreign_integers(node, "directions");
  for (auto const& [onnx, ours] : {std::pair{"scan_input_axes", "axes"},
                                   {"scan_input_directions", "directions"},
                                   {"scan_output_axes", "result_axes"},
                                   {"scan_output_directions", "result_directions"}})
    if (foreign_has(node, onnx)) attributes[ours] = foreign_integers(node, onnx);
  Converted converted = keep_inputs(context, node.inputs.size(), attributes);
  if (batched) converted.inputs.erase(converted.inputs.begin());  // lengths
  return converted;
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "Scan",
       .attributes = {{"body", 8},
                      {"directions", 8, 8},
                      {"num_scan_inputs", 8},
                      {"scan_input_axes", 9},
                      {"scan_input_directions", 9},
                      {"scan_output_axes", 9},
                      {"scan_output_directions", 9}},
       .op = "scan",
       .convert = convert,
       .bodies = {"body"}},
  };
  return rules;
}

}  // namespace tw::onnx_scan
