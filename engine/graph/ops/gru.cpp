#include "engine/graph/shared/recurrent_stages.h"

namespace tw::op_gru {
namespace {

using namespace ops;

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

constexpr char const* kActivations[] = {"sigmoid", "tanh"};

/// Gates: update, reset, hidden.
constexpr Cell kCell{
    .kind = {.gates = 3, .activations = kActivations},
    .stages = stages,
    .step = step,
    .variant = "linear_before_reset",
    .variant_doc = "1: the reset gate acts on R h, else on h",
};

}  // namespace

Operator const& row() {
  static Operator const op = cell_operator<kCell>({
      .name = "gru",
      .doc = "Gated recurrent units over the steps of sequences.",
  });
  return op;
}

}  // namespace tw::op_gru
