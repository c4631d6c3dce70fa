#include "engine/graph/shared/recurrent_stages.h"

namespace tw {
namespace {

using namespace ops;

/// Gates: input, output, forget, cell.
CellKind const kCell{4, 2, {"Sigmoid", "Tanh", "Tanh"}, true};

InferResult infer(Attributes const& attributes, Infos inputs) {
  return infer_recurrent(attributes, inputs, kCell);
}

/// c = f * c + i * g(...); h = o * h(c). Peepholes: the gates i and f see the old c, o the new one.
void step(CellStep const& s, bool input_forget) {
  size_t n = s.h.size();
  std::vector<double> before(s.h.begin(), s.h.end());
  auto sum = [&](size_t gate, size_t j) {
    double peep = gate < 3 && !s.peephole.empty() ? s.peephole[gate * n + j] * s.c[j] : 0;
    return s.from_input[gate * n + j] + s.bias[gate * n + j] + s.product(gate, j, before) + peep;
  };
  for (size_t j = 0; j < n; ++j) {
    double in = s.gates[0](sum(0, j));
    double forget = input_forget ? 1 - in : s.gates[0](sum(2, j));
    s.c[j] = forget * s.c[j] + in * s.gates[1](sum(3, j));
    s.h[j] = s.gates[0](sum(1, j)) * s.gates[2](s.c[j]);
  }
}

std::vector<te::Buffer> stages(Recurrence& r, bool input_forget) {
  r.gates[2].clip = 0;
  te::Buffer h = r.declared("hidden"), c = r.declared("cell");
  te::Buffer product = r.product(r.step("before", r.before(h, 0)), 0, 4);
  auto sum = [&](int64_t gate) {
    return r.with_bias(r.from_input(gate) + r.gate(product, gate), gate);
  };
  ir::Expr old = r.before(c, 1);
  ir::Expr in = r.gates[0](r.with_peephole(sum(0), 0, old));
  ir::Expr forget =
      input_forget ? immediate(1, in.type()) - in : r.gates[0](r.with_peephole(sum(2), 2, old));
  r.step("cell", forget * old + in * r.gates[1](sum(3)));
  ir::Expr out = r.gates[0](r.with_peephole(sum(1), 1, r.now(c)));
  r.step("hidden", out * r.gates[2](r.now(c)));
  return {h, c};
}

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  bool input_forget = integer(attributes, "input_forget") != 0;
  return recurrent_compute(attributes, inputs, name, kCell,
                           [=](Recurrence& r) { return stages(r, input_forget); });
}

/// The clip is for what gates sum up, not for the cell: ONNX Runtime does it so.
ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  bool input_forget = integer(attributes, "input_forget") != 0;
  return recurrent_reference(attributes, inputs, kCell, [=](CellStep const& s) {
    std::vector<Gate> gates = s.gates;
    gates[2].clip = 0;
    step({s.from_input, s.recurrent, s.bias, s.peephole, gates, s.h, s.c}, input_forget);
  });
}

Result<Converted> from_onnx(ForeignContext const& context) {
  TRY_ASSIGN(Converted converted, recurrent_from_onnx(context, kCell));
  converted.attributes["input_forget"] = onnx_integer(context.node, "input_forget", 0);
  return converted;
}

RandomCase random_case(Rng& rng) {
  RandomCase result = random_recurrent(rng, kCell);
  result.attributes["input_forget"] = int64_t(rng.below(4) == 0);
  return result;
}

}  // namespace

Operator const& op_lstm() {
  static Operator const op{
      .name = "lstm",
      .doc = "Long short-term memory over the steps of sequences.",
      .fusion = Fusion::kOpaque,
      .inputs = {"X", "W", "R", "B", "H", "C", "P"},
      .attributes = recurrent_attributes({{"input_forget", "1: forget is 1 - input"}}),
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .onnx = "LSTM",
      .onnx_attributes = {{"activation_alpha"},
                          {"activation_beta"},
                          {"activations"},
                          {"clip"},
                          {"direction"},
                          {"hidden_size"},
                          {"input_forget"},
                          {"layout", 14},
                          {"output_sequence", 1, 6}},
      .from_onnx = from_onnx,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw
