#include "engine/graph/shared/recurrent.h"

namespace tw::ops {
namespace {

using Numbers = std::span<double const>;

std::vector<double> values_of(NDArray const& array) {
  std::vector<double> values(size_t(array.size()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = array.value_at(int64_t(i));
  return values;
}

Result<RecurrentShape> shape_of_arrays(Attributes const& attributes, Arrays inputs,
                                       CellKind const& kind) {
  std::vector<TensorInfo> infos;
  for (NDArray const& input : inputs) infos.push_back({input.type(), input.shape(), {}});
  std::vector<TensorInfo const*> pointers;
  for (size_t i = 0; i < infos.size(); ++i)
    pointers.push_back(inputs[i].empty() ? nullptr : &infos[i]);
  return recurrent_shape(attributes, pointers, kind);
}

/// The loops over directions, rows of the batch and steps.
class Loops {
public:
  using Cell = std::function<void(CellStep const&)>;

  Loops(Attributes const& attributes, CellKind const& kind, RecurrentShape const& shape,
        Cell const& cell, Arrays inputs)
      : attributes_(attributes), kind_(kind), s_(shape), cell_(cell) {
    for (size_t i = 0; i <= kStates + kind.states; ++i)
      v_.push_back(i < inputs.size() ? values_of(inputs[i]) : std::vector<double>());
    hidden_ = size_t(s_.hidden), rows_ = size_t(kind.gates) * hidden_, width_ = size_t(s_.input);
    zeros_.resize(rows_), from_input_.resize(rows_);
  }

  ReferenceResult run(DType type) {
    for (size_t i = 0; i <= kind_.states; ++i) {
      TRY_ASSIGN(NDArray array, NDArray::create(type, i == 0 ? s_.whole() : s_.state()));
      outputs_.push_back(array);
    }
    for (int64_t d = 0; d < s_.directions; ++d) {
      std::vector<Gate> gates = gates_of(attributes_, d, kind_);
      for (int64_t b = 0; b < s_.batch; ++b) run_row(d, b, gates);
    }
    return outputs_;
  }

private:
  /// Of operand `i`; zeros where it is absent.
  Numbers slice(size_t i, size_t count, size_t at) const {
    return v_[i].empty() ? Numbers(zeros_).first(count) : Numbers(v_[i]).subspan(at, count);
  }

  void run_row(int64_t d, int64_t b, std::vector<Gate> const& gates) {
    size_t row = size_t(s_.batch_first ? b * s_.directions + d : d * s_.batch + b) * hidden_;
    std::vector<std::vector<double>> state(2);
    for (size_t i = 0; i < kind_.states; ++i) {
      Numbers initial = slice(kStates + i, hidden_, row);
      state[i].assign(initial.begin(), initial.end());
    }
    Numbers peephole;
    if (!v_.back().empty()) peephole = slice(v_.size() - 1, 3 * hidden_, size_t(d) * 3 * hidden_);
    for (int64_t k = 0; k < s_.steps; ++k) {
      int64_t t = runs_backwards(attributes_, d) ? s_.steps - 1 - k : k;
      project(d, b, t);
      cell_({from_input_, slice(kR, rows_ * hidden_, size_t(d) * rows_ * hidden_),
             slice(kB, rows_, (size_t(d) * 2 + 1) * rows_), peephole, gates, state[0], state[1]});
      int64_t at = s_.batch_first ? (b * s_.steps + t) * s_.directions + d
                                  : (t * s_.directions + d) * s_.batch + b;
      for (size_t j = 0; j < hidden_; ++j)
        outputs_[0].set_value(at * s_.hidden + int64_t(j), state[0][j]);
    }
    for (size_t i = 0; i < kind_.states; ++i)
      for (size_t j = 0; j < hidden_; ++j) outputs_[1 + i].set_value(int64_t(row + j), state[i][j]);
  }

  /// W x and the first half of B.
  void project(int64_t d, int64_t b, int64_t t) {
    Numbers w = slice(kW, rows_ * width_, size_t(d) * rows_ * width_);
    Numbers bias = slice(kB, rows_, size_t(d) * 2 * rows_);
    size_t at = size_t(s_.batch_first ? b * s_.steps + t : t * s_.batch + b) * width_;
    for (size_t j = 0; j < rows_; ++j) {
      double sum = bias[j];
      for (size_t i = 0; i < width_; ++i) sum += w[j * width_ + i] * v_[kX][at + i];
      from_input_[j] = sum;
    }
  }

  Attributes const& attributes_;
  CellKind const& kind_;
  RecurrentShape s_;
  Cell const& cell_;
  std::vector<std::vector<double>> v_;  ///< the operands
  size_t hidden_ = 0, rows_ = 0, width_ = 0;
  std::vector<double> zeros_, from_input_;
  std::vector<NDArray> outputs_;
};

}  // namespace

double CellStep::product(size_t gate, size_t j, Numbers state) const {
  double sum = 0;
  size_t row = (gate * h.size() + j) * h.size();
  for (size_t k = 0; k < h.size(); ++k) sum += recurrent[row + k] * state[k];
  return sum;
}

ReferenceResult recurrent_reference(Attributes const& attributes, Arrays inputs,
                                    CellKind const& kind,
                                    std::function<void(CellStep const&)> const& cell) {
  TRY_ASSIGN(RecurrentShape shape, shape_of_arrays(attributes, inputs, kind));
  return Loops(attributes, kind, shape, cell, inputs).run(inputs[kX].type());
}

}  // namespace tw::ops
