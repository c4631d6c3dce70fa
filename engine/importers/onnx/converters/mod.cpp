#include "engine/importers/onnx/converters.h"

namespace tw::onnx_mod {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  return keep_inputs(context, 2, {{"like_c", foreign_integer(context.node, "fmod", 0)}});
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "Mod", .attributes = {{"fmod", 10}}, .op = "mod", .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_mod
