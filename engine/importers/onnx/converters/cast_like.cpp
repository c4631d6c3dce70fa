#include "engine/importers/onnx/converters.h"

namespace tw::onnx_cast_like {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  if (!input_given(context, 1) || !context.types[1])
    return unsupported("the type to cast to is not known");
  return keep_inputs(context, 1, {{"type", std::string(to_text(*context.types[1]))}});
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "CastLike",
       .attributes = {{"round_mode", 24}, {"saturate", 19}},
       .op = "cast",
       .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_cast_like
