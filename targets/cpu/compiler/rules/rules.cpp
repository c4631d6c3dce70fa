#include "targets/cpu/compiler/rules/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/ir/rewrite.h"
#include "targets/cpu/compiler/rules/padding.h"

namespace tw {
namespace {

using namespace ir;

std::optional<RuleStage> stage_of(BlockSite const& site) {
  RuleStage stage{site.block->name, Ref<Block>(site.block), {}, {}};
  for (size_t i = 0; i < site.loops.size() && i < site.block->iters.size(); ++i) {
    IterVar const& iter = site.block->iters[i];
    auto extent = as_int(site.loops[i]->extent);
    if (!extent || iter.kind == IterKind::kOpaque) return std::nullopt;
    if (iter.kind == IterKind::kOrdered) continue;  // steps stay the outermost loop
    (iter.kind == IterKind::kReduce ? stage.reduce : stage.spatial)
        .push_back({site.loops[i]->name(), *extent});
  }
  return stage;
}

bool reads(RuleStage const& stage, std::string const& tensor) {
  bool found = false;
  walk_exprs(stage.node->body, [&](Expr const& e) {
    auto const* read = e.as<Load>();
    found = found || (read && read->buffer->name == tensor);
    return !found;
  });
  return found;
}

/// The only stage that reads what a reduction makes, if it reduces nothing itself.
RuleStage const* epilogue_of(RuleStage const& stage, std::vector<RuleStage> const& stages) {
  RuleStage const* found = nullptr;
  for (RuleStage const& other : stages) {
    if (other.block == stage.block || !reads(other, stage.block)) continue;
    if (found || !other.reduce.empty()) return nullptr;
    found = &other;
  }
  return found;
}

/// Nothing but parameters: computed once, when the model is loaded.
bool is_of_load_time(RuleStage const& stage) {
  bool only = true, any = false;
  walk_exprs(stage.node->body, [&](Expr const& e) {
    if (auto const* read = e.as<Load>())
      any = true, only = only && read->buffer->scope == kParameterScope;
    return only;
  });
  return only && any;
}

/// "BCA16b" for what is read at [q, j, k], where the sum is over k and lanes go along j: a product
/// reads it from one end to the other. Empty: something else is read.
std::string packed_layout(Load const& read, RuleStage const& stage, int64_t width) {
  auto dimension = [&](RuleAxis const& axis) {
    for (size_t d = 0; d < read.indices.size(); ++d)
      if (is_iterator(read.indices[d], axis)) return int(d);
    return -1;
  };
  if (stage.spatial.empty() || stage.reduce.size() != 1 || stage.spatial.back().extent < width)
    return {};
  int lanes = dimension(stage.spatial.back()), sum = dimension(stage.reduce.front());
  if (lanes < 0 || sum < 0 || size_t(sum) + 1 != read.indices.size()) return {};
  std::string layout{char('A' + lanes), char('A' + sum)};
  for (int d = 0; d < sum; ++d)
    if (d != lanes) layout += char('A' + d);
  return layout + fmt::format("{}{}", width, char('a' + lanes));
}

constexpr int64_t kMostPacked = 64 << 20;  // bytes

/// "BA16b" for a parameter that several rows read in panels of columns; the panels then lie one
/// after the other. Empty: it is not so.
std::string turned_layout(Load const& read, RuleStage const& stage, Target const& target) {
  if (read.buffer->scope != kParameterScope || read.indices.size() != 2 ||
      !has_far_rows(read, stage, target))
    return {};
  int64_t rows = 1, bytes = size_of(read.type);
  for (RuleAxis const& axis : stage.spatial) rows *= axis.extent;
  auto shape = constant_shape(*read.buffer);
  for (int64_t extent : *shape) bytes *= extent;
  if (bytes > kMostPacked || rows == stage.spatial.back().extent) return {};
  return fmt::format("BA{}b", target.lanes(read.type));
}

/// Weights lie as the products read them; answers with the stages that read such weights.
std::set<std::string> pack_weights(Building& building, std::vector<RuleStage> const& stages,
                                   Target const& target) {
  std::set<std::string> made, packed;
  for (RuleStage const& stage : stages)
    if (stage.reduce.empty() && is_of_load_time(stage)) made.insert(stage.block);
  for (RuleStage const& stage : stages) {
    if (stage.reduce.empty()) continue;
    std::string step;
    walk_exprs(stage.node->body, [&](Expr const& e) {
      auto const* read = e.as<Load>();
      if (!read || read->buffer->name == stage.block) return true;
      std::string const& tensor = read->buffer->name;
      bool own = made.contains(tensor);
      std::string layout = own ? packed_layout(*read, stage, target.lanes(read->type))
                               : turned_layout(*read, stage, target);
      if (layout.empty()) return true;
      step = own ? fmt::format("transform_layout({}, layout={})", tensor, layout)
                 : fmt::format("pack({}, tensor={}, layout={})", stage.block, tensor, layout);
      return true;
    });
    if (!step.empty() && building.choose(stage, "pack", true) && building.step(step))
      packed.insert(stage.block);
  }
  return packed;
}

std::vector<RuleStage> stages_of(Program const& program) {
  std::vector<RuleStage> stages;
  for (BlockSite const& site : blocks_of(program.body))
    if (auto stage = stage_of(site)) stages.push_back(std::move(*stage));
  return stages;
}

constexpr int64_t kMostLines = 25;  // of a script that a person reads

constexpr int64_t kRows = 16;  // of a plane that is too large to be made at once

/// The loop at which a window's padded input is made: of planes, or of some rows of them where a
/// plane is more than the second cache holds. `stage` is the window.
std::string place_of_padding(Building& building, RuleStage const& stage, RuleStage const& padding,
                             Target const& target) {
  auto const* store = padding.node->body.as<ir::Store>();
  int64_t bytes = store ? size_of(store->buffer->type) : 1;
  for (size_t i = 2; i < padding.spatial.size(); ++i) bytes *= padding.spatial[i].extent;
  MemoryLevel const* second = target.hardware.memory("L2");
  RuleAxis const& rows = stage.spatial[2];
  if (second && bytes > second->bytes && rows.extent > kRows &&
      building.step(fmt::format("{}.0, {}.1 = split({}, factor={})", rows.name, rows.name,
                                reference(stage, rows.name), kRows)))
    return rows.name + ".0";
  return stage.spatial[1].name;  // the channel, when the rule left it whole
}

/// Makes the producer below a loop of its reader, the last of its own loops in lanes.
bool make_at(Building& building, RuleStage const& producer, RuleStage const& stage,
             std::string const& place, int64_t width) {
  if (!building.step(fmt::format("compute_at({}, {})", producer.block, reference(stage, place))))
    return false;
  std::vector<RuleAxis> loops = building.loops_below(producer.block, place);
  if (loops.empty()) return true;
  RuleStage moved{producer.block, producer.node, {}, {}};
  auto [rest, lanes] = building.split(moved, loops.back(), lanes_for(loops.back().extent, width));
  building.step(fmt::format("vectorize({})", reference(moved, lanes)));
  return true;
}

/// What a stage reads and another one makes, each time.
bool may_move(Building const& building, RuleStage const& producer, RuleStage const& stage) {
  return producer.reduce.empty() && reads(stage, producer.block) && !is_of_load_time(producer) &&
         building.has_block(producer.block);
}

/// Another place than the rule's, before everything, for what a stage reads and another one makes:
/// a loop of the tiled nest outside of its sums.
void ask_for_places(Building& building, RuleStage const& stage,
                    std::vector<RuleStage> const& stages, int64_t width) {
  if (stage.terms() <= kFewTerms) return;
  for (RuleStage const& producer : stages) {
    if (!may_move(building, producer, stage)) continue;
    std::vector<std::string> places = {"before"};
    for (std::string const& loop : building.loops_outside_sums(stage)) places.push_back(loop);
    std::string place = building.choose(stage, "place." + producer.block, places, places.front());
    if (place != places.front()) make_at(building, producer, stage, place, width);
  }
}

/// A window that adds few terms waits for memory: its padded input is made plane by plane, while
/// the plane is in the nearest cache.
void pad_by_planes(Building& building, RuleStage const& stage, std::vector<RuleStage> const& stages,
                   Target const& target, int64_t width) {
  if (stage.terms() > kFewTerms || stage.spatial.size() < 3) return;
  for (RuleStage const& producer : stages) {
    if (!may_move(building, producer, stage)) continue;
    std::string plane = place_of_padding(building, stage, producer, target);
    make_at(building, producer, stage, plane, width);
  }
}

/// Products of which an operand is copied in panels, each with the copy's block.
std::map<std::string, std::string> copy_operands_in_panels(Building& building,
                                                           std::vector<RuleStage> const& stages,
                                                           std::set<std::string> const& packed,
                                                           Target const& target) {
  std::map<std::string, std::string> copies;
  for (RuleStage const& stage : stages) {
    if (stage.reduce.empty() || packed.contains(stage.block)) continue;
    if (!wants_panels(stage, target) || !building.choose(stage, "panels", true)) continue;
    std::string copy = copy_in_panels(building, stage, target);
    if (!copy.empty()) copies[stage.block] = copy;
  }
  return copies;
}

Schedule scheduled(Program const& program, std::shared_ptr<Target const> const& for_target,
                   int split_sums, bool brief, Decisions& decisions) {
  Target const& target = *for_target;
  Building building(program, for_target, split_sums, brief, decisions);
  std::set<std::string> streaming = pack_weights(building, stages_of(program), target);
  Program const packed = building.schedule().program();
  std::map<std::string, std::string> copies =
      copy_operands_in_panels(building, stages_of(packed), streaming, target);
  Program const copied = building.schedule().program();
  std::vector<RuleStage> stages = stages_of(copied);
  std::set<std::string> done;
  for (RuleStage& stage : stages) {
    stage.streams = streaming.contains(stage.block) || copies.contains(stage.block);
    stage.padding = padding_of(stage, stages);
    if (stage.padding) done.insert(stage.padding->block);  // in its reader's turn
  }
  std::map<std::string, RuleStage const*> copies_of;  // by the product that reads them
  for (auto const& [product, copy] : copies) {
    copies_of[product] = &*std::ranges::find(stages, copy, &RuleStage::block);
    done.insert(copy);
  }
  for (RuleStage const& stage : stages) {
    if (done.contains(stage.block) || is_of_load_time(stage)) continue;
    auto const* store = stage.node->body.as<Store>();
    int64_t width = target.lanes(store ? store->buffer->type : DType::kF32);
    RuleStage const* epilogue = epilogue_of(stage, stages);
    if (stage.reduce.empty())
      elementwise_rule(building, stage, target, width);
    else if (reduction_rule(building, stage, epilogue, target, width))
      done.insert(epilogue->block);
    if (auto copy = copies_of.find(stage.block);
        copy != copies_of.end() && !place_panel_copy(building, stage, *copy->second, width))
      elementwise_rule(building, *copy->second, target, width);
    if (stage.padding && building.has_block(stage.padding->block))
      elementwise_rule(building, *stage.padding, target, width);
    if (stage.reduce.empty()) continue;
    pad_by_planes(building, stage, stages, target, width);
    ask_for_places(building, stage, stages, width);
  }
  return building.schedule();
}

}  // namespace

Schedule cpu_schedule(Program const& program, std::shared_ptr<Target const> const& target,
                      Decisions& decisions) {
  constexpr std::pair<int, bool> kAttempts[] = {
      {8, false}, {8, true}, {2, true}, {1, true}, {0, true}};
  Schedule schedule(program, target);
  for (auto [split_sums, brief] : kAttempts) {
    decisions.forget_asked();
    schedule = scheduled(program, target, split_sums, brief, decisions);
    if (std::ranges::count(schedule.script(), '\n') <= kMostLines) break;
  }
  return schedule;
}

}  // namespace tw
