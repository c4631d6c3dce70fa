#include "targets/shared/llvm/device_module.h"

#include <llvm/BinaryFormat/Dwarf.h>

#include <array>
#include <set>

#include "engine/arith/known_sizes.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/tensor_uses.h"
#include "engine/lowering/pipeline.h"
#include "targets/shared/llvm/emitter.h"
#include "targets/shared/llvm/machine.h"

namespace tw {
namespace {

constexpr uint64_t kSharedAlignment = 64;

/// Of a size that is told when a function is launched.
llvm::GlobalVariable* given_shared(llvm::Module& module, DeviceKind const& kind) {
  if (auto* known = module.getNamedGlobal(kGivenShared)) return known;
  auto* type = llvm::ArrayType::get(llvm::Type::getInt8Ty(module.getContext()), 0);
  auto* place = new llvm::GlobalVariable(module, type, false, llvm::GlobalValue::ExternalLinkage,
                                         nullptr, kGivenShared, nullptr,
                                         llvm::GlobalValue::NotThreadLocal, kind.shared_space);
  place->setAlignment(llvm::Align(kSharedAlignment));
  return place;
}

/// One for each tensor that the threads of a block share.
void add_shared_tensors(ir::Function const& function, llvm::Module& module, DeviceKind const& kind,
                        std::map<std::string, int64_t> const& given, DeviceShell& shell) {
  auto* i8 = llvm::Type::getInt8Ty(module.getContext());
  auto* i64 = llvm::Type::getInt64Ty(module.getContext());
  for (auto const& [name, offset] : given)
    shell.tensors[name] = llvm::ConstantExpr::getGetElementPtr(
        i8, given_shared(module, kind), llvm::ConstantInt::get(i64, uint64_t(offset)));
  ir::walk(function.body, [&](ir::Stmt const& s) {
    auto const* alloc = s.as<ir::Alloc>();
    if (!alloc || alloc->buffer->scope != kSharedScope ||
        shell.tensors.contains(alloc->buffer->name))
      return true;
    uint64_t bytes = uint64_t(ir::as_int(alloc->buffer->shape[0]).value_or(0)) *
                     uint64_t(size_of(alloc->buffer->type));
    auto* type = llvm::ArrayType::get(i8, bytes);
    auto* place = new llvm::GlobalVariable(
        module, type, false, llvm::GlobalValue::InternalLinkage, llvm::UndefValue::get(type),
        "shared_" + std::to_string(module.global_size()), nullptr,
        llvm::GlobalValue::NotThreadLocal, kind.shared_space);
    place->setAlignment(llvm::Align(kSharedAlignment));
    shell.tensors[alloc->buffer->name] = place;
    return true;
  });
}

llvm::Function* declare(ir::Function const& function, std::string const& name, llvm::Module& module,
                        DeviceKind const& kind) {
  llvm::LLVMContext& context = module.getContext();
  auto* pointer = llvm::PointerType::get(context, kind.global_space);
  std::vector<llvm::Type*> types(function.params.size(), pointer);
  types.insert(types.end(), function.sizes.size(), llvm::Type::getInt64Ty(context));
  types.push_back(pointer);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), types, false);
  auto* made = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
  made->addFnAttr("no-builtins");
  made->addFnAttr(llvm::Attribute::NoUnwind);
  ir::TensorUses uses = ir::tensor_uses(function.body);
  for (unsigned i = 0; i < function.params.size(); ++i) {
    made->addParamAttr(
        i, llvm::Attribute::getWithAlignment(context, llvm::Align(kind.tensor_alignment)));
    std::string const& tensor = function.params[i]->name;
    if (!uses.is_exchanged(tensor)) made->addParamAttr(i, llvm::Attribute::NoAlias);
    if (!uses.written.contains(tensor)) made->addParamAttr(i, llvm::Attribute::ReadOnly);
  }
  return made;
}

std::vector<std::string> names_of(DeviceShell const& shell) {
  std::vector<std::string> names;
  for (auto const& [name, place] : shell.tensors) names.push_back(name);
  return names;
}

}  // namespace

Result<std::unique_ptr<llvm::Module>> build_device_module(
    ir::KernelIr const& kernel, ir::PrintedProgram const& printed, Machine const& machine,
    DeviceKind const& kind, std::vector<DeviceFunction> const& functions, OwnCalls const& own_calls,
    llvm::LLVMContext& context) {
  auto module = std::make_unique<llvm::Module>(kernel.host.name, context);
  machine.prepare(*module);
  module->addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  llvm::DIBuilder debug(*module);
  llvm::DIFile* file = debug.createFile(kernel.host.name + ".kernel", ".");
  debug.createCompileUnit(llvm::dwarf::DW_LANG_C, file, "tilewright", false, "", 0, "",
                          llvm::DICompileUnit::DebugDirectivesOnly);
  InstructionCodes const none;
  for (size_t i = 0; i < kernel.device.size(); ++i) {
    ir::Function const& function = kernel.device[i];
    DeviceShell shell;
    kind.fill(shell);
    shell.own_calls = &own_calls;
    llvm::Function* made = declare(function, functions[i].name, *module, kind);
    for (unsigned p = 0; p < function.params.size(); ++p)
      shell.tensors[function.params[p]->name] = made->getArg(p);
    shell.fault = made->getArg(unsigned(made->arg_size() - 1));
    add_shared_tensors(function, *module, kind, functions[i].given_shared, shell);
    ModuleParts parts{*module, debug, file, printed.line_of,
                      {},      {},    none, MemoryScopes(context, names_of(shell))};
    parts.device = &shell;
    auto* no_pointer = llvm::ConstantPointerNull::get(llvm::PointerType::get(context, 0));
    Emitter emitter(parts, made, no_pointer, no_pointer);
    arith::Ranges ranges = arith::ranges_of(function.sizes);
    for (size_t s = 0; s < function.sizes.size(); ++s) {
      std::string const& name = function.sizes[s].var.to<ir::Variable>().name;
      emitter.bind(name, made->getArg(unsigned(function.params.size() + s)), ranges.find(name));
    }
    emitter.begin_body();
    emitter.statement(function.body);
    emitter.finish();
    if (emitter.failed()) return std::unexpected(emitter.status().error());
    kind.mark(*made, functions[i].block);
  }
  debug.finalize();
  return module;
}

}  // namespace tw
