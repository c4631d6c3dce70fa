#include "targets/shared/gpu/instruction_mix.h"

#include <algorithm>

#include "engine/arith/simplify.h"
#include "engine/ir/intrinsic.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/stmt.h"

namespace tw::gpu {

using namespace ir;

namespace {

// As ptxas 13 assembles what the emitter makes of them, counted in SASS for sm_90: f32 functions
// are polynomials in f64.
constexpr double kFunction = 24;   ///< in f64: exp, log, tanh, erf, sin, cos, pow
constexpr double kConversion = 3;  ///< between f32, f64 and integers, of one function
constexpr double kDivision = 8;    ///< of f32: a reciprocal and steps that round
constexpr double kRoot = 8;
constexpr double kQuotient = 4;  ///< of integers by a constant

bool is_wide(DType type) { return type == DType::kF64; }

/// Sums and products of one type, which pair up.
struct Pairs {
  double sums = 0, products = 0, others = 0;
  double all() const { return std::max(sums, products) + others; }
};

class Mix {
public:
  Instructions run(Expr const& value) {
    walk(value, [&](Expr const& e) { return add(e); });
    mix_.f32 += narrow_.all();
    mix_.f64 += wide_.all();
    return mix_;
  }

private:
  /// False: nothing below counts.
  bool add(Expr const& e) {
    if (e.as<Load>()) return false;
    if (auto const* node = e.as<Binary>()) add_binary(*node);
    if (auto const* node = e.as<Unary>()) add_unary(*node);
    if (auto const* node = e.as<Cast>()) add_cast(*node);
    if (e.as<Select>()) mix_.integers += 1;
    return true;
  }

  void add_cast(Cast const& node) {
    bool same_unit = is_float(node.type) == is_float(node.a.type()) && !is_wide(node.type) &&
                     !is_wide(node.a.type());
    (same_unit ? mix_.integers : mix_.special) += 1;
  }

  void add_unary(Unary const& node) {
    if (!is_float(node.type)) {
      mix_.integers += 1;
      return;
    }
    mix_.flops += 1;
    bool simple = node.op == UnaryOp::kNeg || node.op == UnaryOp::kAbs;
    bool rounds =
        node.op == UnaryOp::kFloor || node.op == UnaryOp::kCeil || node.op == UnaryOp::kRound;
    if (simple) return;  // a modifier of the operand
    if (rounds) return void(mix_.special += 1);
    if (node.op != UnaryOp::kSqrt) return add_function();
    mix_.special += 1;
    (is_wide(node.type) ? wide_ : narrow_).others += kRoot;
  }

  void add_function() {
    mix_.f64 += kFunction;
    mix_.special += kConversion;
  }

  void add_binary(Binary const& node) {
    DType type = node.a.type();
    if (!is_float(type)) {
      bool divides = node.op == BinaryOp::kFloorDiv || node.op == BinaryOp::kFloorMod;
      mix_.integers += divides ? kQuotient : 1;
      return;
    }
    Pairs& pairs = is_wide(type) ? wide_ : narrow_;
    if (is_compare(node.op)) return void(pairs.others += 1);
    mix_.flops += 1;
    if (node.op == BinaryOp::kAdd || node.op == BinaryOp::kSub) {
      pairs.sums += 1;
    } else if (node.op == BinaryOp::kMul) {
      pairs.products += 1;
    } else if (node.op == BinaryOp::kDiv) {
      pairs.others += kDivision;
      mix_.special += 1;
    } else if (node.op == BinaryOp::kMin || node.op == BinaryOp::kMax) {
      pairs.others += 2;  // what is no number stays none
    } else {
      add_function();
    }
  }

  Instructions mix_;
  Pairs narrow_, wide_;
};

}  // namespace

Instructions instructions_of(Expr const& value) { return Mix().run(value); }

void each_of_counters(Expr const& value,
                      std::function<void(Expr const& e, double instructions)> const& visit) {
  auto loads = [](Expr const& e) {
    bool found = false;
    walk(e, [&](Expr const& part) { return found = found || part.as<Load>(), !found; });
    return found;
  };
  walk(value, [&](Expr const& e) {
    if (e.as<Load>()) return false;
    auto const* node = e.as<Binary>();
    if (!node || is_float(node->a.type()) || loads(e)) return true;
    bool divides = node->op == BinaryOp::kFloorDiv || node->op == BinaryOp::kFloorMod;
    visit(e, divides ? kQuotient : 1);
    return true;
  });
}

double index_instructions(Expr const& index) {
  double count = 0;
  walk(index, [&](Expr const& e) {
    auto const* node = e.as<Binary>();
    if (!node) return true;
    if (node->op == BinaryOp::kFloorDiv || node->op == BinaryOp::kFloorMod) count += kQuotient;
    if (is_bitwise(node->op)) count += 1;
    return true;
  });
  return count;
}

double multiply_adds_of(IntrinsicNode const& intrinsic) {
  double count = 1;
  Stmt s = intrinsic.behaviour;
  while (auto const* loop = s ? s.as<For>() : nullptr) {
    count *= double(as_int(loop->extent).value_or(0));
    s = loop->body;
  }
  auto const* store = s ? s.as<Store>() : nullptr;
  auto const* sum = store ? store->value.as<Binary>() : nullptr;
  auto const* product = sum && sum->op == BinaryOp::kAdd ? sum->b.as<Binary>() : nullptr;
  auto const* before = sum ? sum->a.as<Load>() : nullptr;
  bool adds = product && product->op == BinaryOp::kMul && before &&
              before->buffer->name == store->buffer->name;
  return adds ? count : 0;
}

bool reads_by_itself(IntrinsicNode const& intrinsic) {
  return intrinsic.completion == Completion::kStarted && multiply_adds_of(intrinsic) > 0;
}

int64_t values_over_lanes(Expr const& index, std::string const& counter, int64_t lanes) {
  std::vector<Expr> apart;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Expr one = arith::simplify(substitute(index, {{counter, int_imm(lane)}}));
    if (std::ranges::none_of(apart, [&](Expr const& other) { return equal(one, other); }))
      apart.push_back(one);
  }
  return int64_t(apart.size());
}

double bytes_by_itself(IntrinsicCall const& call, std::string const& counter, int64_t lanes) {
  double bytes = 0;
  for (size_t i = 0; i < call.operands.size(); ++i) {
    auto const* element = call.operands[i].value.as<Load>();
    if (!element || call.intrinsic->params[i].writes()) continue;
    Substitution first;
    double elements = 1;
    for (OperandAxis const& axis : call.operands[i].axes) {
      first[axis.name()] = int_imm(0);
      elements *= double(as_int(axis.extent).value_or(1));
    }
    int64_t apart = values_over_lanes(substitute(element->indices[0], first), counter, lanes);
    bytes += elements * double(size_of(element->type)) * double(apart) / double(lanes);
  }
  return bytes;
}

}  // namespace tw::gpu
