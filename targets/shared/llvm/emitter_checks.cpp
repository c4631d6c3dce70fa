// Checked code: every access is compared with its tensor's extent, temporaries and outputs are
// filled with kPoison before they are written, and what is read is compared with it.
#include <algorithm>

#include "engine/ir/rewrite.h"
#include "targets/shared/llvm/emitter.h"

namespace tw {

using namespace ir;
using llvm::Value;

namespace {

int64_t elements_of(BufferNode const& buffer) {
  int64_t count = 1;
  for (Expr const& extent : buffer.shape) count *= as_int(extent).value_or(0);
  return count;
}

/// Small elements may hold any pattern.
bool shows_poison(DType type) { return size_of(type) >= 4; }

uint64_t poison_of(DType type) {
  return size_of(type) == 8 ? uint64_t(kPoison) << 32 | kPoison : kPoison;
}

}  // namespace

void Emitter::each(Value* count, std::function<void(Value*)> const& body) {
  auto* before = builder_.GetInsertBlock();
  auto* inside = llvm::BasicBlock::Create(context_, "", function_);
  auto* after = llvm::BasicBlock::Create(context_, "", function_);
  builder_.CreateCondBr(builder_.CreateICmpSGT(count, builder_.getInt64(0)), inside, after);
  builder_.SetInsertPoint(inside);
  auto* index = builder_.CreatePHI(builder_.getInt64Ty(), 2);
  index->addIncoming(builder_.getInt64(0), before);
  body(index);
  Value* next = builder_.CreateAdd(index, builder_.getInt64(1));
  index->addIncoming(next, builder_.GetInsertBlock());
  builder_.CreateCondBr(builder_.CreateICmpSLT(next, count), inside, after);
  builder_.SetInsertPoint(after);
}

/// A tensor of the workspace that is allocated inside of parallel loops has a part for each task
/// (see plan_workspace): only that part may be touched.
Emitter::Part Emitter::part_of(Buffer const& buffer) {
  Part part{builder_.getInt64(0), elements_of(*buffer)};
  auto found = tasks_of_.find(buffer->name);
  if (found == tasks_of_.end()) return part;
  for (For const* loop : found->second) {
    auto tasks = as_int(loop->extent).value_or(1);
    part.extent /= tasks;
    part.begin = builder_.CreateAdd(
        builder_.CreateMul(part.begin, builder_.getInt64(uint64_t(tasks))), expression(loop->var));
  }
  part.begin = builder_.CreateMul(part.begin, builder_.getInt64(uint64_t(part.extent)));
  return part;
}

void Emitter::fill_with_poison(Buffer const& buffer) {
  if (!shows_poison(buffer->type)) return;
  Part part = part_of(buffer);
  auto* element = builder_.getIntNTy(unsigned(size_of(buffer->type)) * 8);
  Value* start = builder_.CreateGEP(element, base(buffer), part.begin);
  Value* poison = llvm::ConstantInt::get(element, poison_of(buffer->type));
  each(builder_.getInt64(uint64_t(part.extent)), [&](Value* i) {
    builder_.CreateAlignedStore(poison, builder_.CreateGEP(element, start, i),
                                llvm::Align{uint64_t(size_of(buffer->type))});
  });
}

void Emitter::begin_checks() {
  if (!parts_.checks) return;
  for (int64_t i = 0; i < kReportWords; ++i)
    builder_.CreateStore(builder_.getInt64(0), report_word(i));
  for (Buffer const& buffer : parts_.checks->outputs) fill_with_poison(buffer);
}

void Emitter::finish_checks() {
  if (!parts_.checks) return;
  line_ = 0;
  for (Buffer const& buffer : parts_.checks->outputs) {
    if (!shows_poison(buffer->type)) continue;
    auto* element = builder_.getIntNTy(unsigned(size_of(buffer->type)) * 8);
    each(builder_.getInt64(uint64_t(elements_of(*buffer))), [&](Value* i) {
      Value* value =
          builder_.CreateAlignedLoad(element, builder_.CreateGEP(element, base(buffer), i),
                                     llvm::Align{uint64_t(size_of(buffer->type))});
      Value* poison = llvm::ConstantInt::get(element, poison_of(buffer->type));
      require(builder_.CreateICmpNE(value, poison), CheckKind::kMissing, buffer, [&] { return i; });
    });
  }
}

Value* Emitter::report_word(int64_t word) {
  auto* pointer = llvm::PointerType::get(context_, 0);
  Value* workspace = builder_.CreateLoad(
      pointer, builder_.CreateConstInBoundsGEP1_64(pointer, buffers_, parts_.params.size()));
  return builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), workspace,
                                             uint64_t(parts_.checks->report_offset + word * 8));
}

/// Leaves the function with kCheckFailed unless `good`. Of several tasks the first one that fails
/// writes the record.
void Emitter::require(Value* good, CheckKind kind, Buffer const& buffer,
                      std::function<Value*()> const& element) {
  CheckedAccess access{kind, buffer->name, part_of(buffer).extent, line_, {}, variable_order_};
  access.statement = parts_.checks->text_of(line_);
  access.loops.resize(std::min(access.loops.size(), kMostReportedLoops));
  parts_.checks->accesses.push_back(access);
  auto* bad = llvm::BasicBlock::Create(context_, "", function_);
  auto* first = llvm::BasicBlock::Create(context_, "", function_);
  auto* leave = llvm::BasicBlock::Create(context_, "", function_);
  auto* go_on = llvm::BasicBlock::Create(context_, "", function_);
  builder_.CreateCondBr(good, go_on, bad);
  builder_.SetInsertPoint(bad);
  Value* claimed = builder_.CreateAtomicCmpXchg(
      report_word(0), builder_.getInt64(0), builder_.getInt64(parts_.checks->accesses.size()),
      llvm::MaybeAlign(8), llvm::AtomicOrdering::Monotonic, llvm::AtomicOrdering::Monotonic);
  builder_.CreateCondBr(builder_.CreateExtractValue(claimed, 1), first, leave);
  builder_.SetInsertPoint(first);
  builder_.CreateStore(element(), report_word(1));
  for (size_t i = 0; i < access.loops.size(); ++i)
    builder_.CreateStore(variables_[access.loops[i]], report_word(int64_t(i) + 2));
  builder_.CreateBr(leave);
  builder_.SetInsertPoint(leave);
  builder_.CreateRet(builder_.getInt32(uint32_t(kCheckFailed)));
  builder_.SetInsertPoint(go_on);
}

/// The element that a failing check names: of several lanes the first bad one.
Value* Emitter::first_bad(Value* good, Value* at) {
  if (!at->getType()->isVectorTy()) return at;
  auto lanes = llvm::cast<llvm::FixedVectorType>(at->getType())->getNumElements();
  Value* found = builder_.CreateExtractElement(at, uint64_t(lanes - 1));
  for (unsigned i = lanes - 1; i > 0; --i)
    found = builder_.CreateSelect(builder_.CreateExtractElement(good, uint64_t(i - 1)), found,
                                  builder_.CreateExtractElement(at, uint64_t(i - 1)));
  return found;
}

/// The index within the part that may be touched, as 64-bit numbers.
Value* Emitter::place_of(Buffer const& buffer, Expr const& index) {
  Value* at = expression(index);
  llvm::Type* wide = type_of(context_, DType::kI64, index.lanes());
  at = builder_.CreateSExtOrTrunc(at, wide);
  Value* begin = part_of(buffer).begin;
  if (index.lanes() > 1) begin = builder_.CreateVectorSplat(unsigned(index.lanes()), begin);
  return builder_.CreateSub(at, begin);
}

void Emitter::check_range(Buffer const& buffer, Expr const& index, CheckKind kind) {
  if (!parts_.checks || failed()) return;
  Value* at = place_of(buffer, index);
  Value* good = builder_.CreateICmpULT(
      at, llvm::ConstantInt::get(at->getType(), uint64_t(part_of(buffer).extent)));
  if (mask_ && index.lanes() > 1) good = builder_.CreateOr(good, builder_.CreateNot(mask_));
  if (mask_ && index.lanes() == 1)
    good = builder_.CreateOr(good, builder_.CreateNot(builder_.CreateOrReduce(mask_)));
  Value* all = index.lanes() > 1 ? builder_.CreateAndReduce(good) : good;
  require(all, kind, buffer, [&] { return first_bad(good, at); });
}

/// A copy of what was never written is not wrong yet: a tensor with padding may be copied whole. It
/// is as poisoned as before, so that whoever computes with it is found.
void Emitter::note_copies(Expr const& value) {
  if (!parts_.checks) return;
  if (auto const* read = value.as<Load>()) copied_.insert(read);
  if (auto const* choice = value.as<Select>()) {
    note_copies(choice->a);
    note_copies(choice->b);
  }
}

void Emitter::check_written(Load const& node, Value* value) {
  if (!parts_.checks || failed() || !shows_poison(node.type) || copied_.contains(&node)) return;
  auto const& inputs = parts_.checks->inputs;
  if (std::ranges::find(inputs, node.buffer->name) != inputs.end()) return;
  llvm::Type* bits = builder_.getIntNTy(unsigned(size_of(node.type)) * 8);
  if (node.lanes > 1) bits = llvm::FixedVectorType::get(bits, unsigned(node.lanes));
  Value* good = builder_.CreateICmpNE(builder_.CreateBitCast(value, bits),
                                      llvm::ConstantInt::get(bits, poison_of(node.type)));
  if (mask_ && node.lanes == 1)
    good = builder_.CreateOr(good, builder_.CreateNot(builder_.CreateOrReduce(mask_)));
  Value* all = node.lanes > 1 ? builder_.CreateAndReduce(good) : good;
  require(all, CheckKind::kUnwritten, node.buffer,
          [&] { return first_bad(good, place_of(node.buffer, node.indices[0])); });
}

}  // namespace tw
