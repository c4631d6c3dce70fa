#include "targets/shared/llvm/instruction_facts.h"

#include <fmt/format.h>
#include <llvm/MC/MCInstrDesc.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <set>

#include "engine/support/base/quantities.h"
#include "targets/shared/llvm/loop_model.h"

namespace tw {
namespace {

std::string name_of_register(llvm::MCRegister reg, ProcessorTables const& tables) {
  std::string name = tables.registers->getName(reg);
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return name == "eflags" || name == "nzcv" || name == "cpsr" ? "flags" : name;
}

/// Where the code stands, and how it rounds: nobody writes these to compute.
bool is_silent(std::string const& name) {
  static std::set<std::string> const kSilent{"rip", "eip", "ip", "mxcsr", "fpcr", "ssp", "fpscr"};
  return kSilent.contains(name);
}

void add(std::vector<std::string>& names, llvm::MCRegister reg, ProcessorTables const& tables) {
  if (!reg) return;
  std::string name = name_of_register(reg, tables);
  if (!is_silent(name) && std::ranges::find(names, name) == names.end()) names.push_back(name);
}

void add_registers(InstructionFacts& facts, llvm::MCInst const& code, llvm::MCInstrDesc const& desc,
                   ProcessorTables const& tables) {
  for (unsigned i = 0; i < code.getNumOperands(); ++i)
    if (code.getOperand(i).isReg())
      add(i < desc.getNumDefs() ? facts.writes : facts.reads, code.getOperand(i).getReg(), tables);
  for (llvm::MCPhysReg reg : desc.implicit_defs()) add(facts.writes, reg, tables);
  for (llvm::MCPhysReg reg : desc.implicit_uses()) add(facts.reads, reg, tables);
}

/// One space between the name and its operands, as the listing has it.
std::string in_intel(llvm::MCInst const& code, ProcessorTables const& tables) {
  if (!tables.intel) return {};
  std::string text;
  llvm::raw_string_ostream stream(text);
  tables.intel->printInst(&code, 0, "", *tables.processor, stream);
  stream.flush();
  return text;
}

}  // namespace

InstructionFacts facts_of(ReadInstruction const& read, ProcessorTables const& tables) {
  llvm::MCInst const& code = read.code;
  llvm::MCInstrDesc const& desc = tables.instructions->get(code.getOpcode());
  InstructionFacts facts;
  facts.line = read.line;
  facts.name = instruction_name(code, tables);
  facts.intel = in_intel(code, tables);
  facts.loads = desc.mayLoad();
  facts.stores = desc.mayStore();
  facts.branches = desc.isBranch();
  facts.calls = desc.isCall();
  facts.returns = desc.isReturn();
  add_registers(facts, code, desc, tables);
  llvm::MCSchedModel const& model = tables.processor->getSchedModel();
  if (!model.hasInstrSchedModel()) return facts;
  unsigned kind = desc.getSchedClass();
  while (kind != 0 && model.getSchedClassDesc(kind)->isVariant())
    kind = tables.processor->resolveVariantSchedClass(kind, &code, tables.instructions.get(),
                                                      model.getProcessorID());
  if (kind == 0 || !model.getSchedClassDesc(kind)->isValid()) return facts;
  llvm::MCSchedClassDesc const& costs = *model.getSchedClassDesc(kind);
  facts.operations = costs.NumMicroOps;
  facts.latency = llvm::MCSchedModel::computeInstrLatency(*tables.processor, costs);
  facts.interval = llvm::MCSchedModel::getReciprocalThroughput(*tables.processor, costs);
  return facts;
}

Result<CodeReport> report_of(std::string const& assembly, std::span<int32_t const> loop,
                             MachineOptions const& options) {
  TRY_ASSIGN(ProcessorTables tables, ProcessorTables::create(options));
  TRY_ASSIGN(AssemblyText text, AssemblyText::read(assembly, tables, options));
  CodeReport report;
  std::vector<ReadInstruction> body;
  std::set<int32_t> lines(loop.begin(), loop.end());
  for (ReadInstruction const& one : text.instructions()) {
    report.instructions.push_back(facts_of(one, tables));
    if (lines.contains(one.line)) body.push_back(one);
  }
  if (loop.empty()) return report;
  report.loop = model_loop(body, tables);
  if (body.size() < lines.size())
    report.loop = {.failure =
                       fmt::format("LLVM cannot read {} of the loop",
                                   count_text(int64_t(lines.size() - body.size()), "instruction"))};
  return report;
}

}  // namespace tw
