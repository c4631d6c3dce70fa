/// Threads of a block as fibers: each runs until it waits for others, then the next one.
#pragma once

#include <ucontext.h>

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace tw::testing {

/// What code of device functions for this processor calls its parts: the counters of blocks and
/// threads, what a barrier and what a shuffle calls, and a function with its arguments as a list of
/// words.
inline constexpr char kAt[] = "tw_at", kMeet[] = "tw_meet", kShuffle[] = "tw_shuffle",
                      kCall[] = "tw_call_";

enum class PhaseUse : uint8_t { kOpen, kArrive, kAwait };

/// The threads of one block, which meet.
class Block {
public:
  using Function = void (*)(void const* arguments);

  /// False: some threads wait at a barrier that others never come to, or for a phase that is never
  /// over.
  static bool run(Function function, void const* arguments, std::array<int64_t, 3> const& threads,
                  int32_t* at, void** meet) {
    Block block(function, arguments);
    running_ = &block;
    *meet = reinterpret_cast<void*>(&Block::meet);
    size_t count = size_t(threads[0] * threads[1] * threads[2]);
    block.given_.resize(count);
    block.fibers_.resize(count);
    for (Fiber& fiber : block.fibers_) block.make(fiber);
    for (bool some = true; some;) {
      size_t left = 0, polling = 0;
      block.moved_ = false;
      block.release();
      for (size_t i = 0; i < count; ++i) {
        block.current_ = i;
        at[3] = int32_t(int64_t(i) % threads[0]);
        at[4] = int32_t(int64_t(i) / threads[0] % threads[1]);
        at[5] = int32_t(int64_t(i) / threads[0] / threads[1]);
        if (!block.fibers_[i].done) ::swapcontext(&block.scheduler_, &block.fibers_[i].context);
        left += block.fibers_[i].done;
        polling += block.fibers_[i].polls;
      }
      if (polling > 0 && polling + left == count && !block.moved_) return false;
      some = left != count;
    }
    return true;
  }

  /// For what a thread that runs calls: its number in the block.
  static int64_t thread() { return int64_t(running_->current_); }
  /// Until all other threads have run as far.
  static void wait() {
    Block& block = *running_;
    ::swapcontext(&block.fibers_[block.current_].context, &block.scheduler_);
  }
  /// Until all threads of the block are here.
  static void meet() { running_->wait_for({0, running_->fibers_.size(), true}); }
  /// What the thread `step` beside this one in its group of `lanes` threads hands over.
  static int64_t shuffle(int64_t own, int64_t lanes, int64_t step) {
    Block& block = *running_;
    size_t group = block.current_ / size_t(lanes) * size_t(lanes);
    Place place{group, size_t(lanes), false};
    Meeting& meeting = block.meetings_[place];
    auto& given = meeting.given[size_t(meeting.over % 2)];  // who is ahead gives in the other one
    given.resize(size_t(lanes));
    given[block.current_ - group] = own;
    block.wait_for(place);
    return given[(block.current_ - group) ^ size_t(step)];
  }
  /// A barrier with phases: how many are over, have arrived and must arrive, in one word.
  static void use_phases(int64_t use, int64_t* word, int64_t number) {
    Block& block = *running_;
    constexpr int64_t kOver = int64_t(1) << 32, kArrived = 1 << 16, kLow = kArrived - 1;
    if (PhaseUse(use) == PhaseUse::kOpen && block.current_ == 0) *word = number;
    if (PhaseUse(use) == PhaseUse::kArrive) {
      block.moved_ = true;
      *word += kArrived;
      if ((*word / kArrived & kLow) == (*word & kLow)) *word += kOver - (*word & kLow) * kArrived;
    }
    if (PhaseUse(use) != PhaseUse::kAwait) return;
    bool& polls = block.fibers_[block.current_].polls;
    for (polls = true; ((*word / kOver ^ number) & 1) == 0;) wait();
    polls = false;
    block.moved_ = true;
  }
  /// What the 32 threads of this one's warp hand over; all of the block come here together.
  static std::span<void const* const> hand_over(void const* own) {
    Block& block = *running_;
    block.given_[block.current_] = own;
    wait();
    return {&block.given_[block.current_ / 32 * 32], 32};
  }

private:
  struct Fiber {
    ucontext_t context;
    std::vector<char> stack;
    bool done = false, polls = false;
  };

  /// Where some threads side by side meet, all of the block or those of a group.
  struct Place {
    size_t first = 0, count = 0;
    bool whole = false;
    auto operator<=>(Place const&) const = default;
  };
  struct Meeting {
    size_t here = 0;
    int64_t over = 0;
    std::array<std::vector<int64_t>, 2> given = {};  ///< by thread, in shuffles one after the other
  };

  void wait_for(Place const& place) {
    int64_t before = meetings_[place].over;
    ++meetings_[place].here;
    moved_ = true;
    fibers_[current_].polls = true;
    while (meetings_[place].over == before) wait();
    fibers_[current_].polls = false;
    moved_ = true;
  }
  /// Who waits where all are goes on in the same turn.
  void release() {
    for (auto& [place, meeting] : meetings_)
      if (meeting.here == place.count) {
        meeting.here = 0;
        ++meeting.over;
        moved_ = true;
      }
  }

  Block(Function function, void const* arguments) : function_(function), arguments_(arguments) {}

  void make(Fiber& fiber) {
    fiber.stack.resize(size_t(192) << 10);
    ::getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.data();
    fiber.context.uc_stack.ss_size = fiber.stack.size();
    fiber.context.uc_link = nullptr;
    ::makecontext(&fiber.context, &Block::begin, 0);
  }
  static void begin() {
    Block& block = *running_;
    block.function_(block.arguments_);
    block.fibers_[block.current_].done = true;
    wait();
  }
  static inline Block* running_ = nullptr;
  std::vector<void const*> given_;  // by thread
  Function function_;
  void const* arguments_;
  ucontext_t scheduler_;
  std::vector<Fiber> fibers_;
  size_t current_ = 0;
  std::map<Place, Meeting> meetings_;
  bool moved_ = false;
};

}  // namespace tw::testing
