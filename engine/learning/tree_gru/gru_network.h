/// The arithmetic of a recursive network over trees, and its gradient by hand: in single precision
/// to work with, in double precision to be checked. The only files that know Eigen.
///
/// Each node's features become an embedding. Up the tree, the state of a gated recurrent unit (Cho
/// et al. 2014, in the form whose candidate is reset behind its matrix) goes from a node's children
/// to the node; children are joined one by one, in their order, by a unit of its own. Each state is
/// scattered to slots by a softmax of its scores, slots are added up over the nodes, and a line
/// through all slots is the prediction ("Learning to Optimize Tensor Programs", Chen et al. 2018,
/// section 4, "context encoded TreeGRU").
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "engine/learning/tree_gru/tree_gru.h"

namespace tw::gru {

using Sizes = TreeGruSizes;

template <typename Number>
using Matrix = Eigen::Matrix<Number, Eigen::Dynamic, Eigen::Dynamic>;
template <typename Number>
using Vector = Eigen::Matrix<Number, Eigen::Dynamic, 1>;

/// One unit's weights inside of all parameters.
template <typename View, typename VectorView>
struct UnitView {
  View input, state;      ///< 3 x hidden rows: update, reset, candidate
  VectorView bias, late;  ///< `late`: of the candidate, behind its reset
};

/// All parameters by name; made on a run of numbers, which it does not own.
template <typename View, typename VectorView>
struct NetworkView {
  View embed;
  VectorView embed_bias;
  UnitView<View, VectorView> up, join;
  View score;
  VectorView score_bias;
  View out;             ///< of each slot a row
  VectorView out_bias;  ///< one number
};
template <typename Number>
using Weights = NetworkView<Eigen::Map<Matrix<Number> const>, Eigen::Map<Vector<Number> const>>;
template <typename Number>
using Gradients = NetworkView<Eigen::Map<Matrix<Number>>, Eigen::Map<Vector<Number>>>;

template <typename Number>
Weights<Number> weights_of(Sizes const& sizes, Number const* numbers);
template <typename Number>
Gradients<Number> gradients_of(Sizes const& sizes, Number* numbers);

/// The order in which several trees are gone through at once: what needs nothing of each other is
/// one wave, and one product of matrices.
struct Plan {
  struct Wave {
    bool join = false;
    int first = 0, count = 0;  ///< of its steps
  };
  int steps = 0, nodes = 0, trees = 0;
  std::vector<Wave> waves;
  std::vector<int> input;       ///< of each step: the node, or the step of a child that joins
  std::vector<int> state;       ///< of each step: the step whose state it goes on from; -1: nothing
  std::vector<int> step_of;     ///< of each node
  std::vector<int> first_node;  ///< of each tree, and behind the last one
};
Plan plan_of(std::span<FeatureTree const* const> trees);

/// A pass over trees, with all that its gradient needs.
template <typename Number>
class Pass {
public:
  Pass(Sizes const& sizes, Plan const& plan) : sizes_(sizes), plan_(plan) {}

  /// A prediction of each tree; `features` has a column for each node.
  Vector<Number> forward(Weights<Number> const& weights, Matrix<Number> features);
  /// Adds to `gradients` those of a loss that changes by `wanted` with each prediction. Behind a
  /// `forward` with the same weights.
  void backward(Weights<Number> const& weights, Vector<Number> const& wanted,
                Gradients<Number>& gradients);

private:
  using View = Eigen::Map<Matrix<Number> const>;
  using VectorView = Eigen::Map<Vector<Number> const>;
  void step_forward(UnitView<View, VectorView> const& unit, Plan::Wave const& wave);
  void step_backward(UnitView<View, VectorView> const& unit, Plan::Wave const& wave);
  void read_out(Weights<Number> const& weights);
  void unread(Weights<Number> const& weights, Vector<Number> const& wanted,
              Gradients<Number>& gradients);
  void unjoin(Weights<Number> const& weights, Plan::Wave const& wave, Gradients<Number>& gradients);
  void unembed(Weights<Number> const& weights, Gradients<Number>& gradients);
  Matrix<Number> before(Plan::Wave const& wave) const;

  Sizes sizes_;
  Plan const& plan_;
  Matrix<Number> features_, embedded_;
  Matrix<Number> states_, before_;       ///< hidden x steps
  Matrix<Number> gates_, late_;          ///< update, reset, candidate; candidate before its reset
  Matrix<Number> given_;                 ///< what comes of inputs: 3 hidden x steps
  Matrix<Number> of_states_, of_given_;  ///< gradients of states and of what comes of inputs
  Matrix<Number> of_recurrent_;          ///< of what comes of the states before
  Matrix<Number> node_states_, shares_, readings_;  ///< by nodes
};

extern template class Pass<float>;
extern template class Pass<double>;

}  // namespace tw::gru
