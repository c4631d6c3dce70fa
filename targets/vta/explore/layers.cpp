#include "targets/vta/explore/layers.h"

#include <fmt/format.h>

namespace tw::vta {
namespace {

constexpr ConvolutionLayer kResnet18[] = {
    {"C2", 56, 64, 64, 3, 1, 4},   {"C4", 56, 64, 128, 3, 2, 1},   {"C5", 56, 64, 128, 1, 2, 1},
    {"C6", 28, 128, 128, 3, 1, 3}, {"C7", 28, 128, 256, 3, 2, 1},  {"C8", 28, 128, 256, 1, 2, 1},
    {"C9", 14, 256, 256, 3, 1, 3}, {"C10", 14, 256, 512, 3, 2, 1}, {"C11", 14, 256, 512, 1, 2, 1},
    {"C12", 7, 512, 512, 3, 1, 3},
};

/// Axes and indices that every stage shares; where one image makes a block there is no axis for it.
struct BatchWords {
  std::string batch_axis, batch_index, batch_extent;
};
BatchWords words_of(int64_t batch) {
  if (batch == 1) return {};
  return {fmt::format(", b in {}", batch), ", b", fmt::format(", {}", batch)};
}

std::string index_of(char const* axis, char const* tap, ConvolutionLayer const& layer) {
  std::string moved = layer.stride > 1 ? fmt::format("{}*{}", axis, layer.stride) : axis;
  return layer.kernel > 1 ? moved + "+" + tap : moved;
}

std::string padding_stage(ConvolutionLayer const& layer, int64_t blocks, int64_t block,
                          BatchWords const& words) {
  int64_t pad = layer.kernel / 2;
  return fmt::format(
      "  padded[n in 1, c in {0}, y in {1}, x in {1}{2}, i in {3}] = select({4} <= y && y < {5} && "
      "{4} <= x && x < {5}, X[n, c, y-{4}, x-{4}{6}, i], 0:i8)\n",
      blocks, layer.extent + 2 * pad, words.batch_axis, block, pad, pad + layer.extent,
      words.batch_index);
}

}  // namespace

std::span<ConvolutionLayer const> resnet18_layers() { return kResnet18; }

Result<std::string> expression_of(ConvolutionLayer const& layer,
                                  Configuration const& configuration) {
  int64_t block = configuration.block(), kernel = layer.kernel;
  for (int64_t channels : {layer.in, layer.out})
    if (channels % block != 0)
      return refused("unfit_layer",
                     fmt::format("its {} channels are no whole blocks of {}", channels, block));
  int64_t in = layer.in / block, out = layer.out / block;
  int64_t result = (layer.extent + 2 * (kernel / 2) - kernel) / layer.stride + 1;
  BatchWords words = words_of(configuration.batch());
  std::string axes = fmt::format("n in 1, o in {}, y in {}, x in {}{}, j in {}", out, result,
                                 result, words.batch_axis, block);
  std::string text = fmt::format(
      "tilewright te 1\nkernel conv(X: i8[1, {0}, {1}, {1}{2}, {3}], W: i8[{4}, {0}, {5}, {5}, "
      "{3}, {3}] @param) -> Y\n",
      in, layer.extent, words.batch_extent, block, out, kernel);
  if (kernel > 1) text += padding_stage(layer, in, block, words);
  text += fmt::format(
      "  conv[{}] = sum[c in {}{}, i in {}] i32({}[n, c, {}, {}{}, i]) * i32(W[o, c, {}, j, i])\n",
      axes, in, kernel > 1 ? fmt::format(", r in {0}, s in {0}", kernel) : "", block,
      kernel > 1 ? "padded" : "X", index_of("y", "r", layer), index_of("x", "s", layer),
      words.batch_index, kernel > 1 ? "r, s" : "0, 0");
  return text + fmt::format(
                    "  Y[{}]: i8 = i8(min(max(conv[n, o, y, x{}, j] >> 7:i32, -127:i32), "
                    "127:i32))\n",
                    axes, words.batch_index);
}

}  // namespace tw::vta
