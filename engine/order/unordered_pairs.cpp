#include "engine/order/unordered_pairs.h"

#include <algorithm>
#include <deque>
#include <set>
#include <unordered_map>
#include <utility>

namespace tw::order {
namespace {

/// The intervals of a window of events, found by where they lie.
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

std::vector<UnorderedPair> unordered_pairs(HappensBefore const& order, Meeting const& meeting,
                                           size_t most) {
  std::vector<int32_t> const& as = order.ran(meeting.a);
  auto set_of = [&](int32_t position) -> IntervalSet const& {
    return meeting.of_a(as[size_t(position)]);
  };
  std::vector<UnorderedPair> pairs;
  std::vector<int32_t> met(as.size(), -1);  // the last one of `b` that it was paired with
  Window window(meeting.bucket);
  int32_t begin = 0, end = 0;
  for (int32_t b : order.ran(meeting.b)) {
    int32_t index = order.index(b);
    for (; size_t(end) < as.size() && order.before(as[size_t(end)], meeting.b) <= index; ++end)
      if (set_of(end)) window.add(end, *set_of(end));
    for (int32_t done = order.before(b, meeting.a); begin < done; ++begin)
      if (set_of(begin)) window.remove(begin, *set_of(begin));
    IntervalSet const& set = meeting.of_b(b);
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

std::vector<UnorderedPair> unordered_pairs(HappensBefore const& order,
                                           std::span<Footprint const> footprints, size_t most) {
  auto reads = [&](int32_t e) -> IntervalSet const& { return footprints[size_t(e)].reads; };
  auto writes = [&](int32_t e) -> IntervalSet const& { return footprints[size_t(e)].writes; };
  std::vector<UnorderedPair> all;
  for (int32_t a = 0; a < order.agents(); ++a)
    for (int32_t b = a + 1; b < order.agents(); ++b) {
      std::set<std::pair<int32_t, int32_t>> met;
      for (Meeting const& meeting : {Meeting{a, b, writes, writes}, Meeting{a, b, writes, reads},
                                     Meeting{a, b, reads, writes}})
        for (UnorderedPair const& pair : unordered_pairs(order, meeting, most))
          if (all.size() < most && met.emplace(pair.a, pair.b).second) all.push_back(pair);
    }
  return all;
}

void each_unordered(HappensBefore const& order, int32_t a, int32_t b,
                    std::function<void(int32_t, int32_t)> const& found) {
  std::vector<int32_t> const& as = order.ran(a);
  size_t end = 0;
  for (int32_t second : order.ran(b)) {
    while (end < as.size() && order.before(as[end], b) <= order.index(second)) ++end;
    for (auto at = size_t(order.before(second, a)); at < end; ++at) found(as[at], second);
  }
}

}  // namespace tw::order
