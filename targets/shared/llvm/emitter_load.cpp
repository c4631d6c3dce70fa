// Where tensors lie, and what is read from them: one element, dense lanes, lanes with a stride.
#include <bit>
#include <numeric>

#include "engine/ir/expr.h"
#include "engine/lowering/pipeline.h"
#include "targets/shared/llvm/emitter.h"
#include "targets/shared/llvm/narrow_indices.h"

namespace tw {

using namespace ir;
using llvm::Value;

Value* Emitter::base(Buffer const& buffer) {
  if (auto found = bases_.find(buffer->name); found != bases_.end()) return found->second;
  if (parts_.device)
    if (auto found = parts_.device->tensors.find(buffer->name);
        found != parts_.device->tensors.end())
      return found->second;
  llvm::IRBuilder<>::InsertPointGuard guard(builder_);
  llvm::BasicBlock& entry = function_->getEntryBlock();
  if (llvm::Instruction* end = entry.getTerminator())
    builder_.SetInsertPoint(end);
  else
    builder_.SetInsertPoint(&entry);
  if (buffer->scope == kStackScope) {
    auto* array =
        llvm::ArrayType::get(builder_.getInt8Ty(), uint64_t(as_int(buffer->shape[0]).value_or(0)) *
                                                       uint64_t(size_of(buffer->type)));
    builder_.SetInsertPoint(&entry, entry.begin());
    llvm::AllocaInst* place = builder_.CreateAlloca(array);
    place->setAlignment(llvm::Align(64));
    return bases_[buffer->name] = place;
  }
  size_t slot = parts_.params.size();
  for (size_t i = 0; i < parts_.params.size(); ++i)
    if (parts_.params[i]->name == buffer->name) slot = i;
  llvm::Type* pointer = llvm::PointerType::get(context_, 0);
  Value* address =
      builder_.CreateLoad(pointer, builder_.CreateConstInBoundsGEP1_64(pointer, buffers_, slot));
  if (slot == parts_.params.size())
    address = builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), address,
                                                  uint64_t(parts_.workspace_offsets[buffer->name]));
  return bases_[buffer->name] = address;
}

/// Address of an element: base + partial sums, the constant last. The way there may leave the
/// tensor (an index y-1 passes y), so nothing is said about bounds.
Value* Emitter::pointer(Buffer const& buffer, Expr const& index) {
  llvm::Type* element = stored_type(buffer->type);
  arith::Linear linear = arith::to_linear(index);
  Value* address = base(buffer);
  if (Value* sum = sum_of(linear.terms)) {
    // Elements side by side that a loop is written out for must be extended alike to be merged.
    if (sum->getType()->isIntegerTy(32) && is_never_negative(linear.terms, ranges_))
      sum = builder_.CreateZExt(sum, builder_.getInt64Ty(), "", true);
    address = builder_.CreateGEP(element, address, sum);
  }
  if (linear.constant != 0)
    address = builder_.CreateGEP(element, address, builder_.getInt64(uint64_t(linear.constant)));
  return address;
}

/// Elements 0, 2, 4, ... from two dense loads that overlap in one element, so that nothing behind
/// the last wanted one is read.
Value* Emitter::every_second(Buffer const& buffer, llvm::FixedVectorType* type, Value* address,
                             llvm::Align align) {
  int lanes = int(type->getNumElements());
  Value* low = reaching(buffer, builder_.CreateAlignedLoad(type, address, align));
  Value* middle =
      builder_.CreateGEP(type->getElementType(), address, builder_.getInt64(uint64_t(lanes - 1)));
  Value* high = reaching(buffer, builder_.CreateAlignedLoad(type, middle, align));
  std::vector<int> order;
  for (int i = 0; i < lanes; ++i)
    order.push_back(2 * i < lanes ? 2 * i : lanes + 2 * i - (lanes - 1));
  return builder_.CreateShuffleVector(low, high, order);
}

namespace {

/// A part of the index is multiplied by 2^60 or more.
bool shifts_far(Value const* index, int depth = 6) {
  auto const* op = llvm::dyn_cast<llvm::BinaryOperator>(index);
  if (!op || depth == 0) return false;
  auto const* constant = llvm::dyn_cast<llvm::Constant>(op->getOperand(1));
  if (constant && constant->getType()->isVectorTy()) constant = constant->getSplatValue();
  auto const* number = llvm::dyn_cast_or_null<llvm::ConstantInt>(constant);
  constexpr unsigned kFar = 60;
  if (number && op->getOpcode() == llvm::Instruction::Mul)
    return number->getValue().countr_zero() >= kFar;
  if (number && op->getOpcode() == llvm::Instruction::Shl) return number->getValue().uge(kFar);
  return shifts_far(op->getOperand(0), depth - 1) || shifts_far(op->getOperand(1), depth - 1);
}

}  // namespace

/// Lanes up to the next power of two read nothing, at index 0. Left to LLVM they would be
/// undefined, and a gather whose index register is undefined may be given its result's register,
/// which the processor refuses (LLVM 19, 20 lanes).
Value* Emitter::gather(Buffer const& buffer, Value* index, Value* mask, llvm::Align align) {
  llvm::Type* element = stored_type(buffer->type);
  // LLVM 19 takes a shift of the index into the scale of the address, which wraps to 0 for these.
  if (shifts_far(index))
    index = builder_.CreateSelect(mask, index, llvm::Constant::getNullValue(index->getType()));
  unsigned lanes = llvm::cast<llvm::FixedVectorType>(index->getType())->getNumElements();
  unsigned whole = unsigned(std::bit_ceil(lanes));
  auto widened = [&](Value* v) {
    std::vector<int> order(whole);
    for (unsigned i = 0; i < whole; ++i) order[i] = int(i < lanes ? i : lanes);
    return whole == lanes
               ? v
               : builder_.CreateShuffleVector(v, llvm::Constant::getNullValue(v->getType()), order);
  };
  auto* type = llvm::FixedVectorType::get(element, whole);
  Value* places = builder_.CreateGEP(element, base(buffer), widened(index));
  Value* read = reaching(buffer, builder_.CreateMaskedGather(type, places, align, widened(mask),
                                                             llvm::Constant::getNullValue(type)));
  std::vector<int> first(lanes);
  std::iota(first.begin(), first.end(), 0);
  return whole == lanes ? read : builder_.CreateShuffleVector(read, first);
}

Value* Emitter::load(Load const& node) {
  if (node.buffer->scope == "register") {
    auto found = registers_.find(node.buffer->name);
    return found != registers_.end()
               ? found->second
               : llvm::UndefValue::get(type_of(context_, node.type, node.lanes));
  }
  check_range(node.buffer, node.indices[0], CheckKind::kRead);
  llvm::Type* element = stored_type(node.type);
  llvm::Align align{uint64_t(size_of(node.type))};
  Value* v = node.lanes == 1 ? load_one(node, element, align) : load_lanes(node, element, align);
  check_written(node, v);
  return from_memory(v, node.type);
}

llvm::Type* Emitter::stored_type(DType type) {
  if (type == DType::kBool) return builder_.getInt8Ty();
  return type == DType::kBF16 ? builder_.getInt16Ty() : type_of(context_, type);
}

Value* Emitter::load_one(Load const& node, llvm::Type* element, llvm::Align align) {
  Value* address = pointer(node.buffer, node.indices[0]);
  // No lane may want it: then any element that exists will do.
  if (mask_)
    address = builder_.CreateSelect(builder_.CreateOrReduce(mask_), address, base(node.buffer));
  return reaching(node.buffer, builder_.CreateAlignedLoad(element, address, align));
}

Value* Emitter::load_lanes(Load const& node, llvm::Type* element, llvm::Align align) {
  auto* type = llvm::FixedVectorType::get(element, unsigned(node.lanes));
  auto const* ramp = node.indices[0].as<Ramp>();
  bool dense = ramp && is_int(ramp->stride, 1);
  if (dense && mask_)
    return reaching(node.buffer,
                    builder_.CreateMaskedLoad(type, pointer(node.buffer, ramp->base), align, mask_,
                                              llvm::Constant::getNullValue(type)));
  if (dense)
    return reaching(node.buffer,
                    builder_.CreateAlignedLoad(type, pointer(node.buffer, ramp->base), align));
  if (mask_ || !ramp) {
    Value* mask = mask_ ? mask_
                        : llvm::Constant::getAllOnesValue(llvm::FixedVectorType::get(
                              builder_.getInt1Ty(), unsigned(node.lanes)));
    return gather(node.buffer, expression(node.indices[0]), mask, align);
  }
  Value* start = pointer(node.buffer, ramp->base);
  return is_int(ramp->stride, 2)
             ? every_second(node.buffer, type, start, align)
             : each_alone(node.buffer, type, start, expression(ramp->stride), align);
}

Value* Emitter::each_alone(Buffer const& buffer, llvm::FixedVectorType* type, Value* start,
                           Value* stride, llvm::Align align) {
  llvm::Type* element = type->getElementType();
  Value* result = llvm::PoisonValue::get(type);
  for (unsigned i = 0; i < type->getNumElements(); ++i) {
    Value* at =
        builder_.CreateGEP(element, start, builder_.CreateMul(stride, builder_.getInt64(i)));
    Value* one = reaching(buffer, builder_.CreateAlignedLoad(element, at, align));
    result = builder_.CreateInsertElement(result, one, uint64_t(i));
  }
  return result;
}

}  // namespace tw
