#include "engine/analysis/reuse_distance.h"

#include <algorithm>
#include <bit>

namespace tw::analysis {
namespace {

constexpr int64_t kAlone = 16;  // distances that have a range of their own
constexpr size_t kLeastTimes = 1 << 12;

}  // namespace

size_t ReuseHistogram::range_of(int64_t distance) {
  if (distance < kAlone) return size_t(std::max<int64_t>(distance, 0));
  int power = std::bit_width(uint64_t(distance)) - 1;  // 4 and more
  return size_t(kAlone) + size_t(power - 4) * 8 + (size_t(distance) >> (power - 3)) % 8;
}

int64_t ReuseHistogram::least_of(size_t range) {
  if (range < size_t(kAlone)) return int64_t(range);
  size_t power = 4 + (range - size_t(kAlone)) / 8, eighth = (range - size_t(kAlone)) % 8;
  return int64_t(8 + eighth) << (power - 3);
}

int64_t ReuseHistogram::total() const {
  int64_t count = first;
  for (int64_t uses_of_range : uses) count += uses_of_range;
  return count;
}

void ReuseHistogram::add(int64_t distance) {
  if (distance < 0) {
    ++first;
    return;
  }
  size_t range = range_of(distance);
  if (range >= uses.size()) uses.resize(range + 1, 0);
  ++uses[range];
}

double ReuseHistogram::answered_within(int64_t lines) const {
  double answered = 0;
  for (size_t range = 0; range < uses.size(); ++range) {
    int64_t from = least_of(range), to = least_of(range + 1);
    double part = double(std::clamp<int64_t>(lines - from, 0, to - from)) / double(to - from);
    answered += part * double(uses[range]);
  }
  return total() > 0 ? answered / double(total()) : 0;
}

/// Times begin at 1, as the tree's places do.
void ReuseDistances::add(size_t time, int by) {
  for (; time < marks_.size(); time += time & (~time + 1)) marks_[time] += by;
}

int64_t ReuseDistances::before(size_t time) const {
  int64_t count = 0;
  for (; time > 0; time -= time & (~time + 1)) count += marks_[time];
  return count;
}

/// Times are given anew, in their order, when they have run out.
void ReuseDistances::compact() {
  std::vector<std::pair<size_t, int64_t>> order;
  for (auto const& [line, time] : last_) order.push_back({time, line});
  std::ranges::sort(order);
  marks_.assign(std::max(kLeastTimes, 4 * order.size()), 0);
  now_ = 0;
  for (auto const& [time, line] : order) {
    last_[line] = ++now_;
    add(now_, 1);
  }
}

int64_t ReuseDistances::use(int64_t line) {
  if (now_ + 1 >= marks_.size()) compact();
  auto found = last_.find(line);
  int64_t distance = -1;
  if (found != last_.end()) {
    distance = int64_t(last_.size()) - before(found->second);
    add(found->second, -1);
  }
  last_[line] = ++now_;
  add(now_, 1);
  return distance;
}

}  // namespace tw::analysis
