#include "engine/importers/onnx/converters.h"

namespace tw::onnx_loop {
namespace {

using namespace rules;

constexpr size_t kOwn = 2;  // the most rounds and the condition

Result<Converted> convert(ForeignContext const& context) {
  if (context.node.inputs.size() < kOwn)
    return bad_input("unsupported", "a Loop takes a trip count and a condition");
  return keep_inputs(context, context.node.inputs.size());
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "Loop",
       .attributes = {{"body"}},
       .op = "loop",
       .convert = convert,
       .bodies = {"body"}},
  };
  return rules;
}

}  // namespace tw::onnx_loop
