#include "targets/shared/llvm/tile_values.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <map>
#include <vector>

namespace tw {
namespace {

using llvm::Intrinsic::x86_cast_tile_to_vector;
using llvm::Intrinsic::x86_cast_vector_to_tile;

bool is_call_of(llvm::Value const* value, llvm::Intrinsic::ID instruction) {
  auto const* call = llvm::dyn_cast<llvm::IntrinsicInst>(value);
  return call && call->getIntrinsicID() == instruction;
}

bool is_tile(llvm::Type* type) {
  return type->isVectorTy() && type->getPrimitiveSizeInBits() == 8 * kTileRows * kTileRowBytes;
}

/// Memory of the function's own.
llvm::Value* room_for(llvm::Type* type, llvm::Function& function) {
  llvm::BasicBlock& entry = function.getEntryBlock();
  llvm::IRBuilder<> builder(&entry, entry.begin());
  llvm::AllocaInst* room = builder.CreateAlloca(type);
  room->setAlignment(llvm::Align(kTileRowBytes));
  return room;
}

llvm::Value* stored(llvm::IRBuilderBase& builder, llvm::Value* vector) {
  llvm::Value* room = room_for(vector->getType(), *builder.GetInsertBlock()->getParent());
  builder.CreateAlignedStore(vector, room, llvm::Align(kTileRowBytes));
  return room;
}

/// A tile of zeros, of what memory holds where a load reads, or of what is stored first.
llvm::Value* loaded_tile(llvm::IRBuilderBase& builder, llvm::Value* vector) {
  llvm::Value* rows = builder.getInt16(kTileRows);
  llvm::Value* bytes = builder.getInt16(kTileRowBytes);
  auto* constant = llvm::dyn_cast<llvm::Constant>(vector);
  if (constant && (constant->isNullValue() || llvm::isa<llvm::UndefValue>(constant)))
    return builder.CreateIntrinsic(llvm::Intrinsic::x86_tilezero_internal, {}, {rows, bytes});
  auto* load = llvm::dyn_cast<llvm::LoadInst>(vector);
  llvm::Value* address = load ? load->getPointerOperand() : stored(builder, vector);
  return builder.CreateIntrinsic(llvm::Intrinsic::x86_tileloadd64_internal, {},
                                 {rows, bytes, address, builder.getInt64(kTileRowBytes)});
}

void store_tile(llvm::IRBuilderBase& builder, llvm::Value* tile, llvm::Value* address) {
  builder.CreateIntrinsic(llvm::Intrinsic::x86_tilestored64_internal, {},
                          {builder.getInt16(kTileRows), builder.getInt16(kTileRowBytes), address,
                           builder.getInt64(kTileRowBytes), tile});
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

/// Takes the place of all casts of one function.
class CastLowering {
public:
  explicit CastLowering(llvm::Function& function)
      : function_(function), phis_(phis_of_tiles(function)) {}

  void run() {
    for (llvm::PHINode* phi : phis_)
      tiles_[phi] = llvm::PHINode::Create(llvm::Type::getX86_AMXTy(function_.getContext()),
                                          phi->getNumIncomingValues(), "", phi->getIterator());
    for (llvm::PHINode* phi : phis_) take(*phi);
    for (llvm::IntrinsicInst* cast : calls_of(x86_cast_vector_to_tile)) {
      cast->replaceAllUsesWith(tile_of(cast->getArgOperand(0), *cast));
      cast->eraseFromParent();
    }
    for (llvm::PHINode* phi : phis_) give(*phi, *tiles_.at(phi));
    for (llvm::PHINode* phi : phis_) remove(*phi);
    for (llvm::IntrinsicInst* cast : calls_of(x86_cast_tile_to_vector)) {
      give(*cast, *cast->getArgOperand(0));
      cast->eraseFromParent();
    }
    for (auto const& [vector, tile] : tiles_)
      if (vector->use_empty()) vector->eraseFromParent();  // a load of what the tile loads
  }

private:
  std::vector<llvm::IntrinsicInst*> calls_of(llvm::Intrinsic::ID instruction) {
    std::vector<llvm::IntrinsicInst*> found;
    for (llvm::BasicBlock& block : function_)
      for (llvm::Instruction& one : block)
        if (is_call_of(&one, instruction)) found.push_back(llvm::cast<llvm::IntrinsicInst>(&one));
    return found;
  }

  /// What comes in.
  void take(llvm::PHINode& phi) {
    auto* tiles = llvm::cast<llvm::PHINode>(tiles_.at(&phi));
    for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
      llvm::BasicBlock* block = phi.getIncomingBlock(i);
      int known = tiles->getBasicBlockIndex(block);  // several edges from one block bring one value
      tiles->addIncoming(known >= 0 ? tiles->getIncomingValue(unsigned(known))
                                    : tile_of(phi.getIncomingValue(i), *block->getTerminator()),
                         block);
    }
  }

  /// The tile of the vector's bytes, for use at `user`.
  llvm::Value* tile_of(llvm::Value* vector, llvm::Instruction& user) {
    if (is_call_of(vector, x86_cast_tile_to_vector))
      return llvm::cast<llvm::IntrinsicInst>(vector)->getArgOperand(0);
    auto* known = llvm::dyn_cast<llvm::Instruction>(vector);
    if (!known) {
      llvm::IRBuilder<> builder(&user);
      return loaded_tile(builder, vector);
    }
    llvm::Value*& tile = tiles_[known];
    if (!tile) {
      // Right behind a load: what it reads may change afterwards.
      llvm::IRBuilder<> builder(known->getParent(), *known->getInsertionPointAfterDef());
      tile = loaded_tile(builder, vector);
    }
    return tile;
  }

  /// What goes out, but to phis that have become tiles: to where it is stored, or through memory.
  void give(llvm::Instruction& vector, llvm::Value& tile) {
    llvm::SmallSetVector<llvm::Instruction*, 4> users;
    for (llvm::User* user : vector.users())
      if (std::ranges::find(phis_, user) == phis_.end())
        users.insert(llvm::cast<llvm::Instruction>(user));
    for (llvm::Instruction* user : users) {
      auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
      llvm::IRBuilder<> builder(user);
      llvm::Value* address =
          store ? store->getPointerOperand() : room_for(vector.getType(), function_);
      store_tile(builder, &tile, address);
      if (store)
        store->eraseFromParent();
      else
        user->replaceUsesOfWith(&vector, builder.CreateAlignedLoad(vector.getType(), address,
                                                                   llvm::Align(kTileRowBytes)));
    }
  }

  void remove(llvm::PHINode& phi) {
    tiles_.erase(&phi);
    phi.replaceAllUsesWith(llvm::PoisonValue::get(phi.getType()));
    phi.eraseFromParent();
  }

  llvm::Function& function_;
  std::vector<llvm::PHINode*> phis_;                  ///< of vectors that are tiles
  std::map<llvm::Instruction*, llvm::Value*> tiles_;  ///< by what has the same bytes
};

}  // namespace

llvm::Value* to_tile(llvm::IRBuilderBase& builder, llvm::Value* vector) {
  return builder.CreateIntrinsic(llvm::Intrinsic::x86_cast_vector_to_tile, {vector->getType()},
                                 {vector});
}

llvm::Value* from_tile(llvm::IRBuilderBase& builder, llvm::Value* tile, llvm::Type* vector) {
  return builder.CreateIntrinsic(llvm::Intrinsic::x86_cast_tile_to_vector, {vector}, {tile});
}

llvm::Value* through_tile(llvm::IRBuilderBase& builder, llvm::Value* value) {
  return from_tile(builder, loaded_tile(builder, value), value->getType());
}

void lower_tile_casts(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (!uses_tiles(function)) continue;
    // Some processors' models make LLVM schedule once more when registers are given out, and take
    // others for them: tiles that the function has not configured. This one's does not.
    function.addFnAttr("tune-cpu", "x86-64");
    CastLowering(function).run();
  }
}

}  // namespace tw
