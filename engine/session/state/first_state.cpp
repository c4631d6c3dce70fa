#include "engine/session/state/first_state.h"

#include "engine/compile/kernel_code.h"
#include "engine/session/state/work_mark.h"

namespace tw::session {
namespace {

/// Only simulated machines are asked: every other target of ours runs any nest, and code for a
/// large one takes longer than opening a kernel may.
bool refuses(ir::Program const& plain, Backend const& backend) {
  if (!backend.has_timeline()) return false;
  auto code = emit_kernel(plain, backend, CodeTier::kFull, {});
  return !code && code.error().fault == Fault::kRefused;
}

}  // namespace

Result<KernelWork> at_what_runs(KernelWork work, Backend const& backend) {
  bool plain = work.history.current() == 0 && work.default_node >= 0;
  if (!plain || !refuses(work.history.node(0).schedule.program(), backend)) return work;
  TRY_ASSIGN(work.history, work.history.jumped(work.default_node));
  return work;
}

Result<KernelWork> open_kernel_work(LoadedModel const& model, int kernel, Backend const& backend) {
  TRY_ASSIGN(KernelWork work, begin_kernel(model, kernel, backend));
  TRY_ASSIGN(work, at_what_runs(std::move(work), backend));
  work.begun = work_mark(work.history);
  return work;
}

}  // namespace tw::session
