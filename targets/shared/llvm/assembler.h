/// Assembly text read back: the instructions of its lines, and the tables that describe them.
#pragma once

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrAnalysis.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "targets/shared/llvm/machine.h"

namespace llvm {
class Target;
}

namespace tw {

/// LLVM's tables for one processor.
struct ProcessorTables {
  llvm::Target const* target = nullptr;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> syntax;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCSubtargetInfo> processor;
  std::unique_ptr<llvm::MCInstrAnalysis> analysis;
  std::unique_ptr<llvm::MCInstPrinter> printer;  ///< in the assembler's own syntax
  std::unique_ptr<llvm::MCInstPrinter> intel;    ///< null: the processor has one syntax

  /// Errors: code_generation_failed, where LLVM lacks one of them.
  static Result<ProcessorTables> create(MachineOptions const& options);
};

struct ReadInstruction {
  int32_t line = 0;  ///< of the text, from 0
  llvm::MCInst code;
};

/// "vfmadd231ps"
std::string instruction_name(llvm::MCInst const& code, ProcessorTables const& tables);

/// The instructions of a text in the assembler's syntax, in the order of lines. Those that cannot
/// be read are left out. The codes refer to symbols of `context`.
class AssemblyText {
public:
  static Result<AssemblyText> read(std::string const& text, ProcessorTables const& tables,
                                   MachineOptions const& options);
  AssemblyText(AssemblyText&&) noexcept;
  ~AssemblyText();
  std::vector<ReadInstruction> const& instructions() const;

private:
  struct Parts;
  explicit AssemblyText(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace tw
