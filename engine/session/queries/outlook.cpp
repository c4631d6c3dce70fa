// Where a line would lead: asked for while it is pointed at, many times a second.
#include "engine/schedule/macros/expansion.h"
#include "engine/session/state/query_keys.h"
#include "engine/session/views/outlook_views.h"
#include "engine/session/views/schedule_views.h"
#include "engine/session/views/script_views.h"

namespace tw::session::query_outlook {
namespace {

struct Pointed {
  using Asked = std::string;  ///< a line
  struct Key {
    ProgramKey now;
    std::string line;
    std::shared_ptr<MachineView const> machine;
    std::shared_ptr<MacroSet const> macros;
    double flops = 0;  ///< of the kernel
    bool operator==(Key const& other) const {
      return now == other.now && line == other.line && machine == other.machine;
    }
  };
  using View = Outlook;
  static std::optional<Key> key(Seen const& seen, Asked const& line) {
    auto now = current_program(seen);
    if (!now) return std::nullopt;
    return Key{*now, line, seen.state.machine, seen.options.macros,
               double(seen.state.model->kernel(seen.state.kernel).flops)};
  }
  static View make(Key const& key, StopToken) {
    auto refused = [&](RefusalView view) {
      return Outlook{.line = key.line,
                     .refusal = std::make_shared<RefusalView const>(std::move(view))};
    };
    auto steps = parse_steps(key.line, key.macros.get());
    if (!steps) return refused(unreadable_line(key.line, steps.error()));
    Schedule next = *key.now.schedule;
    for (Step const& step : *steps) {
      auto taken = session::taken(next, step, key.macros.get());
      if (!taken) return refused(refusal_view(next.program(), taken.error(), key.line));
      next = std::move(*taken);
    }
    OutlookBase base{key.now.backend.get(), key.machine ? key.machine->rates : nullptr,
                     key.machine ? key.machine->cache_bytes : std::vector<int64_t>(), key.flops};
    return outlook_of(key.line, key.now.program(), next.program(), base);
  }
};

}  // namespace

QueryRow const& row() {
  static QueryRow const row = query_row<Pointed>(
      {.name = "outlook", .title = "computing previews", .lane = QueryLane::kPointed, .kept = 32});
  return row;
}

}  // namespace tw::session::query_outlook

namespace tw::session {

std::shared_ptr<Outlook const> Session::outlook(std::string const& line) {
  using namespace query_outlook;
  return answer_of<Pointed>(*this, row(), line);
}

}  // namespace tw::session
