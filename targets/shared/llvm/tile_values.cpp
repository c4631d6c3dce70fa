#include "targets/shared/llvm/tile_values.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <vector>

namespace tw {
namespace {

bool is_call_of(llvm::Value const* value, llvm::Intrinsic::ID instruction) {
  auto const* call = llvm::dyn_cast<llvm::IntrinsicInst>(value);
  return call && call->getIntrinsicID() == instruction;
}

bool is_tile(llvm::Type* type) {
  return type->isVectorTy() && type->getPrimitiveSizeInBits() == 8 * kTileRows * kTileRowBytes;
}

llvm::Value* tile_at(llvm::IRBuilderBase& builder, llvm::Value* address) {
  return builder.CreateIntrinsic(llvm::Intrinsic::x86_tileloadd64_internal, {},
                                 {builder.getInt16(kTileRows), builder.getInt16(kTileRowBytes),
                                  address, builder.getInt64(kTileRowBytes)});
}

/// Memory of the function's own.
llvm::Value* room_for(llvm::Type* type, llvm::Function& function) {
  llvm::BasicBlock& entry = function.getEntryBlock();
  llvm::IRBuilder<> builder(&entry, entry.begin());
  llvm::AllocaInst* room = builder.CreateAlloca(type);
  room->setAlignment(llvm::Align(kTileRowBytes));
  return room;
}

llvm::Value* stored(llvm::IRBuilderBase& builder, llvm::Value* value) {
  llvm::Value* room = room_for(value->getType(), *builder.GetInsertBlock()->getParent());
  builder.CreateAlignedStore(value, room, llvm::Align(kTileRowBytes));
  return room;
}

/// What comes in.
void take_tiles(llvm::PHINode& phi) {
  for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
    llvm::Value* value = phi.getIncomingValue(i);
    if (llvm::isa<llvm::PHINode>(value) || llvm::isa<llvm::UndefValue>(value) ||
        is_call_of(value, llvm::Intrinsic::x86_cast_tile_to_vector))
      continue;
    // Right behind a load: what it reads may change afterwards.
    auto* known = llvm::dyn_cast<llvm::Instruction>(value);
    llvm::IRBuilder<> builder(known ? known->getNextNode()
                                    : phi.getIncomingBlock(i)->getTerminator());
    phi.setIncomingValue(i, through_tile(builder, value));
    if (known && known->use_empty()) known->eraseFromParent();
  }
}

/// What goes out, but to phis.
void give_tiles(llvm::PHINode& phi) {
  std::vector<llvm::Instruction*> users;
  for (llvm::User* user : phi.users())
    if (!llvm::isa<llvm::PHINode>(user) &&
        !is_call_of(user, llvm::Intrinsic::x86_cast_vector_to_tile))
      users.push_back(llvm::cast<llvm::Instruction>(user));
  for (llvm::Instruction* user : users) {
    llvm::IRBuilder<> builder(user);
    llvm::Value* room = room_for(phi.getType(), *user->getFunction());
    builder.CreateIntrinsic(llvm::Intrinsic::x86_tilestored64_internal, {},
                            {builder.getInt16(kTileRows), builder.getInt16(kTileRowBytes), room,
                             builder.getInt64(kTileRowBytes), to_tile(builder, &phi)});
    user->replaceUsesOfWith(
        &phi, builder.CreateAlignedLoad(phi.getType(), room, llvm::Align(kTileRowBytes)));
  }
}

bool uses_tiles(llvm::Function& function) {
  for (llvm::BasicBlock& block : function)
    for (llvm::Instruction& one : block)
      if (is_call_of(&one, llvm::Intrinsic::x86_cast_tile_to_vector)) return true;
  return false;
}

/// Phis that tiles come to, and those that share values with them.
std::vector<llvm::PHINode*> phis_of_tiles(llvm::Function& function) {
  std::vector<llvm::PHINode*> found, all;
  for (llvm::BasicBlock& block : function)
    for (llvm::PHINode& phi : block.phis())
      if (is_tile(phi.getType())) all.push_back(&phi);
  auto is_known = [&](llvm::Value* value) {
    return is_call_of(value, llvm::Intrinsic::x86_cast_tile_to_vector) ||
           std::ranges::find(found, value) != found.end();
  };
  for (size_t before = size_t(-1); before != found.size();) {
    before = found.size();
    for (llvm::PHINode* phi : all)
      if (std::ranges::find(found, phi) == found.end() &&
          (std::ranges::any_of(phi->incoming_values(), is_known) ||
           std::ranges::any_of(phi->users(), is_known)))
        found.push_back(phi);
  }
  return found;
}

}  // namespace

llvm::Value* to_tile(llvm::IRBuilderBase& builder, llvm::Value* vector) {
  return builder.CreateIntrinsic(llvm::Intrinsic::x86_cast_vector_to_tile, {vector->getType()},
                                 {vector});
}

llvm::Value* from_tile(llvm::IRBuilderBase& builder, llvm::Value* tile, llvm::Type* vector) {
  return builder.CreateIntrinsic(llvm::Intrinsic::x86_cast_tile_to_vector, {vector}, {tile});
}

llvm::Value* through_tile(llvm::IRBuilderBase& builder, llvm::Value* value) {
  auto* constant = llvm::dyn_cast<llvm::Constant>(value);
  auto* load = llvm::dyn_cast<llvm::LoadInst>(value);
  llvm::Value* tile = nullptr;
  if (constant && constant->isNullValue())
    tile = builder.CreateIntrinsic(llvm::Intrinsic::x86_tilezero_internal, {},
                                   {builder.getInt16(kTileRows), builder.getInt16(kTileRowBytes)});
  else
    tile = tile_at(builder, load ? load->getPointerOperand() : stored(builder, value));
  return from_tile(builder, tile, value->getType());
}

void prepare_tiles(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (!uses_tiles(function)) continue;
    // Some processors' models make LLVM schedule once more when registers are given out, and take
    // others for them: tiles that the function has not configured. This one's does not.
    function.addFnAttr("tune-cpu", "x86-64");
    std::vector<llvm::PHINode*> phis = phis_of_tiles(function);
    for (llvm::PHINode* phi : phis) take_tiles(*phi);
    for (llvm::PHINode* phi : phis) give_tiles(*phi);
  }
}

}  // namespace tw
