#include "engine/graph/shared/recurrent_stages.h"

namespace tw::op_lstm {
namespace {

using namespace ops;

/// c = f * c + i * g(...); h = o * h(c). Peepholes: the gates i and f see the old c, o the new one.
/// The clip is for what gates sum up, not for the cell: others do it so.
void step(CellStep const& s, bool input_forget) {
  size_t n = s.h.size();
  Gate plain = s.gates[2];
  plain.clip = 0;
  std::vector<double> before(s.h.begin(), s.h.end());
  auto sum = [&](size_t gate, size_t j) {
    double peep = gate < 3 && !s.peephole.empty() ? s.peephole[gate * n + j] * s.c[j] : 0;
    return s.from_input[gate * n + j] + s.bias[gate * n + j] + s.product(gate, j, before) + peep;
  };
  for (size_t j = 0; j < n; ++j) {
    double in = s.gates[0](sum(0, j));
    double forget = input_forget ? 1 - in : s.gates[0](sum(2, j));
    s.c[j] = forget * s.c[j] + in * s.gates[1](sum(3, j));
    s.h[j] = s.gates[0](sum(1, j)) * plain(s.c[j]);
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

constexpr char const* kActivations[] = {"sigmoid", "tanh", "tanh"};

/// Gates: input, output, forget, cell.
constexpr Cell kCell{
    .kind = {.gates = 4, .states = 2, .activations = kActivations, .peephole = true},
    .stages = stages,
    .step = step,
    .variant = "input_forget",
    .variant_doc = "1: forget is 1 - input",
    .rarity = 4,
};

}  // namespace

Operator const& row() {
  static Operator const op = cell_operator<kCell>({
      .name = "lstm",
      .doc = "Long short-term memory over the steps of sequences.",
  });
  return op;
}

}  // namespace tw::op_lstm
