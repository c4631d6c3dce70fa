#include "engine/schedule/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/ir/intrinsic.h"
#include "engine/ir/parse_expr.h"
#include "engine/schedule/legality/bound_loops.h"
#include "engine/schedule/legality/memory_use.h"
#include "engine/schedule/macros/expansion.h"
#include "engine/schedule/names.h"
#include "engine/schedule/open_sizes.h"
#include "engine/schedule/result_checks.h"
#include "engine/schedule/rewriting/dead_prefetches.h"
#include "engine/schedule/rewriting/expand_calls.h"
#include "engine/schedule/trace.h"
#include "engine/schedule/validate.h"

namespace tw {
namespace {

bool is_loop_name(std::string const& name) {
  auto reader = ir::LineReader::create(name, "", 0);
  return reader && reader->next().kind == ir::Token::kName && reader->at_end();
}

/// Names that the script gives: readable, different, and not those of loops around or below (the
/// targets' own names are free again).
std::expected<void, Refusal> validate_names(ir::Program const& program,
                                            std::vector<ir::LoopSite> const& targets,
                                            std::vector<std::string> const& names) {
  for (size_t i = 0; i < names.size(); ++i) {
    if (!is_loop_name(names[i]))
      return std::unexpected(
          unusable("bad_name", fmt::format("'{}' cannot be the name of a loop", names[i])));
    bool again = std::find(names.begin(), names.begin() + int64_t(i), names[i]) !=
                 names.begin() + int64_t(i);
    bool own = std::any_of(targets.begin(), targets.end(),
                           [&](ir::LoopSite const& site) { return site.loop->name() == names[i]; });
    if (again || targets.empty() ||
        (!own && free_name(program, targets.front(), names[i]) != names[i]))
      return std::unexpected(
          unusable("name_taken", fmt::format("the name {} is already used", names[i])));
  }
  return {};
}

struct Resolved {
  Primitive const* primitive;
  Step step;
  std::vector<ir::LoopSite> loops;
  std::vector<ir::BlockSite> blocks;

  StepRequest move(ir::Program const& program, Target const& target, ProofBudget budget) const {
    return {program, target, loops, step, blocks, budget};
  }
};

std::expected<Resolved, Refusal> resolve(ir::Program const& program, Step const& step,
                                         Target const& for_target) {
  Primitive const* primitive = find_primitive(step.primitive);
  if (!primitive)
    return std::unexpected(
        unusable("unknown_primitive", fmt::format("there is no primitive '{}'", step.primitive)));
  auto valid = validate(*primitive, step, for_target);
  if (!valid) return std::unexpected(valid.error());
  Resolved resolved{primitive, std::move(*valid), {}, {}};
  for (size_t i = 0; i < step.targets.size(); ++i) {
    std::string const& target = step.targets[i];
    if (is_block_target(program, *primitive, i, target)) {
      auto block = find_block(program, target);
      if (!block) return std::unexpected(unusable(block.error().code, block.error().message));
      resolved.blocks.push_back(std::move(*block));
      continue;
    }
    auto site = find_loop(program, target);
    if (!site) return std::unexpected(unusable(site.error().code, site.error().message));
    for (ir::LoopSite const& other : resolved.loops)
      if (other.loop->id == site->loop->id)
        return std::unexpected(unusable(
            "loop_twice", fmt::format("{} names the loop {} twice", step.primitive, target)));
    resolved.loops.push_back(std::move(*site));
  }
  if (auto ok = validate_names(program, resolved.loops, step.gives); !ok)
    return std::unexpected(ok.error());
  return resolved;
}

/// Loops are called as the step calls them: a loop that blocks share has several names.
std::string in_the_words_of(Resolved const& resolved, ir::Program const& program,
                            std::string message) {
  size_t loop = 0;
  for (size_t i = 0; i < resolved.step.targets.size(); ++i) {
    if (is_block_target(program, *resolved.primitive, i, resolved.step.targets[i])) continue;
    std::string name = reference_of(program, resolved.loops[loop++].loop->id);
    if (name != resolved.step.targets[i])
      message = with_name(std::move(message), name, resolved.step.targets[i]);
  }
  return message;
}

/// Loops that went with their blocks, or with a hint that has nothing to read ahead any more, lead
/// nowhere.
CursorMap with_gone(CursorMap cursors, ir::Program const& before, ir::Program const& after) {
  std::set<ir::LoopId> left;
  for (ir::LoopSite const& site : ir::loops_of(after.body)) left.insert(site.loop->id);
  for (auto& [from, to] : cursors)
    std::erase_if(to, [&](ir::LoopId id) { return !left.contains(id); });
  for (ir::LoopSite const& site : ir::loops_of(before.body))
    if (!left.contains(site.loop->id)) cursors.try_emplace(site.loop->id);
  return cursors;
}

/// What a tensor that is still to be moved into a loop takes too much until then.
std::string overflow_note(ir::Program const& program, Target const& target) {
  std::string note;
  for (MemoryUse const& use : memory_use(program, target))
    if (use.overflows()) note += "; until it is moved into a loop, " + overflow_of(use).message;
  return note;
}

/// What must hold of the program after any step, as far as the one before gives reason to ask.
struct WholeProgram {
  WholeProgram(Step const& taken, Proof const& proof, ir::Program const& asked,
               Target const& for_target)
      : step(taken),
        before(asked),
        target(for_target),
        bound(has_bound_loops(asked)),
        turns(!proof.orders_turns && has_turns(asked)),
        limited(taken.arguments.contains("scope") || uses_limited_memory(asked, for_target)) {}

  bool asks() const { return bound || turns || limited; }
  std::expected<void, Refusal> holds(Applied const& after, ProofBudget budget) const {
    auto holds = turns ? turns_keep_their_order(before, after) : std::expected<void, Refusal>();
    // What a call touches is told by its loops.
    if (holds && bound)
      holds = bound_loops_hold(with_calls_expanded(after.program), target, step.primitive, budget);
    return holds && limited ? memories_hold(before, after.program, target) : holds;
  }

  Step const& step;
  ir::Program const& before;
  Target const& target;
  bool bound, turns, limited;
};

/// Its program is `asked`: that of the schedule, or the same with its calls written out.
std::expected<Proof, Refusal> check_on(ir::Program const& asked, Target const& target,
                                       Step const& step, ProofBudget budget) {
  auto resolved = resolve(asked, step, target);
  if (!resolved) return std::unexpected(resolved.error());
  StepRequest request = resolved->move(asked, target, budget);
  auto answer = resolved->primitive->check(request);
  if (!answer) {
    answer.error().message = in_the_words_of(*resolved, asked, answer.error().message);
    return answer;
  }
  if (WholeProgram whole(step, *answer, asked, target); whole.asks()) {
    Applied after = resolved->primitive->apply(request);
    after.program = without_dead_prefetches(std::move(after.program));
    if (auto holds = whole.holds(after, budget); !holds)
      answer = std::unexpected(holds.error());
    else if (whole.limited)
      answer->by += overflow_note(after.program, target);
  }
  if (!answer) answer.error().message = in_the_words_of(*resolved, asked, answer.error().message);
  return answer;
}

/// The step on a program by itself, checked as every step is.
std::expected<Applied, Refusal> taken_alone(ir::Program const& program, Schedule const& schedule,
                                            Step const& step, ProofBudget budget) {
  auto proof = check_on(program, schedule.target(), step, budget);
  if (!proof) return std::unexpected(proof.error());
  auto resolved = resolve(program, step, schedule.target());
  Applied applied = resolved->primitive->apply(resolved->move(program, schedule.target(), budget));
  if (auto valid = verify_result(schedule.origin(), applied, step, budget); !valid)
    return std::unexpected(valid.error());
  return applied;
}

/// Of a step that is about a size: it is decided on the program where that is open.
std::expected<Proof, Refusal> check_where_open(Schedule const& schedule, Step const& step,
                                               ProofBudget budget) {
  SizedProgram const* sized = schedule.sized();
  ir::Program const& open = sized ? sized->program : schedule.program();
  auto resolved = resolve(open, step, schedule.target());
  if (!resolved) return std::unexpected(resolved.error());
  if (!sized)
    return std::unexpected(unusable(
        "no_size_open",
        fmt::format("{}: {} has no symbolic size", step.primitive, schedule.origin().name)));
  StepRequest request = resolved->move(open, schedule.target(), budget);
  auto answer = resolved->primitive->check(request);
  if (answer && WholeProgram(step, *answer, schedule.program(), schedule.target()).asks()) {
    Applied after = resolved->primitive->apply(request);
    for (std::vector<int64_t> const& values : all_size_values(open)) {
      ir::Program const before = with_sizes(open, values);
      auto holds =
          WholeProgram(step, *answer, before, schedule.target())
              .holds({with_sizes(after.program, values), after.cursors, after.made}, budget);
      if (!holds) return std::unexpected(holds.error());
    }
  }
  if (!answer) answer.error().message = in_the_words_of(*resolved, open, answer.error().message);
  return answer;
}

bool opens_a_size(Primitive const& primitive) {
  return primitive.open_sizes && primitive.open_sizes->with_value;
}

/// Blocks that are calls stay where they are.
std::expected<void, Refusal> meant_for_calls(ir::Program const& program, Target const& target,
                                             Step const& step) {
  auto resolved = resolve(program, step, target);
  if (!resolved) return std::unexpected(resolved.error());
  for (ir::BlockSite const& site : resolved->blocks)
    if (site.block->body.as<ir::IntrinsicCall>())
      return std::unexpected(
          unusable("block_is_a_call",
                   fmt::format("{}: {} is a call of {}", step.primitive, site.block->name,
                               site.block->body.to<ir::IntrinsicCall>().intrinsic->name)));
  if (resolved->blocks.empty() || resolved->primitive->beside_calls) return {};
  return std::unexpected(unusable(
      "program_has_calls", fmt::format("{} does not support programs with calls", step.primitive)));
}

std::expected<Proof, Refusal> check_with_calls(ir::Program const& program, Target const& target,
                                               Step const& step, ProofBudget budget) {
  if (!has_calls(program)) return check_on(program, target, step, budget);
  if (auto meant = meant_for_calls(program, target, step); !meant)
    return std::unexpected(meant.error());
  if (find_primitive(step.primitive)->looks_into_blocks)
    if (auto known = check_on(program, target, step, budget); !known) return known;
  return check_on(with_calls_expanded(program), target, step, budget);
}

}  // namespace

std::vector<std::string> choices_of(Parameter const& parameter, Target const& target) {
  if (parameter.axis) return target.axis_names();
  if (parameter.intrinsic) return target.intrinsic_names();
  if (parameter.annotation) {
    std::vector<std::string> words;
    for (AnnotationWord const& word : target.annotations) words.push_back(word.name);
    return words;
  }
  return parameter.scope ? target.scope_names() : parameter.choices;
}

bool is_for(Primitive const& primitive, Target const& target) {
  auto lacks = [&](Parameter const& one) {
    return (one.axis && target.axes.empty()) ||
           (one.intrinsic && !one.optional && target.intrinsics.empty()) ||
           (one.annotation && target.annotations.empty());
  };
  return std::ranges::none_of(primitive.parameters, lacks);
}

Schedule::Schedule(ir::Program program, std::shared_ptr<Target const> target)
    : origin_(std::make_shared<ir::Program const>(program)),
      target_(std::move(target)),
      state_(std::make_shared<State>(State{std::move(program), {}, {}, {}})) {}

Schedule::Schedule(SizedProgram const& program, std::shared_ptr<Target const> target)
    : Schedule(with_sizes(program.program, program.shown), std::move(target)) {
  if (!program.program.sizes.empty()) state_->sized = std::make_shared<SizedProgram const>(program);
}

std::expected<Proof, Refusal> Schedule::check(Step const& step, ProofBudget budget) const {
  if (program_macros().find(step.primitive)) {
    auto taken = take(step, budget, nullptr);
    if (!taken) return std::unexpected(taken.error());
    return Proof{taken->trace().back().proof};
  }
  Primitive const* primitive = find_primitive(step.primitive);
  if (primitive && names_a_size(*primitive)) return check_where_open(*this, step, budget);
  if (!sized()) return check_with_calls(program(), target(), step, budget);
  return check_with_calls(with_sizes_of_many(sized()->program, sized()->shown), target(), step,
                          budget);
}

std::expected<Schedule, Refusal> Schedule::apply(Step const& step, ProofBudget budget) const& {
  return take(step, budget, nullptr);
}

std::expected<Schedule, Refusal> Schedule::apply(Step const& step, ProofBudget budget) && {
  return take(step, budget, state_.use_count() == 1 ? state_.get() : nullptr);
}

/// The step on the program with its sizes open, for which it is decided value by value.
std::expected<SizedProgram, Refusal> with_open_sizes(Schedule const& schedule,
                                                     Resolved const& resolved, ProofBudget budget,
                                                     Applied& applied) {
  SizedProgram const* sized = schedule.sized();
  ir::Program const& open = sized ? sized->program : schedule.program();
  auto there = resolve(open, resolved.step, schedule.target());
  if (!there) return std::unexpected(there.error());
  auto take = [&](ir::Program const& program, Step const& step) {
    return taken_alone(program, schedule, step, budget);
  };
  StepRequest const request = there->move(open, schedule.target(), budget);
  auto taken = names_a_size(*resolved.primitive)
                   ? resolved.primitive->apply(request)
                   : take_with_sizes(open, *resolved.primitive, request, take);
  if (!taken) return std::unexpected(taken.error());
  SizedProgram next{std::move(taken->program), sized ? sized->shown : std::vector<int64_t>()};
  if (next.program.sizes.size() > next.shown.size())
    next.shown.push_back(resolved.primitive->open_sizes->shown(resolved.step));
  taken->program = with_sizes(next.program, next.shown);
  applied = std::move(*taken);
  return next;
}

/// Only what the step needs to be carried out is asked, and the program after it by itself not at
/// all (`holds_as_a_whole` does that behind the last step). Calls, and sizes that are open, are
/// looked through instead: there the step is asked about more than one program.
bool may_be_trusted(Schedule const& schedule, Step const& step, ProofBudget budget) {
  Primitive const* primitive = find_primitive(step.primitive);
  return budget == ProofBudget::kTrusted && primitive && !schedule.sized() &&
         !opens_a_size(*primitive) && !has_calls(schedule.program());
}

/// The macro as one step behind those of before.
std::vector<TakenStep> with_macro(std::vector<TakenStep> trace, size_t steps, Step const& step) {
  trace.push_back({step, fmt::format("each of its {} steps is legal", steps)});
  return trace;
}

/// `own`: the state, if its trace may be taken away.
std::expected<Schedule, Refusal> Schedule::take(Step const& step, ProofBudget budget,
                                                State* own) const {
  if (Macro const* macro = program_macros().find(step.primitive)) {
    auto expanded = expand_macro(*this, *macro, step, program_macros(), budget);
    if (!expanded) return std::unexpected(expanded.error());
    State all{*expanded->schedule.state_};
    all.trace = with_macro(trace(), all.trace.size() - trace().size(), step);
    all.cursors = std::move(expanded->cursors);
    Schedule next = *this;
    next.state_ = std::make_shared<State>(std::move(all));
    return next;
  }
  bool trusted = may_be_trusted(*this, step, budget);
  auto proof = trusted ? Proof() : check(step, budget);
  if (!proof) return std::unexpected(proof.error());
  auto resolved = resolve(program(), step, target());
  if (!resolved) return std::unexpected(resolved.error());
  StepRequest request = resolved->move(program(), target(), budget);
  if (trusted)
    if (auto can = resolved->primitive->check(request); !can) return std::unexpected(can.error());
  Applied applied;
  std::shared_ptr<SizedProgram const> sized;
  if (!state_->sized && !opens_a_size(*resolved->primitive)) {
    applied = resolved->primitive->apply(request);
  } else {
    auto next = with_open_sizes(*this, *resolved, budget, applied);
    if (!next) return std::unexpected(next.error());
    sized = std::make_shared<SizedProgram const>(std::move(*next));
  }
  TakenStep taken{resolved->step, budget == ProofBudget::kTrusted ? "assumed legal" : proof->by};
  taken.step.gives.clear();
  for (ir::LoopId made : applied.made)  // before hints go: a loop may hold nothing else
    taken.step.gives.push_back(site_of(applied.program, made).loop->name());
  applied.program = without_dead_prefetches(std::move(applied.program));
  if (auto valid = verify_result(origin(), applied, step, budget); !valid)
    return std::unexpected(valid.error());
  if (auto kept = calls_keep_their_place(program(), applied); !kept)
    return std::unexpected(kept.error());
  Schedule next = *this;
  std::vector<TakenStep> trace = own ? std::move(own->trace) : state_->trace;
  trace.push_back(std::move(taken));
  CursorMap cursors = with_gone(std::move(applied.cursors), program(), applied.program);
  next.state_ = std::make_shared<State>(
      State{std::move(applied.program), std::move(sized), std::move(trace), std::move(cursors)});
  return next;
}

std::string Schedule::script() const {
  std::vector<Step> steps;
  for (TakenStep const& taken : trace()) steps.push_back(taken.step);
  return to_script(origin().name, steps);
}

}  // namespace tw
