// What is said of a state's assembly: its hot loop first, then what instructions cost.
#include <fmt/format.h>

#include "engine/backend/code_reporter.h"
#include "engine/session/code_report.h"
#include "engine/session/state/query_keys.h"
#include "engine/session/state/state_costs.h"
#include "engine/session/views/assembly_loops.h"
#include "engine/session/views/assembly_report.h"
#include "engine/session/views/schedule_views.h"

namespace tw::session {
namespace query_assembly_report {

struct AskedReport {
  std::shared_ptr<CodeText const> text;
  std::optional<int> node;  ///< that it is of; empty: the current state
};

struct Report {
  using Asked = AskedReport;
  using View = AssemblyReport;
  struct Key {
    ProgramKey of;
    std::shared_ptr<CodeText const> text;
    std::string among;
    bool operator==(Key const& other) const { return of == other.of && text == other.text; }
  };
  static std::optional<Key> key(Seen const& seen, Asked const& asked) {
    auto of = asked.node ? program_of(seen, *asked.node) : current_program(seen);
    bool reports = dynamic_cast<CodeReporter const*>(seen.backend.get());
    // Another kernel is looked at meanwhile, perhaps.
    if (!reports || !of || of->hash != asked.text->program_hash) return std::nullopt;
    return Key{*std::move(of), asked.text, asked.node ? fmt::format("{}", *asked.node) : "now"};
  }
  static QueryTurn turn(Key const& key) { return {QueryLane::kReports, key.among}; }
  static View make(Key const& key, Making const& with) {
    NestView nest = nest_view(key.of.program(), {}, *key.of.backend);
    AssemblyReport report{.text = key.text, .hot = hot_loop(*key.text, nest)};
    with.part(std::make_shared<AssemblyReport const>(report));
    auto const& reporter = dynamic_cast<CodeReporter const&>(*key.of.backend);
    return completed(std::move(report), reporter, with.stop);
  }
};

QueryRow const& row() {
  static QueryRow const row = query_row<Report>(
      {.name = "report", .title = "reading assembly", .lane = QueryLane::kReports, .kept = 12});
  return row;
}

std::shared_ptr<AssemblyReport const> of_text(Session& session,
                                              std::shared_ptr<CodeText const> const& text,
                                              std::optional<int> node) {
  if (!text || !text->failure.empty()) return nullptr;
  return answer_of<Report>(session, row(), {text, node});
}

}  // namespace query_assembly_report

std::shared_ptr<AssemblyReport const> assembly_report(Session& session) {
  return query_assembly_report::of_text(session, session.code(kInstructionsStage, false), {});
}

std::shared_ptr<AssemblyReport const> assembly_report_of(Session& session, int node) {
  return query_assembly_report::of_text(session, session.code_of(node, kInstructionsStage, -1),
                                        node);
}

}  // namespace tw::session
