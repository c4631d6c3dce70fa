#include "engine/graph/shared/elements.h"
#include "engine/importers/onnx/converters.h"

namespace tw::onnx_tile {
namespace {

using namespace rules;

/// In opset 1 one axis is repeated, since then each has its number.
Result<Converted> convert(ForeignContext const& context) {
  TRY_ASSIGN(std::vector<int64_t> repeats, constant_integers(context, 1, "the number of repeats"));
  if (context.opset < 6) {
    TRY_ASSIGN(std::vector<int64_t> axis, constant_integers(context, 2, "the axis"));
    if (axis.size() != 1 || repeats.size() != 1 || context.ranks[0] < 0)
      return unsupported("tiling along several axes before opset 6");
    TRY_ASSIGN(int64_t place, ops::normal_axis(axis[0], size_t(context.ranks[0])));
    std::vector<int64_t> all(size_t(context.ranks[0]), 1);
    all[size_t(place)] = repeats[0];
    repeats = all;
  }
  return keep_inputs(context, 1, {{"repeats", repeats}});
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "Tile", .op = "tile", .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_tile
