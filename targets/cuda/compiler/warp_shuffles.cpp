#include "targets/cuda/compiler/warp_shuffles.h"

#include <fmt/format.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include <algorithm>
#include <array>

#include "engine/ir/expr_evaluator.h"
#include "engine/ir/intrinsic.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/text.h"
#include "engine/lowering/passes.h"
#include "targets/cuda/compiler/matrix_units.h"
#include "targets/shared/gpu/access_index.h"
#include "targets/shared/llvm/device_shell.h"

namespace tw::cuda {
namespace {

using namespace ir;

Intrinsic declared(DType type) {
  return *declare({.name = shuffle_name(type),
                   .doc = "each thread gets what the one with this step in its number has",
                   .params = {tensor_param(ParamKind::kWrite, make_buffer("to", type, {1}, "")),
                              tensor_param(ParamKind::kRead, make_buffer("from", type, {1}, "")),
                              scalar_param("lanes"), scalar_param("step")},
                   .completion = Completion::kShuffles});
}

llvm::Value* shuffled(llvm::IRBuilder<>& builder, llvm::Value* mask, llvm::Value* word,
                      llvm::Value* step) {
  llvm::CallInst* made = builder.CreateIntrinsic(llvm::Intrinsic::nvvm_shfl_sync_bfly_i32, {},
                                                 {mask, word, step, builder.getInt32(31)});
  made->addFnAttr(llvm::Attribute::Convergent);  // all threads of a group stay together
  return made;
}

/// The threads of the group that this one is of: others of its warp may be elsewhere.
llvm::Value* members(llvm::IRBuilder<>& builder, llvm::Value* lanes) {
  llvm::Value* rest = builder.CreateSub(builder.getInt32(kWarpThreads), lanes);
  llvm::Value* lane = builder.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_laneid, {}, {});
  return builder.CreateShl(builder.CreateLShr(builder.getInt32(UINT32_MAX), rest),
                           builder.CreateAnd(lane, rest));
}

/// As words of 32 bits: one, of which small types fill a part, or two.
void emit(llvm::IRBuilder<>& builder, DType type, std::vector<llvm::Value*> const& operands) {
  unsigned bits = unsigned(size_of(type)) * 8;
  llvm::Align align{uint64_t(size_of(type))};
  llvm::Type* word = builder.getInt32Ty();
  llvm::Value* mask = members(builder, builder.CreateTrunc(operands[2], word));
  llvm::Value* step = builder.CreateTrunc(operands[3], word);
  llvm::Value* value = builder.CreateAlignedLoad(builder.getIntNTy(bits), operands[1], align);
  llvm::Value* low = shuffled(builder, mask, builder.CreateZExtOrTrunc(value, word), step);
  llvm::Value* got = builder.CreateZExtOrTrunc(low, builder.getIntNTy(bits));
  if (bits == 64) {
    llvm::Value* high =
        shuffled(builder, mask, builder.CreateTrunc(builder.CreateLShr(value, 32), word), step);
    got = builder.CreateOr(got,
                           builder.CreateShl(builder.CreateZExt(high, builder.getInt64Ty()), 32));
  }
  builder.CreateAlignedStore(got, operands[0], align);
}

/// Threads of a launch, one after the other, and the conditions that they stand under.
class ShuffleWalk {
public:
  Status run(Function const& function) {
    visit(function.body);
    return status_;
  }

private:
  struct Axis {
    std::string name;
    int64_t extent = 1;
  };

  void visit(Stmt const& root) {
    walk(root, [&](Stmt const& s) {
      if (!status_) return false;
      if (auto const* loop = s.as<For>()) return visit_loop(*loop), false;
      if (auto const* test = s.as<If>()) return visit_if(*test), false;
      if (auto const* let = s.as<Let>())
        values_[let->var.to<Variable>().name] = substitute(let->value, values_);
      if (auto const* call = s.as<IntrinsicCall>(); call && shuffles(call->intrinsic->completion))
        check(*call);
      return true;
    });
  }

  void visit_loop(For const& loop) {
    bool thread = loop.loop_kind == LoopKind::kBind && loop.bind.starts_with("threadIdx.");
    if (thread) threads_.push_back({loop.name(), as_int(loop.extent).value_or(0)});
    conditions_.push_back(substitute(loop.extent, values_));
    visit(loop.body);
    conditions_.pop_back();
    if (thread) threads_.pop_back();
  }

  void visit_if(If const& test) {
    conditions_.push_back(substitute(test.condition, values_));
    visit(test.then_body);
    if (test.else_body) visit(test.else_body);
    conditions_.pop_back();
  }

  /// What stands around is the same for all threads of a group, or tells of threads alone.
  void check(IntrinsicCall const& call) {
    int64_t lanes = as_int(call.operands[2].value).value_or(0);
    for (Expr const& condition : conditions_)
      for (Expr const& part : conjuncts(condition)) check(call, lanes, part);
  }

  void check(IntrinsicCall const& call, int64_t lanes, Expr const& condition) {
    bool threads = false, others = gpu::reads_tensor(condition);
    for (std::string const& name : gpu::variables_of(condition)) {
      bool is_thread = std::ranges::find(threads_, name, &Axis::name) != threads_.end();
      (is_thread ? threads : others) = true;
    }
    bool apart = gpu::reads_tensor(condition) || (threads && others);
    if (apart || !alike(lanes, condition, threads))
      status_ = refused(
          "divergent_shuffle",
          fmt::format("{} stands below {}, which is not the same for all of {} threads side by "
                      "side",
                      call.intrinsic->name, to_text(condition), lanes));
  }

  bool alike(int64_t lanes, Expr const& condition, bool threads) const {
    if (!threads) return true;
    ExprEvaluator evaluator;
    Compiled compiled = evaluator.compile(condition);
    int64_t count = 1, first = 0;
    for (Axis const& axis : threads_) count *= axis.extent;
    for (int64_t t = 0; t < count; ++t) {
      int64_t rest = t;
      for (size_t i = threads_.size(); i-- > 0; rest /= threads_[i].extent)
        evaluator.set(evaluator.slot(threads_[i].name), rest % threads_[i].extent);
      int64_t value = evaluator.integer(compiled, 0);
      if (t % lanes == 0) first = value;
      if (value != first || evaluator.failed()) return false;
    }
    return true;
  }

  std::vector<Axis> threads_;  // the outermost first
  std::vector<Expr> conditions_;
  Substitution values_;
  Status status_;
};

}  // namespace

std::string shuffle_name(DType type) { return fmt::format("shuffle_xor_{}", to_text(type)); }

void add_warp_shuffles(Target& target) {
  target.shuffles.lanes = kWarpThreads;
  for (DType type : kShuffledTypes) target.shuffles.calls.push_back(declared(type));
}

void add_shuffle_passes(std::vector<Pass>& passes) {
  auto at = std::ranges::find(passes, std::string("unify_thread_bindings"), &Pass::name);
  passes.insert(at == passes.end() ? at : at + 1, privatize_shared_tensors());
}

void add_shuffle_calls(DeviceShell& shell) {
  for (DType type : kShuffledTypes)
    shell.calls[shuffle_name(type)] = [type](llvm::IRBuilder<>& builder,
                                             std::vector<llvm::Value*> const& operands) {
      emit(builder, type, operands);
    };
}

void add_shuffle_texts(std::map<std::string, std::string, std::less<>>& calls) {
  for (DType type : kShuffledTypes)
    calls[shuffle_name(type)] =
        "{ unsigned tw_lane; asm(\"mov.u32 %%0, %%%%laneid;\" : \"=r\"(tw_lane));\n"
        "  *%0 = __shfl_xor_sync(0xffffffffu >> (32 - %2) << (tw_lane & (32 - %2)), *%1, %3); }";
}

Status check_shuffles(KernelIr const& kernel) {
  for (Function const& function : kernel.device) TRY(ShuffleWalk().run(function));
  return {};
}

}  // namespace tw::cuda
