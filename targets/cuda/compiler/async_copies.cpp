#include "targets/cuda/compiler/async_copies.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/arith/places.h"
#include "engine/ir/intrinsic.h"
#include "engine/ir/parse_call.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/text.h"
#include "engine/lowering/pipeline.h"
#include "targets/cuda/hardware/description.h"

namespace tw::cuda {

using namespace ir;

namespace {

TensorIntrinsic declared(AsyncCopy const& copy) {
  int64_t elements = copy.bytes / size_of(copy.type);
  IntrinsicNode node =
      **parse_intrinsic(fmt::format("intrinsic {0}(write to: {2}[{1}] @shared, read from: {2}[{1}] "
                                    "@global) async\n  for i in {1}\n    to[i] = from[i]\n",
                                    copy.name, elements, to_text(copy.type)));
  node.doc = fmt::format("{} bytes that come while others compute", copy.bytes);
  return {*declare(std::move(node)), {1, 1}};
}

Status check(AsyncCopy const& copy, IntrinsicCall const& call) {
  for (Operand const& operand : call.operands) {
    Expr first = arith::first_of(operand);
    auto const& element = first.to<Load>();
    int64_t bytes = size_of(element.type);
    int64_t known = arith::alignment_of(element.indices[0], bytes, kTensorAlignment);
    if (known % copy.bytes != 0)
      return refused(
          "unaligned_copy",
          fmt::format("{} takes places at multiples of {} bytes, and element {} of {} is "
                      "only known to be at a multiple of {}",
                      copy.name, copy.bytes, to_text(element.indices[0]), element.buffer->name,
                      known));
  }
  return {};
}

}  // namespace

void add_async_copies(Target& target) {
  for (AsyncCopy const& copy : kAsyncCopies) target.intrinsics.push_back(declared(copy));
  target.commit = *declare({.name = kCommitName,
                            .doc = "the copies that the thread has started are a group",
                            .completion = Completion::kCommits});
  target.wait = *declare({.name = kWaitName,
                          .doc = "until at most n groups of the thread are under way",
                          .params = {scalar_param("n")},
                          .completion = Completion::kWaits});
}

Status check_async_copies(KernelIr const& kernel) {
  Status status;
  for (Function const& function : kernel.device)
    walk(function.body, [&](Stmt const& s) {
      auto const* call = s.as<IntrinsicCall>();
      if (!call || !status) return bool(status);
      auto found = std::ranges::find(kAsyncCopies, call->intrinsic->name,
                                     [](AsyncCopy const& one) { return std::string(one.name); });
      if (found != kAsyncCopies.end()) status = check(*found, *call);
      return true;
    });
  return status;
}

}  // namespace tw::cuda
