// Operators whose operands and results are all quantized: those of floats between
// DequantizeLinear and QuantizeLinear.
#include <fmt/format.h>

#include "engine/importers/onnx/converters.h"

namespace tw::onnx_quantized_linear {
namespace {

using namespace rules;

/// "pads=[1, 1, 1, 1], group=2": the node's own, for a node of a body.
std::string window_text(ForeignNode const& node) {
  std::vector<std::string> parts;
  for (char const* name : {"dilations", "kernel_shape", "pads", "strides"})
    if (foreign_has(node, name))
      parts.push_back(fmt::format("{}=[{}]", name, fmt::join(foreign_integers(node, name), ", ")));
  parts.push_back(fmt::format("group={}", foreign_integer(node, "group", 1)));
  if (foreign_has(node, "auto_pad"))
    parts.push_back(fmt::format("auto_pad='{}'", foreign_text(node, "auto_pad", "NOTSET")));
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// Scales of the operands at these places, of a tensor or of one axis.
Status check_scales(ForeignContext const& context, std::initializer_list<size_t> places) {
  for (size_t i : places)
    if (i < context.ranks.size() && context.ranks[i] > 1)
      return unsupported("scales along more than one axis");
  return {};
}

Result<std::string> conv(ForeignContext const& context) {
  TRY(check_scales(context, {1, 4, 6}));
  bool bias = input_given(context, 8);
  return fmt::format(R"(xf = DequantizeLinear(x, xs, xz)
                        wf = DequantizeLinear<axis=0>(w, ws, wz)
                        {}
                        yf = Conv<{}>(xf, wf{})
                        y = QuantizeLinear(yf, ys, yz))",
                     bias ? "bs = Mul(xs, ws)\nbf = DequantizeLinear<axis=0>(b, bs)" : "",
                     window_text(context.node), bias ? ", bf" : "");
}

Result<std::string> matmul(ForeignContext const& context) {
  TRY(check_scales(context, {1, 4, 6}));
  return std::string(R"(af = DequantizeLinear<axis=-2>(a, as, az)
                        bf = DequantizeLinear<axis=-1>(b, bs, bz)
                        yf = MatMul(af, bf)
                        y = QuantizeLinear<axis=-2>(yf, ys, yz))");
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "QLinearConv",
       .attributes = {{"auto_pad", 10},
                      {"dilations", 10},
                      {"group", 10},
                      {"kernel_shape", 10},
                      {"pads", 10},
                      {"strides", 10}},
       .function = FunctionBody{.doc = "The convolution of the numbers that the operands stand "
                                       "for, quantized.",
                                .inputs = {"x", "xs", "xz", "w", "ws", "wz", "ys", "yz", "b"},
                                .outputs = {"y"},
                                .body = conv}},
      {.type = "QLinearMatMul",
       .function = FunctionBody{.doc = "The matrix product of the numbers that the operands stand "
                                       "for, quantized.",
                                .inputs = {"a", "as", "az", "b", "bs", "bz", "ys", "yz"},
                                .outputs = {"y"},
                                .body = matmul}},
  };
  return rules;
}

}  // namespace tw::onnx_quantized_linear
