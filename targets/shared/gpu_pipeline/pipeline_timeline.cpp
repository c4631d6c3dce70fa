#include "targets/shared/gpu_pipeline/pipeline_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/support/base/quantities.h"
#include "targets/shared/gpu_pipeline/tiles.h"

namespace tw::gpu {
namespace {

using OpKind = BlockOp::Kind;
using Work = UnitSpan::Work;

/// Where threads have roles, those that fill meet the others in kMeetingLane, and these have one of
/// their own after it. Then come slots.
enum Lane : int32_t { kCopyLane, kSharedLane, kArithmeticLane, kMeetingLane, kComputingLane };
enum Queue : int32_t { kFilled, kFreed, kTileMemory };
/// After these a kind for each tensor that is copied.
enum KindOf : int32_t {
  kStored,
  kShared,
  kProducts,
  kOthers,
  kBarrier,
  kOtherBlocks,
  kFilling,
  kFull,
  kInUse,
  kNoData,
  kAtBarrier,
  kNoAnswer,
  kNoRoom,
  kFirstCopied,
};

std::vector<Timeline::Kind> first_kinds() {
  return {
      {.name = "store", .hue = "violet"},
      {.name = "shared memory", .hue = "mint"},
      {.name = "multiply-adds", .hue = "amber"},
      {.name = "other instructions", .hue = "olive", .hatched = true},
      {.name = "barrier", .hue = "violet", .hatched = true},
      {.name = "other blocks", .hue = "grey", .hatched = true},
      {.name = "tile comes", .hue = "sky", .hatched = true},
      {.name = "tile is full", .hue = "grey"},
      {.name = "tile in use", .hue = "amber", .hatched = true},
      {"stall R", "amber", true, true, "R", "copies are not there"},
      {"stall B", "grey", true, true, "B", "others are not at the barrier"},
      {"stall S", "grey", true, true, "S", "shared memory has not answered"},
      {"stall E", "grey", true, true, "E", "no tile is empty"},
  };
}

/// What is left out of a run.
struct LeftOut {
  double begin = 0, end = 0;  ///< of the run
  double cycles = 0;          ///< all together
  std::string words;
};

class Drawing {
public:
  Drawing(BlockProgram const& program, BlockRun run, PipelineAdvice const& advice)
      : program_(program), run_(std::move(run)), advice_(advice), tiles_(tiles_of(run_.run)) {}

  Timeline take(Rates const& rates) {
    made_.clock_mhz = rates.hertz / 1e6;
    made_.modelled = true;
    made_.sentence = advice_.sentence;
    made_.kinds = first_kinds();
    made_.lanes = {{"Copies", 2}, {"Shared", 1.5}, {"Arithmetic", 3}, {"Barriers", 0.5}};
    if (has_roles()) {
      made_.lanes.back().name = "Producers";
      made_.lanes.push_back({"Consumers", 0.5});
    }
    find_cuts();
    add_instructions();
    add_spans();
    if (has_roles()) add_roles();
    add_stalls();
    add_tiles();
    made_.cycles = std::llround(shown(run_.end));
    std::ranges::stable_sort(made_.spans, {}, [](Timeline::Span const& span) {
      return std::pair(span.lane, span.begin);
    });
    std::ranges::sort(made_.tokens, {}, &Timeline::Token::pushed);
    return std::move(made_);
  }

private:
  bool has_roles() const { return run_.run.ring > 0; }
  RunStep const& step(int at) const { return run_.run.steps[size_t(at)]; }

  // ---- what is shown ---------------------------------------------------------------------------

  /// Turns are alike once the pipeline is full: one more than that, and the last one, are shown.
  void find_cuts() {
    for (size_t i = 0; i < run_.run.loops.size(); ++i) {
      RunLoop const& loop = run_.run.loops[i];
      if (loop.fills) continue;  // those that fill are as far ahead then as before
      std::vector<double> const& begins = run_.turn_begins[i];
      int64_t first = tiles_.slots + 2, last = int64_t(begins.size()) - 1;
      if (last <= first + 1) first = last;
      int64_t out = loop.turns - loop.run + (last - first);
      if (out <= 0 || last < 0) continue;
      double begin = begins[size_t(first)], end = begins[size_t(last)];
      double cycles = end - begin + double(loop.turns - loop.run) * run_.turn_cycles(i);
      cuts_.push_back({begin, end, cycles,
                       fmt::format("{} more turn{} of {}", out, out == 1 ? "" : "s", loop.name)});
    }
    for (LeftOut const& cut : cuts_)
      made_.cuts.push_back({std::llround(shown(cut.begin)), std::llround(cut.cycles), cut.words});
  }

  double shown(double at) const {
    double left = at;
    for (LeftOut const& cut : cuts_) left -= std::clamp(at - cut.begin, 0.0, cut.end - cut.begin);
    return left;
  }
  bool is_out(RunStep const& one) const {
    return std::ranges::any_of(cuts_, [&](LeftOut const& cut) {
      return one.arrive >= cut.begin && one.arrive < cut.end && one.end <= cut.end;
    });
  }

  // ---- instructions ----------------------------------------------------------------------------

  int32_t lane_of(size_t at) const {
    switch (run_.run.steps[at].op.kind) {
      case OpKind::kCopy:
      case OpKind::kStore:
        return kCopyLane;
      case OpKind::kCompute:
        return kArithmeticLane;
      default:
        return has_roles() && !run_.run.fills(at) ? kComputingLane : kMeetingLane;
    }
  }
  /// It waits for others, or for what others bring.
  bool meets(size_t at) const {
    return lane_of(at) >= kMeetingLane && run_.run.steps[at].op.kind != OpKind::kCommit;
  }

  /// Behind what is left out turns are counted from the last one.
  int64_t number_of_turn(RunStep const& one) const {
    RunLoop const& loop = run_.run.loops[size_t(one.loop)];
    int last = has_roles() ? run_.run.ring : 1;
    return one.turn + last >= loop.run ? loop.turns - loop.run + one.turn : one.turn;
  }

  std::string words_of(RunStep const& one) const {
    std::string turn = one.turn < 0 ? std::string() : fmt::format(", turn {}", number_of_turn(one));
    BlockOp const& op = one.op;
    switch (op.kind) {
      case OpKind::kCopy:
        return fmt::format("copy of {} to {}{}", op.tensor, op.writes[0], turn);
      case OpKind::kStore:
        return fmt::format("store of {}{}", op.tensor, turn);
      case OpKind::kWait:
        return fmt::format("wait until {} under way{}",
                           op.groups == 0   ? "no copies are"
                           : op.groups == 1 ? "one group of copies is"
                                            : fmt::format("{} groups of copies are", op.groups),
                           turn);
      case OpKind::kBarrier:
        return "barrier" + turn;
      case OpKind::kAwait:
        return fmt::format("wait for {}{}", op.tensor, turn);
      case OpKind::kArrive:
        return fmt::format("arrive at {}{}", op.tensor, turn);
      default:
        return (op.cost.products > 0 ? "products of " : "work on ") + op.writes[0] + turn;
    }
  }

  void add_instructions() {
    number_.assign(run_.run.steps.size(), -1);
    for (size_t i = 0; i < run_.run.steps.size(); ++i) {
      RunStep const& one = run_.run.steps[i];
      if (one.op.kind == OpKind::kCommit || is_out(one)) continue;
      number_[i] = int32_t(made_.instructions.size());
      made_.instructions.push_back({words_of(one), lane_of(i), one.op.line});
    }
  }

  // ---- spans -----------------------------------------------------------------------------------

  void add(int32_t lane, int32_t kind, double begin, double end, int32_t instruction) {
    int64_t first = std::llround(shown(begin)), last = std::llround(shown(end));
    if (first < last) made_.spans.push_back({lane, kind, first, last, instruction});
  }

  int32_t copy_kind(std::string const& tensor) {
    constexpr char const* kHues[] = {"sky", "sky", "mint", "mint", "olive"};
    auto [at, added] = copied_.try_emplace(tensor, kFirstCopied + int32_t(copied_.size()));
    if (added) {
      size_t number = size_t(at->second - kFirstCopied);
      made_.kinds.push_back({.name = "copy of " + tensor,
                             .hue = kHues[std::min(number, std::size(kHues) - 1)],
                             .hatched = number % 2 == 1});
    }
    return at->second;
  }

  int32_t kind_of(UnitSpan const& span) {
    if (span.block != 0) return kOtherBlocks;
    switch (span.work) {
      case Work::kCopy:
        return copy_kind(step(span.step).op.tensor);
      case Work::kStore:
        return kStored;
      case Work::kShared:
        return kShared;
      case Work::kProducts:
        return kProducts;
      default:
        return kOthers;
    }
  }

  void add_spans() {
    for (UnitSpan const& span : run_.spans)
      add(int32_t(span.part), kind_of(span), span.begin, span.end,
          span.block == 0 ? number_[size_t(span.step)] : -1);
    for (size_t i = 0; i < run_.run.steps.size(); ++i) {
      RunStep const& one = run_.run.steps[i];
      if (!meets(i)) continue;
      add(lane_of(i), stall_of(one, i), one.arrive, one.begin, number_[i]);
      if (one.op.kind == OpKind::kBarrier)
        add(lane_of(i), kBarrier, one.begin, one.end, number_[i]);
    }
  }

  /// What each role does between waiting and arriving; and of arrivals, who waited for them.
  void add_roles() {
    std::map<std::pair<std::string, int>, int> arrivals;
    double since = -1;
    for (size_t i = 0; i < run_.run.steps.size(); ++i) {
      RunStep const& one = run_.run.steps[i];
      if (one.op.kind == OpKind::kAwait) since = one.begin;
      if (one.op.kind != OpKind::kArrive) continue;
      arrivals[{one.op.tensor, one.turn}] = int(i);
      if (since >= 0)
        add(lane_of(i), run_.run.fills(i) ? kFilling : kInUse, since, one.arrive, number_[i]);
      since = -1;
    }
    for (size_t i = 0; i < run_.run.steps.size(); ++i) {
      RunStep const& one = run_.run.steps[i];
      if (one.op.kind != OpKind::kAwait) continue;
      auto from = arrivals.find({one.op.tensor, one.turn + one.op.groups});
      if (from == arrivals.end()) continue;
      double pushed = std::max(step(from->second).end, there(one.turn, run_.run.fills(i)));
      add_token(run_.run.fills(i) ? kFreed : kFilled, std::min(pushed, one.begin), one.begin,
                from->second, int(i));
    }
  }
  /// When the tile that is waited for is there; 0: it is not waited for.
  double there(int turn, bool fills) const {
    double full = 0;
    if (!fills && size_t(turn) < tiles_.tiles.size())
      for (int copy : tiles_.tiles[size_t(turn)].copies) full = std::max(full, step(copy).end);
    return full;
  }

  // ---- who waits -------------------------------------------------------------------------------

  /// Where nobody's arithmetic goes on, by what this block waits for.
  void add_stalls() {
    std::vector<std::pair<double, double>> busy;
    for (UnitSpan const& span : run_.spans)
      if (span.part == UnitPart::kArithmetic) busy.push_back({span.begin, span.end});
    std::ranges::sort(busy);
    double until = 0;
    for (auto const& [begin, end] : busy) {
      if (begin > until) add_gap(until, begin);
      until = std::max(until, end);
    }
  }

  void add_gap(double begin, double end) {
    double at = begin;
    for (auto i = size_t(run_.run.filling); i < run_.run.steps.size() && at < end; ++i) {
      RunStep const& one = run_.run.steps[i];
      double from = std::max(at, one.arrive), to = std::min(end, meets(i) ? one.end : one.begin);
      if (from >= to) continue;
      add(kArithmeticLane, kNoAnswer, at, from, -1);
      add(kArithmeticLane, meets(i) ? stall_of(one, i) : kNoData, from, to, number_[i]);
      at = to;
    }
    add(kArithmeticLane, kNoAnswer, at, end, -1);
  }

  /// A barrier behind copies that nobody waited for before is late for their sake.
  int32_t stall_of(RunStep const& one, size_t at) const {
    bool waits = one.op.kind == OpKind::kAwait;
    if (waits && run_.run.fills(at)) return kNoRoom;
    if (waits || one.op.kind == OpKind::kArrive || one.op.kind == OpKind::kWait) return kNoData;
    for (size_t i = at; i-- > 0;) {
      RunStep const& before = run_.run.steps[i];
      if (before.op.kind == OpKind::kBarrier || before.op.kind == OpKind::kCompute) break;
      if (before.op.kind == OpKind::kCopy && !before.op.async && before.end > one.arrive)
        return kNoData;
    }
    return kAtBarrier;
  }

  // ---- tiles -----------------------------------------------------------------------------------

  void add_tiles() {
    auto const first_slot = int32_t(made_.lanes.size());
    for (int slot = 0; slot < tiles_.slots; ++slot)
      made_.lanes.push_back({fmt::format("Tile {}", slot), 0});
    made_.counters = {{.name = has_roles() ? "full" : "copies -> arithmetic",
                       .unit = "tiles",
                       .capacity = tiles_.slots,
                       .steps = {}},
                      {.name = has_roles() ? "empty" : "arithmetic -> copies",
                       .unit = "tiles",
                       .capacity = tiles_.slots,
                       .steps = {}},
                      {.name = "tiles",
                       .unit = "bytes",
                       .capacity = program_.staged_bytes,
                       .of_memory = true,
                       .steps = {}}};
    int64_t bytes = program_.staged_bytes / std::max(1, tiles_.slots);
    std::vector<Change> filled, freed, held;
    for (size_t i = 0; i < tiles_.tiles.size(); ++i) {
      Tile const& tile = tiles_.tiles[i];
      int32_t lane = first_slot + int32_t(i) % tiles_.slots;
      double comes = step(tile.copies.front()).begin, full = 0, used = 0, done = 0;
      for (int copy : tile.copies) full = std::max(full, step(copy).end);
      used = done = full;
      if (!tile.readers.empty()) {
        used = std::max(full, step(tile.readers.front()).begin);
        done = step(tile.readers.back()).end;
      }
      add(lane, kFilling, comes, full, number_[size_t(tile.copies.front())]);
      add(lane, kFull, full, used, number_[size_t(tile.copies.back())]);
      if (!tile.readers.empty())
        add(lane, kInUse, used, done, number_[size_t(tile.readers.front())]);
      if (!has_roles()) add_tokens(tile, full, used);
      if (!has_roles() && i >= size_t(tiles_.slots))
        add_release(tiles_.tiles[i - size_t(tiles_.slots)], tile);
      filled.insert(filled.end(), {{full, 1}, {used, -1}});
      held.insert(held.end(), {{comes, bytes}, {done, -bytes}});
      if (i >= size_t(tiles_.slots)) freed.push_back({comes, -1});
      freed.push_back({done, 1});
      add_touches(tile, int64_t(i) % tiles_.slots, bytes / 4);
    }
    made_.counters[kFilled].steps = steps_of(std::move(filled));
    made_.counters[kFreed].steps = steps_of(std::move(freed));
    made_.counters[kTileMemory].steps = steps_of(std::move(held));
  }

  using Change = std::pair<double, int64_t>;

  std::vector<std::pair<int64_t, int64_t>> steps_of(std::vector<Change> changes) const {
    std::ranges::sort(changes);
    std::map<int64_t, int64_t> sums;
    for (auto const& [at, change] : changes) sums[std::llround(shown(at))] += change;
    std::vector<std::pair<int64_t, int64_t>> steps{{0, 0}};
    int64_t value = 0;
    for (auto const& [at, change] : sums) {
      value += change;
      if (at == 0)
        steps[0].second = std::max<int64_t>(0, value);
      else if (change != 0)
        steps.push_back({at, std::max<int64_t>(0, value)});
    }
    return steps;
  }

  void add_token(Queue queue, double pushed, double popped, int from, int to) {
    int32_t source = number_[size_t(from)], sink = number_[size_t(to)];
    if (source < 0 || sink < 0) return;
    int64_t first = std::llround(shown(pushed)), last = std::llround(shown(popped));
    made_.tokens.push_back({queue, first, std::max(first, last), source, sink});
  }

  /// What is read for the first time was copied: each copy of the tile hands it over.
  void add_tokens(Tile const& tile, double full, double used) {
    if (tile.readers.empty()) return;
    for (int copy : tile.copies)
      add_token(kFilled, std::min(step(copy).end, full), used, copy, tile.readers.front());
  }
  /// What is overwritten was read.
  void add_release(Tile const& before, Tile const& tile) {
    if (before.readers.empty()) return;
    double done = step(before.readers.back()).end, comes = step(tile.copies.front()).begin;
    add_token(kFreed, done, std::max(done, comes), before.readers.back(), tile.copies.front());
  }

  void add_touches(Tile const& tile, int64_t slot, int64_t words) {
    auto add_one = [&](int at, bool write, int64_t begin, int64_t end) {
      if (number_[size_t(at)] >= 0)
        made_.touches.push_back({kTileMemory, number_[size_t(at)], begin, end, write});
    };
    auto copies = int64_t(tile.copies.size());
    for (int64_t i = 0; i < copies; ++i)
      add_one(tile.copies[size_t(i)], true, slot * words + words * i / copies,
              slot * words + words * (i + 1) / copies);
    for (int reader : tile.readers) add_one(reader, false, slot * words, (slot + 1) * words);
  }

  BlockProgram const& program_;
  BlockRun run_;
  PipelineAdvice const& advice_;
  Tiles tiles_;
  Timeline made_;
  std::vector<LeftOut> cuts_;
  std::vector<int32_t> number_;  ///< of each step: its instruction; -1: it is not shown
  std::map<std::string, int32_t> copied_;
};

std::string verdict_of(BlockProgram const& program, std::string const& launch) {
  int64_t others = program.resident - 1, blocks = program.time.nest.blocks();
  std::string beside = others == 0 ? "alone on its multiprocessor"
                       : others == 1
                           ? "beside one other on its multiprocessor"
                           : fmt::format("beside {} others on its multiprocessor", others);
  return fmt::format("One of {} of {}, {}; the order is exact, times are modelled",
                     count_text(blocks, "block"), launch, beside);
}

}  // namespace

Timeline pipeline_timeline(BlockProgram const& program, Multiprocessor const& unit,
                           Rates const& rates, std::string const& launch) {
  BlockRun run = run_blocks(unrolled(program), program.resident, program.rates);
  PipelineAdvice advice = pipeline_advice(program, run, unit);
  Timeline made = Drawing(program, std::move(run), advice).take(rates);
  made.verdict = verdict_of(program, launch);
  return made;
}

}  // namespace tw::gpu
