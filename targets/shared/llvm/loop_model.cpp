#include "targets/shared/llvm/loop_model.h"

#include <fmt/format.h>
#include <llvm/MC/MCInstrDesc.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/MCA/Context.h>
#include <llvm/MCA/CustomBehaviour.h>
#include <llvm/MCA/HWEventListener.h>
#include <llvm/MCA/InstrBuilder.h>
#include <llvm/MCA/Pipeline.h>
#include <llvm/MCA/SourceMgr.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "engine/support/base/quantities.h"

namespace tw {
namespace {

constexpr int kCallCycles = 100;     // as llvm-mca takes it
constexpr size_t kMostRun = 40'000;  // instructions: some 20 ms
constexpr unsigned kMostIterations = 100, kLeastIterations = 8;
constexpr double kNearlyAll = 0.9;  // of the cycles: it bounds the loop

/// Counts what happens from an iteration on; those before it fill the pipeline.
class Watcher final : public llvm::mca::HWEventListener {
public:
  Watcher(size_t instructions, unsigned first_iteration, llvm::MCSchedModel const& model)
      : first_(first_iteration * instructions),
        cycles_(instructions, 0.0),
        busy_(model.getNumProcResourceKinds()) {
    for (unsigned i = 0; i < busy_.size(); ++i)
      busy_[i].resize(model.getProcResource(i)->NumUnits, 0.0);
  }

  void onEvent(llvm::mca::HWInstructionEvent const& event) override {
    if (event.Type == Event::Retired) {
      retired_.push_back(event.IR.getSourceIndex());
      return;
    }
    if (event.Type != Event::Issued || event.IR.getSourceIndex() < first_) return;
    auto const& issued = static_cast<llvm::mca::HWInstructionIssuedEvent const&>(event);
    for (auto const& [unit, released] : issued.UsedResources) {
      auto& units = busy_.at(unit.first);
      size_t number = size_t(llvm::countr_zero(unit.second));
      if (number < units.size()) units[number] += double(released);
    }
  }
  using HWEventListener::onEvent;

  /// A cycle belongs to the instructions that leave the processor in it, in order; where none does,
  /// to the one that is waited for.
  void onCycleEnd() override {
    if (retired_.empty() && next_ >= first_) cycles_[next_ % cycles_.size()] += 1;
    for (unsigned index : retired_) {
      if (index >= first_) cycles_[index % cycles_.size()] += 1.0 / double(retired_.size());
      next_ = index + 1;
    }
    retired_.clear();
  }

  std::vector<double> const& cycles() const { return cycles_; }
  std::vector<std::vector<double>> const& busy() const { return busy_; }

private:
  using Event = llvm::mca::HWInstructionEvent;
  size_t first_, next_ = 0;
  std::vector<unsigned> retired_;  ///< in this cycle
  std::vector<double> cycles_;
  std::vector<std::vector<double>> busy_;  ///< by resource and unit
};

using Sequence = std::vector<std::unique_ptr<llvm::mca::Instruction>>;

/// The loop's instructions as the analyzer has them. They refer to descriptions that the builder
/// keeps.
class Modelled {
public:
  explicit Modelled(ProcessorTables const& tables)
      : tables_(tables),
        instruments_(
            tables.target->createInstrumentManager(*tables.processor, *tables.instructions)),
        finish_(tables.target->createInstrPostProcess(*tables.processor, *tables.instructions)) {
    if (!instruments_)
      instruments_ =
          std::make_unique<llvm::mca::InstrumentManager>(*tables.processor, *tables.instructions);
    builder_ = std::make_unique<llvm::mca::InstrBuilder>(*tables.processor, *tables.instructions,
                                                         *tables.registers, tables.analysis.get(),
                                                         *instruments_, kCallCycles);
  }

  /// Empty, or a sentence: of the first instruction that the model does not know.
  std::string add(std::span<ReadInstruction const> loop) {
    for (ReadInstruction const& one : loop) {
      auto made = builder_->createInstruction(one.code, {});
      if (!made) {
        llvm::consumeError(made.takeError());
        return fmt::format("LLVM's model of {} has no {}", tables_.processor->getCPU().str(),
                           instruction_name(one.code, tables_));
      }
      if (finish_) finish_->postProcessInstruction(*made, one.code);
      sequence_.push_back(std::move(*made));
    }
    return {};
  }
  Sequence const& sequence() const { return sequence_; }

private:
  ProcessorTables const& tables_;
  std::unique_ptr<llvm::mca::InstrumentManager> instruments_;
  std::unique_ptr<llvm::mca::InstrPostProcess> finish_;
  std::unique_ptr<llvm::mca::InstrBuilder> builder_;
  Sequence sequence_;
};

/// What all names begin with, "Zn" of "ZnALU0" and "ZnFPU1", up to the next capital.
size_t common_start(llvm::MCSchedModel const& model) {
  std::string common = model.getProcResource(1)->Name;
  for (unsigned i = 2; i < model.getNumProcResourceKinds(); ++i) {
    std::string name = model.getProcResource(i)->Name;
    size_t same = 0;
    while (same < std::min(common.size(), name.size()) && common[same] == name[same]) ++same;
    common.resize(same);
  }
  auto all_begin = [&](size_t at) {
    for (unsigned i = 1; i < model.getNumProcResourceKinds(); ++i) {
      std::string name = model.getProcResource(i)->Name;
      if (at >= name.size() || !std::isupper(static_cast<unsigned char>(name[at]))) return false;
    }
    return true;
  };
  size_t at = common.size();
  while (at > 0 && !all_begin(at)) --at;
  return at;
}

/// Of several that are alike ("Load ×3") the mean.
std::vector<PortUse> ports_of(Watcher const& watcher, llvm::MCSchedModel const& model,
                              double iterations) {
  std::vector<PortUse> ports;
  size_t start = common_start(model);
  for (unsigned i = 1; i < watcher.busy().size(); ++i) {
    auto const& units = watcher.busy()[i];
    double all = std::accumulate(units.begin(), units.end(), 0.0);
    if (all <= 0) continue;
    std::string name = std::string(model.getProcResource(i)->Name).substr(start);
    if (units.size() > 1) name += fmt::format(" ×{}", units.size());
    ports.push_back({std::move(name), all / double(units.size()) / iterations});
  }
  return ports;
}

std::string all_of(std::vector<std::string> const& names) {
  if (names.size() == 1) return names[0];
  std::vector<std::string> first(names.begin(), names.end() - 1);
  return fmt::format("{} and {}", fmt::join(first, ", "), names.back());
}

std::string bottleneck_of(LoopModel const& model, std::string const& slowest) {
  double busiest = 0;
  for (PortUse const& port : model.ports) busiest = std::max(busiest, port.cycles);
  std::vector<std::string> full;
  for (PortUse const& port : model.ports)
    if (port.cycles > 0.95 * busiest) full.push_back(port.name);
  double percent = std::min(100.0, 100 * busiest / model.cycles);
  if (busiest >= kNearlyAll * model.cycles)
    return fmt::format("{} {} busy in {:.0f} % of the cycles: {} the loop.", all_of(full),
                       full.size() == 1 ? "is" : "are", percent,
                       full.size() == 1 ? "it bounds" : "they bound");
  double begun = model.width > 0 ? double(model.operations) / model.width : 0;
  if (begun >= kNearlyAll * model.cycles)
    return fmt::format(
        "{} micro-operations, of which at most {} begin in a cycle, take {} cycles: their number "
        "bounds the loop.",
        model.operations, model.width, number_text(begun));
  if (full.empty()) return "No unit is busy.";
  return fmt::format(
      "Instructions wait for results of earlier ones, {} the most: the busiest unit, {}, works in "
      "{:.0f} % of the cycles.",
      slowest, full[0], percent);
}

/// Half of the iterations fill the pipeline; the other half counts.
Result<void> run(LoopModel& result, std::span<ReadInstruction const> loop, Sequence const& sequence,
                 ProcessorTables const& tables) {
  llvm::MCSchedModel const& model = tables.processor->getSchedModel();
  unsigned half = unsigned(std::clamp<size_t>(kMostRun / sequence.size() / 2, kLeastIterations / 2,
                                              kMostIterations / 2));
  llvm::mca::CircularSourceMgr source(sequence, 2 * half);
  std::unique_ptr<llvm::mca::CustomBehaviour> behaviour(
      tables.target->createCustomBehaviour(*tables.processor, source, *tables.instructions));
  if (!behaviour)
    behaviour = std::make_unique<llvm::mca::CustomBehaviour>(*tables.processor, source,
                                                             *tables.instructions);
  llvm::mca::Context context(*tables.registers, *tables.processor);
  llvm::mca::PipelineOptions options(0, 0, 0, 0, 0, 0, /*NoAlias=*/true);
  auto pipeline = model.isOutOfOrder() ? context.createDefaultPipeline(options, source, *behaviour)
                                       : context.createInOrderPipeline(options, source, *behaviour);
  Watcher watcher(sequence.size(), half, model);
  pipeline->addEventListener(&watcher);
  auto cycles = pipeline->run();
  if (!cycles) return refused("code_generation_failed", llvm::toString(cycles.takeError()));
  for (size_t i = 0; i < loop.size(); ++i) {
    result.lines.push_back({loop[i].line, watcher.cycles()[i] / half});
    result.cycles += result.lines.back().cycles;
    result.operations += int(sequence[i]->getDesc().NumMicroOps);
  }
  result.width = int(model.IssueWidth);
  result.ports = ports_of(watcher, model, half);
  return {};
}

bool is_vector(llvm::MCRegister reg, llvm::MCRegisterInfo const& registers) {
  for (unsigned i = 0; i < registers.getNumRegClasses(); ++i) {
    llvm::MCRegisterClass const& kind = registers.getRegClass(i);
    if (kind.getSizeInBits() >= 128 && kind.contains(reg)) return true;
  }
  return false;
}

/// Of vectors: how many the processor has. Those that only its later extensions have do not count.
int vector_registers_of(llvm::MCSubtargetInfo const& processor) {
  llvm::Triple const& triple = processor.getTargetTriple();
  if (triple.isX86()) return processor.checkFeatures("+avx512f") ? 32 : 16;
  return triple.isAArch64() ? 32 : 16;
}

}  // namespace

int count_vector_registers(std::span<ReadInstruction const> loop, ProcessorTables const& tables) {
  llvm::MCRegisterInfo const& registers = *tables.registers;
  std::set<unsigned> used;  // by the smallest part, which registers of all widths share
  for (ReadInstruction const& one : loop)
    for (llvm::MCOperand const& operand : one.code)
      if (operand.isReg() && operand.getReg() && is_vector(operand.getReg(), registers))
        used.insert(*registers.regunits(operand.getReg()).begin());
  return int(used.size());
}

LoopModel model_loop(std::span<ReadInstruction const> loop, ProcessorTables const& tables) {
  LoopModel result;
  result.processor = tables.processor->getCPU().str();
  result.instructions = int(loop.size());
  result.vector_registers = count_vector_registers(loop, tables);
  result.of_vector_registers = vector_registers_of(*tables.processor);
  auto failed = [&](std::string why) {
    result.failure = std::move(why);
    return result;
  };
  if (loop.empty()) return failed("There is no loop");
  if (!tables.processor->getSchedModel().hasInstrSchedModel())
    return failed(fmt::format("LLVM has no model of the processor {}", result.processor));
  Modelled modelled(tables);
  if (std::string unknown = modelled.add(loop); !unknown.empty()) return failed(unknown);
  if (auto done = run(result, loop, modelled.sequence(), tables); !done)
    return failed(done.error().message);
  auto slowest = std::ranges::max_element(result.lines, {}, &LineCost::cycles);
  result.bottleneck = bottleneck_of(
      result, instruction_name(loop[size_t(slowest - result.lines.begin())].code, tables));
  return result;
}

}  // namespace tw
