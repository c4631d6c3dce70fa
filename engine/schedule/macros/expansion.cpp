#include "engine/schedule/macros/expansion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "engine/ir/stmt.h"
#include "engine/schedule/macros/macro_checks.h"
#include "engine/schedule/names.h"
#include "engine/schedule/rewriting/macro.h"
#include "engine/schedule/trace.h"
#include "engine/schedule/validate.h"

namespace tw {
namespace {

constexpr size_t kLongName = 40;
constexpr size_t kMostSteps = 1000;  // macros that use macros grow fast

std::unexpected<Refusal> refuse(std::string code, std::string message) {
  Refusal refusal;
  refusal.code = std::move(code);
  refusal.message = std::move(message);
  return std::unexpected(std::move(refusal));
}

/// What the names of a macro's body stand for.
struct Frame {
  Macro const& macro;
  std::map<std::string, ArgumentValue> values;
  std::map<std::string, ir::LoopId> loops;
  std::map<std::string, std::string> blocks;
  std::map<std::string, std::string> lost;     ///< loops that are no more, and what became of them
  std::map<std::string, std::string> renamed;  ///< loops that the caller gave a name
};

std::set<std::string> block_names(ir::Program const& program) {
  std::set<std::string> names;
  for (ir::BlockSite const& site : ir::blocks_of(program.body)) names.insert(site.block->name);
  return names;
}

class Expansion {
public:
  Expansion(Schedule schedule, MacroSet const& macros, ProofBudget budget)
      : before_(schedule), schedule_(std::move(schedule)), macros_(macros), budget_(budget) {}

  Schedule const& schedule() const { return schedule_; }
  CursorMap const& cursors() const { return cursors_; }

  /// The loops that the macro gives.
  std::expected<std::vector<ir::LoopId>, Refusal> run(Macro const& macro, Step const& step) {
    auto frame = entered(macro, step);
    if (!frame) return std::unexpected(frame.error());
    frames_.push_back(&*frame);
    for (MacroLine const& line : macro.body)
      if (auto taken = take(*frame, line); !taken) return std::unexpected(taken.error());
    frames_.pop_back();
    std::vector<ir::LoopId> made;
    for (std::string const& name : macro.gives) {
      if (!frame->loops.contains(name)) return std::unexpected(lost(*frame, name));
      made.push_back(frame->loops.at(name));
    }
    return made;
  }

private:
  std::expected<Frame, Refusal> entered(Macro const& macro, Step step) const {
    for (auto const& [name, word] : macro.presets) step.arguments.try_emplace(name, word);
    auto valid = validate(macro.head, std::move(step), schedule_.target());
    if (!valid) return std::unexpected(valid.error());
    Frame frame{macro, std::move(valid->arguments), {}, {}, {}, {}};
    std::set<ir::LoopId> loops;
    for (size_t i = 0; i < valid->targets.size(); ++i) {
      std::string const& name = valid->targets[i];
      if (macro.head.kinds[i] == TargetKind::kBlock) {
        auto block = find_block(schedule_.program(), name);
        if (!block) return refuse(block.error().code, block.error().message);
        frame.blocks[macro.targets[i]] = block->block->name;
        continue;
      }
      auto loop = find_loop(schedule_.program(), name);
      if (!loop) return refuse(loop.error().code, loop.error().message);
      if (!loops.insert(loop->loop->id).second)
        return refuse("loop_twice",
                      fmt::format("{} names the loop {} twice", macro.head.name, name));
      frame.loops[macro.targets[i]] = loop->loop->id;
    }
    for (size_t i = 0; i < valid->gives.size(); ++i)
      frame.renamed[macro.gives[i]] = valid->gives[i];
    return frame;
  }

  std::expected<void, Refusal> take(Frame& frame, MacroLine const& line) {
    std::set<std::string> blocks = block_names(schedule_.program());
    auto step = meant(frame, line.step);
    if (!step) return std::unexpected(told(frame, line, line.step, step.error()));
    Macro const* macro = macros_.find(step->primitive);
    auto made = macro ? run(*macro, *step) : apply(*step);
    if (!made) return std::unexpected(told(frame, line, *step, made.error()));
    std::vector<std::string> const& names = line.step.gives;
    if (head_of(step->primitive, macros_)->gives == 0 && !names.empty()) {
      auto named = name_new_block(frame, names[0], blocks);
      if (!named) return std::unexpected(told(frame, line, *step, named.error()));
    } else {
      for (size_t i = 0; i < names.size(); ++i) frame.loops[names[i]] = (*made)[i];
    }
    return {};
  }

  /// The step of the body in the words of the program.
  std::expected<Step, Refusal> meant(Frame const& frame, Step const& line) const {
    Step step{line.primitive, {}, {}, {}};
    for (std::string const& name : line.targets) {
      if (frame.lost.contains(name)) return std::unexpected(lost(frame, name));
      step.targets.push_back(reference(frame, name));
    }
    for (auto const& [name, value] : line.arguments) {
      auto const* word = std::get_if<std::string>(&value);
      if (!word) {
        step.arguments[name] = value;
      } else if (is_parameter(frame, *word)) {
        // One that was left out leaves out what it would have been.
        if (auto given = frame.values.find(*word); given != frame.values.end())
          step.arguments[name] = given->second;
      } else {
        auto block = frame.blocks.find(*word);
        step.arguments[name] = block == frame.blocks.end() ? *word : block->second;
      }
    }
    step.gives = names_for(frame, line, step);
    return step;
  }

  std::string reference(Frame const& frame, std::string const& name) const {
    if (auto loop = frame.loops.find(name); loop != frame.loops.end())
      return reference_of(schedule_.program(), loop->second);
    if (auto block = frame.blocks.find(name); block != frame.blocks.end()) return block->second;
    size_t dot = name.find('.');
    return loop_of(frame.blocks.at(name.substr(0, dot)), name.substr(dot + 1));
  }

  /// The innermost loop of the block that is called so, or was until a move gave it a number.
  std::string loop_of(std::string const& block, std::string const& loop) const {
    auto site = find_block(schedule_.program(), block);
    for (bool numbered : {false, true})
      for (size_t i = site ? site->loops.size() : 0; i-- > 0;) {
        std::string name = site->loops[i]->name();
        size_t stem = numbered ? name.find_last_not_of("0123456789") : name.size();
        if (numbered && (name[stem] != '_' || stem + 1 == name.size())) continue;
        if (name.substr(0, stem) == loop) return block + "." + name;
      }
    return block + "." + loop;
  }

  static bool is_parameter(Frame const& frame, std::string const& word) {
    auto const& all = frame.macro.head.parameters;
    return std::ranges::find(all, word, &Parameter::name) != all.end();
  }

  /// Those that the caller chose, and beside them what the body calls the others; none where the
  /// caller chose none.
  std::vector<std::string> names_for(Frame const& frame, Step const& line, Step const& step) const {
    bool chosen = std::ranges::any_of(
        line.gives, [&](std::string const& name) { return frame.renamed.contains(name); });
    auto near = find_loop(schedule_.program(), step.targets.front());
    // A name that is made from others is longer than they are: told again and again it has no end.
    bool endless = near && near->loop->name().size() > kLongName &&
                   head_of(step.primitive, macros_)->gives > 0;
    if (!chosen && !endless) return {};
    std::vector<std::string> names;
    for (std::string const& name : line.gives) {
      auto wanted = frame.renamed.find(name);
      if (wanted != frame.renamed.end())
        names.push_back(wanted->second);
      else
        names.push_back(near ? free_name(schedule_.program(), *near, name) : name);
    }
    return names;
  }

  std::expected<std::vector<ir::LoopId>, Refusal> apply(Step const& step) {
    if (++steps_ > kMostSteps)
      return refuse("macro_too_long",
                    fmt::format("the macro expands to more than {} steps", kMostSteps));
    auto next = schedule_.apply(step, budget_);
    if (!next) {
      std::string reason = next.error().message;
      Refusal refusal = retold(next.error(), before_.program(), schedule_.program(), cursors_);
      refusal.message = std::move(reason);
      return std::unexpected(std::move(refusal));
    }
    std::vector<ir::LoopId> made = made_by(*next, step);
    follow(cursors_, next->last_cursors());
    for (Frame* frame : frames_) follow_in(*frame, *next);
    schedule_ = std::move(*next);
    return made;
  }

  /// The loops that the last step has given names, in their order.
  std::vector<ir::LoopId> made_by(Schedule const& next, Step const& step) const {
    std::set<ir::LoopId> old, from_targets;
    for (ir::LoopSite const& site : ir::loops_of(schedule_.program().body))
      old.insert(site.loop->id);
    for (std::string const& target : step.targets)
      if (auto site = find_loop(schedule_.program(), target))
        if (auto to = next.last_cursors().find(site->loop->id); to != next.last_cursors().end())
          from_targets.insert(to->second.begin(), to->second.end());
    std::vector<ir::LoopId> made;
    for (std::string const& name : next.trace().back().step.gives) {
      ir::LoopId found;
      for (ir::LoopSite const& site : ir::loops_of(next.program().body))
        if (site.loop->name() == name && !old.contains(site.loop->id) &&
            (!found.valid() || from_targets.contains(site.loop->id)))
          found = site.loop->id;
      made.push_back(found);
    }
    return made;
  }

  static void follow_in(Frame& frame, Schedule const& next) {
    std::map<std::string, ir::LoopId> followed;
    for (auto const& [name, id] : frame.loops) {
      auto moved = next.last_cursors().find(id);
      if (moved == next.last_cursors().end()) {
        followed[name] = id;
      } else if (moved->second.size() == 1) {
        followed[name] = moved->second[0];
      } else {
        std::vector<std::string> parts;
        for (ir::LoopId part : moved->second) parts.push_back(reference_of(next.program(), part));
        frame.lost[name] =
            parts.empty() ? "is gone" : fmt::format("became {}", fmt::join(parts, " and "));
      }
    }
    frame.loops = std::move(followed);
  }

  std::expected<void, Refusal> name_new_block(Frame& frame, std::string const& name,
                                              std::set<std::string> const& before) const {
    std::vector<ir::BlockSite> fresh;
    for (ir::BlockSite const& site : ir::blocks_of(schedule_.program().body))
      if (!before.contains(site.block->name)) fresh.push_back(site);
    if (fresh.size() != 1)
      return refuse(
          "wrong_names",
          fmt::format("it makes {} blocks, and {} would be the name of one", fresh.size(), name));
    frame.blocks[name] = fresh[0].block->name;
    return {};
  }

  static Refusal lost(Frame const& frame, std::string const& name) {
    auto what = frame.lost.find(name);
    return refuse("loop_gone", fmt::format("the loop {} {}", name,
                                           what == frame.lost.end() ? "is gone" : what->second))
        .error();
  }

  static Refusal told(Frame const& frame, MacroLine const& line, Step const& step,
                      Refusal refusal) {
    refusal.message = fmt::format("{}, line {}, {}: {}", frame.macro.head.name, line.number,
                                  to_text(step), refusal.message);
    return refusal;
  }

  Schedule before_, schedule_;
  MacroSet const& macros_;
  ProofBudget budget_;
  CursorMap cursors_;  ///< from the program before the first step to that of the moment
  std::vector<Frame*> frames_;
  size_t steps_ = 0;
};

}  // namespace

std::expected<Expanded, Refusal> expand_macro(Schedule const& schedule, Macro const& macro,
                                              Step const& step, MacroSet const& macros,
                                              ProofBudget budget) {
  Expansion expansion(schedule, macros, budget);
  auto made = expansion.run(macro, step);
  if (!made) return std::unexpected(made.error());
  return Expanded{expansion.schedule(), expansion.cursors()};
}

std::expected<Schedule, Refusal> apply_macro(Schedule const& schedule, Macro const& macro,
                                             Step const& step, MacroSet const& macros,
                                             ProofBudget budget) {
  auto expanded = expand_macro(schedule, macro, step, macros, budget);
  if (!expanded) return std::unexpected(expanded.error());
  return std::move(expanded->schedule);
}

std::expected<Schedule, Refusal> apply_step(Schedule const& schedule, Step const& step,
                                            MacroSet const& macros, ProofBudget budget) {
  bool known = program_macros().find(step.primitive) != nullptr;
  if (Macro const* macro = known ? nullptr : macros.find(step.primitive))
    return apply_macro(schedule, *macro, step, macros, budget);
  return schedule.apply(step, budget);
}

std::expected<Schedule, Refusal> in_primitives(Schedule plain,
                                               std::vector<TakenStep> const& trace) {
  std::expected<Schedule, Refusal> next = std::move(plain);
  for (TakenStep const& taken : trace) {
    Macro const* macro = program_macros().find(taken.step.primitive);
    next = macro ? apply_macro(*next, *macro, taken.step, program_macros())
                 : std::move(*next).apply(taken.step);
    if (!next) break;
  }
  return next;
}

}  // namespace tw
