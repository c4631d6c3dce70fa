#include "engine/graph/shared/recurrent_stages.h"

namespace tw::ops {

using ir::Expr;

Recurrence::Recurrence(Attributes const& attributes, Buffers inputs, CellKind const& kind,
                       RecurrentShape const& shape, int64_t direction, std::string const& name)
    : gates(gates_of(attributes, direction, kind)),
      inputs_(inputs),
      kind_(kind),
      s_(shape),
      d_(direction),
      backwards_(runs_backwards(attributes, direction)),
      name_(name),
      suffix_(direction == 1 ? "_back" : ""),
      t_{"t", shape.steps, "step"},
      b_{"b", shape.batch, "batch"},
      j_{"j", shape.hidden, "unit"} {
  // All steps' inputs at once: one matrix product outside of the recurrence.
  te::Axis n{"n", s_.steps, "step"}, q{"q", kind.gates, "gate"}, i{"i", s_.input, "input"};
  Expr x = ir::load(inputs[kX], s_.batch_first ? std::vector<Expr>{b_.var(), n.var(), i.var()}
                                               : std::vector<Expr>{n.var(), b_.var(), i.var()});
  input_ = add(te::reduce("input" + suffix_, {n, b_, q, j_}, te::Combiner::kSum, {i},
                          x * weights(kW, q.var(), 0, kind.gates, i), "input_product"));
}

te::Buffer Recurrence::add(te::Stage stage) {
  stages.push_back(std::move(stage));
  return stages.back().output;
}

te::Buffer Recurrence::add_step(te::Stage stage) {
  stage.scan = begun_ ? te::Scan::kJoins : te::Scan::kBegins;
  begun_ = true;
  return add(std::move(stage));
}

bool Recurrence::given(size_t input) const { return input < inputs_.size() && inputs_[input]; }

/// Weights that are known when the model is loaded get a tensor of their own by gates, which a
/// schedule may lay out as it likes: it is made once, then.
Expr Recurrence::weights(size_t input, Expr gate, int64_t first, int64_t count,
                         te::Axis const& along) {
  te::Buffer const& from = inputs_[input];
  if (from->scope != ir::kParameterScope)
    return ir::load(from, {ir::int_imm(d_), (gate + first) * s_.hidden + j_.var(), along.var()});
  te::Axis q{"q", count, "gate"};
  te::Buffer by_gates = add(te::compute(
      from->name + "_gates" + (first > 0 ? std::to_string(first) : "") + suffix_, {q, j_, along},
      ir::load(from, {ir::int_imm(d_), (q.var() + first) * s_.hidden + j_.var(), along.var()}),
      "weights"));
  return ir::load(by_gates, {std::move(gate), j_.var(), along.var()});
}

te::Buffer Recurrence::declared(std::string const& state) const {
  return ir::make_buffer(state + suffix_, inputs_[kX]->type, {s_.steps, s_.batch, s_.hidden});
}

Expr Recurrence::before(te::Buffer const& state, size_t which) const {
  Expr start = immediate(0, inputs_[kX]->type);
  if (given(kStates + which))
    start = ir::load(inputs_[kStates + which],
                     s_.batch_first ? std::vector<Expr>{b_.var(), ir::int_imm(d_), j_.var()}
                                    : std::vector<Expr>{ir::int_imm(d_), b_.var(), j_.var()});
  if (s_.steps == 1) return start;
  return ir::select(1 <= t_.var(), ir::load(state, {t_.var() - 1, b_.var(), j_.var()}), start);
}

te::Buffer Recurrence::step(std::string const& state, Expr value) {
  return add_step(te::compute(state + suffix_, {t_, b_, j_}, std::move(value), state));
}

Expr Recurrence::now(te::Buffer const& state) const {
  return ir::load(state, {t_.var(), b_.var(), j_.var()});
}

te::Buffer Recurrence::product(te::Buffer const& state, int64_t first, int64_t count) {
  te::Axis q{"q", count, "gate"}, k{"k", s_.hidden, "unit"};
  // The weights' own stage comes before the recurrence, which must not be interrupted.
  std::vector<te::Stage> begun = std::move(stages);
  stages.clear();
  Expr factor = weights(kR, q.var(), first, count, k);
  stages.insert(stages.end(), begun.begin(), begun.end());
  std::string name = name_ + (first > 0 ? std::to_string(first) : "") + suffix_;
  return add_step(te::reduce(name, {t_, b_, q, j_}, te::Combiner::kSum, {k},
                             ir::load(state, {t_.var(), b_.var(), k.var()}) * factor, name_));
}

Expr Recurrence::gate(te::Buffer const& product, int64_t gate) const {
  return ir::load(product, {t_.var(), b_.var(), ir::int_imm(gate), j_.var()});
}

Expr Recurrence::from_input(int64_t gate) const {
  Expr time = backwards_ ? ir::int_imm(s_.steps - 1) - t_.var() : t_.var();
  Expr sum = ir::load(input_, {time, b_.var(), ir::int_imm(gate), j_.var()});
  return given(kB) ? sum + ir::load(inputs_[kB], {ir::int_imm(d_), j_.var() + gate * s_.hidden})
                   : sum;
}

Expr Recurrence::with_bias(Expr sum, int64_t gate) const {
  if (!given(kB)) return sum;
  return sum +
         ir::load(inputs_[kB], {ir::int_imm(d_), j_.var() + (kind_.gates + gate) * s_.hidden});
}

Expr Recurrence::with_peephole(Expr sum, int64_t which, Expr const& cell) const {
  size_t p = kStates + kind_.states;
  if (!kind_.peephole || !given(p)) return sum;
  return sum + ir::load(inputs_[p], {ir::int_imm(d_), j_.var() + which * s_.hidden}) * cell;
}

namespace {

/// Of two directions the one that `d` says; of one that.
Expr of_direction(std::vector<Expr> const& values, te::Axis const& d) {
  return values.size() == 1 ? values[0] : ir::select(d.var() < 1, values[0], values[1]);
}

te::Stage whole_output(RecurrentShape const& s, std::vector<te::Buffer> const& hidden,
                       std::vector<bool> const& backwards, std::string const& name) {
  te::Axis t{"t", s.steps, "step"}, d{"d", s.directions, "direction"}, b{"b", s.batch, "batch"},
      j{"j", s.hidden, "unit"};
  std::vector<Expr> values;
  for (size_t i = 0; i < hidden.size(); ++i)
    values.push_back(
        ir::load(hidden[i],
                 {backwards[i] ? ir::int_imm(s.steps - 1) - t.var() : t.var(), b.var(), j.var()}));
  std::vector<te::Axis> axes =
      s.batch_first ? std::vector<te::Axis>{b, t, d, j} : std::vector<te::Axis>{t, d, b, j};
  return te::compute(name + "_whole", axes, of_direction(values, d), "copy");
}

te::Stage last_output(RecurrentShape const& s, std::vector<te::Buffer> const& state,
                      std::string const& name) {
  te::Axis d{"d", s.directions, "direction"}, b{"b", s.batch, "batch"}, j{"j", s.hidden, "unit"};
  std::vector<Expr> values;
  for (te::Buffer const& buffer : state)
    values.push_back(ir::load(buffer, {ir::int_imm(s.steps - 1), b.var(), j.var()}));
  std::vector<te::Axis> axes =
      s.batch_first ? std::vector<te::Axis>{b, d, j} : std::vector<te::Axis>{d, b, j};
  return te::compute(name, axes, of_direction(values, d), "copy");
}

}  // namespace

Result<Tensors> recurrent_compute(Attributes const& attributes, Buffers inputs,
                                  std::string const& name, CellKind const& kind,
                                  std::function<std::vector<te::Buffer>(Recurrence&)> const& cell) {
  std::vector<TensorInfo> infos;
  for (te::Buffer const& input : inputs)
    infos.push_back({input ? input->type : DType::kF32, input ? shape_of(input) : Shape{}, {}});
  std::vector<TensorInfo const*> pointers;
  for (size_t i = 0; i < infos.size(); ++i) pointers.push_back(inputs[i] ? &infos[i] : nullptr);
  TRY_ASSIGN(RecurrentShape s, recurrent_shape(attributes, pointers, kind));
  Tensors tensors;
  std::vector<std::vector<te::Buffer>> states(kind.states);
  std::vector<bool> backwards;
  for (int64_t d = 0; d < s.directions; ++d) {
    Recurrence recurrence(attributes, inputs, kind, s, d, name);
    std::vector<te::Buffer> made = cell(recurrence);
    for (size_t i = 0; i < kind.states; ++i) states[i].push_back(made[i]);
    backwards.push_back(runs_backwards(attributes, d));
    tensors.stages.insert(tensors.stages.end(), recurrence.stages.begin(), recurrence.stages.end());
  }
  static char const* const kNames[] = {"hidden_last", "cell_last"};
  tensors.stages.push_back(whole_output(s, states[0], backwards, name));
  tensors.outputs.push_back(tensors.stages.back().output);
  for (size_t i = 0; i < kind.states; ++i) {
    tensors.stages.push_back(last_output(s, states[i], kNames[i]));
    tensors.outputs.push_back(tensors.stages.back().output);
  }
  return tensors;
}

}  // namespace tw::ops
