#include "targets/shared/llvm/kernel_module.h"

#include <llvm/BinaryFormat/Dwarf.h>

#include <set>
#include <sstream>

#include "engine/ir/annotations.h"
#include "engine/ir/rewrite.h"
#include "engine/lowering/pipeline.h"
#include "targets/shared/llvm/emitter.h"
#include "targets/shared/llvm/machine.h"
#include "targets/shared/llvm/words.h"

namespace tw {
namespace {

void set_attributes(llvm::Function& function, Machine const& machine) {
  function.addFnAttr("target-cpu", machine.options().cpu);
  function.addFnAttr("target-features", machine.options().features);
  if (machine.options().vector_bits > 0) {
    function.addFnAttr("prefer-vector-width", std::to_string(machine.options().vector_bits));
    function.addFnAttr("min-legal-vector-width", std::to_string(machine.options().vector_bits));
  }
  function.addFnAttr("no-builtins");
  function.addFnAttr(llvm::Attribute::NoUnwind);
}

bool stores_past_caches(ir::Stmt const& body) {
  bool found = false;
  ir::walk(body, [&](ir::Stmt const& s) {
    found = found || (s.as<ir::Store>() && ir::said_of(*s, kNontemporal));
    return !found;
  });
  return found;
}

/// All that have memory of their own while the kernel runs.
std::vector<std::string> tensors_of(ir::KernelIr const& kernel) {
  std::vector<std::string> names;
  for (ir::Buffer const& param : kernel.host.params) names.push_back(param->name);
  for (auto const& [name, offset] : workspace_layout(kernel)) names.push_back(name);
  return names;
}

Result<std::unique_ptr<llvm::Module>> build(ir::KernelIr const& kernel, Machine const& machine,
                                            llvm::LLVMContext& context,
                                            ir::PrintedProgram const& printed,
                                            InstructionCodes const& instructions, Checks* checks) {
  auto module = std::make_unique<llvm::Module>(kernel.host.name, context);
  machine.prepare(*module);
  module->addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  llvm::DIBuilder debug(*module);
  llvm::DIFile* file = debug.createFile(kernel.host.name + ".kernel", ".");
  debug.createCompileUnit(llvm::dwarf::DW_LANG_C, file, "tilewright", false, "", 0, "",
                          llvm::DICompileUnit::LineTablesOnly);
  ModuleParts parts{*module,
                    debug,
                    file,
                    printed.line_of,
                    kernel.host.params,
                    workspace_layout(kernel),
                    instructions,
                    MemoryScopes(context, tensors_of(kernel)),
                    checks};
  parts.past_caches = stores_past_caches(kernel.host.body);
  auto* pointer = llvm::PointerType::get(context, 0);
  auto* type = llvm::FunctionType::get(llvm::Type::getInt32Ty(context), {pointer, pointer}, false);
  auto* function =
      llvm::Function::Create(type, llvm::Function::ExternalLinkage, kernel.host.name, *module);
  set_attributes(*function, machine);
  Emitter emitter(parts, function, function->getArg(0), function->getArg(1));
  emitter.begin_body();
  emitter.begin_checks();
  emitter.statement(kernel.host.body);
  emitter.finish_checks();
  emitter.finish();
  if (emitter.failed()) return std::unexpected(emitter.status().error());
  debug.finalize();
  return module;
}

/// Parameters that some statement writes are outputs.
void sort_params(ir::KernelIr const& kernel, Checks& checks) {
  std::set<std::string> written;
  ir::walk_writes(kernel.host.body,
                  [&](ir::Touched const& at) { written.insert(at.buffer->name); });
  for (ir::Buffer const& param : kernel.host.params) {
    if (written.contains(param->name))
      checks.outputs.push_back(param);
    else
      checks.inputs.push_back(param->name);
  }
}

std::vector<std::string> lines_of(std::string const& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line.substr(std::min(line.find_first_not_of(' '), line.size())));
  return lines;
}

}  // namespace

Result<std::unique_ptr<llvm::Module>> build_kernel_module(ir::KernelIr const& kernel,
                                                          Machine const& machine,
                                                          llvm::LLVMContext& context,
                                                          InstructionCodes const& instructions) {
  return build(kernel, machine, context, ir::print(kernel), instructions, nullptr);
}

Result<CheckedModule> build_checked_module(ir::KernelIr const& kernel, Machine const& machine,
                                           llvm::LLVMContext& context,
                                           InstructionCodes const& instructions) {
  ir::PrintedProgram printed = ir::print(kernel);
  Checks checks;
  sort_params(kernel, checks);
  checks.text = lines_of(printed.text);
  checks.report_offset = (workspace_bytes(kernel) + 63) / 64 * 64;
  CheckedModule result;
  TRY_ASSIGN(result.module, build(kernel, machine, context, printed, instructions, &checks));
  result.accesses = std::move(checks.accesses);
  result.report_offset = checks.report_offset;
  result.workspace_bytes = checks.report_offset + kReportBytes;
  return result;
}

}  // namespace tw
