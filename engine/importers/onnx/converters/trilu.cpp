#include <fmt/format.h>

#include <algorithm>

#include "engine/importers/onnx/converters.h"

namespace tw::onnx_trilu {
namespace {

using namespace rules;

constexpr int64_t kMost = int64_t(1) << 40;  // farther than any matrix reaches

Result<Converted> convert(ForeignContext const& context) {
  Attributes attributes{{"upper", foreign_integer(context.node, "upper", 1)}};
  if (input_given(context, 1)) {
    TRY_ASSIGN(std::vector<int64_t> diagonal, constant_integers(context, 1, "the diagonal"));
    if (diagonal.size() != 1) return unsupported(fmt::format("{} diagonals", diagonal.size()));
    attributes["diagonal"] = std::clamp(diagonal[0], -kMost, kMost);
  }
  return keep_inputs(context, 1, attributes);
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "Trilu", .attributes = {{"upper", 14}}, .op = "trilu", .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_trilu
