#include "engine/ir/expr_evaluator.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <utility>

#include "engine/ir/bits.h"
#include "engine/ir/fields.h"
#include "engine/ir/instruction_value.h"
#include "engine/tensor/integers.h"
#include "engine/tensor/nearest.h"

namespace tw::ir {
namespace {

double rounded(DType type, double value) {
  return type == DType::kF32 ? double(float(value)) : value;
}

Scalar int_binary(BinaryOp op, DType type, int64_t a, int64_t b) {
  switch (op) {
    case BinaryOp::kAdd:
      return {int64_t(uint64_t(a) + uint64_t(b)), 0};
    case BinaryOp::kSub:
      return {int64_t(uint64_t(a) - uint64_t(b)), 0};
    case BinaryOp::kMul:
      return {int64_t(uint64_t(a) * uint64_t(b)), 0};
    case BinaryOp::kFloorDiv:
      return {floor_quotient(a, b), 0};
    case BinaryOp::kFloorMod:
      return {b == -1 ? 0 : a - floor_quotient(a, b) * b, 0};
    case BinaryOp::kMin:
      return {std::min(a, b), 0};
    case BinaryOp::kMax:
      return {std::max(a, b), 0};
    case BinaryOp::kLt:
      return {a < b, 0};
    case BinaryOp::kLe:
      return {a <= b, 0};
    case BinaryOp::kEq:
      return {a == b, 0};
    case BinaryOp::kNe:
      return {a != b, 0};
    case BinaryOp::kBitAnd:
    case BinaryOp::kBitOr:
    case BinaryOp::kBitXor:
    case BinaryOp::kShiftLeft:
    case BinaryOp::kShiftRight:
      return {bitwise(op, a, b, type), 0};
    case BinaryOp::kDiv:
    case BinaryOp::kPow:
    case BinaryOp::kFmod:
    case BinaryOp::kAnd:
    case BinaryOp::kOr:
      break;  // of floats; of conditions
  }
  return {};
}

/// Where the upper half of u64 is more than the lower; the bits of the rest are those of i64.
Scalar u64_binary(BinaryOp op, uint64_t a, uint64_t b) {
  switch (op) {
    case BinaryOp::kFloorDiv:
      return {int64_t(a / b), 0};
    case BinaryOp::kFloorMod:
      return {int64_t(a % b), 0};
    case BinaryOp::kMin:
      return {int64_t(std::min(a, b)), 0};
    case BinaryOp::kMax:
      return {int64_t(std::max(a, b)), 0};
    case BinaryOp::kLt:
      return {a < b, 0};
    case BinaryOp::kLe:
      return {a <= b, 0};
    default:
      return int_binary(op, DType::kU64, int64_t(a), int64_t(b));
  }
}

/// max and min give NaN when either side is NaN, as ONNX and the generated code do.
Scalar float_binary(BinaryOp op, DType type, double a, double b) {
  switch (op) {
    case BinaryOp::kAdd:
      return {0, rounded(type, a + b)};
    case BinaryOp::kSub:
      return {0, rounded(type, a - b)};
    case BinaryOp::kMul:
      return {0, rounded(type, a * b)};
    case BinaryOp::kDiv:
      return {0, rounded(type, a / b)};
    case BinaryOp::kPow:
      return {0, rounded(type, std::pow(a, b))};
    case BinaryOp::kFmod:
      return {0, std::fmod(a, b)};
    case BinaryOp::kMin:
      return {0, std::isnan(a) || std::isnan(b) ? std::nan("") : std::min(a, b)};
    case BinaryOp::kMax:
      return {0, std::isnan(a) || std::isnan(b) ? std::nan("") : std::max(a, b)};
    case BinaryOp::kLt:
      return {a < b, 0};
    case BinaryOp::kLe:
      return {a <= b, 0};
    case BinaryOp::kEq:
      return {a == b, 0};
    case BinaryOp::kNe:
      return {a != b, 0};
    case BinaryOp::kFloorDiv:
    case BinaryOp::kFloorMod:
    case BinaryOp::kAnd:
    case BinaryOp::kOr:
    case BinaryOp::kBitAnd:
    case BinaryOp::kBitOr:
    case BinaryOp::kBitXor:
    case BinaryOp::kShiftLeft:
    case BinaryOp::kShiftRight:
      break;  // of integers; of conditions
  }
  return {};
}

double float_unary(UnaryOp op, double a) {
  switch (op) {
    case UnaryOp::kNeg:
      return -a;
    case UnaryOp::kAbs:
      return std::fabs(a);
    case UnaryOp::kExp:
      return std::exp(a);
    case UnaryOp::kLog:
      return std::log(a);
    case UnaryOp::kSqrt:
      return std::sqrt(a);
    case UnaryOp::kTanh:
      return std::tanh(a);
    case UnaryOp::kErf:
      return std::erf(a);
    case UnaryOp::kFloor:
      return std::floor(a);
    case UnaryOp::kCeil:
      return std::ceil(a);
    case UnaryOp::kSin:
      return std::sin(a);
    case UnaryOp::kCos:
      return std::cos(a);
    case UnaryOp::kRound:
      return std::nearbyint(a);
    case UnaryOp::kNot:
    case UnaryOp::kBitNot:
    case UnaryOp::kPopCount:
      break;  // of conditions; of integers
  }
  std::unreachable();
}

/// A conversion rounds to its type, also where arithmetic of that type is more exact. An integer is
/// rounded once.
double rounded_from(DType to, DType from, Scalar v) {
  if (to == DType::kF32 && from == DType::kU64) return double(float(uint64_t(v.i)));
  if (to == DType::kF32 && !is_float(from)) return double(float(v.i));
  return nearest(to, is_float(from)        ? v.f
                     : from == DType::kU64 ? double(uint64_t(v.i))
                                           : double(v.i));
}

/// Wraps to the width of the type; floats truncate towards zero, out of range is the nearest bound.
Scalar converted(DType to, DType from, Scalar v) {
  if (is_float(to)) return {0, rounded_from(to, from, v)};
  if (to == DType::kBool) return {is_float(from) ? v.f != 0 : v.i != 0, 0};
  int64_t value = v.i;
  if (is_float(from))
    value = std::isnan(v.f)  ? 0
            : v.f >= 0x1p63  ? INT64_MAX
            : v.f <= -0x1p63 ? INT64_MIN
                             : int64_t(v.f);
  switch (to) {
    case DType::kI8:
      return {int8_t(value), 0};
    case DType::kU8:
      return {uint8_t(value), 0};
    case DType::kI16:
      return {int16_t(value), 0};
    case DType::kU16:
      return {uint16_t(value), 0};
    case DType::kI32:
      return {int32_t(value), 0};
    case DType::kU32:
      return {int64_t(uint32_t(value)), 0};
    default:
      return {value, 0};
  }
}

}  // namespace

void ExprEvaluator::fail(Error error) {
  if (!failed_) error_ = std::move(error);
  failed_ = true;
}

int ExprEvaluator::slot(std::string const& name) {
  auto [found, added] = slots_.emplace(name, int(state_.variables.size()));
  if (added) state_.variables.emplace_back();
  return found->second;
}

int ExprEvaluator::buffer_slot(std::string const& name) {
  auto [found, added] = buffer_slots_.emplace(name, int(state_.buffers.size()));
  if (added) {
    state_.buffers.emplace_back();
    buffer_names_.push_back(name);
  }
  return found->second;
}

void ExprEvaluator::bind(int buffer, NDArray array) {
  state_.buffers[size_t(buffer)] = std::move(array);
}

void ExprEvaluator::resolve(Node& node, IntImm const& e) { node.constant.i = e.value; }
void ExprEvaluator::resolve(Node& node, FloatImm const& e) { node.constant.f = e.value; }
void ExprEvaluator::resolve(Node& node, Variable const& e) { node.slot = slot(e.name); }
void ExprEvaluator::resolve(Node& node, Unary const& e) {
  node.op = uint8_t(e.op);
  node.children = {compile(e.a)};
}
void ExprEvaluator::resolve(Node& node, Binary const& e) {
  node.op = uint8_t(e.op);
  node.operand_type = e.a.type();
  node.children = {compile(e.a), compile(e.b)};
}
void ExprEvaluator::resolve(Node& node, Select const& e) {
  node.children = {compile(e.condition), compile(e.a), compile(e.b)};
}
void ExprEvaluator::resolve(Node& node, Cast const& e) {
  node.operand_type = e.a.type();
  node.children = {compile(e.a)};
}
void ExprEvaluator::resolve(Node& node, Load const& e) {
  node.slot = buffer_slot(e.buffer->name);
  for (Expr const& index : e.indices) node.children.push_back(compile(index));
}
void ExprEvaluator::resolve(Node& node, Ramp const& e) {
  node.children = {compile(e.base), compile(e.stride)};
}
void ExprEvaluator::resolve(Node& node, Broadcast const& e) { node.children = {compile(e.value)}; }
void ExprEvaluator::resolve(Node& node, IntrinsicValue const& e) {
  for (Expr const& operand : e.operands) node.children.push_back(compile(operand));
  node.slot = int(made_.size());
  made_[node.slot] = {e.intrinsic};
}

Compiled ExprEvaluator::compile(Expr const& e) {
  Node node{e->kind, e.type()};
  dispatch(*e, [&](auto const& typed) { resolve(node, typed); });
  nodes_.push_back(std::move(node));
  return {int(nodes_.size()) - 1};
}

Scalar ExprEvaluator::value(Compiled e, int lane) {
  Node const& node = nodes_[size_t(e.node)];
  switch (node.kind) {
    case ExprKind::kIntImm:
    case ExprKind::kFloatImm:
      return node.constant;
    case ExprKind::kVariable:
      return state_.variables[size_t(node.slot)];
    case ExprKind::kUnary:
      return unary(node, lane);
    case ExprKind::kBinary:
      return binary(node, lane);
    case ExprKind::kSelect:
      return value(node.children[value(node.children[0], lane).i ? 1 : 2], lane);
    case ExprKind::kCast:
      return converted(node.type, node.operand_type, value(node.children[0], lane));
    case ExprKind::kLoad: {
      int64_t at = offset(node.slot, node.children, lane);
      return failed_ ? Scalar{} : read(node.slot, at);
    }
    case ExprKind::kRamp:
      return {value(node.children[0], 0).i + lane * value(node.children[1], 0).i, 0};
    case ExprKind::kBroadcast:
      return value(node.children[0], 0);
    case ExprKind::kIntrinsicValue:
      return instruction(e, lane);
  }
  std::unreachable();
}

Scalar ExprEvaluator::instruction(Compiled e, int lane) {
  Made& made = made_.at(nodes_[size_t(e.node)].slot);
  if (!made.values.empty() && lane > made.lane) {
    made.lane = lane;
    return made.values[size_t(lane)];
  }
  ValueParams params = value_params(*made.intrinsic);
  int scratch = buffer_slot("an instruction's operand");
  std::vector<NDArray> operands;
  for (size_t i = 0; i < params.operands.size() && !failed_; ++i) {
    IntrinsicParam const& param = *params.operands[i];
    DType type = param.buffer ? param.buffer->type : param.var.type();
    std::vector<Scalar> lanes;
    for (int l = 0; l < lanes_of(param); ++l)
      lanes.push_back(value(nodes_[size_t(e.node)].children[i], l));
    Shape shape = param.buffer ? constant_shape(*param.buffer).value_or(Shape{}) : Shape{1};
    operands.push_back(NDArray::create(type, shape).value());
    bind(scratch, operands.back());
    AccessObserver* observer = std::exchange(observer_, nullptr);
    for (size_t l = 0; l < lanes.size(); ++l) write(scratch, int64_t(l), lanes[l]);
    observer_ = observer;
  }
  if (failed_) return {};
  auto result = instruction_value(*made.intrinsic, operands);
  if (!result) return fail(result.error()), Scalar();
  bind(scratch, *result);
  AccessObserver* observer = std::exchange(observer_, nullptr);
  made.values.clear();
  for (int64_t l = 0; l < result->size(); ++l) made.values.push_back(read(scratch, l));
  observer_ = observer;
  made.lane = lane;
  return made.values[size_t(lane)];
}

Scalar ExprEvaluator::unary(Node const& node, int lane) {
  Scalar a = value(node.children[0], lane);
  if (is_float(node.type)) return {0, rounded(node.type, float_unary(UnaryOp(node.op), a.f))};
  switch (UnaryOp(node.op)) {
    case UnaryOp::kNeg:  // of an unsigned number, and of the least one, it wraps
      return converted(node.type, DType::kI64, {int64_t(0 - uint64_t(a.i)), 0});
    case UnaryOp::kBitNot:
      return converted(node.type, DType::kI64, {~a.i, 0});
    case UnaryOp::kNot:
      return {!a.i, 0};
    case UnaryOp::kPopCount:
      return {std::popcount(uint64_t(a.i) & width_mask(node.type)), 0};
    case UnaryOp::kAbs:
      if (node.type == DType::kU64) return a;  // its upper half is no sign
      return converted(node.type, DType::kI64, {a.i < 0 ? int64_t(0 - uint64_t(a.i)) : a.i, 0});
    case UnaryOp::kFloor:
    case UnaryOp::kCeil:
    case UnaryOp::kRound:
      return a;  // a whole number is one
    case UnaryOp::kExp:
    case UnaryOp::kLog:
    case UnaryOp::kSqrt:
    case UnaryOp::kTanh:
    case UnaryOp::kErf:
    case UnaryOp::kSin:
    case UnaryOp::kCos:
      break;  // of floats
  }
  std::unreachable();
}

Scalar ExprEvaluator::binary(Node const& node, int lane) {
  auto op = BinaryOp(node.op);
  Scalar a = value(node.children[0], lane);
  if (op == BinaryOp::kAnd) return {a.i && value(node.children[1], lane).i, 0};
  if (op == BinaryOp::kOr) return {a.i || value(node.children[1], lane).i, 0};
  Scalar b = value(node.children[1], lane);
  if (is_float(node.operand_type)) return float_binary(op, node.operand_type, a.f, b.f);
  if (b.i == 0 && (op == BinaryOp::kFloorDiv || op == BinaryOp::kFloorMod)) {
    fail(Error{"division_by_zero", "an integer is divided by zero", {}, Fault::kRefused});
    return {};
  }
  if (node.operand_type == DType::kU64) return u64_binary(op, uint64_t(a.i), uint64_t(b.i));
  Scalar result = int_binary(op, node.operand_type, a.i, b.i);
  return is_compare(op) ? result : converted(node.operand_type, DType::kI64, result);
}

int64_t ExprEvaluator::offset(int buffer, std::span<Compiled const> indices, int lane) {
  NDArray const& array = state_.buffers[size_t(buffer)];
  int64_t at = 0;
  for (size_t d = 0; d < indices.size(); ++d) {
    int64_t index = value(indices[d], lane).i;
    // A bound tensor may have another rank (flattened): then one index counts elements.
    int64_t extent = indices.size() == array.shape().size() ? array.shape()[d] : array.size();
    if (index < 0 || index >= extent) {
      fail(Error{"index_out_of_range",
                 fmt::format("{}: index {} is {}, out of range 0..{}",
                             buffer_names_[size_t(buffer)], d, index, extent - 1),
                 {},
                 Fault::kRefused});
      return 0;
    }
    at = at * extent + index;
  }
  return at;
}

Scalar ExprEvaluator::read(int buffer, int64_t at) const {
  NDArray const& array = state_.buffers[size_t(buffer)];
  if (observer_) observer_->touched(buffer, array, at, false);
  if (array.type() == DType::kF32) return {0, double(static_cast<float const*>(array.data())[at])};
  if (array.type() == DType::kI64 || array.type() == DType::kU64)
    return {static_cast<int64_t const*>(array.data())[at], 0};
  double value = array.value_at(at);
  return is_float(array.type()) ? Scalar{0, value} : Scalar{int64_t(value), 0};
}

void ExprEvaluator::write(int buffer, int64_t at, Scalar value) {
  NDArray& array = state_.buffers[size_t(buffer)];
  if (observer_) observer_->touched(buffer, array, at, true);
  switch (array.type()) {
    case DType::kF32:
      static_cast<float*>(array.data())[at] = float(value.f);
      return;
    case DType::kI64:
    case DType::kU64:
      static_cast<int64_t*>(array.data())[at] = value.i;
      return;
    default:
      array.set_value(at, is_float(array.type()) ? value.f : double(value.i));
  }
}

}  // namespace tw::ir
