#include "targets/vta/prover/unordered_pairs.h"

#include <algorithm>
#include <deque>
#include <unordered_map>

namespace tw::vta {
namespace {

/// The intervals of a window of instructions, found by where they lie.
class Window {
public:
  explicit Window(int64_t bucket) : bucket_(bucket) {}

  void add(int32_t position, Intervals const& intervals) {
    for (Interval const& one : intervals)
      for (int64_t b = one.begin / bucket_; b <= (one.end - 1) / bucket_; ++b)
        buckets_[b].push_back({position, one});
  }
  /// The oldest one that is in it.
  void remove(int32_t position, Intervals const& intervals) {
    for (Interval const& one : intervals)
      for (int64_t b = one.begin / bucket_; b <= (one.end - 1) / bucket_; ++b) {
        std::deque<Entry>& entries = buckets_[b];
        while (!entries.empty() && entries.front().position <= position) entries.pop_front();
      }
  }
  /// Calls `found(position, element)` for what overlaps, maybe several times for one.
  template <typename Found>
  void look_up(Intervals const& intervals, Found found) const {
    for (Interval const& one : intervals)
      for (int64_t b = one.begin / bucket_; b <= (one.end - 1) / bucket_; ++b) {
        auto bucket = buckets_.find(b);
        if (bucket == buckets_.end()) continue;
        for (Entry const& entry : bucket->second)
          if (entry.interval.begin < one.end && one.begin < entry.interval.end)
            found(entry.position, std::max(entry.interval.begin, one.begin));
      }
  }

private:
  struct Entry {
    int32_t position;
    Interval interval;
  };
  int64_t bucket_;
  std::unordered_map<int64_t, std::deque<Entry>> buckets_;
};

}  // namespace

std::vector<UnorderedPair> unordered_pairs(HappensBefore const& order,
                                           std::span<Footprint const> footprints,
                                           Meeting const& meeting, size_t most) {
  std::vector<int32_t> const& as = order.ran[size_t(meeting.a)];
  auto set_of = [&](int32_t position) -> IntervalSet const& {
    return footprints[size_t(as[size_t(position)])].*meeting.of_a;
  };
  std::vector<UnorderedPair> pairs;
  std::vector<int32_t> met(as.size(), -1);  // the last one of `b` that it was paired with
  Window window(meeting.bucket);
  int32_t begin = 0, end = 0;
  for (int32_t b : order.ran[size_t(meeting.b)]) {
    int32_t index = order.index[size_t(b)];
    for (; size_t(end) < as.size() &&
           order.before[size_t(as[size_t(end)])][size_t(meeting.b)] <= index;
         ++end)
      if (set_of(end)) window.add(end, *set_of(end));
    for (int32_t done = order.before[size_t(b)][size_t(meeting.a)]; begin < done; ++begin)
      if (set_of(begin)) window.remove(begin, *set_of(begin));
    IntervalSet const& set = footprints[size_t(b)].*meeting.of_b;
    if (!set) continue;
    window.look_up(*set, [&](int32_t position, int64_t element) {
      if (position < begin || met[size_t(position)] == b || pairs.size() == most) return;
      met[size_t(position)] = b;
      pairs.push_back({as[size_t(position)], b, element});
    });
    if (pairs.size() == most) break;
  }
  return pairs;
}

}  // namespace tw::vta
