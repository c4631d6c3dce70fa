#include "engine/importers/onnx/converters.h"

namespace tw::onnx_expand {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  TRY_ASSIGN(std::vector<int64_t> shape, constant_integers(context, 1, "the new shape"));
  return keep_inputs(context, 1, {{"shape", shape}});
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "Expand", .op = "expand", .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_expand
