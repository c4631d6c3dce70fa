#include "targets/shared/gpu_pipeline/tiles.h"

#include <algorithm>
#include <utility>

namespace tw::gpu {
namespace {

using Kind = BlockOp::Kind;

class Finding {
public:
  explicit Finding(RunSteps const& run) : run_(run) {
    if (run.ring > 0) {
      add_turns();
      return;
    }
    for (size_t i = 0; i < run.steps.size(); ++i) add(int(i), run.steps[i].op);
    found_.slots = slots();
  }
  Tiles take() { return std::move(found_); }

private:
  bool fills_shared(BlockOp const& op) const {
    return std::ranges::any_of(op.writes, [&](auto const& name) { return run_.is_shared(name); });
  }

  void add(int at, BlockOp const& op) {
    switch (op.kind) {
      case Kind::kCopy:
        if (fills_shared(op)) (op.async ? group_ : plain_).push_back(at);
        return;
      case Kind::kCommit:
        if (!group_.empty()) close(group_);
        return;
      case Kind::kWait:
        readable_ = std::max(readable_, int(found_.tiles.size()) - op.groups);
        return;
      case Kind::kBarrier:
        if (plain_.empty()) return;
        close(plain_);
        readable_ = int(found_.tiles.size());
        return;
      case Kind::kCompute:
      case Kind::kStore:
        return read(at, op);
      default:  // of roles
        return;
    }
  }

  /// What those that fill do in a turn is a tile, which the others read in the same turn.
  void add_turns() {
    found_.slots = run_.ring;
    for (size_t i = 0; i < run_.steps.size(); ++i) {
      RunStep const& step = run_.steps[i];
      bool works = step.op.kind == Kind::kCopy || step.op.kind == Kind::kCompute ||
                   step.op.kind == Kind::kStore;
      if (!works || step.turn < 0) continue;
      if (size_t(step.turn) >= found_.tiles.size()) found_.tiles.resize(size_t(step.turn) + 1);
      Tile& tile = found_.tiles[size_t(step.turn)];
      if (run_.fills(i) && fills_shared(step.op)) tile.copies.push_back(int(i));
      if (!run_.fills(i) && reads_tile(tile, step.op)) tile.readers.push_back(int(i));
    }
    std::erase_if(found_.tiles, [](Tile const& tile) { return tile.copies.empty(); });
  }

  bool reads_tile(Tile const& tile, BlockOp const& op) const {
    return std::ranges::any_of(tile.copies, [&](int copy) {
      auto const& written = run_.steps[size_t(copy)].op.writes;
      return std::ranges::any_of(op.reads, [&](std::string const& name) {
        return std::ranges::find(written, name) != written.end();
      });
    });
  }

  void close(std::vector<int>& copies) { found_.tiles.push_back({std::exchange(copies, {}), {}}); }

  /// The tile that may be read last, where it holds what the op reads.
  void read(int at, BlockOp const& op) {
    if (readable_ < 1) return;
    Tile& tile = found_.tiles[size_t(readable_) - 1];
    if (reads_tile(tile, op)) tile.readers.push_back(at);
  }

  int slots() const {
    int most = 1;
    for (size_t i = 0; i < found_.tiles.size(); ++i) {
      if (found_.tiles[i].readers.empty()) continue;
      int last = found_.tiles[i].readers.back(), there = 0;
      for (size_t j = i; j < found_.tiles.size() && found_.tiles[j].copies.front() < last; ++j)
        ++there;
      most = std::max(most, there);
    }
    return most;
  }

  RunSteps const& run_;
  Tiles found_;
  std::vector<int> group_, plain_;
  int readable_ = 0;
};

}  // namespace

Tiles tiles_of(RunSteps const& run) { return Finding(run).take(); }

}  // namespace tw::gpu
