// Where a line would lead: asked for while it is pointed at, many times a second.
#include <algorithm>

#include "engine/schedule/macros/expansion.h"
#include "engine/session/state/session_impl.h"
#include "engine/session/views/outlook_views.h"

namespace tw::session {
namespace {

constexpr size_t kKept = 32;  // a pull along a handle comes by the same factors again
constexpr char kJob[] = "outlook";

}  // namespace

Outlook SessionImpl::seen_from(Schedule const& now, std::string const& line,
                               OutlookBase const& base) const {
  auto refused = [&](RefusalView view) {
    return Outlook{.line = line, .refusal = std::make_shared<RefusalView const>(std::move(view))};
  };
  auto steps = parse_steps(line, options_.macros.get());
  if (!steps) return refused(unreadable_line(line, steps.error()));
  Schedule next = now;
  for (Step const& step : *steps) {
    auto taken = applied(next, step);
    if (!taken) return refused(refusal_view(next.program(), taken.error(), line));
    next = std::move(*taken);
  }
  return outlook_of(line, now.program(), next.program(), base);
}

std::shared_ptr<Outlook const> SessionImpl::outlook(std::string const& line) {
  std::shared_ptr<Backend const> backend = this->backend();
  std::lock_guard lock(mutex_);
  if (!state_.has_kernel()) return nullptr;
  Schedule schedule = state_.now().history.schedule();
  std::shared_ptr<MachineView const> machine = state_.machine;
  AskedOutlook asked{ir::hash(schedule.program()), line, backend, machine, nullptr};
  auto known = std::ranges::find_if(outlooks_, [&](auto const& one) { return one.is_of(asked); });
  if (known != outlooks_.end()) return known->view;
  OutlookBase base{backend.get(), machine ? machine->rates : nullptr,
                   machine ? machine->cache_bytes : std::vector<int64_t>(),
                   double(state_.model->kernel(state_.kernel).flops)};
  // The last line that was pointed at is the one that matters.
  std::erase_if(outlooks_, [](AskedOutlook const& one) { return !one.view; });
  if (outlooks_.size() >= kKept) outlooks_.erase(outlooks_.begin());
  outlooks_.push_back(asked);
  outlook_jobs_.start(
      kJob, "looking ahead",
      [this, asked, base, schedule = std::move(schedule)](StopToken stop, Progress const&) {
        if (stop.stop_requested()) return;
        auto view = std::make_shared<Outlook const>(seen_from(schedule, asked.line, base));
        {
          std::lock_guard guard(mutex_);
          for (AskedOutlook& one : outlooks_)
            if (one.is_of(asked)) one.view = view;
        }
        notify();
      });
  return nullptr;
}

}  // namespace tw::session
