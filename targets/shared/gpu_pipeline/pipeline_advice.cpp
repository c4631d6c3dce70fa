#include "targets/shared/gpu_pipeline/pipeline_advice.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/support/base/quantities.h"

namespace tw::gpu {
namespace {

using Kind = BlockOp::Kind;

constexpr int kMostStages = 8;
constexpr double kWorthIt = 0.03;  ///< of a turn: less is not worth a step
constexpr double kIdle = 0.05, kBusy = 0.8;

/// Of one block in a turn.
struct TurnWork {
  double products = 0, others = 0, shared = 0, copies = 0;
  double issued() const { return products + others; }
};

void add_work(BlockItem const& item, double times, BlockRates const& rates, TurnWork& work) {
  for (BlockItem const& inner : item.items)
    add_work(inner, item.is_loop() ? times * double(item.extent) : times, rates, work);
  if (item.is_loop()) return;
  work.products += times * item.op.cost.products;
  work.others += times * item.op.cost.others;
  work.shared += times * item.op.cost.shared;
  work.copies += times * item.op.cost.bytes * rates.cycles_per_byte;
}

TurnWork work_of(BlockItem const& loop, BlockRates const& rates) {
  TurnWork work;
  add_work(loop, 1.0 / double(std::max<int64_t>(1, turns_of(loop))), rates, work);
  return work;
}

bool stages_tile(BlockProgram const& program, BlockItem const& item) {
  return !item.is_loop() && item.op.kind == Kind::kCopy &&
         std::ranges::any_of(item.op.writes, [&](std::string const& name) {
           return std::ranges::find(program.shared, name) != program.shared.end();
         });
}

bool has_tiles(BlockProgram const& program, BlockItem const& item) {
  return stages_tile(program, item) ||
         std::ranges::any_of(item.items, [&](auto const& one) { return has_tiles(program, one); });
}

/// Places in `program.items` of the loops.
std::vector<size_t> places_of_loops(BlockProgram const& program) {
  std::vector<size_t> places;
  for (size_t i = 0; i < program.items.size(); ++i)
    if (program.items[i].is_loop()) places.push_back(i);
  return places;
}

int stages_of(BlockProgram const& program, int loop) {
  if (program.ring > 0) return program.ring;
  size_t at = places_of_loops(program)[size_t(loop)];
  auto commits = [](auto begin, auto end) {
    return std::ranges::count_if(begin, end, [](BlockItem const& item) {
      return !item.is_loop() && item.op.kind == Kind::kCommit;
    });
  };
  auto const& inner = program.items[at].items;
  if (commits(inner.begin(), inner.end()) == 0) return 1;
  size_t first = at;  // groups of what stands between loops are this one's
  while (first > 0 && !program.items[first - 1].is_loop()) --first;
  return 1 + int(commits(program.items.begin() + std::ptrdiff_t(first),
                         program.items.begin() + std::ptrdiff_t(at)));
}

struct Trial {
  int stages = 0, blocks = 0;
  double turn = 0;  ///< of as many blocks as are resident now
};

/// Nothing: they do not fit, or the loop is of another form.
std::optional<Trial> trial(BlockProgram const& program, PipelineAdvice const& now, int stages,
                           Multiprocessor const& unit) {
  auto more = with_more_stages(program, now.loop, stages - now.stages);
  if (!more) return std::nullopt;
  LaunchNest const& nest = program.time.nest;
  int64_t bytes = nest.shared_bytes + program.staged_bytes / now.stages * (stages - now.stages);
  Occupancy fits = occupancy(
      unit, {.registers = nest.registers, .shared_bytes = bytes, .threads = int(nest.threads())});
  if (fits.blocks == 0) return std::nullopt;
  int blocks = std::min(program.resident, fits.blocks);
  double turn = run_blocks(unrolled(*more), blocks, program.rates).turn_cycles(size_t(now.loop));
  return Trial{stages, blocks, turn * program.resident / blocks};
}

/// The fewest that are nearly as good as any.
void find_stages(BlockProgram const& program, Multiprocessor const& unit, PipelineAdvice& advice) {
  std::vector<Trial> trials;
  for (int stages = advice.stages + 1; stages <= kMostStages; ++stages)
    if (auto one = trial(program, advice, stages, unit)) trials.push_back(*one);
  if (trials.empty()) return;
  double best = std::ranges::min_element(trials, {}, &Trial::turn)->turn;
  if (best > advice.turn * (1 - kWorthIt)) return;
  for (Trial const& one : trials)
    if (one.turn <= best * 1.02) {
      advice.better_stages = one.stages;
      advice.better_turn = one.turn;
      return;
    }
}

std::string share(double part) { return percent_text(std::clamp(part, 0.0, 1.0)); }

std::string busy_words(TurnWork const& work, PipelineAdvice const& advice, double blocks) {
  std::string words = fmt::format(
      "Arithmetic is busy: multiply-adds take {} of a turn, other instructions {}",
      share(blocks * work.products / advice.turn), share(blocks * work.others / advice.turn));
  if (work.products < 0.75 * work.issued())
    words += ", which a larger tile of each thread needs fewer of";
  return words + ".";
}

std::string idle_words(BlockProgram const& program, TurnWork const& work,
                       PipelineAdvice const& advice, Multiprocessor const& unit) {
  double blocks = program.resident;
  std::string words = fmt::format("Arithmetic stands still {} of a turn", share(advice.idle));
  if (advice.better_stages > 0 && program.ring > 0)
    return fmt::format(
        "{}, waiting for full tiles: a ring of {} (roles={}) would hide copies better, in {:.0f} "
        "cycles a turn instead of {:.0f}.",
        words, advice.better_stages, advice.better_stages, advice.better_turn, advice.turn);
  if (advice.better_stages > 0)
    return fmt::format(
        "{}, waiting for copies: {}{} stages would hide them better, in {:.0f} "
        "cycles a turn instead of {:.0f}.",
        words, advice.stages == 1 ? "asynchronous copies in " : "", advice.better_stages,
        advice.better_turn, advice.turn);
  if (blocks * work.shared > kBusy * advice.turn)
    return words + ", behind shared memory, which is busy " +
           share(blocks * work.shared / advice.turn) +
           " of it: a larger tile of each thread, or fewer bank conflicts, would take passes away.";
  if (blocks * work.copies > kBusy * advice.turn)
    return words +
           ", behind copies, which take all that a multiprocessor has of the memory's bandwidth: a "
           "larger tile of the block would copy less, more stages would not help.";
  LaunchNest const& nest = program.time.nest;
  std::string next = next_step(unit, {.registers = nest.registers,
                                      .shared_bytes = nest.shared_bytes,
                                      .threads = int(nest.threads())});
  words += ", for barriers and for values that are on their way: ";
  if (program.resident < program.time.occupancy.blocks)
    return words + "more blocks than the launch has would fill it.";
  return words + (next.empty() ? "more arithmetic between barriers would fill it."
                               : "one block more would fill it (" + next + ").");
}

/// Those that fill may be so many turns farther ahead.
BlockProgram with_longer_ring(BlockProgram program, int more) {
  auto wait_later = [more](auto const& self, std::vector<BlockItem>& items) -> void {
    for (BlockItem& item : items) {
      if (item.op.kind == Kind::kAwait) item.op.groups -= more;
      self(self, item.items);
    }
  };
  wait_later(wait_later, program.filling);
  program.ring += more;
  return program;
}

/// What a turn of both roles takes, or of all threads.
TurnWork work_of_turn(BlockProgram const& program, BlockItem const& loop) {
  TurnWork work = work_of(loop, program.rates);
  for (BlockItem const* filling : turn_loops(program.filling)) {
    TurnWork const more = work_of(*filling, program.rates);
    work.products += more.products;
    work.others += more.others;
    work.shared += more.shared;
    work.copies += more.copies;
  }
  return work;
}

}  // namespace

std::optional<BlockProgram> with_more_stages(BlockProgram const& program, int loop, int more) {
  BlockProgram made = program;
  if (made.ring > 0) return with_longer_ring(std::move(made), more);
  size_t at = places_of_loops(made)[size_t(loop)];
  std::vector<BlockItem>& items = made.items[at].items;
  if (std::ranges::any_of(items, &BlockItem::is_loop)) return std::nullopt;
  std::vector<BlockItem> before;
  size_t last = items.size();
  bool waits = false;
  for (size_t i = 0; i < items.size(); ++i) {
    waits = waits || items[i].op.kind == Kind::kWait;
    if (!stages_tile(made, items[i])) continue;
    last = i;
    items[i].op.async = true;
    before.push_back(items[i]);
  }
  if (last == items.size()) return std::nullopt;
  BlockItem commit{.op = {.kind = Kind::kCommit}, .loop = {}};
  before.push_back(commit);
  if (waits) {
    for (BlockItem& item : items)
      if (item.op.kind == Kind::kWait) item.op.groups += more;
  } else {
    BlockItem wait{.op = {.kind = Kind::kWait, .groups = more}, .loop = {}};
    items.insert(items.begin() + std::ptrdiff_t(last) + 1, {commit, wait});
  }
  for (int i = 0; i < more; ++i)
    made.items.insert(made.items.begin() + std::ptrdiff_t(at), before.begin(), before.end());
  return made;
}

PipelineAdvice pipeline_advice(BlockProgram const& program, BlockRun const& run,
                               Multiprocessor const& unit) {
  PipelineAdvice advice;
  auto loops = turn_loops(program.items);
  int64_t most = -1;
  int number = 0;
  for (size_t i = 0; i < loops.size(); ++i)
    if ((program.ring > 0 || has_tiles(program, *loops[i])) && turns_of(*loops[i]) > most) {
      number = int(i);
      most = turns_of(*loops[i]);
    }
  BlockItem const& loop = *loops[size_t(number)];
  TurnWork work = work_of_turn(program, loop);
  advice.stages = stages_of(program, number);
  advice.loop = number + int(turn_loops(program.filling).size());
  advice.turn = run.turn_cycles(size_t(advice.loop));
  advice.idle = std::clamp(1 - program.resident * work.issued() / advice.turn, 0.0, 1.0);
  if (run.turn_begins[size_t(advice.loop)].size() < 3) {
    advice.sentence = fmt::format("{} runs {}: too few turns to fill a pipeline.", loop.loop,
                                  count_text(turns_of(loop), "time"));
    return advice;
  }
  find_stages(program, unit, advice);
  advice.sentence = advice.idle < kIdle ? busy_words(work, advice, program.resident)
                                        : idle_words(program, work, advice, unit);
  return advice;
}

}  // namespace tw::gpu
