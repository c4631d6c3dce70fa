#include <fmt/format.h>

#include "engine/importers/onnx/converters.h"

namespace tw::onnx_resize {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  ForeignNode const& node = context.node;
  bool old = context.opset < 11;  // as Upsample: mode and scales alone
  Attributes attributes{{"mode", foreign_text(node, "mode", "nearest")},
                        {"coordinates", std::string("asymmetric")},
                        {"nearest", std::string("floor")}};
  if (!old) {
    attributes["coordinates"] = foreign_text(node, "coordinate_transformation_mode", "half_pixel");
    attributes["nearest"] = foreign_text(node, "nearest_mode", "round_prefer_floor");
    attributes["cubic"] = foreign_number(node, "cubic_coeff_a", -0.75);
    attributes["outside"] = foreign_number(node, "extrapolation_value", 0);
    attributes["exclude_outside"] = foreign_integer(node, "exclude_outside", 0);
    if (foreign_has(node, "axes")) attributes["axes"] = foreign_integers(node, "axes");
    if (text(attributes, "coordinates") == "tf_crop_and_resize") {
      TRY_ASSIGN(attributes["region"], constant_numbers(context, 1, "the region to resize"));
    }
  }
  if (!old && input_given(context, 3)) {
    TRY_ASSIGN(attributes["sizes"], constant_integers(context, 3, "the new size"));
    std::string policy = foreign_text(node, "keep_aspect_ratio_policy", "stretch");
    if (policy != "stretch" && policy != "not_larger" && policy != "not_smaller")
      return unsupported(fmt::format("resizing by the policy '{}'", policy));
    if (policy != "stretch") attributes["policy"] = policy;
  } else {
    TRY_ASSIGN(attributes["scales"], constant_numbers(context, old ? 1 : 2, "the scale"));
  }
  return keep_inputs(context, 1, attributes);
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "Resize",
       .attributes = {{"antialias", 18, 0, int64_t(0)},
                      {"axes", 18},
                      {"coordinate_transformation_mode", 11},
                      {"cubic_coeff_a", 11},
                      {"exclude_outside", 11},
                      {"extrapolation_value", 11},
                      {"keep_aspect_ratio_policy", 18},
                      {"mode", 10},
                      {"nearest_mode", 11}},
       .op = "resize",
       .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_resize
