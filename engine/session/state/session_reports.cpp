// What is said of the current state's code: asked for by who shows it, found on a thread of its
// own, so that texts wait for nothing here.
#include <fmt/format.h>

#include <algorithm>

#include "engine/backend/code_reporter.h"
#include "engine/session/state/session_impl.h"
#include "engine/session/views/assembly_loops.h"
#include "engine/session/views/assembly_report.h"

namespace tw::session {
namespace {

constexpr size_t kMostReports = 12;

/// Nothing: it was not asked for yet. Null: it is being made.
std::optional<std::shared_ptr<AssemblyReport const>> known_report(
    std::vector<std::shared_ptr<AssemblyReport const>> const& reports,
    std::shared_ptr<CodeText const> const& text) {
  for (auto const& one : reports)
    if (one->text == text) return one->hot || one->complete ? one : nullptr;
  return std::nullopt;
}

}  // namespace

void SessionImpl::keep_report(std::shared_ptr<AssemblyReport const> report) {
  {
    std::lock_guard lock(mutex_);
    auto same = [&](auto const& one) { return one->text == report->text; };
    auto found = std::ranges::find_if(reports_, same);
    if (found == reports_.end()) return;  // others were asked for meanwhile
    *found = std::move(report);
  }
  notify();
}

std::shared_ptr<AssemblyReport const> SessionImpl::assembly_report() {
  std::shared_ptr<Backend const> backend = this->backend();
  auto const* reporter = dynamic_cast<CodeReporter const*>(backend.get());
  if (!reporter) return nullptr;
  std::shared_ptr<CodeText const> text = code(reporter->instructions_listing(), false);
  if (!text || !text->failure.empty()) return nullptr;
  std::lock_guard lock(mutex_);
  if (auto known = known_report(reports_, text)) return *known;
  std::shared_ptr<NestView const> nest = published_.nest;
  if (!nest || nest->program_hash != text->program_hash) return nullptr;
  start_report("report", backend, text, [nest] { return nest; });
  return nullptr;
}

std::shared_ptr<AssemblyReport const> SessionImpl::assembly_report_of(int node) {
  std::shared_ptr<Backend const> backend = this->backend();
  auto const* reporter = dynamic_cast<CodeReporter const*>(backend.get());
  if (!reporter) return nullptr;
  std::shared_ptr<CodeText const> text = code_of(node, reporter->instructions_listing(), -1);
  if (!text || !text->failure.empty()) return nullptr;
  std::lock_guard lock(mutex_);
  if (auto known = known_report(reports_, text)) return *known;
  if (!state_.has_kernel() || !state_.now().history.has(node)) return nullptr;
  ir::Program program = state_.now().history.node(node).schedule.program();
  if (ir::hash(program) != text->program_hash) return nullptr;  // another kernel's meanwhile
  auto caches = state_.machine ? state_.machine->cache_bytes : std::vector<int64_t>();
  start_report(fmt::format("report of {}", node), backend, text, [program, caches, backend] {
    return std::make_shared<NestView const>(nest_view(program, caches, *backend));
  });
  return nullptr;
}

/// With the mutex held.
void SessionImpl::start_report(std::string const& kind, std::shared_ptr<Backend const> backend,
                               std::shared_ptr<CodeText const> text, MakeNest nest) {
  if (reports_.size() >= kMostReports) reports_.erase(reports_.begin());
  auto begun = std::make_shared<AssemblyReport>();
  begun->text = text;
  reports_.push_back(begun);
  report_jobs_.start(kind, "reading assembly",
                     [this, backend, text, nest](StopToken stop, Progress const&) {
                       AssemblyReport report{.text = text, .hot = hot_loop(*text, *nest())};
                       keep_report(std::make_shared<AssemblyReport const>(report));
                       auto const& reporter = dynamic_cast<CodeReporter const&>(*backend);
                       auto whole = completed(std::move(report), reporter, stop);
                       if (stop.stop_requested()) return forget_report(text);
                       keep_report(std::make_shared<AssemblyReport const>(std::move(whole)));
                     });
}

/// A newer one was asked for; this one may be wanted again.
void SessionImpl::forget_report(std::shared_ptr<CodeText const> const& text) {
  std::lock_guard lock(mutex_);
  std::erase_if(reports_, [&](auto const& one) { return one->text == text; });
}

std::shared_ptr<std::vector<PassChange> const> SessionImpl::pass_changes() {
  std::shared_ptr<Backend const> backend = this->backend();
  std::lock_guard lock(mutex_);
  if (!state_.has_kernel()) return nullptr;
  History const& history = state_.now().history;
  ir::Program program = history.node(history.current()).schedule.program();
  uint64_t hash = ir::hash(program);
  if (passes_.program_hash == hash && passes_.backend == backend) return passes_.changes;
  passes_ = {hash, backend, nullptr};
  report_jobs_.start(
      "passes", "comparing passes", [this, program, hash, backend](StopToken, Progress const&) {
        auto changes =
            std::make_shared<std::vector<PassChange> const>(pass_changes_of(program, *backend));
        {
          std::lock_guard guard(mutex_);
          if (passes_.program_hash != hash || passes_.backend != backend) return;
          passes_.changes = changes;
        }
        notify();
      });
  return nullptr;
}

}  // namespace tw::session
