#include "engine/graph/shared/recurrent_stages.h"

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

std::vector<te::Buffer> stages(Recurrence& r, bool linear_before_reset) {
  te::Buffer h = r.declared("hidden");
  te::Buffer before = r.step("before", r.before(h, 0));
  te::Buffer product = r.product(before, 0, linear_before_reset ? 3 : 2);
  auto sum = [&](int64_t gate) {
    return r.gates[0](r.with_bias(r.from_input(gate) + r.gate(product, gate), gate));
  };
  ir::Expr from_state;
  if (linear_before_reset) {
    from_state = sum(1) * r.with_bias(r.gate(product, 2), 2);
  } else {
    te::Buffer kept = r.step("kept", sum(1) * r.now(before));
    from_state = r.with_bias(r.gate(r.product(kept, 2, 1), 0), 2);
  }
  te::Buffer update = r.step("update", sum(0));
  ir::Expr z = r.now(update), next = r.gates[1](r.from_input(2) + from_state);
  return {r.step("hidden", (immediate(1, z.type()) - z) * next + z * r.now(before))};
}

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  bool linear = integer(attributes, "linear_before_reset") != 0;
  return recurrent_compute(attributes, inputs, name, kCell,
                           [=](Recurrence& r) { return stages(r, linear); });
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
      .compute = compute,
      .reference = reference,
      .onnx = "GRU",
      .onnx_attributes = {{"activation_alpha"},
                          {"activation_beta"},
                          {"activations"},
                          {"clip"},
                          {"direction"},
                          {"hidden_size"},
                          {"layout", 14},
                          {"linear_before_reset", 3},
                          {"output_sequence", 1, 6}},
      .from_onnx = from_onnx,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw
