#include "engine/graph/shared/recurrent.h"

namespace tw {
namespace {

using namespace ops;

CellKind const kCell{3, 1, {"Sigmoid", "Tanh"}, false};  // gates: update, reset, hidden

InferResult infer(Attributes const& attributes, Infos inputs) {
  return infer_recurrent(attributes, inputs, kCell);
}

/// h = (1 - z) * g(W x + R (r * h) + b) + z * h; with linear_before_reset r times (R h + b).
void step(CellStep const& s, bool linear_before_reset) {
  size_t n = s.h.size();
  std::vector<double> before(s.h.begin(), s.h.end()), z(n), r(n), kept(n);
  auto sum = [&](size_t gate, size_t j) {
    return s.from_input[gate * n + j] + s.bias[gate * n + j] + s.product(gate, j, before);
  };
  for (size_t j = 0; j < n; ++j) {
    z[j] = s.gates[0](sum(0, j));
    r[j] = s.gates[0](sum(1, j));
    kept[j] = r[j] * before[j];
  }
  for (size_t j = 0; j < n; ++j) {
    double from_state = linear_before_reset ? r[j] * (s.product(2, j, before) + s.bias[2 * n + j])
                                            : s.product(2, j, kept) + s.bias[2 * n + j];
    s.h[j] = (1 - z[j]) * s.gates[1](s.from_input[2 * n + j] + from_state) + z[j] * before[j];
  }
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  bool linear = integer(attributes, "linear_before_reset") != 0;
  return recurrent_reference(attributes, inputs, kCell,
                             [=](CellStep const& s) { step(s, linear); });
}

Result<Converted> from_onnx(ForeignContext const& context) {
  TRY_ASSIGN(Converted converted, recurrent_from_onnx(context, kCell));
  converted.attributes["linear_before_reset"] =
      onnx_integer(context.node, "linear_before_reset", 0);
  return converted;
}

RandomCase random_case(Rng& rng) {
  RandomCase result = random_recurrent(rng, kCell);
  result.attributes["linear_before_reset"] = rng.below(2);
  return result;
}

}  // namespace

Operator const& op_gru() {
  static Operator const op{
      .name = "gru",
      .doc = "Gated recurrent units over the steps of sequences.",
      .fusion = Fusion::kOpaque,
      .inputs = {"X", "W", "R", "B", "H"},
      .attributes = recurrent_attributes(
          {{"linear_before_reset", "1: the reset gate acts on R h, else on h"}}),
      .infer = infer,
      .reference = reference,
      .onnx = "GRU",
      .from_onnx = from_onnx,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw
