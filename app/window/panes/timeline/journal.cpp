// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "app/window/panes/timeline/journal.h"

#include "app/shared/journal/form_rows.h"

namespace tw {

journal::Vocabulary const& vocabulary_timeline() {
  using namespace journal;
  static journal::Vocabulary const words{
      {
          row<TimelineAgainst>("timeline against",
                               "sets the run above the current one: previous, none, or a step",
                               Word(&TimelineAgainst::state, "STEP")),
          row<ChooseInstruction>("timeline instruction",
                                 "selects an instruction of the current run, or of the one above",
                                 Number(&ChooseInstruction::instruction, "NUMBER"),
                                 Optional<ChooseInstruction>{&ChooseInstruction::run, "RUN"}),
          row<StepTimeline>("timeline step", "goes so many instructions on in time; below 0: back",
                            Number(&StepTimeline::steps, "STEPS")),
          row<PutCycle>("timeline cycle", "sets the cursor to a cycle",
                        Number(&PutCycle::cycle, "CYCLE"))
              .replacing(),
          row<SeeCycles>("timeline see", "shows the cycles between two",
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
          {"timeline.above", "", "cycles of the run above it, or 0"},
          {"timeline.instructions", "", "number of instructions of the current run"},
          {"timeline.instruction", "", "the selected instruction, or -1"},
          {"timeline.cursor", "", "cycle at which the cursor stands"},
          {"timeline.seen", "", "number of cycles between both edges of the view"},
          {"timeline.breakpoints", "", "number of breakpoints"},
          {"timeline.memory", "words", "the memory that is shown, or none"},
          {"timeline.verdict", "words", "what is proven of the current run, or none"},
          {"timeline.findings", "", "number of findings against its instructions"},
      }};
  return words;
}

}  // namespace tw
