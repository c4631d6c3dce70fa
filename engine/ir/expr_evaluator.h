/// Evaluates expressions, with names resolved to slots: the interpreter's inner part.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/ir/expr.h"
#include "engine/support/base/error.h"
#include "engine/tensor/ndarray.h"

namespace tw::ir {

/// A value of any type: integers and bools in `i`, floats in `f` (rounded to their type).
struct Scalar {
  int64_t i = 0;
  double f = 0;
};

/// Index of a compiled expression in its evaluator.
struct Compiled {
  int node = -1;
  bool valid() const { return node >= 0; }
};

/// Is told of every access to an element.
class AccessObserver {
public:
  virtual void touched(int buffer, NDArray const& tensor, int64_t element, bool writes) = 0;

protected:
  ~AccessObserver() = default;
};

/// The variables, buffers and compiled expressions of one run. The first failure is kept.
class ExprEvaluator {
public:
  /// Values of all variables and buffers: of one of several that run the same.
  struct State {
    std::vector<Scalar> variables;
    std::vector<NDArray> buffers;
  };
  State const& state() const { return state_; }
  /// Of as many variables and buffers as are known.
  void exchange(State& other) { std::swap(state_, other); }
  void observe(AccessObserver* observer) { observer_ = observer; }

  int slot(std::string const& name);
  int buffer_slot(std::string const& name);
  Compiled compile(Expr const& e);

  void set(int slot, int64_t value) { state_.variables[size_t(slot)].i = value; }
  void set_value(int slot, Scalar value) { state_.variables[size_t(slot)] = value; }
  void set_from(int slot, Compiled e) { state_.variables[size_t(slot)] = value(e, 0); }
  void bind(int buffer, NDArray array);
  void bind(std::string const& name, NDArray array) { bind(buffer_slot(name), std::move(array)); }

  /// Lane `lane` of the expression (scalars give the same in every lane).
  Scalar value(Compiled e, int lane);
  int64_t integer(Compiled e, int lane) { return value(e, lane).i; }
  /// Flat element offset; fails on any index outside of its dimension.
  int64_t offset(int buffer, std::span<Compiled const> indices, int lane);
  Scalar read(int buffer, int64_t offset) const;
  void write(int buffer, int64_t offset, Scalar value);
  std::string const& buffer_name(int buffer) const { return buffer_names_[size_t(buffer)]; }

  bool failed() const { return failed_; }
  Error const& error() const { return error_; }
  void fail(Error error);

private:
  struct Node {
    ExprKind kind;
    DType type;
    DType operand_type = DType::kI64;
    uint8_t op = 0;
    int slot = -1;  // variable or buffer
    Scalar constant;
    std::vector<Compiled> children;
  };
  Scalar binary(Node const& node, int lane);
  Scalar unary(Node const& node, int lane);
  Scalar instruction(Compiled e, int lane);
  void resolve(Node& node, IntImm const& e);
  void resolve(Node& node, FloatImm const& e);
  void resolve(Node& node, Variable const& e);
  void resolve(Node& node, Unary const& e);
  void resolve(Node& node, Binary const& e);
  void resolve(Node& node, Select const& e);
  void resolve(Node& node, Cast const& e);
  void resolve(Node& node, Load const& e);
  void resolve(Node& node, Ramp const& e);
  void resolve(Node& node, Broadcast const& e);
  void resolve(Node& node, IntrinsicValue const& e);

  /// What an instruction made last. Lanes are asked for in their order: an earlier one begins anew.
  struct Made {
    Intrinsic intrinsic;
    int lane = 0;
    std::vector<Scalar> values = {};
  };
  std::unordered_map<int, Made> made_;  // by node
  std::vector<Node> nodes_;
  State state_;
  AccessObserver* observer_ = nullptr;
  std::vector<std::string> buffer_names_;
  std::unordered_map<std::string, int> slots_, buffer_slots_;
  bool failed_ = false;
  Error error_;
};

}  // namespace tw::ir
