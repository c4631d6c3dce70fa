#include "engine/graph/shared/recurrent_stages.h"

namespace tw {
namespace {

using namespace ops;

CellKind const kCell{1, 1, {"Tanh"}, false};

InferResult infer(Attributes const& attributes, Infos inputs) {
  return infer_recurrent(attributes, inputs, kCell);
}

/// h = f(W x + R h + b)
void step(CellStep const& s) {
  std::vector<double> before(s.h.begin(), s.h.end());
  for (size_t j = 0; j < s.h.size(); ++j)
    s.h[j] = s.gates[0](s.from_input[j] + s.bias[j] + s.product(0, j, before));
}

std::vector<te::Buffer> stages(Recurrence& r) {
  te::Buffer h = r.declared("hidden");
  te::Buffer product = r.product(r.step("before", r.before(h, 0)), 0, 1);
  return {r.step("hidden", r.gates[0](r.with_bias(r.from_input(0) + r.gate(product, 0), 0)))};
}

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  return recurrent_compute(attributes, inputs, name, kCell, stages);
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  return recurrent_reference(attributes, inputs, kCell, step);
}

Result<Converted> from_onnx(ForeignContext const& context) {
  return recurrent_from_onnx(context, kCell);
}

RandomCase random_case(Rng& rng) { return random_recurrent(rng, kCell); }

}  // namespace

Operator const& op_rnn() {
  static Operator const op{
      .name = "rnn",
      .doc = "A recurrence of one gate over the steps of sequences.",
      .fusion = Fusion::kOpaque,
      .inputs = {"X", "W", "R", "B", "H"},
      .attributes = recurrent_attributes({}),
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .onnx = "RNN",
      .onnx_attributes = {{"activation_alpha"},
                          {"activation_beta"},
                          {"activations"},
                          {"clip"},
                          {"direction"},
                          {"hidden_size"},
                          {"layout", 14},
                          {"output_sequence", 1, 6}},
      .from_onnx = from_onnx,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw
