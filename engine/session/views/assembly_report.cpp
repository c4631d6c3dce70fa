#include "engine/session/views/assembly_report.h"

#include "engine/compile/load_time.h"
#include "engine/session/views/schedule_views.h"

namespace tw::session {
namespace {

std::string joined(CodeText const& text) {
  std::string all;
  for (CodeLine const& line : text.lines) all += line.text + "\n";
  return all;
}

}  // namespace

AssemblyReport completed(AssemblyReport report, CodeReporter const& reporter, StopToken stop) {
  report.complete = true;
  std::vector<int32_t> loop = report.hot ? report.hot->lines : std::vector<int32_t>();
  auto found = reporter.report(joined(*report.text), loop, stop);
  if (!found) {
    report.failure = to_sentence(found.error());
    return report;
  }
  for (InstructionFacts& facts : found->instructions)
    report.instructions[facts.line] = std::move(facts);
  report.loop = std::move(found->loop);
  return report;
}

std::vector<PassChange> pass_changes_of(ir::Program const& program, Backend const& backend) {
  std::vector<PassChange> changes;
  auto lowered = lower(split_load_time(program).at_run, backend.target(), backend.passes(),
                       environment_lower_options());
  if (!lowered) return changes;
  CodeText before = text_of_stage(lowered->front().kernel, {});
  for (size_t i = 1; i < lowered->size(); ++i) {
    CodeText after = text_of_stage((*lowered)[i].kernel, {});
    PassChange change{(*lowered)[i].name};
    for (CodeLine const& line : with_changes(after, before).lines) {
      change.added += line.change == LineChange::kAdded || line.change == LineChange::kMovedUp ||
                      line.change == LineChange::kMovedDown;
      change.removed += line.change == LineChange::kRemoved;
    }
    changes.push_back(std::move(change));
    before = std::move(after);
  }
  return changes;
}

}  // namespace tw::session
