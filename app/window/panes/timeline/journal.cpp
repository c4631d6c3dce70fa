// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "app/window/panes/timeline/journal.h"

#include "app/shared/journal/form_rows.h"

namespace tw {

journal::Vocabulary const& vocabulary_timeline() {
  using namespace journal;
  static journal::Vocabulary const words{
      {
          row<TimelineAgainst>("timeline against",
                               "sets the reference run: previous, none, or a step",
                               Word(&TimelineAgainst::state, "STEP")),
          row<ChooseInstruction>(
              "timeline instruction",
              "selects an instruction of the current run, or of the reference run",
              Number(&ChooseInstruction::instruction, "NUMBER"),
              Optional<ChooseInstruction>{&ChooseInstruction::run, "RUN"}),
          row<StepTimeline>("timeline step",
                            "moves by so many instructions in time; negative: back",
                            Number(&StepTimeline::steps, "STEPS")),
          row<PutCycle>("timeline cycle", "sets the cursor to a cycle",
                        Number(&PutCycle::cycle, "CYCLE"))
              .replacing(),
          row<SeeCycles>("timeline see", "zooms to a range of cycles",
                         Number(&SeeCycles::from, "FROM"), Number(&SeeCycles::to, "TO"))
              .replacing(),
          row<BreakOnQueue>("timeline break", "sets a breakpoint on a queue, or removes it",
                            Word<BreakOnQueue>{&BreakOnQueue::on, "EVENT", {"push", "pop"}},
                            Rest<BreakOnQueue>{&BreakOnQueue::queue, "QUEUE"}),
          row<RunToBreak>("timeline run", "goes to the next push or pop that has a breakpoint"),
          row<ShowMemoryOf>("timeline memory", "shows how full a memory is, and its elements",
                            Rest<ShowMemoryOf>{&ShowMemoryOf::memory, "MEMORY"}),
          row<ShowFinding>("timeline finding", "marks the instructions that a finding is about",
                           Number(&ShowFinding::finding, "NUMBER")),
          row<OpenTimeline>("timeline open", "opens a recorded timeline",
                            Rest<OpenTimeline>{&OpenTimeline::file, "FILE"}),
          row<CloseTimeline>("timeline close", "closes the recorded timeline"),
      },
      {
          {"timeline", "words", "the runs that are shown, or none"},
          {"timeline.cycles", "", "cycles of the current run"},
          {"timeline.above", "", "cycles of the reference run, or 0"},
          {"timeline.instructions", "", "number of instructions of the current run"},
          {"timeline.instruction", "", "the selected instruction, or -1"},
          {"timeline.cursor", "", "cycle of the cursor"},
          {"timeline.seen", "", "number of visible cycles"},
          {"timeline.breakpoints", "", "number of breakpoints"},
          {"timeline.memory", "words", "the memory that is shown, or none"},
          {"timeline.verdict", "words", "what is proven of the current run, or none"},
          {"timeline.sentence", "words", "what holds it up and what would lift it, or none"},
          {"timeline.cuts", "", "number of stretches that are left out of it"},
          {"timeline.findings", "", "number of findings against its instructions"},
      }};
  return words;
}

}  // namespace tw
