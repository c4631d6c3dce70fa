#include <fmt/format.h>

#include "engine/importers/onnx/converters.h"

namespace tw::onnx_top_k {
namespace {

using namespace rules;

/// What need not be sorted is sorted, too.
Result<Converted> convert(ForeignContext const& context) {
  int64_t count = foreign_integer(context.node, "k", 0);
  if (context.opset >= 10) {
    TRY_ASSIGN(std::vector<int64_t> list,
               constant_integers(context, 1, "number of elements to return"));
    if (list.size() != 1) return unsupported(fmt::format("{} numbers of elements", list.size()));
    count = list[0];
  }
  Converted converted = keep_inputs(context, 1,
                                    {{"axis", foreign_integer(context.node, "axis", -1)},
                                     {"count", count},
                                     {"largest", foreign_integer(context.node, "largest", 1)}});
  converted.outputs = 2;
  return converted;
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "TopK",
       .attributes = {{"axis"}, {"k", 1, 9}, {"largest", 11}, {"sorted", 11}},
       .op = "top_k",
       .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_top_k
