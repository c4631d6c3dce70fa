#include <fmt/format.h>
#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <cmath>

#include "engine/ir/fields.h"
#include "engine/ir/operators.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/speculation.h"
#include "engine/lowering/pipeline.h"
#include "targets/shared/llvm/emitter.h"
#include "targets/shared/llvm/math.h"
#include "targets/shared/llvm/narrow_indices.h"
#include "targets/shared/llvm/remainder.h"

namespace tw {

using namespace ir;
using llvm::Value;

namespace {

Value* splat_if(llvm::IRBuilder<>& builder, Value* v, int lanes) {
  return lanes > 1 && !v->getType()->isVectorTy() ? builder.CreateVectorSplat(unsigned(lanes), v)
                                                  : v;
}

Value* in_single(llvm::IRBuilder<>& builder, Value* v) {
  return builder.CreateFPExt(v, builder.getFloatTy());
}

}  // namespace

llvm::Type* type_of(llvm::LLVMContext& context, DType type, int lanes) {
  llvm::Type* scalar = nullptr;
  switch (type) {
    case DType::kF32:
      scalar = llvm::Type::getFloatTy(context);
      break;
    case DType::kF64:
      scalar = llvm::Type::getDoubleTy(context);
      break;
    case DType::kF16:
      scalar = llvm::Type::getHalfTy(context);
      break;
    case DType::kBF16:  // computed in f32; see rounded()
      scalar = llvm::Type::getFloatTy(context);
      break;
    case DType::kBool:
      scalar = llvm::Type::getInt1Ty(context);
      break;
    default:
      scalar = llvm::Type::getIntNTy(context, unsigned(size_of(type)) * 8);
  }
  return lanes > 1 ? llvm::FixedVectorType::get(scalar, unsigned(lanes)) : scalar;
}

/// bf16 lives in registers as an f32 whose last 16 bits are 0, and every operation rounds to that:
/// the nearest, ties to even. LLVM 19 cannot select much of what it calls bfloat (conversions from
/// f64 and f16, products of odd widths), and the processors' own conversion flushes small numbers.
Value* Emitter::rounded(Value* v, DType type) {
  if (type != DType::kBF16) return v;
  llvm::Type* word = v->getType()->getWithNewType(builder_.getInt32Ty());
  auto number = [&](uint32_t bits) { return llvm::ConstantInt::get(word, bits); };
  Value* bits = builder_.CreateBitCast(v, word);
  Value* odd = builder_.CreateAnd(builder_.CreateLShr(bits, number(16)), number(1));
  Value* nearest = builder_.CreateAdd(builder_.CreateAdd(bits, number(0x7FFF)), odd);
  Value* quiet = builder_.CreateOr(bits, number(0x400000));  // a NaN must not become an infinity
  Value* chosen = builder_.CreateSelect(builder_.CreateFCmpUNO(v, v), quiet, nearest);
  return builder_.CreateBitCast(builder_.CreateAnd(chosen, number(0xFFFF0000)), v->getType());
}

Value* Emitter::from_memory(Value* v, DType type) {
  if (type == DType::kBool)
    return builder_.CreateICmpNE(v, llvm::Constant::getNullValue(v->getType()));
  if (type != DType::kBF16) return v;
  llvm::Type* word = v->getType()->getWithNewType(builder_.getInt32Ty());
  Value* bits = builder_.CreateShl(builder_.CreateZExt(v, word), llvm::ConstantInt::get(word, 16));
  return builder_.CreateBitCast(bits, v->getType()->getWithNewType(builder_.getFloatTy()));
}

Value* Emitter::to_memory(Value* v, DType type) {
  llvm::Type* stored = v->getType()->getWithNewType(stored_type(type));
  if (type == DType::kBool) return builder_.CreateZExt(v, stored);
  if (type != DType::kBF16) return v;
  llvm::Type* word = v->getType()->getWithNewType(builder_.getInt32Ty());
  Value* bits = builder_.CreateBitCast(v, word);
  return builder_.CreateTrunc(builder_.CreateLShr(bits, llvm::ConstantInt::get(word, 16)), stored);
}

Value* Emitter::expression(Expr const& e) {
  if (failed()) return llvm::PoisonValue::get(type_of(context_, e.type(), e.lanes()));
  if (Value* v = narrow(e)) return builder_.CreateSExt(v, builder_.getInt64Ty());
  return dispatch(
      *e, overloaded{
              [&](IntImm const& node) -> Value* {
                return llvm::ConstantInt::get(type_of(context_, node.type), uint64_t(node.value));
              },
              [&](FloatImm const& node) { return float_imm(node); },
              [&](Variable const& node) { return variable(node); },
              [&](Unary const& node) { return unary(node); },
              [&](Binary const& node) {
                return node.type == DType::kI64 && node.lanes == 1 ? index_sum(e) : binary(node);
              },
              [&](Select const& node) { return select(node); },
              [&](Cast const& node) { return convert(node); },
              [&](Load const& node) { return load(node); },
              [&](Ramp const& node) { return ramp(node); },
              [&](Broadcast const& node) {
                return builder_.CreateVectorSplat(unsigned(node.lanes), expression(node.value));
              },
              [&](IntrinsicValue const& node) { return instruction(node); },
          });
}

Value* Emitter::instruction(IntrinsicValue const& node) {
  auto code = parts_.instructions.find(node.intrinsic->name);
  if (code == parts_.instructions.end()) {
    fail("unsupported_expression",
         fmt::format("{} has no code on this target", node.intrinsic->name));
    return llvm::PoisonValue::get(type_of(context_, node.type, node.lanes));
  }
  std::vector<Value*> operands;
  for (Expr const& operand : node.operands) operands.push_back(expression(operand));
  return code->second(builder_, operands);
}

Value* Emitter::float_imm(FloatImm const& node) {
  return rounded(llvm::ConstantFP::get(type_of(context_, node.type), node.value), node.type);
}

Value* Emitter::variable(Variable const& node) {
  auto found = variables_.find(node.name);
  if (found != variables_.end()) return found->second;
  fail("unsupported_expression", fmt::format("the variable {} has no value here", node.name));
  return llvm::PoisonValue::get(type_of(context_, node.type));
}

Value* Emitter::ramp(Ramp const& node) {
  Value* start = builder_.CreateVectorSplat(unsigned(node.lanes), expression(node.base));
  Value* stride = builder_.CreateVectorSplat(unsigned(node.lanes), expression(node.stride));
  std::vector<llvm::Constant*> steps;
  for (int i = 0; i < node.lanes; ++i)
    steps.push_back(llvm::ConstantInt::get(type_of(context_, node.type), uint64_t(i)));
  return builder_.CreateAdd(start, builder_.CreateMul(stride, llvm::ConstantVector::get(steps)));
}

/// A sum of terms, built up from the outermost loop inwards: each partial sum is placed where its
/// last loop begins, so that inner loops find it ready. Only the constant is left, which the
/// address takes as its displacement.
Value* Emitter::index_sum(Expr const& e) {
  auto const* node = e.as<Binary>();
  if (!node ||
      (node->op != BinaryOp::kAdd && node->op != BinaryOp::kSub && node->op != BinaryOp::kMul))
    return node ? binary(*node) : expression(e);
  arith::Linear linear = arith::to_linear(e);
  bool products = linear.terms.size() == 1 && linear.constant == 0 && linear.terms[0].factor == 1;
  if (products) return binary(*node);  // a product of two unknowns: nothing to place
  Value* sum = sum_of(linear.terms);
  if (sum) sum = builder_.CreateSExt(sum, builder_.getInt64Ty());
  Value* constant = builder_.getInt64(uint64_t(linear.constant));
  if (!sum) return constant;
  return linear.constant == 0 ? sum
                              : builder_.CreateAdd(sum, constant, "", false, !reads_tensor(e));
}

/// A term that reads memory is computed where it is used: what it reads may change on the way, and
/// the rest of the sum may stand before it. So is one that divides by what may be zero: a condition
/// may stand between.
Value* Emitter::sum_of(std::vector<arith::Linear::Term> const& terms) {
  std::vector<arith::Linear::Term> placed, staying;
  for (auto const& term : terms) (safe_to_speculate(term.term) ? placed : staying).push_back(term);
  SumKind kind{
      .is_data = std::ranges::any_of(staying, [](auto const& t) { return reads_tensor(t.term); }),
      .narrow = parts_.device && fits_in_32_bits(terms, 0, ranges_)};
  return add_terms(partial_sum(placed, levels_.size(), kind), staying, kind);
}

/// Indices never wrap (engine/ir/expr.h), which LLVM is told; data does.
Value* Emitter::partial_sum(std::vector<arith::Linear::Term> const& terms, size_t depth,
                            SumKind kind) {
  std::vector<arith::Linear::Term> here, above;
  if (depth == 0) return nullptr;
  Level& level = levels_[depth - 1];
  for (auto const& term : terms) {
    bool belongs = depth == 1 || uses_variable(term.term, level.variable);
    (belongs ? here : above).push_back(term);
  }
  Value* sum = partial_sum(above, depth - 1, kind);
  if (here.empty()) return sum;
  std::string key = fmt::format("{}{}", kind.is_data ? "data;" : "", kind.narrow ? "i32;" : "");
  for (auto const& term : terms) key += fmt::format("{}*{};", term.factor, to_text(term.term));
  if (auto found = level.sums.find(key); found != level.sums.end()) return found->second;
  // The place: the end of the loop's first block, which dominates everything below the loop.
  llvm::IRBuilder<>::InsertPointGuard guard(builder_);
  if (llvm::Instruction* end = level.entry->getTerminator())
    builder_.SetInsertPoint(end);
  else
    builder_.SetInsertPoint(level.entry);
  return level.sums[key] = add_terms(sum, here, kind);
}

Value* Emitter::add_terms(Value* sum, std::vector<arith::Linear::Term> const& terms, SumKind kind) {
  bool fits = kind.narrow || !kind.is_data;
  for (auto const& term : terms) {
    Value* value = kind.narrow ? narrow(term.term) : expression(term.term);
    if (term.factor != 1)
      value = builder_.CreateMul(
          value, llvm::ConstantInt::get(value->getType(), uint64_t(term.factor), true), "", false,
          fits);
    sum = sum ? builder_.CreateAdd(sum, value, "", false, fits) : value;
  }
  return sum;
}

/// a && b, a || b: b has a value only where a does not decide.
Value* Emitter::logic(Binary const& node) {
  bool is_and = node.op == BinaryOp::kAnd;
  Value* a = expression(node.a);
  Value* open = is_and ? a : builder_.CreateNot(a);
  return chosen(
      open, [&] { return expression(node.b); },
      [&]() -> Value* { return llvm::ConstantInt::getBool(a->getType(), !is_and); });
}

Value* Emitter::binary(Binary const& node) {
  if (Value* fused = fused_multiply_add(node)) return fused;
  bool is_logic = node.op == BinaryOp::kAnd || node.op == BinaryOp::kOr;
  if (is_logic && !safe_to_speculate(node.b)) return logic(node);
  Value* a = expression(node.a);
  Value* b = expression(node.b);
  int lanes = std::max(node.a.lanes(), node.b.lanes());
  a = splat_if(builder_, a, lanes);
  b = splat_if(builder_, b, lanes);
  if (is_float(node.a.type())) return rounded(float_binary(node.op, a, b), node.type);
  if (node.op == BinaryOp::kFloorDiv || node.op == BinaryOp::kFloorMod) b = wanted_divisor(b);
  return integer_binary(node.op, a, b, is_signed(node.a.type()));
}

/// x + a*b in one rounding. Of f16 in f32, which holds the product: few processors have it in f16.
Value* Emitter::fused_multiply_add(Binary const& node) {
  if (node.op != BinaryOp::kAdd || !is_float(node.type)) return nullptr;
  for (bool right : {true, false}) {
    auto const* product = (right ? node.b : node.a).as<Binary>();
    if (!product || product->op != BinaryOp::kMul) continue;
    int lanes = node.lanes;
    Value* c = splat_if(builder_, expression(right ? node.a : node.b), lanes);
    Value* a = splat_if(builder_, expression(product->a), lanes);
    Value* b = splat_if(builder_, expression(product->b), lanes);
    llvm::Type* type = a->getType();
    llvm::Type* wide =
        node.type == DType::kF16 ? type->getWithNewType(builder_.getFloatTy()) : type;
    for (Value** operand : {&a, &b, &c}) *operand = builder_.CreateFPCast(*operand, wide);
    Value* sum = builder_.CreateIntrinsic(llvm::Intrinsic::fmuladd, {wide}, {a, b, c});
    return rounded(builder_.CreateFPCast(sum, type), node.type);
  }
  return nullptr;
}

Value* Emitter::float_binary(BinaryOp op, Value* a, Value* b) {
  switch (op) {
    case BinaryOp::kAdd:
      return builder_.CreateFAdd(a, b);
    case BinaryOp::kSub:
      return builder_.CreateFSub(a, b);
    case BinaryOp::kMul:
      return builder_.CreateFMul(a, b);
    case BinaryOp::kDiv:
      return builder_.CreateFDiv(a, b);
    case BinaryOp::kPow:
      if (parts_.device && a->getType()->isHalfTy())
        return builder_.CreateFPTrunc(
            float_binary(op, in_single(builder_, a), in_single(builder_, b)), a->getType());
      if (parts_.device && a->getType()->isFloatTy())
        return emit_single_pow(builder_, a, b, parts_.device->reciprocal);
      return emit_pow(builder_, a, b);
    case BinaryOp::kFmod:
      return emit_fmod(builder_, a, b);
    case BinaryOp::kLt:
      return builder_.CreateFCmpOLT(a, b);
    case BinaryOp::kLe:
      return builder_.CreateFCmpOLE(a, b);
    case BinaryOp::kEq:
      return builder_.CreateFCmpOEQ(a, b);
    case BinaryOp::kNe:
      return builder_.CreateFCmpUNE(a, b);
    case BinaryOp::kMin:
    case BinaryOp::kMax: {
      // NaN wins: (a < b) ? a : b gives b when either is NaN, so a NaN in a is put back.
      Value* compare =
          op == BinaryOp::kMin ? builder_.CreateFCmpOLT(a, b) : builder_.CreateFCmpOGT(a, b);
      Value* chosen = builder_.CreateSelect(compare, a, b);
      if (llvm::isa<llvm::Constant>(a)) return chosen;
      return builder_.CreateSelect(builder_.CreateFCmpUNO(a, a), a, chosen);
    }
    case BinaryOp::kFloorDiv:
    case BinaryOp::kFloorMod:
    case BinaryOp::kAnd:
    case BinaryOp::kOr:
    case BinaryOp::kBitAnd:
    case BinaryOp::kBitOr:
    case BinaryOp::kBitXor:
    case BinaryOp::kShiftLeft:
    case BinaryOp::kShiftRight:
      break;
  }
  fail("unsupported_expression", "this operator does not take floats");
  return a;
}

Value* Emitter::unary(Unary const& node) {
  Value* a = expression(node.a);
  if (!is_float(node.type)) {
    if (node.op == UnaryOp::kNeg) return builder_.CreateNeg(a);
    if (node.op == UnaryOp::kNot || node.op == UnaryOp::kBitNot) return builder_.CreateNot(a);
    if (node.op == UnaryOp::kPopCount)
      return builder_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, a);
    if (node.op == UnaryOp::kAbs && is_signed(node.type))
      return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, a, builder_.getFalse());
    return a;  // rounding an integer changes nothing
  }
  return rounded(float_unary(node.op, a), node.type);
}

Value* Emitter::float_unary(UnaryOp op, Value* a) {
  // Of f16 devices have few functions, and these in less than its precision.
  bool exact = op == UnaryOp::kNeg || op == UnaryOp::kAbs;
  if (parts_.device && a->getType()->isHalfTy() && !exact)
    return builder_.CreateFPTrunc(float_unary(op, in_single(builder_, a)), a->getType());
  if (parts_.device && a->getType()->isFloatTy())
    if (Value* v = emit_single(builder_, op, a, parts_.device->reciprocal)) return v;
  switch (op) {
    case UnaryOp::kNeg:
      return builder_.CreateFNeg(a);
    case UnaryOp::kAbs:
      return builder_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a);
    case UnaryOp::kSqrt:
      return builder_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, a);
    case UnaryOp::kFloor:
      return builder_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, a);
    case UnaryOp::kCeil:
      return builder_.CreateUnaryIntrinsic(llvm::Intrinsic::ceil, a);
    case UnaryOp::kRound:
      return builder_.CreateUnaryIntrinsic(llvm::Intrinsic::roundeven, a);
    case UnaryOp::kExp:
      return emit_exp(builder_, a);
    case UnaryOp::kLog:
      return emit_log(builder_, a);
    case UnaryOp::kTanh:
      return emit_tanh(builder_, a);
    case UnaryOp::kErf:
      return emit_erf(builder_, a);
    case UnaryOp::kSin:
      return emit_sin_cos(builder_, a, false);
    case UnaryOp::kCos:
      return emit_sin_cos(builder_, a, true);
    case UnaryOp::kNot:
    case UnaryOp::kBitNot:
    case UnaryOp::kPopCount:
      break;
  }
  fail("unsupported_expression", fmt::format("'{}' does not take floats", name_of(op)));
  return a;
}

/// A side that reads a tensor or may divide by zero is only computed where it is chosen.
Value* Emitter::select(Select const& node) {
  Value* condition = expression(node.condition);
  auto side = [&](Expr const& e) { return splat_if(builder_, expression(e), node.lanes); };
  if (safe_to_speculate(node.a) && safe_to_speculate(node.b))
    return builder_.CreateSelect(condition, side(node.a), side(node.b));
  return chosen(
      condition, [&] { return side(node.a); }, [&] { return side(node.b); });
}

/// Each side is computed where it is chosen alone: behind a branch, or, of lanes, under a mask.
Value* Emitter::chosen(Value* condition, Side const& a, Side const& b) {
  return condition->getType()->isVectorTy() ? chosen_by_lane(condition, a, b)
                                            : chosen_by_branch(condition, a, b);
}

/// Each side runs with the lanes that want it; other lanes load nothing.
Value* Emitter::chosen_by_lane(Value* condition, Side const& a, Side const& b) {
  Value* outer = mask_;
  auto under = [&](Value* asked, Side const& side) {
    mask_ = outer ? builder_.CreateAnd(outer, asked) : asked;
    Value* value = side();
    mask_ = outer;
    return value;
  };
  Value* yes = under(condition, a);
  Value* no = under(builder_.CreateNot(condition), b);
  return builder_.CreateSelect(condition, yes, no);
}

Value* Emitter::chosen_by_branch(Value* condition, Side const& a, Side const& b) {
  auto* yes = llvm::BasicBlock::Create(context_, "", function_);
  auto* no = llvm::BasicBlock::Create(context_, "", function_);
  auto* end = llvm::BasicBlock::Create(context_, "", function_);
  builder_.CreateCondBr(condition, yes, no);
  auto inside = [&](llvm::BasicBlock* block, Side const& side) {
    builder_.SetInsertPoint(block);
    Value* value = side();
    auto* last = builder_.GetInsertBlock();
    builder_.CreateBr(end);
    return std::pair{value, last};
  };
  auto [value_a, end_a] = inside(yes, a);
  auto [value_b, end_b] = inside(no, b);
  builder_.SetInsertPoint(end);
  auto* phi = builder_.CreatePHI(value_a->getType(), 2);
  phi->addIncoming(value_a, end_a);
  phi->addIncoming(value_b, end_b);
  return phi;
}

Value* Emitter::convert(Cast const& node) {
  Value* a = narrow(node.a);
  if (!a) a = expression(node.a);
  DType from = node.a.type(), to = node.type;
  llvm::Type* type = type_of(context_, to, node.lanes);
  // Two roundings, as everywhere: there is no instruction for one.
  if (from == DType::kF64 && (to == DType::kF16 || to == DType::kBF16))
    a = builder_.CreateFPCast(a, type_of(context_, DType::kF32, node.lanes));
  if (is_float(from) && is_float(to)) return rounded(builder_.CreateFPCast(a, type), to);
  if (is_float(to))
    return rounded(
        is_signed(from) ? builder_.CreateSIToFP(a, type) : builder_.CreateUIToFP(a, type), to);
  if (to == DType::kBool)
    return is_float(from) ? builder_.CreateFCmpUNE(a, llvm::Constant::getNullValue(a->getType()))
                          : builder_.CreateICmpNE(a, llvm::Constant::getNullValue(a->getType()));
  if (is_float(from)) {
    llvm::Type* wide = type_of(context_, DType::kI64, node.lanes);
    Value* value = builder_.CreateIntrinsic(llvm::Intrinsic::fptosi_sat, {wide, a->getType()}, {a});
    return builder_.CreateTrunc(value, type);
  }
  return builder_.CreateIntCast(a, type, is_signed(from));
}

}  // namespace tw
