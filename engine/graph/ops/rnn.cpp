#include "engine/graph/shared/recurrent_stages.h"

namespace tw::op_rnn {
namespace {

using namespace ops;

/// h = f(W x + R h + b)
void step(CellStep const& s, bool) {
  std::vector<double> before(s.h.begin(), s.h.end());
  for (size_t j = 0; j < s.h.size(); ++j)
    s.h[j] = s.gates[0](s.from_input[j] + s.bias[j] + s.product(0, j, before));
}

std::vector<te::Buffer> stages(Recurrence& r, bool) {
  te::Buffer h = r.declared("hidden");
  te::Buffer product = r.product(r.step("before", r.before(h, 0)), 0, 1);
  return {r.step("hidden", r.gates[0](r.with_bias(r.from_input(0) + r.gate(product, 0), 0)))};
}

constexpr char const* kActivations[] = {"tanh"};

constexpr Cell kCell{
    .kind = {.gates = 1, .activations = kActivations},
    .stages = stages,
    .step = step,
};

}  // namespace

Operator const& row() {
  static Operator const op = cell_operator<kCell>({
      .name = "rnn",
      .doc = "Simple recurrent network (RNN) over the steps of sequences.",
  });
  return op;
}

}  // namespace tw::op_rnn
