#include "engine/session/views/lane_views.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/analysis/tensor_parts.h"
#include "engine/compile/load_time.h"
#include "engine/ir/accesses.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/memory_use.h"
#include "engine/schedule/names.h"
#include "engine/schedule/rewriting/expand_calls.h"
#include "engine/session/views/tensor_cards.h"

namespace tw::session {
namespace {

using Parts = std::map<std::string, analysis::Touched>;

int64_t extent_of(ir::For const& loop) { return ir::as_int(loop.extent).value_or(1); }

double instances_of(ir::BlockSite const& site) {
  double count = 1;
  for (ir::For const* loop : site.loops) count *= double(extent_of(*loop));
  return count;
}

bool is_copied(ir::For const& loop) {
  return loop.loop_kind == ir::LoopKind::kVector || loop.loop_kind == ir::LoopKind::kUnroll;
}

int64_t lines_of(Parts const& parts) {
  int64_t bytes = 0;
  for (auto const& [name, part] : parts) bytes += part.line_bytes;
  return bytes;
}

/// Lanes of one program, the nearest memory first.
class Lanes {
public:
  Lanes(ir::Program const& program, Target const& target)
      : program_(program), target_(target), written_out_(with_calls_expanded(program)) {
    for (ir::BlockSite const& site : ir::blocks_of(program.body)) note_block(*site.block);
    for (TensorCard const& tensor : tensor_cards(program)) view_.names.push_back(tensor.name);
  }

  LanesView made() {
    view_.program_hash = ir::hash(program_);
    auto busiest = busiest_block(program_);
    if (!busiest) return view_;
    view_.block = busiest->block->name;
    whole_ = parts_in({});
    note_accesses(*busiest);
    if (target_.axes.empty() && !target_.hardware.caches().empty()) add_registers(*busiest);
    for (MemoryLevel const& level : target_.hardware.caches()) add_cache(level, *busiest);
    add_scopes();
    add_main();
    return std::move(view_);
  }

private:
  Parts parts_in(std::optional<ir::LoopId> loop) const {
    return analysis::tensor_parts(written_out_, loop, target_.hardware.line_bytes());
  }

  void note_block(ir::Block const& block) {
    view_.names.push_back(block.name);
    ir::walk_writes(block.body, [&](ir::Touched const& at) { written_.insert(at.buffer->name); });
    for (ir::BlockAccess const& access : ir::accesses_of(block))
      if (access.buffer->scope != kGlobalScope && access.buffer->scope != ir::kParameterScope)
        elsewhere_.insert(access.buffer->name);
  }

  void note_accesses(ir::BlockSite const& site) {
    std::set<std::string> read, written;
    for (ir::BlockAccess const& access : ir::accesses_of(*site.block)) {
      if (access.kind == ir::AccessKind::kHint) continue;
      (access.kind == ir::AccessKind::kWrite ? written : read).insert(access.buffer->name);
    }
    for (std::string const& name : read)
      if (!written.contains(name)) view_.readable.push_back(name);
    view_.writable.assign(written.begin(), written.end());
  }

  LanePart part_of(std::string const& name, analysis::Touched const& touched) const {
    auto all = whole_.find(name);
    return {name, touched.bytes, touched.exact,
            all != whole_.end() && all->second.bytes <= touched.bytes, written_.contains(name)};
  }

  /// What a nearer lane has as much of is not said again.
  void put(MemoryLane lane, Parts const& parts) {
    for (auto const& [name, touched] : parts) {
      lane.used += touched.line_bytes;
      if (touched.bytes <= said_[name] || elsewhere_.contains(name)) continue;
      said_[name] = touched.bytes;
      lane.parts.push_back(part_of(name, touched));
    }
    std::ranges::stable_sort(lane.parts, std::greater(), &LanePart::bytes);
    view_.lanes.push_back(std::move(lane));
  }

  void name_loop(MemoryLane& lane, ir::For const& loop) const {
    lane.loop = loop.id.value;
    lane.reference = reference_of(program_, loop.id);
  }

  /// Sums stay in registers while copies of their block add to them; of what is read one register
  /// at a time is enough.
  void add_registers(ir::BlockSite const& site) {
    Unit const& unit = target_.hardware.unit();
    MemoryLane lane{.name = "Registers",
                    .kind = LaneKind::kRegisters,
                    .level = -1,
                    .doc = fmt::format("{} of {} bytes", unit.vector_registers, unit.vector_bytes),
                    .bytes = int64_t(unit.vector_registers) * unit.vector_bytes};
    size_t copies = site.loops.size();
    while (copies > 0 && is_copied(*site.loops[copies - 1])) --copies;
    Parts parts;
    if (copies > 0) {
      name_loop(lane, *site.loops[copies - 1]);
      parts = parts_in(site.loops[copies - 1]->id);
    }
    std::set<std::string> summed;
    for (analysis::TensorAccess const& access : analysis::accesses_of(site))
      if (access.update && access.writes) summed.insert(access.buffer->name);
    for (auto const& [name, touched] : parts) {
      bool sum = summed.contains(name);
      bool of_block = std::ranges::count(view_.readable, name) > 0;
      if (!sum && !of_block) continue;
      int64_t bytes = sum ? touched.bytes : std::min<int64_t>(touched.bytes, unit.vector_bytes);
      lane.parts.push_back({name, bytes, touched.exact, false, written_.contains(name)});
      lane.used += bytes;
    }
    std::ranges::stable_sort(lane.parts, std::greater(), &LanePart::bytes);
    view_.lanes.push_back(std::move(lane));
  }

  void add_cache(MemoryLevel const& level, ir::BlockSite const& site) {
    int place = int(&level - target_.hardware.caches().data());
    MemoryLane lane{.name = level.name,
                    .kind = LaneKind::kCache,
                    .level = place,
                    .doc = level.shared_by > 1 ? fmt::format("shared by {} {}s", level.shared_by,
                                                             target_.hardware.unit().name)
                                               : "",
                    .bytes = level.bytes};
    if (lines_of(whole_) <= level.bytes) return put(std::move(lane), whole_);
    for (ir::For const* loop : site.loops) {
      Parts parts = parts_in(loop->id);
      if (lines_of(parts) > level.bytes) continue;
      name_loop(lane, *loop);
      return put(std::move(lane), parts);
    }
    view_.lanes.push_back(std::move(lane));
  }

  void add_scopes() {
    std::vector<MemoryUse> used = memory_use(split_load_time(program_).at_run, target_);
    for (MemoryScope const& scope : target_.scopes) {
      if (scope.name == kGlobalScope) continue;
      auto use = std::ranges::find(used, scope.name, &MemoryUse::memory);
      if (use == used.end() && scope.bytes == 0) continue;
      MemoryLane lane{.name = scope.name,
                      .kind = LaneKind::kScope,
                      .level = 0,
                      .doc = scope.doc,
                      .bytes = scope.bytes};
      if (use != used.end()) {
        lane.used = use->bytes;
        for (auto const* list : {&use->parts, &use->others})
          for (MemoryPart const& part : *list)
            lane.parts.push_back(
                {part.tensor, part.bytes, true, true, written_.contains(part.tensor)});
      }
      view_.lanes.push_back(std::move(lane));
    }
  }

  void add_main() {
    MemoryLane lane{.name = "DRAM",
                    .kind = LaneKind::kMain,
                    .level = int(target_.hardware.caches().size()),
                    .bytes = target_.hardware.main_memory_bytes()};
    for (MemoryLevel const& level : target_.hardware.memories)
      if (!level.cache && level.bytes == lane.bytes) lane.name = level.name;
    put(std::move(lane), whole_);
  }

  ir::Program const& program_;
  Target const& target_;
  ir::Program written_out_;
  LanesView view_;
  Parts whole_;
  std::set<std::string> written_, elsewhere_;  ///< by the program; in memories of the target's own
  std::map<std::string, int64_t> said_;        ///< bytes, by nearer caches
};

/// As a step that makes a tensor or a block names it.
std::string free_name_of(LanesView const& view, std::string const& wanted) {
  std::string name = wanted;
  for (int number = 2; std::ranges::count(view.names, name) > 0; ++number)
    name = fmt::format("{}_{}", wanted, number);
  return name;
}

}  // namespace

std::optional<ir::BlockSite> busiest_block(ir::Program const& program) {
  std::optional<ir::BlockSite> best;
  for (ir::BlockSite const& site : ir::blocks_of(program.body))
    if (!best || instances_of(site) > instances_of(*best)) best = site;
  return best;
}

LanesView lanes_view(ir::Program const& program, Target const& target) {
  return Lanes(program, target).made();
}

std::string line_for_drop(LanesView const& view, std::string const& tensor,
                          MemoryLane const& lane) {
  bool reads = std::ranges::count(view.readable, tensor) > 0;
  bool writes = std::ranges::count(view.writable, tensor) > 0;
  if ((!reads && !writes) || lane.kind == LaneKind::kMain) return {};
  std::string scope = lane.kind == LaneKind::kScope ? ", scope=" + lane.name : "";
  std::string copy = free_name_of(view, reads ? tensor + "_cache" : view.block + "_write");
  std::string line = reads ? fmt::format("cache_read({}, tensor={}{})", view.block, tensor, scope)
                           : fmt::format("cache_write({}{})", view.block, scope);
  if (lane.reference.empty()) return line;
  return fmt::format("{}; {}({}, {})", line, reads ? "compute_at" : "reverse_compute_at", copy,
                     lane.reference);
}

}  // namespace tw::session
