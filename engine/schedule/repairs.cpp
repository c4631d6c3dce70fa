#include "engine/schedule/repairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/schedule/legality/block_class.h"
#include "engine/schedule/legality/stages.h"
#include "engine/schedule/names.h"
#include "engine/schedule/repair_instructions.h"
#include "engine/schedule/rewriting/buffers.h"
#include "engine/schedule/trace.h"
#include "engine/schedule/validate.h"

namespace tw {
namespace {

using namespace ir;

constexpr int kMostTrials = 32;

/// A refused step with what its targets name, as far as they name anything.
struct Wish {
  Schedule const& schedule;
  Step const& step;
  Primitive const& primitive;
  std::vector<LoopSite> loops;
  std::vector<BlockSite> blocks;

  Program const& program() const { return schedule.program(); }
  /// As the step calls it, if it does.
  std::string name_of(LoopId loop) const {
    size_t first = step.targets.size() - std::min(loops.size(), step.targets.size());
    for (size_t i = 0; i < loops.size(); ++i)
      if (loops[i].loop->id == loop) return step.targets[first + i];
    return reference_of(program(), loop);
  }
};

struct Way {
  std::vector<Step> steps;
  std::string effect;
};
using Ways = std::vector<Way>;
using Finder = Ways (*)(Wish const&);

Step step_of(std::string primitive, std::vector<std::string> targets,
             std::map<std::string, ArgumentValue> arguments = {}) {
  return {std::move(primitive), std::move(targets), std::move(arguments), {}};
}

/// The step with another word for its last target, or for its only one.
Step with_last_target(Step step, std::string target) {
  step.targets.back() = std::move(target);
  step.gives.clear();
  return step;
}

std::string iterations_text(For const& loop) {
  return fmt::format("{} iterations", as_int(loop.extent).value_or(0));
}

bool in_one_nest(LoopSite const& a, LoopSite const& b) {
  auto root = [](LoopSite const& site) {
    return site.around.empty() ? site.loop->id : site.around.front()->id;
  };
  return root(a) == root(b);
}

/// The same step at the other loops of the nest, in the order of their distance.
Ways at_another_loop(Wish const& wish) {
  if (wish.loops.size() != 1) return {};
  std::vector<LoopSite> all = loops_of(wish.program().body);
  auto place = [&](LoopSite const& site) {
    return std::ranges::find_if(all, [&](auto& x) { return x.loop->id == site.loop->id; }) -
           all.begin();
  };
  auto asked = place(wish.loops[0]);
  std::vector<LoopSite> others;
  for (LoopSite const& site : all)
    if (in_one_nest(site, wish.loops[0]) && place(site) != asked && !is_int(site.loop->extent, 1))
      others.push_back(site);
  // Other primitives move a thing; where they are put should differ as little as possible.
  if (!wish.blocks.empty())
    std::ranges::stable_sort(others, [&](LoopSite const& a, LoopSite const& b) {
      return std::abs(place(a) - asked) < std::abs(place(b) - asked);
    });
  Ways ways;
  for (LoopSite const& site : others)
    ways.push_back(
        {{with_last_target(wish.step, wish.name_of(site.loop->id))}, iterations_text(*site.loop)});
  return ways;
}

/// Partial results of a reduction loop first, then the step on them.
Ways by_partial_results(Wish const& wish) {
  if (wish.loops.size() != 1 || !wish.blocks.empty()) return {};
  Step factor = step_of("rfactor", {wish.name_of(wish.loops[0].loop->id)});
  auto factored = wish.schedule.apply(factor, ProofBudget::kInteractive);
  if (!factored) return {};
  Step then =
      with_last_target(wish.step, reference_of(factored->program(), wish.loops[0].loop->id));
  return {{{factor, then},
           fmt::format("{} partial results, then their sum",
                       as_int(wish.loops[0].loop->extent).value_or(0))}};
}

/// A part of the loop, cut off by a split.
Ways by_splitting(Wish const& wish) {
  if (wish.loops.size() != 1 || !wish.blocks.empty()) return {};
  Ways ways;
  for (int64_t factor : {64, 32, 16, 8, 4, 2}) {
    Step cut = step_of("split", {wish.name_of(wish.loops[0].loop->id)}, {{"factor", factor}});
    auto parts = wish.schedule.apply(cut, ProofBudget::kInteractive);
    if (!parts) continue;
    LoopId inner = parts->last_cursors().at(wish.loops[0].loop->id).back();
    ways.push_back({{cut, with_last_target(wish.step, reference_of(parts->program(), inner))},
                    fmt::format("{} iterations of it", factor)});
  }
  return ways;
}

/// Another mark where this one does not nest: the loop as copies or lanes, or a part of it.
Ways marked_otherwise(Wish const& wish) {
  if (wish.loops.size() != 1 || !wish.blocks.empty()) return {};
  std::string name = wish.name_of(wish.loops[0].loop->id);
  Ways ways;
  auto offer = [&](char const* mark, std::vector<Step> steps, char const* effect) {
    if (mark == wish.step.primitive) return;
    std::string target = name;
    for (Step const& cut : steps)
      if (auto parts = wish.schedule.apply(cut, ProofBudget::kInteractive))
        target =
            reference_of(parts->program(), parts->last_cursors().at(wish.loops[0].loop->id).back());
    steps.push_back(step_of(mark, {target}));
    ways.push_back({std::move(steps), effect});
  };
  int64_t extent = as_int(wish.loops[0].loop->extent).value_or(0), factor = 8;
  while (factor > 1 && extent % factor != 0) factor /= 2;
  if (factor > 1 && extent > 8)  // a short loop is copied as a whole
    offer("unroll", {step_of("split", {name}, {{"factor", factor}})}, "copies of its body");
  offer("unroll", {}, "copies of its body");
  offer("vectorize", {}, "lanes of a vector");
  return ways;
}

/// Other numbers for the arguments that count iterations: those that divide the loop first.
Ways with_another_number(Wish const& wish) {
  int64_t extent = wish.loops.empty() ? 8 : as_int(wish.loops[0].loop->extent).value_or(0);
  std::vector<int64_t> numbers;
  for (int64_t n = std::min<int64_t>(extent, 64); n > 1; --n)
    if (extent % n == 0) numbers.push_back(n);
  for (int64_t n : {extent / 2, extent - 1, int64_t(1), int64_t(0)}) numbers.push_back(n);
  Ways ways;
  for (auto const& [name, value] : wish.step.arguments)
    for (int64_t number : numbers) {
      if (!std::holds_alternative<int64_t>(value) || value == ArgumentValue(number)) continue;
      Step other = wish.step;
      other.arguments[name] = number;
      ways.push_back({{other},
                      wish.loops.empty() ? fmt::format("{} of {}", name, number)
                                         : fmt::format("of {} iterations", extent)});
    }
  return ways;
}

/// The same loops in the order in which they stand, or as they would stand side by side.
Ways in_another_order(Wish const& wish) {
  if (wish.loops.size() < 2) return {};
  std::vector<LoopSite> sorted = wish.loops;
  std::ranges::stable_sort(sorted, [](LoopSite const& a, LoopSite const& b) {
    return a.around.size() < b.around.size();
  });
  Step ordered = wish.step, reorder = step_of("reorder", {});
  ordered.targets.clear();
  for (LoopSite const& site : sorted) ordered.targets.push_back(wish.name_of(site.loop->id));
  Ways ways{{{ordered}, "from the outer loop to the inner one"}};
  // Loops that stand between the two go around them.
  for (For const* loop : sorted.back().around)
    if (loop->id != sorted.front().loop->id &&
        sorted.front().around.size() < site_of(wish.program(), loop->id).around.size())
      reorder.targets.push_back(wish.name_of(loop->id));
  for (std::string const& target : ordered.targets) reorder.targets.push_back(target);
  ways.push_back({{reorder, ordered}, "next to each other first"});
  if (ordered.targets != wish.step.targets)
    ways.push_back({{reorder, wish.step}, "next to each other first"});
  return ways;
}

/// The start of the sum in a block of its own first, at each loop around the targets' block.
Ways by_decomposing(Wish const& wish) {
  Ways ways;
  if (wish.loops.empty()) return ways;
  for (For const* loop : place_loops(wish.loops.back())) {
    Step start = step_of("decompose_reduction", {wish.name_of(loop->id)});
    auto next = wish.schedule.apply(start, ProofBudget::kInteractive);
    if (!next) continue;
    Step then = wish.step;
    for (size_t i = 0; i < then.targets.size() && wish.blocks.empty(); ++i)
      then.targets[i] = reference_of(next->program(), wish.loops[i].loop->id);
    ways.push_back({{start, then}, "the sum is initialized before the loop"});
  }
  return ways;
}

/// A tensor that the caller sees is computed elsewhere and copied.
Ways by_cache_write(Wish const& wish) {
  if (wish.blocks.empty()) return {};
  return {{{step_of("cache_write", {wish.blocks[0].block->name}), wish.step},
           "computed into a separate tensor, then copied"}};
}

Ways inline_instead(Wish const& wish) {
  if (wish.blocks.empty()) return {};
  std::string const& block = wish.blocks[0].block->name;
  return {{{step_of("compute_inline", {block})}, "computed where it is read"},
          {{step_of("reverse_compute_inline", {block})}, "computed in the block that it reads"}};
}

/// The block at a loop instead of inside of an expression, innermost loops first.
Ways at_a_loop_instead(Wish const& wish) {
  if (wish.blocks.empty()) return {};
  BlockSite const& block = wish.blocks[0];
  bool reverse = wish.step.primitive.starts_with("reverse");
  std::vector<BlockSite> partners;
  if (!reverse && written_buffer(block))
    partners = readers_of(wish.program(), written_buffer(block)->name);
  if (reverse)
    for (std::string const& tensor : read_buffers(*block.block))
      for (BlockSite const& writer : writers_of(wish.program(), tensor)) partners.push_back(writer);
  Ways ways;
  for (BlockSite const& partner : partners)
    for (size_t i = partner.loops.size(); i-- > 0;)
      ways.push_back({{step_of(reverse ? "reverse_compute_at" : "compute_at",
                               {block.block->name, wish.name_of(partner.loops[i]->id)})},
                      "a part of it in each iteration"});
  return ways;
}

/// The tensors that the block reads.
Ways with_another_tensor(Wish const& wish) {
  Ways ways;
  if (wish.blocks.empty() || !wish.step.arguments.contains("tensor")) return ways;
  for (std::string const& tensor : read_buffers(*wish.blocks[0].block)) {
    Step other = wish.step;
    other.arguments["tensor"] = tensor;
    ways.push_back({{other}, "a tensor that the block reads"});
  }
  return ways;
}

/// With the loops inside of the last one that the step is missing.
Ways with_more_targets(Wish const& wish) {
  size_t wanted = wish.primitive.targets < 0 ? 2 : size_t(wish.primitive.targets);
  if (wish.loops.empty() || wish.step.targets.size() >= wanted) return {};
  Step other = wish.step;
  for (LoopSite const& site : loops_of(wish.loops.back().loop->body))
    if (other.targets.size() < wanted) other.targets.push_back(wish.name_of(site.loop->id));
  return {{{other}, "with the loop inside it"}};
}

/// Loops around the block that the step names.
Ways around_the_block(Wish const& wish) {
  Ways ways;
  if (wish.blocks.empty()) return ways;
  for (size_t i = wish.blocks[0].loops.size(); i-- > 0;) {
    For const& loop = *wish.blocks[0].loops[i];
    ways.push_back({{with_last_target(wish.step, wish.name_of(loop.id))}, iterations_text(loop)});
  }
  return ways;
}

/// Usual layouts of as many dimensions as the tensor has: two of them exchanged, the last one in
/// blocks, for each tensor that the step may mean.
Ways with_another_layout(Wish const& wish) {
  Ways ways;
  if (wish.blocks.empty()) return ways;
  BlockSite const& block = wish.blocks[0];
  std::vector<std::string> tensors = read_buffers(*block.block);
  if (!wish.step.arguments.contains("tensor")) tensors = {""};
  for (std::string const& tensor : tensors) {
    Buffer buffer = tensor.empty() ? written_buffer(block) : find_buffer(wish.program(), tensor);
    if (!buffer) continue;
    std::string plain;
    for (size_t d = 0; d < buffer->shape.size(); ++d) plain += char('A' + d);
    std::string turned = plain;
    if (turned.size() > 1) std::swap(turned[turned.size() - 1], turned[turned.size() - 2]);
    for (std::string const& layout :
         {turned, plain + "8" + char('a' + plain.size() - 1), plain + "2a"}) {
      Step other = wish.step;
      other.arguments["layout"] = layout;
      if (!tensor.empty()) other.arguments["tensor"] = tensor;
      ways.push_back({{other}, "a layout of its dimensions"});
    }
  }
  return ways;
}

/// Without the names that cannot be given.
Ways with_free_names(Wish const& wish) {
  Step other = wish.step;
  other.gives.clear();
  return {{{other}, "with names that are not used yet"}};
}

/// The loop around or inside of it that is still as it was made.
Ways without_arguments(Wish const& wish) {
  Step other = wish.step;
  std::erase_if(other.arguments, [&](auto const& argument) {
    return std::ranges::none_of(wish.primitive.parameters, [&](Parameter const& parameter) {
      return parameter.name == argument.first && !parameter.optional;
    });
  });
  return {{{other}, "without the optional arguments"}};
}

/// With another word out of those that an argument may be.
Ways with_another_choice(Wish const& wish) {
  Ways ways;
  for (Parameter const& parameter : wish.primitive.parameters)
    for (std::string const& word : parameter.choices) {
      Step other = wish.step;
      auto given = other.arguments.find(parameter.name);
      if (given == other.arguments.end() || given->second == ArgumentValue(word)) continue;
      given->second = word;
      ways.push_back({{other}, "another " + parameter.name});
    }
  return ways;
}

/// All that an instruction needs of the nest first.
Ways toward_the_instruction(Wish const& wish) {
  if (std::ranges::none_of(wish.primitive.parameters, &Parameter::intrinsic)) return {};
  std::vector<Step> steps = steps_to_instruction(wish.schedule, wish.step);
  if (steps.empty()) return {};
  return {{std::move(steps), "the nest as the instruction needs it"}};
}

/// Of a step that puts a block elsewhere.
std::vector<Finder> const& of_placing() {
  static std::vector<Finder> const finders{with_another_choice, at_another_loop, inline_instead,
                                           at_a_loop_instead};
  return finders;
}

/// Which ways may help against which refusal; the first ones are tried first.
std::map<std::string, std::vector<Finder>> const& ways_table() {
  static std::map<std::string, std::vector<Finder>> const table{
      {"argument_out_of_range", {with_another_number}},
      {"factor_out_of_range", {with_another_number}},
      {"factor_or_parts", {without_arguments, with_another_number}},
      {"partition_out_of_range", {with_another_number}},
      {"no_such_dimension", {with_another_number}},
      {"bad_layout", {without_arguments, with_another_layout}},
      {"wrong_targets", {with_more_targets}},
      {"not_around_the_block", {around_the_block}},
      {"written_beside", {with_another_tensor, with_another_layout}},
      {"name_taken", {with_free_names}},
      {"bad_name", {with_free_names}},
      {"wrong_names", {with_free_names}},
      {"not_read_there", {with_another_tensor, with_another_layout, around_the_block}},
      {"too_many_lanes", {by_splitting, at_another_loop}},
      {"too_many_copies", {by_splitting, at_another_loop}},
      {"kinds_do_not_nest", {at_another_loop, marked_otherwise}},
      {"not_neighbours", {in_another_order}},
      {"not_on_one_chain", {in_another_order}},
      {"not_perfectly_nested", {in_another_order, by_decomposing}},
      {"start_not_first", {by_decomposing, in_another_order}},
      {"start_undecided", {by_decomposing, with_another_number, at_another_loop}},
      {"writes_an_output", {by_cache_write, at_another_loop}},
      {"same_in_each_iteration", {at_another_loop, with_another_tensor}},
      {"nest_differs", {toward_the_instruction, at_another_loop}},
      {"extent_differs", {toward_the_instruction, at_another_loop}},
      {"starts_a_sum", {toward_the_instruction, by_decomposing}},
      {"not_in_rows", {toward_the_instruction}},
      {"not_one_block", {toward_the_instruction, at_another_loop}},
      {"unknown_block", {}},
      {"unknown_loop", {}},
      {"ambiguous_loop", {}},
      {"read_in_its_nest", {at_a_loop_instead}},
  };
  return table;
}

std::vector<Finder> finders_for(std::string const& code, Step const& step) {
  if (auto found = ways_table().find(code); found != ways_table().end()) return found->second;
  bool places = step.primitive.contains("compute_");
  if (places) return of_placing();
  return {at_another_loop, by_decomposing, by_partial_results};
}

bool works(Schedule const& schedule, std::vector<Step> const& steps) {
  Schedule now = schedule;
  for (Step const& step : steps) {
    auto next = now.apply(step, ProofBudget::kInteractive);
    if (!next) return false;
    now = std::move(*next);
  }
  return true;
}

std::string text_of(std::vector<Step> const& steps) {
  std::string text;
  for (Step const& step : steps) text += (text.empty() ? "" : "; ") + to_text(step);
  return text;
}

Wish wish_of(Schedule const& schedule, Step const& step, Primitive const& primitive) {
  Wish wish{schedule, step, primitive, {}, {}};
  for (std::string const& target : step.targets) {
    bool block = is_block_target(schedule.program(), primitive,
                                 wish.blocks.size() + wish.loops.size(), target);
    if (block) {
      if (auto site = find_block(schedule.program(), target)) wish.blocks.push_back(*site);
    } else if (auto site = find_loop(schedule.program(), target)) {
      wish.loops.push_back(*site);
    }
  }
  return wish;
}

/// At most `most` in all: as many of the first kind as leave one place for each of the others.
std::vector<Repair> best_of(std::vector<std::vector<Repair>> const& found, size_t most) {
  std::vector<Repair> best;
  auto later = std::ranges::count_if(found, [](auto const& list) { return !list.empty(); });
  for (auto const& list : found) {
    if (list.empty()) continue;
    --later;
    for (Repair const& repair : list) {
      if (best.size() + std::min(size_t(later), most - 1) >= most) break;
      bool known = std::ranges::any_of(best, [&](auto const& r) { return r.step == repair.step; });
      if (!known) best.push_back(repair);
    }
  }
  return best;
}

}  // namespace

std::vector<Repair> repairs_for(Schedule const& schedule, Step const& step, size_t most) {
  Primitive const* primitive = find_primitive(step.primitive);
  auto answer = schedule.check(step, ProofBudget::kInteractive);
  if (!primitive || answer || step.targets.empty()) return {};
  Wish wish = wish_of(schedule, step, *primitive);
  std::vector<std::vector<Repair>> found;
  int trials = 0;
  for (Finder finder : finders_for(answer.error().code, step)) {
    found.emplace_back();
    for (Way const& way : finder(wish)) {
      if (found.back().size() == most || ++trials > kMostTrials) break;
      if (works(schedule, way.steps)) found.back().push_back({text_of(way.steps), way.effect});
    }
  }
  return best_of(found, most);
}

}  // namespace tw
