#include "targets/shared/llvm/kernel_module.h"

#include <llvm/BinaryFormat/Dwarf.h>

#include "engine/lowering/pipeline.h"
#include "targets/shared/llvm/emitter.h"
#include "targets/shared/llvm/machine.h"

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

}  // namespace

Result<std::unique_ptr<llvm::Module>> build_kernel_module(ir::KernelIr const& kernel,
                                                          Machine const& machine,
                                                          llvm::LLVMContext& context) {
  auto module = std::make_unique<llvm::Module>(kernel.host.name, context);
  machine.prepare(*module);
  module->addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  llvm::DIBuilder debug(*module);
  llvm::DIFile* file = debug.createFile(kernel.host.name + ".kernel", ".");
  debug.createCompileUnit(llvm::dwarf::DW_LANG_C, file, "tilewright", false, "", 0, "",
                          llvm::DICompileUnit::LineTablesOnly);
  ir::PrintedProgram printed = ir::print(kernel);
  ModuleParts parts{
      *module, debug, file, printed.line_of, kernel.host.params, workspace_layout(kernel)};
  auto* pointer = llvm::PointerType::get(context, 0);
  auto* type = llvm::FunctionType::get(llvm::Type::getInt32Ty(context), {pointer, pointer}, false);
  auto* function =
      llvm::Function::Create(type, llvm::Function::ExternalLinkage, kernel.host.name, *module);
  set_attributes(*function, machine);
  Emitter emitter(parts, function, function->getArg(0), function->getArg(1));
  emitter.begin_body();
  emitter.statement(kernel.host.body);
  emitter.finish();
  if (emitter.failed()) return std::unexpected(emitter.status().error());
  debug.finalize();
  return module;
}

}  // namespace tw
