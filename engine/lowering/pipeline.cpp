#include "engine/lowering/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "engine/ir/rewrite.h"

namespace tw {
namespace {

using Off = std::vector<bool>;  // per pass

/// What replaces a statement of a sequence may be one itself.
ir::KernelIr with_flat_sequences(ir::KernelIr kernel) {
  auto flat = [](ir::Stmt const& s) -> ir::Stmt {
    auto const* list = s.as<ir::Seq>();
    if (!list) return nullptr;
    bool nested = std::ranges::any_of(
        list->stmts, [](ir::Stmt const& child) { return child.as<ir::Seq>() != nullptr; });
    return nested ? ir::seq(list->stmts) : nullptr;
  };
  kernel.host.body = ir::rewrite_stmts(kernel.host.body, flat);
  for (ir::Function& function : kernel.device)
    function.body = ir::rewrite_stmts(function.body, flat);
  return kernel;
}

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

std::vector<Invariants> invariants_without(std::span<Pass const> passes, Off const& off) {
  std::vector<Invariants> stages{program_invariants()};
  for (size_t i = 0; i < passes.size(); ++i) {
    Invariants hold = stages.back();
    if (!off[i]) {
      for (Invariant lost : passes[i].contract.gives_up) hold.erase(lost);
      hold.insert(passes[i].contract.gives.begin(), passes[i].contract.gives.end());
    }
    stages.push_back(std::move(hold));
  }
  return stages;
}

/// The first of `needs` that holds in `whole` and not in `reduced`.
Invariant const* lost(Invariants const& needs, Invariants const& whole, Invariants const& reduced) {
  auto found = std::find_if(needs.begin(), needs.end(), [&](Invariant need) {
    return whole.contains(need) && !reduced.contains(need);
  });
  return found == needs.end() ? nullptr : &*found;
}

/// The pass that is left out and would have established it.
std::string const& giver(std::span<Pass const> passes, Off const& off,
                         std::vector<std::string> const& keys, Invariant invariant) {
  for (size_t i = 0;; ++i)
    if (off[i] && passes[i].contract.gives.contains(invariant)) return keys[i];
}

Status check_reduced(std::span<Pass const> passes, Off const& off,
                     std::vector<std::string> const& keys) {
  std::vector<Invariants> whole = stage_invariants(passes),
                          reduced = invariants_without(passes, off);
  for (size_t i = 0; i <= passes.size(); ++i) {
    if (i < passes.size() && off[i]) continue;
    Invariants const& needs = i < passes.size() ? passes[i].contract.needs : code_invariants();
    if (Invariant const* need = lost(needs, whole[i], reduced[i]))
      return refused("pass_needed", fmt::format("the pass {} cannot be left out: {} needs {} ({})",
                                                giver(passes, off, keys, *need),
                                                i < passes.size() ? keys[i] : "generating code",
                                                name_of(*need), sentence_of(*need)));
  }
  return {};
}

Result<Off> passes_off(std::span<Pass const> passes, std::vector<std::string> const& names,
                       std::vector<std::string> const& keys) {
  Off off(passes.size(), false);
  for (std::string const& name : names) {
    auto found = std::find(keys.begin(), keys.end(), pass_called(name));
    if (found == keys.end())
      return bad_input("unknown_pass", fmt::format("there is no pass '{}'; the passes are {}", name,
                                                   fmt::join(keys, ", ")));
    off[size_t(found - keys.begin())] = true;
  }
  if (!names.empty()) TRY(check_reduced(passes, off, keys));
  return off;
}

Status verified(LoweredStage& stage, Invariants const& hold, std::string const& when) {
  auto start = std::chrono::steady_clock::now();
  Status status = verify_kernel(stage.kernel, hold);
  stage.verify_milliseconds += milliseconds_since(start);
  if (status) return {};
  return fail(status.error().fault, "pass_failed_check",
              fmt::format("{} {}: {}", when, stage.name, status.error().message));
}

/// One run of a list.
class Lowering {
public:
  Lowering(std::span<Pass const> passes, LowerOptions const& options, Off off,
           std::vector<std::string> keys)
      : passes_(passes),
        options_(options),
        off_(std::move(off)),
        keys_(std::move(keys)),
        hold_(invariants_without(passes, off_)) {}

  Result<std::vector<LoweredStage>> run(ir::Program const& program, Target const& target) {
    ir::Function host{program.name, program.inputs, program.sizes, program.body};
    host.params.insert(host.params.end(), program.outputs.begin(), program.outputs.end());
    std::vector<LoweredStage> stages{{"program", with_flat_sequences({std::move(host), {}})}};
    if (verifies()) TRY(verified(stages.back(), hold_[0], "the"));
    PassContext context{target};
    for (size_t i = 0; i < passes_.size(); ++i) {
      TRY_ASSIGN(LoweredStage next, stage(i, stages.back().kernel, context));
      if (options_.observe) options_.observe(next);
      stages.push_back(std::move(next));
    }
    return stages;
  }

private:
  bool verifies() const { return options_.verify == VerifyPasses::kEach; }

  Result<LoweredStage> stage(size_t i, ir::KernelIr const& before, PassContext const& context) {
    LoweredStage next{keys_[i], before, !off_[i]};
    if (off_[i]) return next;
    if (verifies()) TRY(verified(next, passes_[i].contract.needs, "before the pass"));
    auto start = std::chrono::steady_clock::now();
    TRY_ASSIGN(next.kernel, run_pass(passes_[i], before, context));
    next.milliseconds = milliseconds_since(start);
    if (verifies()) TRY(verified(next, hold_[i + 1], "after the pass"));
    return next;
  }

  std::span<Pass const> passes_;
  LowerOptions const& options_;
  Off off_;
  std::vector<std::string> keys_;
  std::vector<Invariants> hold_;
};

}  // namespace

Result<ir::KernelIr> run_pass(Pass const& pass, ir::KernelIr const& kernel,
                              PassContext const& context) {
  TRY_ASSIGN(ir::KernelIr result, pass.run(kernel, context));
  return with_flat_sequences(std::move(result));
}

std::vector<std::string> pass_keys(std::span<Pass const> passes) {
  std::map<std::string, int> uses;
  std::vector<std::string> keys;
  for (Pass const& pass : passes) {
    int use = ++uses[pass.name];
    keys.push_back(use == 1 ? pass.name : fmt::format("{}.{}", pass.name, use));
  }
  return keys;
}

std::vector<Invariants> stage_invariants(std::span<Pass const> passes) {
  return invariants_without(passes, Off(passes.size(), false));
}

Result<std::vector<LoweredStage>> lower(ir::Program const& program, Target const& target,
                                        std::span<Pass const> passes, LowerOptions const& options) {
  std::vector<std::string> keys = pass_keys(passes);
  TRY_ASSIGN(Off off, passes_off(passes, options.off, keys));
  return Lowering(passes, options, std::move(off), std::move(keys)).run(program, target);
}

}  // namespace tw
