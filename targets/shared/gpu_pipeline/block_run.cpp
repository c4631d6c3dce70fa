#include "targets/shared/gpu_pipeline/block_run.h"

#include <algorithm>
#include <array>
#include <map>
#include <queue>
#include <tuple>

namespace tw::gpu {
namespace {

using Kind = BlockOp::Kind;
using Work = UnitSpan::Work;

constexpr int64_t kMostTurns = 24;

// ---- steps -----------------------------------------------------------------------------------

class Unrolling {
public:
  explicit Unrolling(BlockProgram const& program) {
    made_.shared = program.shared;
    made_.ring = program.ring;
    add(program.filling, true);
    made_.filling = int(made_.steps.size());
    add(program.items, false);
  }
  RunSteps take() { return std::move(made_); }

private:
  void add(std::vector<BlockItem> const& items, bool fills) {
    for (BlockItem const& item : items) {
      if (item.is_loop()) {
        loop_ = int(made_.loops.size());
        turn_ = 0;
        made_.loops.push_back({item.loop, turns_of(item), 0, fills});
        add_loop(item);
        made_.loops.back().run = turn_;
        loop_ = -1;
      } else {
        made_.steps.push_back({.op = item.op});
      }
    }
  }

  void add_loop(BlockItem const& loop) {
    bool innermost = std::ranges::none_of(loop.items, &BlockItem::is_loop);
    for (int64_t i = 0; i < loop.extent && turn_ < kMostTurns; ++i) {
      for (BlockItem const& item : loop.items)
        if (item.is_loop())
          add_loop(item);
        else
          made_.steps.push_back({.op = item.op, .turn = turn_, .loop = loop_});
      if (innermost) ++turn_;
    }
  }

  RunSteps made_;
  int loop_ = -1, turn_ = 0;
};

// ---- running ---------------------------------------------------------------------------------

/// Something that a part is asked for at a time; then the next one follows.
struct Event {
  enum class What : uint8_t { kIssue, kTransfer, kShared, kArithmetic, kDone };
  double at = 0;
  int64_t number = 0;  ///< who came first
  int block = 0, step = 0, part = 0;
  What what = What::kIssue;
  bool operator>(Event const& other) const {
    return std::tie(at, number) > std::tie(other.at, other.number);
  }
};

class Running {
public:
  Running(RunSteps const& steps, int blocks, BlockRates const& rates)
      : rates_(rates), blocks_(size_t(std::max(1, blocks))) {
    run_.run = steps;
    auto all = steps.steps.size(), filling = size_t(steps.filling);
    for (Block& block : blocks_) {
      block.done.assign(all, false);
      block.strands = {Strand{0, filling}, Strand{filling, all}};
    }
    find_needs(0, filling);
    find_needs(filling, all);
    find_arrivals();
  }

  BlockRun take() {
    for (size_t b = 0; b < blocks_.size(); ++b) go_on(int(b), 0);
    while (!events_.empty()) {
      Event event = events_.top();
      events_.pop();
      handle(event);
    }
    note_turns();
    return std::move(run_);
  }

private:
  /// Steps of threads that do the same, one after the other.
  struct Strand {
    size_t front = 0, end = 0;
    bool arrived = false;  ///< at the step that is in front
    bool issuing = false;  ///< what comes after waits for it
  };
  struct Block {
    std::array<Strand, 2> strands;  ///< of those that fill, and of the others
    std::vector<bool> done;         ///< of each step
  };
  Strand& strand_of(int b, int step) {
    return blocks_[size_t(b)].strands[run_.run.fills(size_t(step)) ? 0 : 1];
  }

  std::vector<RunStep>& steps() { return run_.run.steps; }

  /// Of a tensor of a thread the last op before that writes it, which goes on until its data is
  /// there.
  void find_needs(size_t first, size_t end) {
    std::map<std::string, int> last;
    std::vector<int> group, sync, started;
    std::vector<std::vector<int>> groups;
    for (size_t i = first; i < end; ++i) {
      BlockOp const& op = steps()[i].op;
      std::vector<int> needs;
      if (op.kind == Kind::kCommit) {
        groups.push_back(std::exchange(group, {}));
      } else if (op.kind == Kind::kWait) {
        for (size_t g = 0; g + size_t(std::max(0, op.groups)) < groups.size(); ++g)
          needs.insert(needs.end(), groups[g].begin(), groups[g].end());
      } else if (op.kind == Kind::kBarrier) {
        needs = sync;
      } else if (op.kind == Kind::kArrive) {
        if (!op.async) needs = sync;
        std::vector<int>& arrived = arrivals_[{op.tensor, steps()[i].turn}];
        arrived.push_back(int(i));
        if (op.async) arrived.insert(arrived.end(), started.begin(), started.end());
        started.clear();
      } else if (op.kind != Kind::kAwait) {
        for (std::string const& name : op.reads)
          if (auto at = last.find(name); at != last.end()) needs.push_back(at->second);
        for (std::string const& name : op.writes)
          if (!op.async && !run_.run.is_shared(name)) last[name] = int(i);
        (op.async ? group : sync).push_back(int(i));
        if (op.async) started.push_back(int(i));
      }
      needs_.push_back(std::move(needs));
    }
  }

  void find_arrivals() {
    for (size_t i = 0; i < steps().size(); ++i) {
      RunStep const& step = steps()[i];
      if (step.op.kind != Kind::kAwait) continue;
      auto at = arrivals_.find({step.op.tensor, step.turn + step.op.groups});
      if (at != arrivals_.end()) needs_[i] = at->second;
    }
  }

  void ask(double at, int block, int step, int part, Event::What what) {
    events_.push({at, ++asked_, block, step, part, what});
  }

  double take_part(UnitPart part, Work work, Event const& event, double cycles) {
    double& free = free_[size_t(part)];
    double begin = std::max(free, event.at), end = begin + cycles;
    if (cycles <= 0) return event.at;
    free = end;
    run_.spans.push_back({part, work, event.block, event.step, begin, end});
    if (event.block == 0) {
      RunStep& step = steps()[size_t(event.step)];
      step.begin = std::min(step.begin, begin);
    }
    return end;
  }

  void go_on(int b, double now) {
    for (Strand& strand : blocks_[size_t(b)].strands) go_on(b, strand, now);
  }

  /// As far as it comes: it stops at an op that keeps what follows, or waits.
  void go_on(int b, Strand& strand, double now) {
    while (!strand.issuing && strand.front < strand.end) {
      int at = int(strand.front);
      RunStep& step = steps()[size_t(at)];
      if (!std::exchange(strand.arrived, true) && b == 0) step.arrive = step.begin = now;
      bool ready = std::ranges::all_of(
          needs_[size_t(at)], [&](int need) { return blocks_[size_t(b)].done[size_t(need)]; });
      if (!ready) return;
      if (b == 0) step.begin = now;
      start(b, at, now);
    }
  }

  void leave(int b, int at, double now) {
    Strand& strand = strand_of(b, at);
    strand.issuing = strand.arrived = false;
    ++strand.front;
    go_on(b, now);
  }

  void start(int b, int at, double now) {
    BlockOp const& op = steps()[size_t(at)].op;
    strand_of(b, at).issuing = true;
    if (op.kind == Kind::kBarrier) return ask(now + kMeetingCycles, b, at, 0, Event::What::kDone);
    if (op.kind == Kind::kCommit || op.kind == Kind::kWait || is_phase(op))
      return ask(now, b, at, 0, Event::What::kDone);
    if (op.kind != Kind::kCompute) return ask(now, b, at, 0, Event::What::kIssue);
    ask(now, b, at, 0, op.cost.bytes > 0 ? Event::What::kTransfer : Event::What::kShared);
  }

  void handle(Event const& event) {
    BlockOp const& op = steps()[size_t(event.step)].op;
    switch (event.what) {
      case Event::What::kIssue: {
        double end = take_part(UnitPart::kArithmetic, Work::kOthers, event, op.cost.others);
        end = std::max(end, event.at);
        if (op.cost.products > 0)
          end = take_part(UnitPart::kArithmetic, Work::kProducts,
                          {end, 0, event.block, event.step, 0, event.what}, op.cost.products);
        ask(end, event.block, event.step, 0, Event::What::kTransfer);
        return;
      }
      case Event::What::kTransfer:
        return transfer(event, op);
      case Event::What::kShared:
        return share(event, op);
      case Event::What::kArithmetic:
        return compute(event, op);
      case Event::What::kDone:
        return finish(event, op);
    }
  }

  void transfer(Event const& event, BlockOp const& op) {
    double parts = op.kind == Kind::kCompute ? op.parts : 1;
    Work work = op.kind == Kind::kStore ? Work::kStore : Work::kCopy;
    double end =
        take_part(UnitPart::kCopies, work, event, op.cost.bytes / parts * rates_.cycles_per_byte);
    double there = op.kind == Kind::kStore ? end : end + rates_.copy_latency;
    ask(there, event.block, event.step, event.part, Event::What::kShared);
    if (op.kind != Kind::kCompute) leave(event.block, event.step, event.at);
  }

  void share(Event const& event, BlockOp const& op) {
    bool computes = op.kind == Kind::kCompute;
    double parts = computes ? op.parts : 1;
    double end = take_part(UnitPart::kShared, Work::kShared, event, op.cost.shared / parts);
    if (!computes) return ask(end, event.block, event.step, 0, Event::What::kDone);
    double latency = op.cost.shared > 0 ? rates_.shared_latency : 0;
    ask(end + latency, event.block, event.step, event.part, Event::What::kArithmetic);
    if (event.part + 1 < op.parts)
      ask(end, event.block, event.step, event.part + 1,
          op.cost.bytes > 0 ? Event::What::kTransfer : Event::What::kShared);
  }

  void compute(Event const& event, BlockOp const& op) {
    double parts = op.parts;
    double end = take_part(UnitPart::kArithmetic, Work::kProducts, event, op.cost.products / parts);
    Event rest = event;
    rest.at = end;
    end = std::max(end,
                   take_part(UnitPart::kArithmetic, Work::kOthers, rest, op.cost.others / parts));
    if (event.part + 1 == op.parts) ask(end, event.block, event.step, 0, Event::What::kDone);
  }

  void finish(Event const& event, BlockOp const& op) {
    Block& block = blocks_[size_t(event.block)];
    block.done[size_t(event.step)] = true;
    if (event.block == 0) steps()[size_t(event.step)].end = event.at;
    run_.end = std::max(run_.end, event.at);
    bool kept = op.kind != Kind::kCopy && op.kind != Kind::kStore;
    if (kept)
      leave(event.block, event.step, event.at);
    else
      go_on(event.block, event.at);
  }

  void note_turns() {
    run_.turn_begins.resize(run_.run.loops.size());
    int turn = -1, loop = -1;
    for (RunStep const& step : steps()) {
      if (step.loop >= 0 && (step.loop != loop || step.turn != turn))
        run_.turn_begins[size_t(step.loop)].push_back(step.arrive);
      loop = step.loop;
      turn = step.turn;
    }
  }

  static bool is_phase(BlockOp const& op) {
    return op.kind == Kind::kArrive || op.kind == Kind::kAwait;
  }

  BlockRates const& rates_;
  std::vector<Block> blocks_;
  std::map<std::pair<std::string, int>, std::vector<int>> arrivals_;  ///< of a turn, and its copies
  std::vector<std::vector<int>> needs_;  ///< of each step: those that must be done before
  std::array<double, 3> free_{};
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  int64_t asked_ = 0;
  BlockRun run_;
};

}  // namespace

RunSteps unrolled(BlockProgram const& program) { return Unrolling(program).take(); }

bool RunSteps::is_shared(std::string const& tensor) const {
  return std::ranges::find(shared, tensor) != shared.end();
}

double BlockRun::turn_cycles(size_t loop) const {
  std::vector<double> const& begins = turn_begins[loop];
  if (begins.size() < 3) return end;
  size_t last = begins.size() - 1, first = last / 2;  // the first half fills the pipeline
  return (begins[last] - begins[first]) / double(last - first);
}

BlockRun run_blocks(RunSteps const& steps, int blocks, BlockRates const& rates) {
  return Running(steps, blocks, rates).take();
}

}  // namespace tw::gpu
