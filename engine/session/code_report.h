/// What is said of the code of a kernel's current state: which of its instructions run most, what
/// they cost as the processor is modelled, and what each pass of lowering changed.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/session/values.h"
#include "engine/target/code_report.h"

namespace tw::session {

class Session;

/// A loop of assembly without loops inside.
struct AssemblyLoop {
  std::vector<int32_t> lines;   ///< of the text, from 0: its instructions, in order
  int32_t first = 0, last = 0;  ///< lines; labels in between are not in `lines`
  int32_t blocks = 1;           ///< straight pieces; more than one: it branches inside
  double runs = 1;              ///< of its body, in one run of the kernel
};

struct AssemblyReport {
  std::shared_ptr<CodeText const> text;  ///< whose lines all this is about
  std::optional<AssemblyLoop> hot;       ///< the loop whose instructions run most; empty: no loop
  bool complete = false;                 ///< false: what follows is not there yet
  std::map<int32_t, InstructionFacts> instructions;  ///< by line
  LoopModel loop;                                    ///< of `hot`
  std::string failure;  ///< a sentence: why nothing is known of the instructions
};

/// What a pass changed of the kernel's text.
struct PassChange {
  std::string key;  ///< of its `CodeStage`
  int added = 0, removed = 0;
  bool changed() const { return added + removed > 0; }
};

/// Of the assembly of the current state. Null: not there yet, the session's listener is called when
/// it is; or there is no kernel, or no such listing.
std::shared_ptr<AssemblyReport const> assembly_report(Session& session);
/// The same for any state of the current kernel.
std::shared_ptr<AssemblyReport const> assembly_report_of(Session& session, int node);
/// Of the current state; null: not there yet, the listener is called when it is.
std::shared_ptr<std::vector<PassChange> const> pass_changes(Session& session);

// ---- assembly as it is shown -----------------------------------------------------------------

struct AssemblyLook {
  bool intel = false;      ///< its syntax, where the processor has it
  bool directives = true;  ///< what is for the assembler is shown
  bool labels = true;      ///< those that nothing names are shown
  bool operator==(AssemblyLook const&) const = default;
};
struct ShownAssembly {
  std::shared_ptr<CodeText const> text;
  std::vector<int32_t> lines;  ///< of the whole text, for each line that is shown; -1: of no one
};
/// `report` may be null, or not complete: the syntax is the assembler's then.
ShownAssembly shown_assembly(std::shared_ptr<CodeText const> const& whole,
                             AssemblyReport const* report, AssemblyLook const& look);

/// `now` with its changes against `before`, in what is shown of both: lines that only `before` has
/// stand between the others, as line -1 of the whole text.
ShownAssembly with_changes(ShownAssembly const& now, ShownAssembly const& before);

/// Three sentences: what the instruction does, what it reads and writes, what it costs.
std::string explanation_of(InstructionFacts const& facts);
/// "○ 12.5 cycles an iteration, modelled for znver4"; or why there is no model.
std::string summary_of(AssemblyReport const& report);
/// What the model leaves out, a sentence.
std::string assumptions_of(AssemblyReport const& report);
/// From 0 (hardly anything) to 1 (the most costly line), by the logarithm.
double heat_of(double cycles, LoopModel const& loop);

}  // namespace tw::session
