#include "engine/session/code_cases.h"

#include <fmt/format.h>

#include "engine/session/model/loaded_model.h"
#include "engine/session/views/assembly_loops.h"
#include "engine/session/views/assembly_report.h"
#include "engine/session/views/schedule_views.h"

namespace tw::session {
namespace {

/// The loops whose extents say what runs most. Empty where sizes are open: extents are not known.
Result<NestView> nest_of(LoadedModel const& model, int kernel, NamedScript const& script,
                         Backend const& backend) {
  if (script.open) return NestView();
  TRY_ASSIGN(ir::Program plain, plain_program(model, kernel));
  TRY_ASSIGN(ir::Program program, schedule_program(plain, script.text, script.name, backend));
  return nest_view(program, {}, backend);
}

}  // namespace

Result<AssemblyReport> report_assembly(LoadedModel const& model, int kernel,
                                       NamedScript const& script, Backend const& backend,
                                       LowerOptions const& options) {
  auto const* reporter = dynamic_cast<CodeReporter const*>(&backend);
  if (!reporter)
    return refused("no_assembly", fmt::format("the target '{}' has no assembly that can be read",
                                              backend.target().name));
  TRY_ASSIGN(CodeText text, lower_kernel(model, kernel, script, reporter->instructions_listing(),
                                         backend, options));
  TRY_ASSIGN(NestView nest, nest_of(model, kernel, script, backend));
  AssemblyReport report;
  report.hot = hot_loop(text, nest);
  report.text = std::make_shared<CodeText const>(std::move(text));
  report = completed(std::move(report), *reporter, {});
  if (!report.failure.empty()) return refused("no_assembly", report.failure);
  return report;
}

}  // namespace tw::session
