#include "targets/vta/compiler/stages/tokens.h"

#include <algorithm>
#include <array>
#include <map>

namespace tw::vta {
namespace {

constexpr int64_t kNever = -1;

/// Of each module the last call that read and the last that wrote.
struct Last {
  std::array<int64_t, kModules> read{kNever, kNever, kNever}, wrote{kNever, kNever, kNever};
  bool operator==(Last const&) const = default;
};

/// Elements of one memory, as intervals with the same history.
class History {
public:
  /// Makes borders at both ends and calls `f` for each interval between them.
  template <typename F>
  void for_each(int64_t begin, int64_t end, F f) {
    if (begin >= end) return;
    cut(begin);
    cut(end);
    for (auto at = parts_.find(begin); at->first != end; ++at) f(at->second);
  }

private:
  void cut(int64_t at) {
    auto next = parts_.upper_bound(at);
    if (next != parts_.begin() && std::prev(next)->first == at) return;
    parts_.emplace_hint(next, at, next == parts_.begin() ? Last() : std::prev(next)->second);
  }
  std::map<int64_t, Last> parts_;  ///< from each key to the next; the last one has no end
};

bool are_neighbours(int a, int b) { return a - b == 1 || b - a == 1; }

/// The last token of a queue: who pushed, who pops.
struct Pair {
  int64_t push = kNever, pop = kNever;
};

class Placing {
public:
  Placing(std::vector<StageCall>& calls, std::span<uint32_t const> order)
      : calls_(calls), order_(order) {}

  void run() {
    for (size_t j = 0; j < order_.size(); ++j) {
      std::array<int64_t, kModules> after = conflicts(int64_t(j));
      int own = int(module_of(call(int64_t(j)).call));
      for (int other = 0; other < kModules; ++other)
        if (are_neighbours(own, other)) order(other, after[size_t(other)], own, int64_t(j));
    }
  }

private:
  /// Per module its last call that `j` must come after; `j` becomes part of the history.
  std::array<int64_t, kModules> conflicts(int64_t j) {
    std::array<int64_t, kModules> after{kNever, kNever, kNever};
    StageCall const& stage = call(j);
    size_t own = size_t(module_of(stage.call));
    for (Touched const& one : stage.touched)
      memories_[size_t(one.memory)].for_each(one.begin, one.end, [&](Last& last) {
        for (size_t m = 0; m < kModules; ++m) {
          after[m] = std::max(after[m], last.wrote[m]);
          if (one.write) after[m] = std::max(after[m], last.read[m]);
        }
        (one.write ? last.wrote : last.read)[own] = j;
      });
    return after;
  }

  void order(int from, int64_t i, int to, int64_t j) {
    Pair& last = last_[size_t(from)][size_t(to)];
    if (i == kNever || i <= last.push) return;
    Tokens &push = call(i).call.tokens, &pop = call(j).call.tokens;
    (to > from ? push.push_next : push.push_prev) = true;
    (from > to ? pop.pop_next : pop.pop_prev) = true;
    last = {i, j};
  }

  StageCall& call(int64_t at) { return calls_[order_[size_t(at)]]; }

  std::vector<StageCall>& calls_;
  std::span<uint32_t const> order_;
  std::array<History, kMemories> memories_;
  std::array<std::array<Pair, kModules>, kModules> last_;
};

}  // namespace

void place_tokens(std::vector<StageCall>& calls, std::span<uint32_t const> order) {
  Placing(calls, order).run();
}

}  // namespace tw::vta
