#include "targets/cpu/compiler/probes.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "engine/ir/intrinsic.h"
#include "targets/cpu/compiler/tiles.h"
#include "targets/shared/link/link.h"

namespace tw {
namespace {

// Chains of dependent operations: more than latency (4 or 5) times units (2) keep every unit busy;
// fewer than the 16 registers of the smallest machine.
constexpr int kChains = 12;
constexpr int kChainsOfTiles = 4;   // of eight registers, with room for the other operands
constexpr int kRepeats = 4;         // of all chains in a loop body, so that the loop costs nothing
constexpr int kVectorsPerStep = 8;  // of each stream of a bandwidth probe
constexpr int kStreams = 3;         // of the triad

using Values = std::vector<llvm::Value*>;

bool is_of_tiles(CpuIntrinsic const& intrinsic) { return intrinsic.unit == kTileUnit; }

int chains_of(CpuIntrinsic const& intrinsic) {
  return is_of_tiles(intrinsic) ? kChainsOfTiles : kChains;
}

class ProbeBuilder {
public:
  ProbeBuilder(llvm::Module& module, int vector_bytes)
      : module_(module),
        context_(module.getContext()),
        builder_(context_),
        vector_bytes_(vector_bytes) {}

  void arithmetic(std::string const& name, llvm::Type* type) {
    llvm::Function* task = begin_task(name);
    llvm::Value* iterations = parameter(1);
    llvm::Constant* factor = llvm::ConstantFP::get(type, 0.999);
    llvm::Constant* summand = llvm::ConstantFP::get(type, 0.001);
    Values chains;
    for (int i = 0; i < kChains; ++i) {
      chains.push_back(llvm::ConstantFP::get(type, 1.0 + 0.1 * i));
    }
    Values sums = loop(task, iterations, 1, chains, [&](llvm::Value*, Values values) {
      for (int repeat = 0; repeat < kRepeats; ++repeat) {
        for (llvm::Value*& value : values) {
          value = builder_.CreateIntrinsic(llvm::Intrinsic::fma, {type}, {value, factor, summand});
        }
      }
      return values;
    });
    llvm::Value* sum = sums[0];
    for (int i = 1; i < kChains; ++i) sum = builder_.CreateFAdd(sum, sums[size_t(i)]);
    finish_task(task, name, sum);
  }

  /// Chains of sums, each with the same other operands.
  void instruction(CpuIntrinsic const& intrinsic) {
    ir::Intrinsic declaration = tensor_intrinsic(intrinsic).declaration;
    llvm::Function* task = begin_task(declaration->name);
    llvm::Value* iterations = parameter(1);
    Values operands;
    for (ir::IntrinsicParam const& param : declaration->params) {
      llvm::Value* ones = ones_of(*param.buffer);
      if (is_of_tiles(intrinsic))  // in their registers before the loop
        ones = through_tile(builder_, ones);
      operands.insert(param.writes() ? operands.begin() : operands.end(), ones);
    }
    Values sums = loop(task, iterations, 1, Values(size_t(chains_of(intrinsic)), operands[0]),
                       [&](llvm::Value*, Values values) {
                         for (int repeat = 0; repeat < kRepeats; ++repeat)
                           for (llvm::Value*& value : values) {
                             operands[0] = value;
                             value = intrinsic.code(builder_, operands);
                           }
                         return values;
                       });
    llvm::Value* sum = sums[0];
    bool floats = sum->getType()->isFPOrFPVectorTy();
    for (size_t i = 1; i < sums.size(); ++i)
      sum = floats ? builder_.CreateFAdd(sum, sums[i]) : builder_.CreateXor(sum, sums[i]);
    if (is_of_tiles(intrinsic)) sum = first_row(sum);
    finish_task(task, declaration->name, sum);
  }

  /// for each iteration: for offset in 0..bytes, a step at a time: accumulator ^= data[offset...]
  void load(std::string const& name) {
    llvm::Function* task = begin_task(name);
    llvm::Type* type = llvm::FixedVectorType::get(builder_.getInt32Ty(), lanes(4));
    llvm::Value* bytes = parameter(2);
    llvm::Value* data = slice(bytes);
    Values zero(kVectorsPerStep, llvm::Constant::getNullValue(type));
    Values sums = loop(task, parameter(1), 1, zero, [&](llvm::Value*, Values outer) {
      int64_t step = int64_t(kVectorsPerStep) * vector_bytes_;
      return loop(task, bytes, step, outer, [&](llvm::Value* offset, Values values) {
        for (int i = 0; i < kVectorsPerStep; ++i) {
          values[size_t(i)] = builder_.CreateXor(values[size_t(i)], read(type, data, offset, i));
        }
        return values;
      });
    });
    llvm::Value* sum = sums[0];
    for (int i = 1; i < kVectorsPerStep; ++i) sum = builder_.CreateXor(sum, sums[size_t(i)]);
    finish_task(task, name, sum);
  }

  /// The first third of the slice becomes the second times a number plus the third.
  void triad(std::string const& name) {
    llvm::Function* task = begin_task(name);
    llvm::Type* type = llvm::FixedVectorType::get(builder_.getFloatTy(), lanes(4));
    llvm::Value* bytes = parameter(2);
    llvm::Value* part = builder_.CreateUDiv(bytes, builder_.getInt64(kStreams));
    llvm::Value* to = slice(bytes);
    llvm::Value* first = address(to, part);
    llvm::Value* second = address(first, part);
    llvm::Value* factor = llvm::ConstantFP::get(type, 0.5);
    loop(task, parameter(1), 1, {}, [&](llvm::Value*, Values) {
      int64_t step = int64_t(kVectorsPerStep) * vector_bytes_;
      return loop(task, part, step, {}, [&](llvm::Value* offset, Values) {
        for (int i = 0; i < kVectorsPerStep; ++i) {
          llvm::Value* sum = builder_.CreateIntrinsic(
              llvm::Intrinsic::fma, {type},
              {read(type, first, offset, i), factor, read(type, second, offset, i)});
          builder_.CreateAlignedStore(sum, address(address(to, offset), i),
                                      llvm::Align(uint64_t(std::min(vector_bytes_, 64))));
        }
        return Values{};
      });
    });
    finish_task(task, name, nullptr);
  }

  llvm::Type* vector_of(llvm::Type* element, int element_bytes) {
    return llvm::FixedVectorType::get(element, lanes(element_bytes));
  }
  int lanes(int element_bytes) const { return vector_bytes_ / element_bytes; }

private:
  /// As code for instructions gets its operands.
  llvm::Constant* ones_of(ir::BufferNode const& buffer) {
    unsigned lanes = 1;
    for (ir::Expr const& extent : buffer.shape) lanes *= unsigned(ir::as_int(extent).value_or(1));
    llvm::Type* element = is_float(buffer.type)
                              ? builder_.getFloatTy()
                              : builder_.getIntNTy(unsigned(size_of(buffer.type)) * 8);
    auto* type = llvm::FixedVectorType::get(element, lanes);
    return is_float(buffer.type) ? llvm::ConstantFP::get(type, 1.0)
                                 : llvm::ConstantInt::get(type, 1);
  }
  /// Of a tile: there is room for a vector where a task leaves its result.
  llvm::Value* first_row(llvm::Value* tile) {
    auto* type = llvm::cast<llvm::FixedVectorType>(tile->getType());
    std::vector<int> row(type->getNumElements() / kTileRows);
    std::iota(row.begin(), row.end(), 0);
    return builder_.CreateShuffleVector(tile, row);
  }
  llvm::Value* address(llvm::Value* base, llvm::Value* offset) {
    return builder_.CreatePtrAdd(base, offset);
  }
  llvm::Value* address(llvm::Value* base, int vector) {
    return builder_.CreatePtrAdd(base, builder_.getInt64(int64_t(vector) * vector_bytes_));
  }
  llvm::Value* read(llvm::Type* type, llvm::Value* base, llvm::Value* offset, int vector) {
    // Vectors are at multiples of their size: slices begin at multiples of 64 and steps keep it.
    return builder_.CreateAlignedLoad(type, address(address(base, offset), vector),
                                      llvm::Align(uint64_t(std::min(vector_bytes_, 64))));
  }
  /// `index`: how many pointers lie before it, whatever size they have.
  llvm::Value* load_pointer(llvm::Value* base, int index) {
    auto* pointer = builder_.getPtrTy();
    return builder_.CreateLoad(pointer,
                               builder_.CreateConstGEP1_32(pointer, base, unsigned(index)));
  }

  /// Begins `NAME_task(buffers, task)`.
  llvm::Function* begin_task(std::string const& name) {
    auto* type = llvm::FunctionType::get(builder_.getInt32Ty(),
                                         {builder_.getPtrTy(), builder_.getInt64Ty()}, false);
    auto* task =
        llvm::Function::Create(type, llvm::Function::InternalLinkage, name + "_task", module_);
    builder_.SetInsertPoint(llvm::BasicBlock::Create(context_, "entry", task));
    index_ = task->getArg(1);
    parameters_ = load_pointer(task->getArg(0), 0);
    data_ = load_pointer(task->getArg(0), 1);
    return task;
  }

  /// Field `index` of RoofParameters.
  llvm::Value* parameter(int index) {
    llvm::Value* at = builder_.CreatePtrAdd(parameters_, builder_.getInt64(8 * index));
    return builder_.CreateLoad(builder_.getInt64Ty(), at);
  }
  llvm::Value* slice(llvm::Value* bytes) {
    return builder_.CreatePtrAdd(data_, builder_.CreateMul(index_, bytes));
  }

  /// for i = 0; i < count; i += step, at least once: values = body(i, values)
  Values loop(llvm::Function* function, llvm::Value* count, int64_t step, Values const& initial,
              std::function<Values(llvm::Value*, Values)> const& body) {
    llvm::BasicBlock* before = builder_.GetInsertBlock();
    auto* block = llvm::BasicBlock::Create(context_, "loop", function);
    builder_.CreateBr(block);
    builder_.SetInsertPoint(block);
    llvm::PHINode* index = builder_.CreatePHI(builder_.getInt64Ty(), 2);
    index->addIncoming(builder_.getInt64(0), before);
    std::vector<llvm::PHINode*> nodes;
    for (llvm::Value* value : initial) {
      nodes.push_back(builder_.CreatePHI(value->getType(), 2));
      nodes.back()->addIncoming(value, before);
    }
    Values results = body(index, Values(nodes.begin(), nodes.end()));
    llvm::BasicBlock* end = builder_.GetInsertBlock();
    llvm::Value* next = builder_.CreateAdd(index, builder_.getInt64(step));
    index->addIncoming(next, end);
    for (size_t i = 0; i < nodes.size(); ++i) nodes[i]->addIncoming(results[i], end);
    auto* after = llvm::BasicBlock::Create(context_, "after", function);
    builder_.CreateCondBr(builder_.CreateICmpSLT(next, count), block, after);
    builder_.SetInsertPoint(after);
    return results;
  }

  /// Keeps `result` alive by storing it into the task's scratch, then writes the kernel itself.
  void finish_task(llvm::Function* task, std::string const& name, llvm::Value* result) {
    if (result != nullptr) {
      llvm::Value* offset = builder_.CreateMul(index_, builder_.getInt64(64));
      llvm::Value* scratch = address(address(parameters_, offset), builder_.getInt64(64));
      builder_.CreateAlignedStore(result, scratch, llvm::Align(4));
    }
    builder_.CreateRet(builder_.getInt32(0));
    write_kernel(name, task);
  }

  /// NAME(buffers, runtime): runtime->parallel_for(pool, tasks, NAME_task, buffers)
  void write_kernel(std::string const& name, llvm::Function* task) {
    llvm::Type* pointer = builder_.getPtrTy();
    auto* type = llvm::FunctionType::get(builder_.getInt32Ty(), {pointer, pointer}, false);
    auto* kernel = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module_);
    builder_.SetInsertPoint(llvm::BasicBlock::Create(context_, "entry", kernel));
    parameters_ = load_pointer(kernel->getArg(0), 0);
    llvm::Value* tasks = parameter(0);
    llvm::Value* parallel_for = load_pointer(kernel->getArg(1), 1);  // the version's room
    llvm::Value* pool = load_pointer(kernel->getArg(1), 2);
    auto* callee = llvm::FunctionType::get(
        builder_.getInt32Ty(), {pointer, builder_.getInt64Ty(), pointer, pointer}, false);
    builder_.CreateRet(
        builder_.CreateCall(callee, parallel_for, {pool, tasks, task, kernel->getArg(0)}));
  }

  llvm::Module& module_;
  llvm::LLVMContext& context_;
  llvm::IRBuilder<> builder_;
  int vector_bytes_;
  llvm::Value* index_ = nullptr;
  llvm::Value* parameters_ = nullptr;
  llvm::Value* data_ = nullptr;
};

}  // namespace

Result<RoofProbes> build_cpu_roof_probes(Machine const& machine, int vector_bytes,
                                         LinkOptions const& link,
                                         std::vector<CpuIntrinsic const*> const& intrinsics) {
  llvm::LLVMContext context;
  llvm::Module module("roof_probes", context);
  machine.prepare(module);
  ProbeBuilder builder(module, vector_bytes);
  llvm::Type *f32 = llvm::Type::getFloatTy(context), *f64 = llvm::Type::getDoubleTy(context);
  builder.arithmetic("f32_vector", builder.vector_of(f32, 4));
  builder.arithmetic("f32_scalar", f32);
  builder.arithmetic("f64_vector", builder.vector_of(f64, 8));
  std::vector<CpuIntrinsic const*> probed;
  for (CpuIntrinsic const* one : intrinsics)
    if (std::ranges::none_of(probed, [&](CpuIntrinsic const* other) {
          return other->products == one->products && other->unit == one->unit;
        }))
      probed.push_back(one);
  for (CpuIntrinsic const* one : probed) builder.instruction(*one);
  builder.load("load");
  builder.triad("triad");

  TRY_ASSIGN(Emitted emitted, machine.generate(module, CodeTier::kFast, CodeTexts::kNone));
  std::vector<std::byte> objects[] = {std::move(emitted.object)};
  RoofProbes probes;
  TRY_ASSIGN(probes.library, link_shared_library(objects, link));
  double scalar = 2.0 * kChains * kRepeats;
  probes.compute = {{"FMA f32", "vector", "f32", {"f32_vector", scalar * builder.lanes(4)}},
                    {"scalar f32", "scalar", "f32", {"f32_scalar", scalar}},
                    {"FMA f64", "vector", "f64", {"f64_vector", scalar * builder.lanes(8)}}};
  for (CpuIntrinsic const* one : probed) {
    std::string name = tensor_intrinsic(*one).declaration->name;
    probes.compute.push_back(
        {name, one->unit, one->products, {name, one->operations * chains_of(*one) * kRepeats}});
  }
  probes.load = {"load", 0};
  probes.triad = {"triad", 0};
  probes.step_bytes = int64_t(kStreams) * kVectorsPerStep * vector_bytes;
  return probes;
}

}  // namespace tw
