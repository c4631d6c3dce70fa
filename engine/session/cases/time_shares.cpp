// Each block of a program modelled alone, and what that makes of its loops and of lines of code.
#include "engine/session/time_shares.h"

#include <algorithm>

#include "engine/compile/load_time.h"
#include "engine/compile/modelled_time.h"
#include "engine/ir/rewrite.h"
#include "engine/session/model/loaded_model.h"
#include "engine/session/views/schedule_views.h"

namespace tw::session {
namespace {

/// The statement with that block alone; null: it is not in there.
ir::Stmt only(ir::Stmt const& stmt, ir::BlockId id) {
  if (auto const* block = stmt.as<ir::Block>()) return block->id == id ? stmt : ir::Stmt();
  if (auto const* all = stmt.as<ir::Seq>()) {
    for (ir::Stmt const& one : all->stmts)
      if (ir::Stmt kept = only(one, id)) return kept;
    return {};
  }
  auto holds = [id](ir::Stmt const& s) {
    return std::ranges::any_of(ir::blocks_of(s),
                               [id](ir::BlockSite const& site) { return site.block->id == id; });
  };
  if (!holds(stmt)) return {};
  // Around it: loops, allocations, conditions.
  class Around : public ir::Rewriter {
  public:
    explicit Around(ir::BlockId id) : id_(id) {}
    using ir::Rewriter::visit;
    ir::Stmt visit(ir::Stmt const& s) override {
      if (s.as<ir::Seq>()) return only(s, id_);
      return s.as<ir::Block>() ? s : rebuild(s);
    }

  private:
    ir::BlockId id_;
  };
  return Around(id).rebuild(stmt);
}

}  // namespace

TimeShares time_shares_of(ir::Program const& program, Backend const& backend, Roofs const& roofs) {
  TimeShares shares;
  shares.program_hash = ir::hash(program);
  ir::Program runs = split_load_time(program).at_run;
  std::map<int, double> seconds;  // by block
  double all = 0;
  for (ir::BlockSite const& site : ir::blocks_of(runs.body)) {
    ir::Program alone = runs;
    alone.body = only(runs.body, site.block->id);
    auto model = alone.body ? modelled_time(alone, backend, roofs) : std::nullopt;
    if (!model) return shares;
    all += seconds[site.block->id.value] = std::max(0.0, model->seconds);
  }
  if (all <= 0) return shares;
  for (ir::BlockSite const& site : ir::blocks_of(program.body)) {
    double share = seconds[site.block->id.value] / all;  // nothing of what runs at load time
    shares.blocks.push_back(share);
    for (ir::For const* loop : site.loops) shares.loops[loop->id.value] += share;
    if (!site.loops.empty()) shares.directly[site.loops.back()->id.value] += share;
  }
  return shares;
}

std::vector<double> shares_of_lines(CodeText const& text, TimeShares const& shares) {
  std::vector<double> lines(text.lines.size(), -1);
  if (!shares.known() || (text.kind != CodeKind::kProgram && text.kind != CodeKind::kPass))
    return lines;
  bool has_blocks = text.kind == CodeKind::kProgram;
  std::map<int, int> opened, inside;  // how often a loop stands there, and lines directly in it
  for (CodeLine const& line : text.lines) {
    if (line.change == LineChange::kRemoved) continue;
    if (line.loop >= 0)
      ++opened[line.loop];
    else if (!line.loops.empty())
      ++inside[line.loops.back()];
  }
  std::vector<bool> begun(shares.blocks.size(), false);
  for (size_t i = 0; i < lines.size(); ++i) {
    CodeLine const& line = text.lines[i];
    if (line.change == LineChange::kRemoved) continue;
    if (line.loop >= 0) {
      if (auto found = shares.loops.find(line.loop); found != shares.loops.end())
        lines[i] = found->second / opened[line.loop];
    } else if (has_blocks && line.stage >= 0 && size_t(line.stage) < begun.size()) {
      if (!begun[size_t(line.stage)]) lines[i] = shares.blocks[size_t(line.stage)];
      begun[size_t(line.stage)] = true;
    } else if (!has_blocks && !line.loops.empty()) {
      auto found = shares.directly.find(line.loops.back());
      if (found != shares.directly.end()) lines[i] = found->second / inside[line.loops.back()];
    }
  }
  return lines;
}

Result<TimeShares> time_shares(LoadedModel const& model, int kernel, std::string const& script,
                               std::string const& script_file, MachineView const& machine,
                               Backend const& backend) {
  if (!machine.rates)
    return bad_input("unknown_roofs", "the roofs of the machine are not measured");
  TRY_ASSIGN(ir::Program program, plain_program(model, kernel));
  TRY_ASSIGN(ir::Program scheduled, schedule_program(program, script, script_file, backend));
  return time_shares_of(scheduled, backend, *machine.rates);
}

}  // namespace tw::session
