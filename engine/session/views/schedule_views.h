/// Schedules as values for a front: nests, refusals, primitives, code.
#pragma once

#include "engine/analysis/time_model.h"
#include "engine/backend/backend.h"
#include "engine/schedule/trace.h"
#include "engine/session/values.h"
#include "engine/target/code_report.h"
#include "engine/te/te.h"

namespace tw::session {

/// `step` is the script line that was asked for.
RefusalView refusal_view(ir::Program const& program, Refusal const& refusal,
                         std::string const& step);
/// Of a line that is no step.
RefusalView unreadable_line(std::string const& line, Error const& error);
/// Where the model puts a program of so many operations.
RooflinePoint roofline_point(analysis::TimeModel const& model, double flops);
/// "Modelled: arithmetic bounds this step, 1.0 ms; L1 0.3 ms, L2 20 us."
std::string explanation_of(analysis::TimeModel const& model);
/// Of a kernel without arithmetic: what it moves, from where, and what that takes at best.
std::string explanation_of(KernelRoofView const& roof);

/// `cache_bytes`: of the caches whose largest fitting factors are wanted. A program over blocks and
/// threads is lowered: where barriers are is known then.
NestView nest_view(ir::Program const& program, std::vector<int64_t> const& cache_bytes,
                   Backend const& backend);

/// Stages of a kernel in the order shown: expression, program, each pass, LLVM IR, assembly.
std::vector<CodeStage> code_stages(Backend const& backend);
inline constexpr char const* kExpressionStage = "expression";
inline constexpr char const* kProgramStage = "program";

CodeText text_of_expression(te::Kernel const& kernel);
CodeText text_of_program(ir::Program const& program);
/// `number` counts from 1 among `total` passes.
CodeText text_of_stage(ir::KernelIr const& kernel, CodeStage const& stage);
CodeText text_of_llvm(Artifact const& artifact);
CodeText text_of_assembly(Artifact const& artifact);
/// What the code generator's passes say of the code, below the lines of the lowered program.
CodeText text_of_remarks(ir::KernelIr const& lowered, std::vector<CodeRemark> const& remarks);
inline constexpr char const* kRemarksStage = "remarks";
/// The text of a program at a stage. Errors: those of lowering and of code generation.
Result<CodeText> text_at(ir::Program const& program, te::Kernel const& kernel,
                         std::string const& stage, Backend const& backend,
                         LowerOptions const& options);
/// The same; `failure` says why there is none.
CodeText code_text(ir::Program const& program, te::Kernel const& kernel, std::string const& stage,
                   Backend const& backend);
/// Marks lines of `now` against `before`: added, moved up or down; removed lines are put in.
CodeText with_changes(CodeText now, CodeText const& before);
/// The same two texts beside each other.
CodePair side_by_side(CodeText before, CodeText after);

}  // namespace tw::session
