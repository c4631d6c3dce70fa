#include "targets/cuda/compiler/bulk_copies.h"

#include <fmt/format.h>
#include <llvm/IR/InlineAsm.h>

#include <algorithm>
#include <array>

#include "engine/arith/places.h"
#include "engine/ir/intrinsic.h"
#include "engine/ir/parse_call.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/text.h"
#include "engine/lowering/async_copy_order.h"
#include "targets/cuda/compiler/phase_barriers.h"
#include "targets/cuda/hardware/description.h"
#include "targets/shared/llvm/device_shell.h"

namespace tw::cuda {
namespace {

using namespace ir;

/// Both places are multiples of it, and so are the bytes (PTX ISA, cp.async.bulk).
constexpr int64_t kPiece = 16;
constexpr std::array<DType, 3> kTypes{DType::kF32, DType::kF16, DType::kBF16};
constexpr std::array<int64_t, 5> kBytes{512, 256, 128, 64, 32};

constexpr char kPrefix[] = "copy_bulk_", kStart[] = "start_bulk_copy",
               kOpen[] = "open_phases_for_bulk_copies";

std::string name_of(int64_t bytes, DType type) {
  std::string plain = fmt::format("{}{}", kPrefix, bytes);
  return type == DType::kF32 ? plain : fmt::format("{}_{}", plain, to_text(type));
}

TensorIntrinsic declared(int64_t bytes, DType type) {
  IntrinsicNode node = **parse_intrinsic(
      fmt::format("intrinsic {0}(write to: {2}[{1}] @shared, read from: {2}[{1}] @global) async\n"
                  "  for i in {1}\n    to[i] = from[i]\n",
                  name_of(bytes, type), bytes / int64_t(size_of(type)), to_text(type)));
  node.doc = fmt::format("{} bytes that come in one piece while others compute", bytes);
  return {*declare(std::move(node)), {1, 1}};
}

bool is_bulk(Stmt const& s) {
  return starts_copy(s) && s.to<IntrinsicCall>().intrinsic->name.starts_with(kPrefix);
}
bool is_of(Stmt const& s, Completion completion) {
  auto const* call = s.as<IntrinsicCall>();
  return call && call->intrinsic->completion == completion;
}

Status check(IntrinsicCall const& call) {
  for (Operand const& operand : call.operands) {
    Expr first = arith::first_of(operand);
    auto const& element = first.to<Load>();
    int64_t known =
        arith::alignment_of(element.indices[0], int64_t(size_of(element.type)), kTensorAlignment);
    if (known % kPiece != 0)
      return refused("unaligned_copy",
                     fmt::format("{} takes places at multiples of {} bytes, and element {} of {} "
                                 "is only known to be at a multiple of {}",
                                 call.intrinsic->name, kPiece, to_text(element.indices[0]),
                                 element.buffer->name, known));
  }
  return {};
}

Stmt named(char const* name, std::vector<Operand> operands) {
  auto node = std::make_shared<IntrinsicNode>();
  node->name = name;
  return make<IntrinsicCall>(Intrinsic(std::move(node)), std::move(operands));
}

class Matching {
public:
  Status run(Function const& function) {
    if (!holds(function.body, is_bulk)) return {};
    visit(function.body, nullptr);
    walk(function.body, [&](Stmt const& s) {
      if (is_of(s, Completion::kOpens))
        made_[s.get()] = named(kOpen, s.to<IntrinsicCall>().operands);
      return true;
    });
    return status_;
  }
  OwnCalls take() { return std::move(made_); }

private:
  /// `arrival`: what the thread arrives by, after the statement.
  void visit(Stmt const& s, IntrinsicCall const* arrival) {
    if (auto const* list = s.as<Seq>()) {
      visit_list(*list, arrival);
    } else if (is_bulk(s)) {
      start(s.to<IntrinsicCall>(), arrival);
    } else if (auto const* loop = s.as<For>()) {
      visit(loop->body, arrival);
    } else if (auto const* alloc = s.as<Alloc>()) {
      visit(alloc->body, arrival);
    } else if (auto const* let = s.as<Let>()) {
      visit(let->body, arrival);
    } else if (auto const* test = s.as<If>()) {
      visit(test->then_body, arrival);
      if (test->else_body) visit(test->else_body, arrival);
    }
  }

  void visit_list(Seq const& list, IntrinsicCall const* arrival) {
    auto own = std::ranges::find_if(
        list.stmts, [](Stmt const& one) { return is_of(one, Completion::kDelivers); });
    if (own != list.stmts.end()) {
      arrival = &own->to<IntrinsicCall>();
      bool others = std::any_of(list.stmts.begin(), own, [](Stmt const& one) {
        return holds(one, [](Stmt const& s) { return starts_copy(s) && !is_bulk(s); });
      });
      // The barrier counts their bytes by itself.
      if (!others) made_[arrival] = named(kArriveName, arrival->operands);
    }
    for (Stmt const& one : list.stmts) visit(one, arrival);
  }

  void start(IntrinsicCall const& call, IntrinsicCall const* arrival) {
    if (!status_) return;
    status_ = check(call);
    if (!arrival) {
      status_ = refused("no_roles", fmt::format("{} is waited for by threads of another role "
                                                "alone: annotate its loop with roles",
                                                call.intrinsic->name));
      return;
    }
    auto const& to = call.intrinsic->params[0];
    int64_t bytes = as_int(to.buffer->shape[0]).value_or(0) * int64_t(size_of(to.buffer->type));
    made_[&call] = named(kStart, {call.operands[0], call.operands[1], arrival->operands[0],
                                  Operand{int_imm(bytes), {}}});
  }

  OwnCalls made_;
  Status status_;
};

/// "@d" is where it comes to, "@s" where from, "@b" the barrier, "@n" how many bytes.
constexpr char kStartPtx[] =
    "{ mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [@b], @n; "
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [@d], [@s], @n, [@b]; }";
/// What opened the barrier is seen by the unit that copies.
constexpr char kFence[] = "fence.proxy.async.shared::cta;";

void start(llvm::IRBuilder<>& builder, std::vector<llvm::Value*> const& operands) {
  llvm::Type *word = builder.getInt32Ty(), *place = builder.getInt64Ty();
  auto* code = llvm::InlineAsm::get(
      llvm::FunctionType::get(builder.getVoidTy(), {word, place, word, word}, false),
      with_operands(kStartPtx, {{"@d", "$0"}, {"@s", "$1"}, {"@b", "$2"}, {"@n", "$3"}}),
      "r,l,r,n,~{memory}", true);
  builder.CreateCall(
      code, {builder.CreatePtrToInt(operands[0], word), builder.CreatePtrToInt(operands[1], place),
             builder.CreatePtrToInt(operands[2], word), builder.CreateTrunc(operands[3], word)});
}

}  // namespace

void add_bulk_copies(Target& target) {
  for (DType type : kTypes)
    for (int64_t bytes : kBytes) target.intrinsics.push_back(declared(bytes, type));
}

Result<OwnCalls> bulk_calls(KernelIr const& kernel) {
  Matching matching;
  for (Function const& function : kernel.device) TRY(matching.run(function));
  return matching.take();
}

void add_bulk_calls(DeviceShell& shell) {
  shell.calls[kStart] = start;
  shell.calls[kOpen] = [open = shell.calls.at(kOpenName)](
                           llvm::IRBuilder<>& builder, std::vector<llvm::Value*> const& operands) {
    open(builder, operands);
    builder.CreateCall(llvm::InlineAsm::get(llvm::FunctionType::get(builder.getVoidTy(), false),
                                            kFence, "~{memory}", true));
  };
}

void add_bulk_texts(std::map<std::string, std::string, std::less<>>& calls) {
  std::string ptx =
      with_operands(kStartPtx, {{"@d", "%%0"}, {"@s", "%%1"}, {"@b", "%%2"}, {"@n", "%%3"}});
  calls[kStart] = fmt::format(
      "asm volatile(\"{}\" :: \"r\"((unsigned)__cvta_generic_to_shared(%0)), \"l\"(%1), "
      "\"r\"((unsigned)__cvta_generic_to_shared(%2)), \"n\"(%3) : \"memory\");",
      ptx);
  calls[kOpen] =
      calls.at(kOpenName) + fmt::format("\nasm volatile(\"{}\" ::: \"memory\");", kFence);
}

}  // namespace tw::cuda
