#include <fmt/format.h>

#include "engine/importers/onnx/converters.h"

namespace tw::onnx_depth_and_space {
namespace {

using namespace rules;

Result<Converted> convert_blocks(ForeignContext const& context, char const* what) {
  std::string mode = foreign_text(context.node, "mode", "DCR");
  if (mode != "DCR" && mode != "CRD")
    return unsupported(fmt::format("{} in the mode '{}'", what, mode));
  return keep_inputs(context, 1,
                     {{"block", foreign_integer(context.node, "blocksize", 0)},
                      {"mode", std::string(mode == "CRD" ? "crd" : "dcr")}});
}

Result<Converted> convert_depth_to_space(ForeignContext const& context) {
  return convert_blocks(context, "depth to space");
}

Result<Converted> convert_space_to_depth(ForeignContext const& context) {
  return convert_blocks(context, "space to depth");
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "DepthToSpace",
       .attributes = {{"blocksize"}, {"mode", 11}},
       .op = "depth_to_space",
       .convert = convert_depth_to_space},
      {.type = "SpaceToDepth",
       .attributes = {{"blocksize"}, {"mode", 28}},
       .op = "space_to_depth",
       .convert = convert_space_to_depth},
  };
  return rules;
}

}  // namespace tw::onnx_depth_and_space
