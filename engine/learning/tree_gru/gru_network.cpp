#include "engine/learning/tree_gru/gru_network.h"

namespace tw::gru {
namespace {

/// Lays matrices out, one behind the other.
template <typename Number, typename View, typename VectorView>
class Layout {
public:
  explicit Layout(Number* numbers) : next_(numbers) {}
  View matrix(Eigen::Index rows, Eigen::Index columns) {
    return View(taken(rows * columns), rows, columns);
  }
  VectorView vector(Eigen::Index rows) { return VectorView(taken(rows), rows); }
  UnitView<View, VectorView> unit(Eigen::Index input, Eigen::Index hidden) {
    View of_input = matrix(3 * hidden, input), of_state = matrix(3 * hidden, hidden);
    VectorView bias = vector(3 * hidden);
    return {of_input, of_state, bias, vector(hidden)};
  }
  NetworkView<View, VectorView> network(Sizes const& sizes) {
    View embed = matrix(sizes.embedding, sizes.features);
    VectorView embed_bias = vector(sizes.embedding);
    auto up = unit(sizes.embedding, sizes.hidden);
    auto join = unit(sizes.hidden, sizes.hidden);
    View score = matrix(sizes.slot_count, sizes.hidden);
    VectorView score_bias = vector(sizes.slot_count);
    View out = matrix(sizes.slot_count, sizes.hidden);
    return {embed, embed_bias, up, join, score, score_bias, out, vector(1)};
  }

private:
  Number* taken(Eigen::Index count) {
    Number* first = next_;
    next_ += count;
    return first;
  }
  Number* next_;
};

template <typename Number>
auto logistic(Number x) {
  return Number(1) / (Number(1) + std::exp(-x));
}

}  // namespace

template <typename Number>
Weights<Number> weights_of(Sizes const& sizes, Number const* numbers) {
  return Layout<Number const, Eigen::Map<Matrix<Number> const>, Eigen::Map<Vector<Number> const>>(
             numbers)
      .network(sizes);
}

template <typename Number>
Gradients<Number> gradients_of(Sizes const& sizes, Number* numbers) {
  return Layout<Number, Eigen::Map<Matrix<Number>>, Eigen::Map<Vector<Number>>>(numbers).network(
      sizes);
}

/// States that the steps of a wave go on from: nothing is 0.
template <typename Number>
Matrix<Number> Pass<Number>::before(Plan::Wave const& wave) const {
  Matrix<Number> states = Matrix<Number>::Zero(sizes_.hidden, wave.count);
  for (int i = 0; i < wave.count; ++i)
    if (int from = plan_.state[size_t(wave.first + i)]; from >= 0)
      states.col(i) = states_.col(from);
  return states;
}

template <typename Number>
void Pass<Number>::step_forward(UnitView<View, VectorView> const& unit, Plan::Wave const& wave) {
  int hidden = sizes_.hidden;
  auto given = given_.middleCols(wave.first, wave.count);
  auto gates = gates_.middleCols(wave.first, wave.count);
  auto late = late_.middleCols(wave.first, wave.count);
  auto from = before_.middleCols(wave.first, wave.count);
  from = before(wave);
  Matrix<Number> recurrent(3 * hidden, wave.count);
  recurrent.noalias() = unit.state * from;
  late = recurrent.bottomRows(hidden).colwise() + unit.late;
  gates.topRows(2 * hidden) =
      (given.topRows(2 * hidden) + recurrent.topRows(2 * hidden)).unaryExpr(&logistic<Number>);
  gates.bottomRows(hidden) =
      (given.bottomRows(hidden).array() + gates.middleRows(hidden, hidden).array() * late.array())
          .tanh();
  auto update = gates.topRows(hidden).array();
  states_.middleCols(wave.first, wave.count) =
      (1 - update) * gates.bottomRows(hidden).array() + update * from.array();
}

template <typename Number>
void Pass<Number>::step_backward(UnitView<View, VectorView> const& unit, Plan::Wave const& wave) {
  int hidden = sizes_.hidden;
  auto of_state = of_states_.middleCols(wave.first, wave.count).array();
  auto update = gates_.middleCols(wave.first, wave.count).topRows(hidden).array();
  auto reset = gates_.middleCols(wave.first, wave.count).middleRows(hidden, hidden).array();
  auto candidate = gates_.middleCols(wave.first, wave.count).bottomRows(hidden).array();
  auto late = late_.middleCols(wave.first, wave.count).array();
  auto from = before_.middleCols(wave.first, wave.count).array();
  auto given = of_given_.middleCols(wave.first, wave.count);
  auto recurrent = of_recurrent_.middleCols(wave.first, wave.count);
  given.topRows(hidden) = (of_state * (from - candidate) * update * (1 - update)).matrix();
  given.bottomRows(hidden) = (of_state * (1 - update) * (1 - candidate.square())).matrix();
  given.middleRows(hidden, hidden) =
      (given.bottomRows(hidden).array() * late * reset * (1 - reset)).matrix();
  recurrent.topRows(2 * hidden) = given.topRows(2 * hidden);
  recurrent.bottomRows(hidden) = (given.bottomRows(hidden).array() * reset).matrix();
  Matrix<Number> back = (of_state * update).matrix();
  back.noalias() += unit.state.transpose() * recurrent;
  for (int i = 0; i < wave.count; ++i)
    if (int step = plan_.state[size_t(wave.first + i)]; step >= 0)
      of_states_.col(step) += back.col(i);
}

template <typename Number>
void Pass<Number>::read_out(Weights<Number> const& weights) {
  node_states_.resize(sizes_.hidden, plan_.nodes);
  for (int node = 0; node < plan_.nodes; ++node)
    node_states_.col(node) = states_.col(plan_.step_of[size_t(node)]);
  readings_ = weights.out * node_states_;
  shares_ = (weights.score * node_states_).colwise() + weights.score_bias;
  for (int node = 0; node < plan_.nodes; ++node) {
    auto share = shares_.col(node).array();
    share = (share - share.maxCoeff()).exp();
    share /= share.sum();
  }
}

template <typename Number>
Vector<Number> Pass<Number>::forward(Weights<Number> const& weights, Matrix<Number> features) {
  features_ = std::move(features);
  embedded_ = ((weights.embed * features_).colwise() + weights.embed_bias).array().tanh();
  int hidden = sizes_.hidden;
  for (Matrix<Number>* one : {&states_, &before_, &late_}) one->resize(hidden, plan_.steps);
  gates_.resize(3 * hidden, plan_.steps);
  given_.resize(3 * hidden, plan_.steps);
  Matrix<Number> of_nodes = (weights.up.input * embedded_).colwise() + weights.up.bias;
  for (Plan::Wave const& wave : plan_.waves) {
    if (wave.join) {
      Matrix<Number> joined(hidden, wave.count);
      for (int i = 0; i < wave.count; ++i)
        joined.col(i) = states_.col(plan_.input[size_t(wave.first + i)]);
      given_.middleCols(wave.first, wave.count) =
          (weights.join.input * joined).colwise() + weights.join.bias;
    } else {
      for (int i = wave.first; i < wave.first + wave.count; ++i)
        given_.col(i) = of_nodes.col(plan_.input[size_t(i)]);
    }
    step_forward(wave.join ? weights.join : weights.up, wave);
  }
  read_out(weights);
  Vector<Number> predicted(plan_.trees);
  for (int tree = 0; tree < plan_.trees; ++tree) {
    int first = plan_.first_node[size_t(tree)], end = plan_.first_node[size_t(tree) + 1];
    predicted[tree] =
        weights.out_bias[0] + shares_.middleCols(first, end - first)
                                  .cwiseProduct(readings_.middleCols(first, end - first))
                                  .sum();
  }
  return predicted;
}

template <typename Number>
void Pass<Number>::unread(Weights<Number> const& weights, Vector<Number> const& wanted,
                          Gradients<Number>& gradients) {
  Matrix<Number> of_scores(sizes_.slot_count, plan_.nodes),
      of_readings(sizes_.slot_count, plan_.nodes);
  for (int tree = 0; tree < plan_.trees; ++tree)
    for (int node = plan_.first_node[size_t(tree)]; node < plan_.first_node[size_t(tree) + 1];
         ++node) {
      auto share = shares_.col(node).array();
      auto reading = readings_.col(node).array();
      of_readings.col(node) = wanted[tree] * share.matrix();
      of_scores.col(node) = (wanted[tree] * share * (reading - (share * reading).sum())).matrix();
    }
  gradients.out.noalias() += of_readings * node_states_.transpose();
  gradients.score.noalias() += of_scores * node_states_.transpose();
  gradients.score_bias += of_scores.rowwise().sum();
  gradients.out_bias[0] += wanted.sum();
  Matrix<Number> of_nodes =
      weights.out.transpose() * of_readings + weights.score.transpose() * of_scores;
  for (int node = 0; node < plan_.nodes; ++node)
    of_states_.col(plan_.step_of[size_t(node)]) += of_nodes.col(node);
}

namespace {

/// Of one unit, from the steps that went through it.
template <typename Number, typename Unit>
void add_unit(Unit& unit, Matrix<Number> const& inputs, Matrix<Number> const& before,
              Matrix<Number> const& of_given, Matrix<Number> const& of_recurrent) {
  unit.input.noalias() += of_given * inputs.transpose();
  unit.state.noalias() += of_recurrent * before.transpose();
  unit.bias += of_given.rowwise().sum();
  unit.late += of_recurrent.bottomRows(unit.late.size()).rowwise().sum();
}

}  // namespace

/// Of the children that joined in a wave, and of the unit that joined them.
template <typename Number>
void Pass<Number>::unjoin(Weights<Number> const& weights, Plan::Wave const& wave,
                          Gradients<Number>& gradients) {
  Matrix<Number> of_given = of_given_.middleCols(wave.first, wave.count);
  Matrix<Number> of_joined = weights.join.input.transpose() * of_given;
  Matrix<Number> joined(sizes_.hidden, wave.count);
  for (int i = 0; i < wave.count; ++i) {
    int child = plan_.input[size_t(wave.first + i)];
    joined.col(i) = states_.col(child);
    of_states_.col(child) += of_joined.col(i);
  }
  add_unit<Number>(gradients.join, joined, before_.middleCols(wave.first, wave.count), of_given,
                   of_recurrent_.middleCols(wave.first, wave.count));
}

/// Of what comes of the nodes' own features; steps of nodes are put in the nodes' order.
template <typename Number>
void Pass<Number>::unembed(Weights<Number> const& weights, Gradients<Number>& gradients) {
  int hidden = sizes_.hidden;
  Matrix<Number> given(3 * hidden, plan_.nodes), recurrent(3 * hidden, plan_.nodes),
      from(hidden, plan_.nodes);
  for (int node = 0; node < plan_.nodes; ++node) {
    int step = plan_.step_of[size_t(node)];
    given.col(node) = of_given_.col(step);
    recurrent.col(node) = of_recurrent_.col(step);
    from.col(node) = before_.col(step);
  }
  add_unit<Number>(gradients.up, embedded_, from, given, recurrent);
  Matrix<Number> of_embedded = weights.up.input.transpose() * given;
  of_embedded = of_embedded.array() * (1 - embedded_.array().square());
  gradients.embed.noalias() += of_embedded * features_.transpose();
  gradients.embed_bias += of_embedded.rowwise().sum();
}

template <typename Number>
void Pass<Number>::backward(Weights<Number> const& weights, Vector<Number> const& wanted,
                            Gradients<Number>& gradients) {
  of_states_ = Matrix<Number>::Zero(sizes_.hidden, plan_.steps);
  of_given_.resize(3 * sizes_.hidden, plan_.steps);
  of_recurrent_.resize(3 * sizes_.hidden, plan_.steps);
  unread(weights, wanted, gradients);
  for (auto wave = plan_.waves.rbegin(); wave != plan_.waves.rend(); ++wave) {
    step_backward(wave->join ? weights.join : weights.up, *wave);
    if (wave->join) unjoin(weights, *wave, gradients);
  }
  unembed(weights, gradients);
}

template class Pass<float>;
template class Pass<double>;
template Weights<float> weights_of(Sizes const&, float const*);
template Weights<double> weights_of(Sizes const&, double const*);
template Gradients<float> gradients_of(Sizes const&, float*);
template Gradients<double> gradients_of(Sizes const&, double*);

}  // namespace tw::gru
