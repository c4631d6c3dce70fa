#include "targets/shared/llvm/machine.h"

#include <fmt/format.h>
#include <llvm-c/Core.h>
#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <mutex>

#include "targets/shared/llvm/assembly_lines.h"
#include "targets/shared/llvm/generator_pool.h"
#include "targets/shared/llvm/half_extremes.h"
#include "targets/shared/llvm/instruction_facts.h"
#include "targets/shared/llvm/proven_alignment.h"
#include "targets/shared/llvm/remarks.h"
#include "targets/shared/llvm/tile_values.h"
#include "targets/shared/llvm/vector_rounding.h"

namespace tw {

struct Machine::Parts {
  MachineOptions options;
  llvm::Target const* target = nullptr;
  std::string data_layout;
  std::unique_ptr<GeneratorPool> generators;  ///< null: this process generates code
};

namespace {

void register_targets() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmPrinters();
    llvm::InitializeAllAsmParsers();
    llvm::InitializeAllTargetMCAs();
  });
}

llvm::CodeGenOptLevel level_of(CodeTier tier) {
  return tier == CodeTier::kFull ? llvm::CodeGenOptLevel::Aggressive : llvm::CodeGenOptLevel::Less;
}

/// A target machine keeps state while it works, so each emission has its own.
std::unique_ptr<llvm::TargetMachine> make_target_machine(llvm::Target const& target,
                                                         MachineOptions const& options,
                                                         CodeTier tier) {
  llvm::TargetOptions settings;
  settings.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  if (options.triple.find("hf") != std::string::npos) {
    settings.FloatABIType = llvm::FloatABI::Hard;
  }
  settings.MCOptions.AsmVerbose = false;
  return std::unique_ptr<llvm::TargetMachine>(
      target.createTargetMachine(options.triple, options.cpu, options.features, settings,
                                 llvm::Reloc::PIC_, std::nullopt, level_of(tier)));
}

/// Passes and code generation read these from the function, not from the machine.
void set_attributes(llvm::Module& module, MachineOptions const& options) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    function.addFnAttr("target-cpu", options.cpu);
    function.addFnAttr("target-features", options.features);
    // A loop that fills memory must stay one: no library is there to be called.
    function.addFnAttr("no-builtins");
    function.addFnAttr(llvm::Attribute::NoUnwind);
    if (options.vector_bits > 0) {
      std::string bits = std::to_string(options.vector_bits);
      function.addFnAttr("prefer-vector-width", bits);
      function.addFnAttr("min-legal-vector-width", bits);
    }
  }
}

void optimize(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = true;
  tuning.SLPVectorization = true;
  llvm::PassBuilder builder(&machine, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager groups;
  llvm::ModuleAnalysisManager modules;
  llvm::TargetLibraryInfoImpl library(module.getTargetTriple().empty()
                                          ? machine.getTargetTriple()
                                          : llvm::Triple(module.getTargetTriple()));
  library.disableAllFunctions();
  functions.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(groups);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, groups, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, modules);
}

/// The module's way to code generation.
void prepare_code(llvm::Module& module, llvm::TargetMachine& machine, CodeTier tier) {
  if (tier == CodeTier::kFull) optimize(module, machine);
  widen_half_extremes(module);
  split_vector_rounding(module);
  lower_tile_casts(module);
}

/// Takes what passes complain about; without it LLVM prints an error and ends the process.
class Complaints {
public:
  explicit Complaints(llvm::LLVMContext& context) : context_(context) {
    context_.setDiagnosticHandlerCallBack(
        [](llvm::DiagnosticInfo const* info, void* self) {
          if (info->getSeverity() != llvm::DS_Error) return;
          llvm::raw_string_ostream stream(static_cast<Complaints*>(self)->words_);
          llvm::DiagnosticPrinterRawOStream printer(stream);
          info->print(printer);
        },
        this);
  }
  ~Complaints() { context_.setDiagnosticHandlerCallBack(nullptr); }
  Complaints(Complaints const&) = delete;
  Complaints& operator=(Complaints const&) = delete;

  Status status() const {
    if (words_.empty()) return {};
    return refused("code_generation_failed", "LLVM cannot compile the kernel: " + words_);
  }

private:
  llvm::LLVMContext& context_;
  std::string words_;
};

Status write_code(llvm::Module& module, llvm::TargetMachine& machine, llvm::CodeGenFileType type,
                  llvm::SmallVectorImpl<char>& out) {
  llvm::raw_svector_ostream stream(out);
  llvm::legacy::PassManager passes;
  llvm::TargetLibraryInfoImpl library(machine.getTargetTriple());
  library.disableAllFunctions();
  passes.add(new llvm::TargetLibraryInfoWrapperPass(library));
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type)) {
    return refused("code_generation_failed", "the processor's code generator cannot write files");
  }
  passes.run(module);
  return {};
}

Status verify(llvm::Module& module) {
  std::string words;
  llvm::raw_string_ostream stream(words);
  if (!llvm::verifyModule(module, &stream)) return {};
  return refused("invalid_module", "the generated LLVM module is not valid: " +
                                       stream.str().substr(0, stream.str().find('\n')));
}

}  // namespace

std::string code_generator_version() {
  unsigned major = 0, minor = 0, patch = 0;
  LLVMGetVersion(&major, &minor, &patch);
  return fmt::format("LLVM {}.{}.{}", major, minor, patch);
}

Machine::Machine(MachineOptions options) : parts_(std::make_unique<Parts>()) {
  parts_->options = std::move(options);
  if (!parts_->options.generator.empty())
    parts_->generators = std::make_unique<GeneratorPool>(parts_->options.generator);
}
Machine::Machine(Machine&&) noexcept = default;
Machine& Machine::operator=(Machine&&) noexcept = default;
Machine::~Machine() = default;

MachineOptions const& Machine::options() const { return parts_->options; }

Result<Machine> Machine::create(MachineOptions options) {
  register_targets();
  if (options.triple.empty()) options.triple = llvm::sys::getProcessTriple();
  if (options.cpu.empty()) options.cpu = "generic";
  std::string words;
  llvm::Target const* target = llvm::TargetRegistry::lookupTarget(options.triple, words);
  if (target == nullptr) {
    return bad_input("unknown_triple",
                     fmt::format("LLVM has no code generator for '{}'", options.triple));
  }
  std::unique_ptr<llvm::MCSubtargetInfo> processors(
      target->createMCSubtargetInfo(options.triple, "", ""));
  if (processors == nullptr || !processors->isCPUStringValid(options.cpu)) {
    return bad_input(
        "unknown_processor",
        fmt::format("LLVM does not know the processor '{}' of '{}'", options.cpu, options.triple));
  }
  Machine machine(std::move(options));
  machine.parts_->target = target;
  auto probe = make_target_machine(*target, machine.options(), CodeTier::kFast);
  machine.parts_->data_layout = probe->createDataLayout().getStringRepresentation();
  return machine;
}

void Machine::prepare(llvm::Module& module) const {
  module.setTargetTriple(parts_->options.triple);
  module.setDataLayout(parts_->data_layout);
}

Result<Emitted> Machine::generate(llvm::Module& module, CodeTier tier, CodeTexts texts,
                                  StopToken stop) const {
  TRY(verify(module));
  prepare(module);
  if (!parts_->generators) return generate_here(module, tier, texts);
  GeneratorRequest request = request_for(module);
  request.tier = tier;
  request.texts = texts;
  return parts_->generators->generate(request, stop);
}

GeneratorRequest Machine::request_for(llvm::Module const& module) const {
  GeneratorRequest request{.machine = parts_->options};
  llvm::raw_string_ostream stream(request.module);
  llvm::WriteBitcodeToFile(module, stream, /*ShouldPreserveUseListOrder=*/true);
  stream.flush();
  return request;
}

Result<CodeReport> Machine::report(std::string const& assembly, std::span<int32_t const> loop,
                                   StopToken stop) const {
  if (!parts_->generators) return report_of(assembly, loop, parts_->options);
  GeneratorRequest request{.machine = parts_->options,
                           .module = assembly,
                           .task = GeneratorTask::kReport,
                           .loop = {loop.begin(), loop.end()}};
  return parts_->generators->report(request, stop);
}

Result<std::vector<CodeRemark>> Machine::remarks(llvm::Module& module, StopToken stop) const {
  TRY(verify(module));
  prepare(module);
  if (!parts_->generators) return remarks_here(module);
  GeneratorRequest request = request_for(module);
  request.task = GeneratorTask::kRemarks;
  return parts_->generators->remarks(request, stop);
}

namespace {

/// Of a machine whose assembler is elsewhere: the text is the object.
Status write_text(llvm::Module& module, llvm::TargetMachine& machine, CodeTexts texts,
                  Emitted& emitted) {
  if (texts == CodeTexts::kAll) {
    llvm::raw_string_ostream ir(emitted.ir);
    module.print(ir, nullptr);
  }
  llvm::SmallVector<char, 0> text;
  TRY(write_code(module, machine, llvm::CodeGenFileType::AssemblyFile, text));
  auto const* bytes = reinterpret_cast<std::byte const*>(text.data());
  emitted.object.assign(bytes, bytes + text.size());
  if (texts == CodeTexts::kAll) read_assembly(std::string_view(text.data(), text.size()), emitted);
  return {};
}

}  // namespace

Result<Emitted> Machine::generate_here(llvm::Module& module, CodeTier tier, CodeTexts texts) const {
  set_attributes(module, parts_->options);
  auto machine = make_target_machine(*parts_->target, parts_->options, tier);
  Complaints complaints(module.getContext());
  bool device = llvm::Triple(module.getTargetTriple()).isNVPTX();
  if (device) prove_alignments(module);  // else vectors that may not be aligned are taken apart
  prepare_code(module, *machine, tier);

  Emitted emitted;
  if (device) {
    prove_alignments(module);
    TRY(write_text(module, *machine, texts, emitted));
    TRY(complaints.status());
    return emitted;
  }
  if (texts == CodeTexts::kAll) {
    llvm::raw_string_ostream ir(emitted.ir);
    module.print(ir, nullptr);
    // Code generation changes the module, and assembly and object must come from the same one.
    std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module);
    llvm::SmallVector<char, 0> text;
    TRY(write_code(*copy, *machine, llvm::CodeGenFileType::AssemblyFile, text));
    read_assembly(std::string_view(text.data(), text.size()), emitted);
  }
  llvm::SmallVector<char, 0> object;
  TRY(write_code(module, *machine, llvm::CodeGenFileType::ObjectFile, object));
  TRY(complaints.status());
  auto const* bytes = reinterpret_cast<std::byte const*>(object.data());
  emitted.object.assign(bytes, bytes + object.size());
  return emitted;
}

Result<std::vector<CodeRemark>> Machine::remarks_here(llvm::Module& module) const {
  set_attributes(module, parts_->options);
  auto machine = make_target_machine(*parts_->target, parts_->options, CodeTier::kFull);
  RemarkListener listener(module.getContext());
  prepare_code(module, *machine, CodeTier::kFull);
  llvm::SmallVector<char, 0> object;
  TRY(write_code(module, *machine, llvm::CodeGenFileType::ObjectFile, object));
  TRY(listener.status());
  return listener.remarks();
}

}  // namespace tw
