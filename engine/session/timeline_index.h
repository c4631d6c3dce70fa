/// Finds what of a timeline is seen, in a time that hardly depends on how long it is: a run of a
/// million spans is painted as fast as one of a hundred.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/hardware/timeline.h"

namespace tw::session {

class TimelineIndex {
public:
  explicit TimelineIndex(std::shared_ptr<Timeline const> timeline);
  Timeline const& timeline() const { return *timeline_; }

  /// Indices of the spans of a lane that overlap cycles [from, to), by time.
  std::span<int32_t const> seen(int lane, int64_t from, int64_t to) const;
  /// The kinds that occur in a lane.
  std::vector<int32_t> const& kinds_of(int lane) const { return lanes_[size_t(lane)].kinds; }
  /// Cycles before `cycle` that a lane spent on each of `kinds_of`, in their order.
  void spent_before(int lane, int64_t cycle, std::vector<int64_t>& cycles) const;
  /// The span of a lane at a cycle; -1: nothing is done there.
  int32_t span_at(int lane, int64_t cycle) const;

  /// Indices of the spans of an instruction, waiting included.
  std::span<int32_t const> spans_of(int32_t instruction) const;
  /// Where its work begins, else its waiting; -1: it has no span.
  int64_t begin_of(int32_t instruction) const { return begins_[size_t(instruction)]; }
  /// Indices of the tokens that it takes, and that it puts.
  std::span<int32_t const> taken_by(int32_t instruction) const { return taken_.of(instruction); }
  std::span<int32_t const> put_by(int32_t instruction) const { return put_.of(instruction); }
  /// The instruction that begins `steps` after another one, by time; stays at the first and last.
  /// -1: nothing was done.
  int32_t stepped(int32_t instruction, int steps) const;
  /// The last one that begins at or before a cycle; -1: none does.
  int32_t last_begun(int64_t cycle) const;

  /// Indices of at most `most` tokens of which something is between two cycles; nothing where there
  /// are more.
  std::vector<int32_t> tokens_between(int64_t from, int64_t to, size_t most) const;
  /// The next push (else pop) of a queue after a cycle; -1: there is none.
  int32_t next_token(int queue, bool push, int64_t after) const;

  struct Extremes {
    int64_t least = 0, most = 0;
  };
  /// Of a counter in cycles [from, to), with the value that it had there already.
  Extremes extremes(int counter, int64_t from, int64_t to) const;
  int64_t value_at(int counter, int64_t cycle) const;
  /// The most that it ever had.
  int64_t peak_of(int counter) const { return steps_[size_t(counter)].peak; }
  /// Indices of the touches of a memory by instructions that begin at or before a cycle, by time.
  std::span<int32_t const> touches_until(int counter, int64_t cycle) const;
  /// One more than the last element of a memory that is ever touched.
  int64_t elements_of(int counter) const { return memories_[size_t(counter)].elements; }

private:
  struct Lane {
    std::vector<int32_t> spans;   ///< by begin
    std::vector<int64_t> begins;  ///< of these
    std::vector<int64_t> ends;    ///< the latest so far
    std::vector<int32_t> kinds;
    std::vector<int64_t> sums;  ///< of each kind before every kBlock-th span
  };
  /// Lists of indices by instruction.
  struct Lists {
    std::vector<int32_t> first, items;
    std::span<int32_t const> of(int32_t at) const {
      auto begin = size_t(first[size_t(at)]), end = size_t(first[size_t(at) + 1]);
      return {items.data() + begin, end - begin};
    }
  };
  struct Steps {
    std::vector<Extremes> blocks;
    int64_t peak = 0;
  };
  struct Memory {
    std::vector<int32_t> touches;  ///< by the begin of their instruction
    std::vector<int64_t> begins;
    int64_t elements = 0;
  };
  template <typename Items, typename Key>
  Lists lists_by(Items const& items, Key const& key) const;
  void index_lanes();
  void index_instructions();
  void index_tokens();
  void index_counters();

  std::shared_ptr<Timeline const> timeline_;
  std::vector<Lane> lanes_;
  Lists spans_, taken_, put_;
  std::vector<int64_t> begins_;
  std::vector<int32_t> order_, rank_;  ///< of instructions, by begin; those that begin
  std::vector<int32_t> pushes_, pops_;
  std::vector<int64_t> latest_pop_;  ///< of the tokens so far, by push
  std::vector<Steps> steps_;
  std::vector<Memory> memories_;
};

}  // namespace tw::session
