#include "targets/cuda/compiler/phase_barriers.h"

#include <fmt/format.h>
#include <llvm/IR/InlineAsm.h>

#include <algorithm>

#include "engine/ir/intrinsic.h"
#include "engine/lowering/passes.h"
#include "targets/cuda/hardware/description.h"
#include "targets/shared/llvm/device_shell.h"

namespace tw::cuda {
namespace {

using namespace ir;

/// Slots that a ring of tiles may have.
constexpr int64_t kFewestSlots = 2, kMostSlots = 8;
/// Threads that fill them: a warp at least.
constexpr int64_t kFewestProducers = 32, kMostProducers = 512;

/// What is done with a barrier: "@a" is its address in shared memory, "@n" the number.
struct PhaseCall {
  char const* name;
  Completion completion;
  char const* doc;
  char const* number;  ///< null: it takes none
  char const* ptx;
};
// One thread opens it (PTX ISA, mbarrier.init). An arrival that comes with copies is one of those
// that were counted (`noinc`).
constexpr PhaseCall kCalls[] = {
    {kOpenName, Completion::kOpens, "one thread makes a barrier with phases of so many arrivals",
     "arrivals",
     "{ .reg .b32 t, u; .reg .pred p; mov.u32 t, %tid.x; mov.u32 u, %tid.y; or.b32 t, t, u; "
     "mov.u32 u, %tid.z; or.b32 t, t, u; setp.eq.u32 p, t, 0; "
     "@p mbarrier.init.shared.b64 [@a], @n; }"},
    {kArriveName, Completion::kArrives, "the thread has arrived at the phase", nullptr,
     "{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [@a]; }"},
    {kDeliverName, Completion::kDelivers,
     "the thread arrives at the phase when the copies that it has started are there", nullptr,
     "cp.async.mbarrier.arrive.noinc.shared.b64 [@a];"},
    {kAwaitName, Completion::kAwaits, "until that phase is over", "phase",
     "{ .reg .pred p; again: mbarrier.test_wait.parity.shared.b64 p, [@a], @n; @!p bra again; }"},
};

Intrinsic declared(PhaseCall const& call) {
  IntrinsicNode node{.name = call.name, .doc = call.doc};
  node.params.push_back(
      tensor_param(ParamKind::kUpdate, make_buffer("barrier", DType::kI64, {1}, kSharedScope)));
  if (call.number) node.params.push_back(scalar_param(call.number));
  node.completion = call.completion;
  return *declare(std::move(node));
}

bool is_awaiting(PhaseCall const& call) { return call.completion == Completion::kAwaits; }

void emit(llvm::IRBuilder<>& builder, PhaseCall const& call,
          std::vector<llvm::Value*> const& operands) {
  std::vector<llvm::Value*> arguments{builder.CreatePtrToInt(operands[0], builder.getInt32Ty())};
  if (call.number) arguments.push_back(builder.CreateTrunc(operands[1], builder.getInt32Ty()));
  // Of a phase the instruction looks at its parity.
  if (is_awaiting(call)) arguments[1] = builder.CreateAnd(arguments[1], builder.getInt32(1));
  std::vector<llvm::Type*> types(arguments.size(), builder.getInt32Ty());
  auto* code = llvm::InlineAsm::get(llvm::FunctionType::get(builder.getVoidTy(), types, false),
                                    with_operands(call.ptx, {{"@a", "$0"}, {"@n", "$1"}}),
                                    call.number ? "r,r,~{memory}" : "r,~{memory}", true);
  builder.CreateCall(code, arguments);
}

/// What begins with '%' is escaped twice: for the pattern, and for CUDA C.
std::string text_of(PhaseCall const& call) {
  std::string ptx = with_operands(call.ptx, {{"%", "%%%%"}, {"@a", "%%0"}, {"@n", "%%1"}});
  std::string number = !call.number        ? ""
                       : is_awaiting(call) ? ", \"r\"((int)(%1) & 1)"
                                           : ", \"r\"((int)(%1))";
  return fmt::format(
      "asm volatile(\"{}\" :: \"r\"((unsigned)__cvta_generic_to_shared(%0)){} : \"memory\");", ptx,
      number);
}

}  // namespace

std::string with_operands(std::string text,
                          std::vector<std::pair<std::string, std::string>> const& operands) {
  for (auto const& [what, by] : operands)
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
      text.replace(at, what.size(), by);
  return text;
}

void add_phase_barriers(Target& target) {
  PhaseIntrinsics& phases = target.phases;
  Intrinsic* made[] = {&phases.open, &phases.arrive, &phases.deliver, &phases.await};
  for (size_t i = 0; i < std::size(kCalls); ++i) *made[i] = declared(kCalls[i]);
  target.annotations.push_back(
      {.name = kRolesWord,
       .doc = "as many threads again fill the loop's tiles ahead of those that compute, in a ring "
              "of so many tiles",
       .low = kFewestSlots,
       .high = kMostSlots});
  target.annotations.push_back({.name = kProducersWord,
                                .doc = "beside roles: so many threads fill the tiles, by turns; "
                                       "without it as many as compute",
                                .low = kFewestProducers,
                                .high = kMostProducers});
}

void add_role_passes(std::vector<Pass>& passes) {
  auto at = std::ranges::find(passes, std::string("unify_thread_bindings"), &Pass::name);
  passes.insert(at == passes.end() ? at : at + 1, split_roles());
}

void add_phase_calls(DeviceShell& shell) {
  for (PhaseCall const& call : kCalls)
    shell.calls[call.name] = [&call](llvm::IRBuilder<>& builder,
                                     std::vector<llvm::Value*> const& operands) {
      emit(builder, call, operands);
    };
}

void add_phase_texts(std::map<std::string, std::string, std::less<>>& calls) {
  for (PhaseCall const& call : kCalls) calls[call.name] = text_of(call);
}

}  // namespace tw::cuda
