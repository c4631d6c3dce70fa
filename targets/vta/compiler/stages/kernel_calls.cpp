#include "targets/vta/compiler/stages/kernel_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>

#include "engine/arith/linear.h"
#include "engine/ir/intrinsic.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/strides.h"
#include "engine/support/base/quantities.h"
#include "targets/vta/compiler/stages/matching.h"
#include "targets/vta/compiler/stages/stepped_calls.h"
#include "targets/vta/compiler/stages/tokens.h"
#include "targets/vta/compiler/stages/turns.h"

namespace tw::vta {
namespace {

using namespace ir;

std::optional<Memory> memory_of(std::string const& scope) {
  if (scope == kInpScope) return Memory::kInp;
  if (scope == kWgtScope) return Memory::kWgt;
  return scope == kAccScope ? std::optional(Memory::kAcc) : std::nullopt;
}

/// How many statements read each tensor, not counting those that update it.
std::map<std::string, int, std::less<>> readers_of(Stmt const& body) {
  std::map<std::string, int, std::less<>> readers;
  walk(body, [&](Stmt const& s) {
    auto const* store = s.as<Store>();
    if (!store) return true;
    std::set<std::string> read;
    walk_reads(store->value, [&](ir::Touched const& at) { read.insert(at.buffer->name); });
    read.erase(store->buffer->name);
    for (std::string const& name : read) ++readers[name];
    return true;
  });
  return readers;
}

/// Goes through a kernel as it would run.
class Walking {
public:
  Walking(Configuration const& configuration, PrintedProgram const* lines, CallLimits const& limits)
      : configuration_(configuration), lines_(lines), limits_(limits) {}

  Status run(Function const& function) {
    for (size_t i = 0; i < function.params.size(); ++i)
      places_[function.params[i]->name] = {.main = true, .parameter = int32_t(i)};
    readers_ = readers_of(function.body);
    return visit(function.body, courses_);
  }
  /// In their order, with tokens.
  std::vector<Call> take() {
    std::vector<uint32_t> order = flattened(courses_);
    place_tokens(calls_, order);
    std::vector<Call> calls;
    calls.reserve(order.size());
    for (uint32_t number : order) calls.push_back(std::move(calls_[number].call));
    return calls;
  }

private:
  Status visit(Stmt const& s, Courses& to) {
    if (auto const* list = s.as<Seq>()) {
      for (Stmt const& child : list->stmts) TRY(visit(child, to));
      return {};
    }
    if (auto const* alloc = s.as<Alloc>()) return visit_alloc(*alloc, to);
    if (auto const* let = s.as<Let>()) return visit_let(*let, to);
    if (auto const* loop = s.as<For>(); loop && loop->loop_kind == LoopKind::kBind)
      return visit_threads(*loop, to);
    if (Nest* nest = known_nest(s)) return visit_nest(s, *nest, to);
    if (auto const* loop = s.as<For>()) return visit_loop(*loop, to);
    if (auto const* guard = s.as<If>()) return visit_guard(*guard, to);
    return refused("vta_statement",
                   fmt::format("the accelerator has no instruction for '{}'", first_line_of(s)));
  }

  std::string first_line_of(Stmt const& s) const {
    if (auto const* call = s.as<IntrinsicCall>()) return call->intrinsic->name;
    return "statement";
  }

  /// A nest that may become calls, and what it became before.
  struct Nest {
    Chain chain;
    SteppedCalls stepped;
  };
  Nest* known_nest(Stmt const& s) {
    auto found = nests_.find(s.get());
    if (found == nests_.end()) {
      found = nests_.emplace(s.get(), std::nullopt).first;
      if (auto chain = chain_of(s)) {
        SteppedCalls stepped(*chain, around_);
        found->second.emplace(*std::move(chain), std::move(stepped));
      }
    }
    return found->second ? &*found->second : nullptr;
  }

  /// Appended to all calls. Errors: those of `calls_of`.
  Status make_calls(Nest& nest) {
    Position position{around_, standing_};
    bool may_move = limits_.nests == NestCalls::kMoved;
    if (may_move && nest.stepped.append(position, places_made_, calls_)) return {};
    mark_last_uses(nest.chain);
    indices_.forget_asked();
    TRY_ASSIGN(std::vector<StageCall> calls,
               calls_of(nest.chain, {configuration_, indices_, places_, standing_}));
    for (StageCall& one : calls) one.call.line = line_of(nest.chain.leaf);
    nest.stepped.note(calls, indices_.asked(), scalars_of_operands(nest.chain), position,
                      places_made_);
    std::ranges::move(calls, std::back_inserter(calls_));
    return {};
  }
  std::array<int64_t, 3> scalars_of_operands(Chain const& chain) const {
    auto of = [&](Memory memory) { return scalars_of(configuration_, memory); };
    auto const* store = chain.leaf.as<Store>();
    if (!store) return {of(Memory::kAcc), of(Memory::kInp), of(Memory::kWgt)};
    auto place = places_.find(store->buffer->name);
    bool there = place != places_.end() && !place->second.main;
    int64_t scalars = of(there ? place->second.memory : Memory::kAcc);
    return {scalars, scalars, scalars};
  }

  /// As one call if it can be; else its outermost loop runs here and the rest becomes calls.
  Status visit_nest(Stmt const& s, Nest& nest, Courses& to) {
    size_t first = calls_.size();
    Status calls = make_calls(nest);
    if (calls) return add(first, to);
    if (nest.chain.loops.empty()) return calls;
    Courses parts;
    auto const* loop = s.as<For>();
    ++written_out_;
    Status inner = loop ? visit_loop(*loop, parts) : visit_guard(s.to<If>(), parts);
    --written_out_;
    // The whole nest's error says more than that of a part.
    bool limit = !inner && inner.error().code == "too_many_calls";
    if (!inner) return written_out_ > 0 || limit ? inner : calls;
    std::ranges::move(parts, std::back_inserter(to));
    return {};
  }

  int32_t line_of(Stmt const& leaf) const {
    if (!lines_) return 0;
    auto found = lines_->line_of.find(leaf.get());
    return found == lines_->line_of.end() ? 0 : found->second;
  }

  /// Statements for several modules are several courses: threads take turns between them.
  Status add(size_t first, Courses& to) {
    if (int64_t(calls_.size()) > limits_.most_calls)
      return refused("too_many_calls", fmt::format("the kernel makes more than {} instructions: "
                                                   "choose larger tiles",
                                                   limits_.most_calls));
    for (size_t i = first; i < calls_.size(); ++i) {
      Module module = module_of(calls_[i].call);
      if (i == first || to.back().module != module) to.push_back({module, uint32_t(i), 0, {}});
      ++to.back().count;
    }
    return {};
  }

  Status visit_loop(For const& loop, Courses& to) {
    auto extent = value_of(loop.extent, standing_);
    if (!extent) return refused("unknown_size", "the loop " + loop.name() + " has no known extent");
    Course course;
    bool unrolled = loop.loop_kind == LoopKind::kUnroll;
    if (unrolled) unrolled_.push_back(loop.name());
    depth_ += written_out_ == 0 && !unrolled;
    for (int64_t i = 0; i < *extent; ++i) {
      stand(&loop, loop.name(), i);
      Courses body;
      if (Status done = visit(loop.body, body); !done) return done;
      if (!body.empty()) course.iterations.push_back(std::move(body));
    }
    depth_ -= written_out_ == 0 && !unrolled;
    if (unrolled) unrolled_.pop_back();
    leave(loop.name());
    if (!course.iterations.empty()) to.push_back(std::move(course));
    return {};
  }

  /// A loop, or a bound value, has this value in what follows.
  void stand(void const* node, std::string const& name, int64_t value) {
    if (around_.empty() || around_.back().node != node) around_.push_back({node, &name, 0});
    around_.back().value = value;
    standing_[name] = value;
  }
  void leave(std::string const& name) {
    if (!around_.empty() && around_.back().name == &name) around_.pop_back();
    standing_.erase(name);
  }

  /// Each virtual thread has places of its own, above those of the one before.
  Status visit_threads(For const& loop, Courses& to) {
    auto extent = value_of(loop.extent, standing_);
    if (!extent) return refused("unknown_size", "the loop " + loop.name() + " has no known extent");
    std::array<int64_t, kMemories> begin = top_;
    std::vector<Courses> threads;
    for (int64_t i = 0; i < *extent; ++i) {
      stand(&loop, loop.name(), i);
      std::array<int64_t, kMemories> outer_peak = peak_;
      peak_ = top_;
      TRY(visit(loop.body, threads.emplace_back()));
      top_ = peak_;
      for (size_t m = 0; m < kMemories; ++m) peak_[m] = std::max(peak_[m], outer_peak[m]);
    }
    leave(loop.name());
    top_ = begin;
    std::ranges::move(in_turns(std::move(threads)), std::back_inserter(to));
    return {};
  }

  Status visit_guard(If const& guard, Courses& to) {
    auto holds = value_of(guard.condition, standing_);
    if (!holds)
      return refused("vta_guard",
                     "a condition that changes inside of what would be one instruction");
    if (*holds) return visit(guard.then_body, to);
    return guard.else_body ? visit(guard.else_body, to) : Status();
  }

  Status visit_let(Let const& let, Courses& to) {
    auto value = value_of(let.value, standing_);
    if (!value) return refused("vta_statement", "a value is bound that is no number of the loops");
    std::string const& name = let.var.to<Variable>().name;
    stand(&let, name, *value);
    Status done = visit(let.body, to);
    leave(name);
    return done;
  }

  Status visit_alloc(Alloc const& alloc, Courses& to) {
    BufferNode const& buffer = *alloc.buffer;
    std::optional<Memory> memory = memory_of(buffer.scope);
    if (!memory)
      return refused("vta_place",
                     fmt::format("one stage makes {0} and another one reads it from '{1}', and "
                                 "between stages the accelerator keeps sums in '{2}' alone: "
                                 "schedule them so (set_scope to '{2}', compute_at), or make two "
                                 "kernels",
                                 buffer.name, buffer.scope, kAccScope));
    auto known = elements_in_memory(buffer);
    if (!known) return refused("unknown_size", buffer.name + " has a size that is not known");
    auto scalars = int64_t(std::min(*known, 0x1p62));
    int64_t per_element = scalars_of(configuration_, *memory);
    int64_t elements = (scalars + per_element - 1) / per_element;
    size_t m = size_t(*memory);
    alive_.emplace_back(buffer.name, *memory, elements);
    if (top_[m] + elements > configuration_.depth(*memory)) return overflow(*memory);
    places_[buffer.name] = {.memory = *memory, .base = top_[m]};
    auto [last, is_new] = last_places_.try_emplace(buffer.name, *memory, top_[m]);
    if (!is_new && last->second != std::pair(*memory, top_[m])) ++places_made_;
    last->second = {*memory, top_[m]};
    allocated_at_[buffer.name] = {depth_, unrolled_.size()};
    top_[m] += elements;
    peak_[m] = std::max(peak_[m], top_[m]);
    TRY(visit(alloc.body, to));
    top_[m] -= elements;
    places_.erase(buffer.name);
    alive_.pop_back();
    return {};
  }

  std::unexpected<Error> overflow(Memory memory) const {
    int64_t bytes = configuration_.element_bytes(memory), sum = 0;
    std::string parts;
    for (auto const& [name, where, elements] : alive_) {
      if (where != memory) continue;
      parts +=
          fmt::format("{}{} {}", parts.empty() ? "" : ", ", name, bytes_text(elements * bytes));
      sum += elements * bytes;
    }
    int64_t others = top_[size_t(memory)] * bytes + std::get<2>(alive_.back()) * bytes - sum;
    if (others > 0) parts += fmt::format(", other virtual threads {}", bytes_text(others));
    auto [has, needs] = bytes_apart(configuration_.buffer_bytes(memory), sum + others);
    return refused("scope_overflow",
                   fmt::format("the memory '{}' has {}, but {} are needed at the same time: {}",
                               to_text(memory), has, needs, parts));
  }

  /// A tensor is read for the last time by its only reader, where that runs once for each time that
  /// the tensor is there; of an unrolled loop each iteration must read elements of its own.
  void mark_last_uses(Chain const& chain) {
    auto const* store = chain.leaf.as<Store>();
    if (!store) return;
    walk_reads(store->value, [&](ir::Touched const& at) {
      auto place = places_.find(at.buffer->name);
      auto made = allocated_at_.find(at.buffer->name);
      if (place == places_.end() || made == allocated_at_.end()) return;
      bool only = at.buffer->name != store->buffer->name && readers_[at.buffer->name] == 1;
      bool last = only && made->second.depth == depth_;
      place->second.only_reader = only;
      for (size_t i = made->second.unrolled; i < unrolled_.size(); ++i)
        last = last && has_elements_of_its_own(at, unrolled_[i], chain);
      place->second.last_use = last;
    });
  }

  /// Whether a step of the loop goes beyond all that the chain's loops reach in a dimension.
  static bool has_elements_of_its_own(ir::Touched const& at, std::string const& loop,
                                      Chain const& chain) {
    for (Expr const& index : at.indices) {
      arith::Linear linear = arith::to_linear(index);
      int64_t step = std::abs(linear.factor_of(loop)), reach = 0;
      for (For const* inner : chain.loops)
        reach += std::abs(linear.factor_of(inner->name())) *
                 (as_int(inner->extent).value_or(int64_t(1) << 30) - 1);
      if (step > reach) return true;
    }
    return false;
  }

  struct Made {
    int depth = 0;
    size_t unrolled = 0;  ///< unrolled loops around
  };

  Configuration const& configuration_;
  PrintedProgram const* lines_;
  CallLimits limits_;
  Indices indices_;
  Places places_;
  Standing standing_;
  std::map<std::string, int, std::less<>> readers_;
  Arounds around_;
  std::map<std::string, std::pair<Memory, int64_t>, std::less<>> last_places_;
  int64_t places_made_ = 0;  ///< changes when a tensor comes to lie elsewhere than the last time
  std::unordered_map<void const*, std::optional<Nest>> nests_;
  std::array<int64_t, kMemories> top_{}, peak_{};  ///< elements in use, and the most of them
  std::vector<std::tuple<std::string, Memory, int64_t>> alive_;
  std::map<std::string, Made, std::less<>> allocated_at_;
  std::vector<std::string> unrolled_;
  int depth_ = 0;        ///< loops around that run here
  int written_out_ = 0;  ///< of them, those of a nest that did not become one call
  Courses courses_;
  std::vector<StageCall> calls_;  ///< as they were made, before threads take turns
};

CallTensor tensor_of(BufferNode const& buffer, std::set<std::string> const& written) {
  int64_t bytes = int64_t(size_of(buffer.type));
  for (int64_t extent : constant_shape(buffer).value_or(std::vector<int64_t>{})) bytes *= extent;
  return {buffer.name, bytes, written.contains(buffer.name)};
}

}  // namespace

Result<CallProgram> kernel_calls(KernelIr const& kernel, Configuration const& configuration,
                                 PrintedProgram const* lines, CallLimits const& limits) {
  Walking walking(configuration, lines, limits);
  TRY(walking.run(kernel.host));
  std::set<std::string> written;
  walk_writes(kernel.host.body, [&](ir::Touched const& at) { written.insert(at.buffer->name); });
  CallProgram program{kernel.host.name, configuration, {}, {}};
  for (Buffer const& param : kernel.host.params)
    program.tensors.push_back(tensor_of(*param, written));
  program.calls = walking.take();
  return program;
}

}  // namespace tw::vta
