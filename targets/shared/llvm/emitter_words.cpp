#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/TargetParser/Triple.h>

#include <bit>
#include <numeric>

#include "engine/ir/annotations.h"
#include "engine/ir/stmt.h"
#include "targets/shared/llvm/emitter.h"
#include "targets/shared/llvm/words.h"

namespace tw {

using namespace ir;
using llvm::Value;

namespace {

/// Bytes that vectors are aligned to, of those that are stored past the caches.
constexpr uint64_t kWholeVector = 64;

/// A power of two that the distance of an element from the first one is a multiple of, in bytes.
uint64_t alignment_of(Expr const& index, int64_t bytes) {
  arith::Linear linear = arith::to_linear(index);
  uint64_t common = std::gcd(kWholeVector, uint64_t(std::abs(linear.constant * bytes)));
  for (auto const& term : linear.terms)
    common = std::gcd(common, uint64_t(std::abs(term.factor * bytes)));
  return common;
}

/// A device has vectors of its own only: a loop over lanes is written out, too.
bool is_written_out(For const& node) {
  return node.loop_kind == LoopKind::kUnroll || node.loop_kind == LoopKind::kVector;
}

}  // namespace

/// What LLVM may do with a loop. By itself it would write a short one out, and share what the
/// copies read: registers that a tile's sums fill. (A row of 7 with 12 sums in 16 registers was 1.2
/// times slower so.)
void Emitter::tell_of(For const& node, llvm::Instruction* branch, bool holds_a_tile) {
  std::optional<int64_t> turns = said_of(node, kUnrollBy);
  bool written_out = parts_.device && is_written_out(node);
  if (!turns && !holds_a_tile && !written_out) return;
  llvm::LLVMContext& context = branch->getContext();
  std::vector<llvm::Metadata*> wish;
  if (written_out && !turns) {
    wish = {llvm::MDString::get(context, "llvm.loop.unroll.full")};
  } else if (turns.value_or(1) == 1) {
    wish = {llvm::MDString::get(context, "llvm.loop.unroll.disable")};
  } else {
    wish = {llvm::MDString::get(context, "llvm.loop.unroll.count"),
            llvm::ConstantAsMetadata::get(builder_.getInt32(uint32_t(*turns)))};
  }
  auto* loop = llvm::MDNode::getDistinct(context, {nullptr, llvm::MDNode::get(context, wish)});
  loop->replaceOperandWith(0, loop);
  branch->setMetadata(llvm::LLVMContext::MD_loop, loop);
}

/// Lanes one beside the other in memory, past the caches. They must stand at a whole vector for it:
/// of the element's number that is known here, of the tensor's first element it is asked when the
/// code runs.
void Emitter::store_past_caches(Store const& node, Value* value, Value* address,
                                llvm::Align align) {
  auto const& ramp = node.indices[0].to<Ramp>();
  int64_t bytes = size_of(node.buffer->type) * ramp.lanes;
  uint64_t wanted = std::min<uint64_t>(uint64_t(bytes), kWholeVector);
  bool whole = std::has_single_bit(uint64_t(bytes)) && bytes >= 16 &&
               alignment_of(ramp.base, size_of(node.buffer->type)) >= wanted;
  if (!whole) {
    reaching(node.buffer, builder_.CreateAlignedStore(value, address, align));
    return;
  }
  auto* past = llvm::BasicBlock::Create(context_, "", function_);
  auto* through = llvm::BasicBlock::Create(context_, "", function_);
  auto* end = llvm::BasicBlock::Create(context_, "", function_);
  builder_.CreateCondBr(begins_at_whole_vector(node.buffer), past, through);
  builder_.SetInsertPoint(past);
  auto* one = llvm::MDNode::get(context_, llvm::ConstantAsMetadata::get(builder_.getInt32(1)));
  reaching(node.buffer, builder_.CreateAlignedStore(value, address, llvm::Align(wanted)))
      ->setMetadata(llvm::LLVMContext::MD_nontemporal, one);
  builder_.CreateBr(end);
  builder_.SetInsertPoint(through);
  reaching(node.buffer, builder_.CreateAlignedStore(value, address, align));
  builder_.CreateBr(end);
  builder_.SetInsertPoint(end);
}

/// Asked once, where the function begins.
Value* Emitter::begins_at_whole_vector(Buffer const& buffer) {
  Value*& known = whole_vectors_[buffer->name];
  if (known) return known;
  Value* first = base(buffer);
  llvm::IRBuilder<>::InsertPointGuard guard(builder_);
  builder_.SetInsertPoint(function_->getEntryBlock().getTerminator());
  Value* number = builder_.CreatePtrToInt(first, builder_.getInt64Ty());
  Value* rest = builder_.CreateAnd(number, builder_.getInt64(kWholeVector - 1));
  return known = builder_.CreateICmpEQ(rest, builder_.getInt64(0));
}

/// What was stored past the caches is not ordered with what follows: other threads are told of it
/// by a fence before they are told that it is there. (Intel 64 Architectures Software Developer's
/// Manual, volume 1, 10.4.6.2: "caching of temporal vs. non-temporal data".)
void Emitter::finish_stores_past_caches() {
  if (!parts_.past_caches) return;
  if (llvm::Triple(parts_.module.getTargetTriple()).isX86())
    builder_.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {}, {});
  else
    builder_.CreateFence(llvm::AtomicOrdering::Release);
}

}  // namespace tw
