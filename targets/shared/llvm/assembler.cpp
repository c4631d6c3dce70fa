#include "targets/shared/llvm/assembler.h"

#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/FormattedStream.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>

namespace tw {
namespace {

/// Only labels and instructions: directives say where code lies, which nobody asks here.
std::string without_directives(std::string const& text) {
  std::string kept;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    size_t first = line.find_first_not_of(" \t");
    bool directive = first != std::string::npos && first > 0 && line[first] == '.';
    kept += directive ? "\n" : line + "\n";
    at = end + 1;
  }
  return kept;
}

/// Keeps what the parser reads.
class Collector final : public llvm::MCStreamer {
public:
  Collector(llvm::MCContext& context, llvm::SourceMgr const& source,
            std::vector<ReadInstruction>& into)
      : MCStreamer(context), source_(source), into_(into) {}

  void emitInstruction(llvm::MCInst const& code, llvm::MCSubtargetInfo const&) override {
    if (!code.getLoc().isValid()) return;
    into_.push_back({int32_t(source_.FindLineNumber(code.getLoc())) - 1, code});
  }
  bool emitSymbolAttribute(llvm::MCSymbol*, llvm::MCSymbolAttr) override { return true; }
  void emitCommonSymbol(llvm::MCSymbol*, uint64_t, llvm::Align) override {}
  void emitZerofill(llvm::MCSection*, llvm::MCSymbol*, uint64_t, llvm::Align,
                    llvm::SMLoc) override {}

private:
  llvm::SourceMgr const& source_;
  std::vector<ReadInstruction>& into_;
};

}  // namespace

Result<ProcessorTables> ProcessorTables::create(MachineOptions const& options) {
  ProcessorTables tables;
  std::string words;
  tables.target = llvm::TargetRegistry::lookupTarget(options.triple, words);
  auto missing = [] {
    return refused("code_generation_failed", "LLVM has no tables of this processor's instructions");
  };
  if (!tables.target) return missing();
  llvm::Target const& target = *tables.target;
  tables.registers.reset(target.createMCRegInfo(options.triple));
  if (!tables.registers) return missing();
  tables.syntax.reset(target.createMCAsmInfo(*tables.registers, options.triple, {}));
  tables.instructions.reset(target.createMCInstrInfo());
  tables.processor.reset(
      target.createMCSubtargetInfo(options.triple, options.cpu, options.features));
  if (!tables.syntax || !tables.instructions || !tables.processor) return missing();
  tables.analysis.reset(target.createMCInstrAnalysis(tables.instructions.get()));
  llvm::Triple triple(options.triple);
  auto printer = [&](unsigned variant) {
    return std::unique_ptr<llvm::MCInstPrinter>(target.createMCInstPrinter(
        triple, variant, *tables.syntax, *tables.instructions, *tables.registers));
  };
  tables.printer = printer(tables.syntax->getAssemblerDialect());
  if (triple.isX86()) tables.intel = printer(1);
  if (!tables.analysis || !tables.printer) return missing();
  return tables;
}

std::string instruction_name(llvm::MCInst const& code, ProcessorTables const& tables) {
  char const* name = tables.printer->getMnemonic(&code).first;
  std::string word = name ? name : "";
  size_t end = word.find_last_not_of(" \t");
  return end == std::string::npos ? "an instruction" : word.substr(0, end + 1);
}

struct AssemblyText::Parts {
  llvm::SourceMgr source;
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCObjectFileInfo> sections;
  std::vector<ReadInstruction> instructions;
};

AssemblyText::AssemblyText(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
AssemblyText::AssemblyText(AssemblyText&&) noexcept = default;
AssemblyText::~AssemblyText() = default;

std::vector<ReadInstruction> const& AssemblyText::instructions() const {
  return parts_->instructions;
}

Result<AssemblyText> AssemblyText::read(std::string const& text, ProcessorTables const& tables,
                                        MachineOptions const& options) {
  auto parts = std::make_unique<Parts>();
  parts->source.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(without_directives(text), "assembly"), llvm::SMLoc());
  // What cannot be read is left out, without a word on the standard error.
  parts->source.setDiagHandler([](llvm::SMDiagnostic const&, void*) {});
  parts->context = std::make_unique<llvm::MCContext>(
      llvm::Triple(options.triple), tables.syntax.get(), tables.registers.get(),
      tables.processor.get(), &parts->source, &parts->options);
  parts->sections.reset(tables.target->createMCObjectFileInfo(*parts->context, /*PIC=*/true));
  parts->context->setObjectFileInfo(parts->sections.get());
  Collector collector(*parts->context, parts->source, parts->instructions);
  llvm::formatted_raw_ostream nothing(llvm::nulls());
  tables.target->createAsmTargetStreamer(collector, nothing, tables.printer.get());
  std::unique_ptr<llvm::MCAsmParser> parser(
      llvm::createMCAsmParser(parts->source, *parts->context, collector, *tables.syntax));
  std::unique_ptr<llvm::MCTargetAsmParser> of_target(tables.target->createMCAsmParser(
      *tables.processor, *parser, *tables.instructions, parts->options));
  if (!of_target)
    return refused("code_generation_failed", "LLVM cannot read this processor's assembly");
  parser->setTargetParser(*of_target);
  (void)parser->Run(/*NoInitialTextSection=*/false, /*NoFinalize=*/true);
  return AssemblyText(std::move(parts));
}

}  // namespace tw
