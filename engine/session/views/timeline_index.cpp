#include "engine/session/timeline_index.h"

#include <algorithm>
#include <numeric>

namespace tw::session {
namespace {

constexpr size_t kBlock = 16;  ///< spans and steps that are gone through one by one

std::vector<int32_t> counted(size_t count) {
  std::vector<int32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

/// How many of sorted numbers are below (or at) one.
size_t below(std::vector<int64_t> const& sorted, int64_t value) {
  return size_t(std::ranges::lower_bound(sorted, value) - sorted.begin());
}
size_t up_to(std::vector<int64_t> const& sorted, int64_t value) {
  return size_t(std::ranges::upper_bound(sorted, value) - sorted.begin());
}

}  // namespace

TimelineIndex::TimelineIndex(std::shared_ptr<Timeline const> timeline)
    : timeline_(std::move(timeline)) {
  index_lanes();
  index_instructions();
  index_tokens();
  index_counters();
}

template <typename Items, typename Key>
TimelineIndex::Lists TimelineIndex::lists_by(Items const& items, Key const& key) const {
  Lists lists;
  lists.first.resize(timeline_->instructions.size() + 1);
  for (auto const& item : items)
    if (key(item) >= 0) ++lists.first[size_t(key(item)) + 1];
  std::partial_sum(lists.first.begin(), lists.first.end(), lists.first.begin());
  lists.items.resize(size_t(lists.first.back()));
  std::vector<int32_t> next = lists.first;
  for (size_t i = 0; i < items.size(); ++i)
    if (int32_t at = key(items[i]); at >= 0) lists.items[size_t(next[size_t(at)]++)] = int32_t(i);
  return lists;
}

void TimelineIndex::index_lanes() {
  lanes_.resize(timeline_->lanes.size());
  for (size_t i = 0; i < timeline_->spans.size(); ++i)
    lanes_[size_t(timeline_->spans[i].lane)].spans.push_back(int32_t(i));
  for (Lane& lane : lanes_) {
    auto begin = [&](int32_t i) { return timeline_->spans[size_t(i)].begin; };
    if (!std::ranges::is_sorted(lane.spans, {}, begin))
      std::ranges::stable_sort(lane.spans, {}, begin);
    std::vector<int32_t> place(timeline_->kinds.size(), -1);
    for (int32_t i : lane.spans)
      if (int32_t& at = place[size_t(timeline_->spans[size_t(i)].kind)]; at < 0) {
        at = int32_t(lane.kinds.size());
        lane.kinds.push_back(timeline_->spans[size_t(i)].kind);
      }
    std::vector<int64_t> sum(lane.kinds.size());
    for (size_t i = 0; i < lane.spans.size(); ++i) {
      Timeline::Span const& span = timeline_->spans[size_t(lane.spans[i])];
      if (i % kBlock == 0) lane.sums.insert(lane.sums.end(), sum.begin(), sum.end());
      sum[size_t(place[size_t(span.kind)])] += span.end - span.begin;
      lane.begins.push_back(span.begin);
      lane.ends.push_back(std::max(span.end, lane.ends.empty() ? 0 : lane.ends.back()));
    }
  }
}

void TimelineIndex::index_instructions() {
  auto instruction = [](Timeline::Span const& span) { return span.instruction; };
  spans_ = lists_by(timeline_->spans, instruction);
  begins_.assign(timeline_->instructions.size(), -1);
  std::vector<bool> works(timeline_->instructions.size());
  for (Timeline::Span const& span : timeline_->spans) {
    if (span.instruction < 0) continue;
    auto at = size_t(span.instruction);
    // Where it is carried out, in its own lane: it was fetched long before.
    bool work =
        !timeline_->kinds[size_t(span.kind)].stall && span.lane == timeline_->instructions[at].lane;
    if (begins_[at] >= 0 && (works[at] || !work)) continue;
    begins_[at] = span.begin;
    works[at] = work;
  }
  for (int32_t i : counted(begins_.size()))
    if (begins_[size_t(i)] >= 0) order_.push_back(i);
  std::ranges::stable_sort(order_, {}, [&](int32_t i) { return begins_[size_t(i)]; });
  rank_.assign(begins_.size(), -1);
  for (size_t i = 0; i < order_.size(); ++i) rank_[size_t(order_[i])] = int32_t(i);
}

void TimelineIndex::index_tokens() {
  auto const& tokens = timeline_->tokens;
  taken_ = lists_by(tokens, [](Timeline::Token const& token) { return token.to; });
  put_ = lists_by(tokens, [](Timeline::Token const& token) { return token.from; });
  pushes_ = pops_ = counted(tokens.size());
  std::ranges::stable_sort(pushes_, {}, [&](int32_t i) { return tokens[size_t(i)].pushed; });
  std::ranges::stable_sort(pops_, {}, [&](int32_t i) { return tokens[size_t(i)].popped; });
  for (int32_t i : pushes_)
    latest_pop_.push_back(
        std::max(tokens[size_t(i)].popped, latest_pop_.empty() ? 0 : latest_pop_.back()));
}

void TimelineIndex::index_counters() {
  steps_.resize(timeline_->counters.size());
  memories_.resize(timeline_->counters.size());
  for (size_t c = 0; c < steps_.size(); ++c) {
    auto const& steps = timeline_->counters[c].steps;
    for (size_t i = 0; i < steps.size(); ++i) {
      if (i % kBlock == 0) steps_[c].blocks.push_back({steps[i].second, steps[i].second});
      steps_[c].peak = std::max(steps_[c].peak, steps[i].second);
      Extremes& block = steps_[c].blocks.back();
      block = {std::min(block.least, steps[i].second), std::max(block.most, steps[i].second)};
    }
  }
  for (size_t i = 0; i < timeline_->touches.size(); ++i) {
    Timeline::Touch const& touch = timeline_->touches[i];
    Memory& memory = memories_[size_t(touch.counter)];
    memory.elements = std::max(memory.elements, touch.end);
    if (begins_[size_t(touch.instruction)] >= 0) memory.touches.push_back(int32_t(i));
  }
  auto begin = [&](int32_t i) {
    return begins_[size_t(timeline_->touches[size_t(i)].instruction)];
  };
  for (Memory& memory : memories_) {
    std::ranges::stable_sort(memory.touches, {}, begin);
    for (int32_t i : memory.touches) memory.begins.push_back(begin(i));
  }
}

// ---- lanes -----------------------------------------------------------------------------------

std::span<int32_t const> TimelineIndex::seen(int lane, int64_t from, int64_t to) const {
  Lane const& of = lanes_[size_t(lane)];
  size_t first = up_to(of.ends, from), last = below(of.begins, to);
  if (first >= last) return {};
  return {of.spans.data() + first, last - first};
}

void TimelineIndex::spent_before(int lane, int64_t cycle, std::vector<int64_t>& cycles) const {
  Lane const& of = lanes_[size_t(lane)];
  cycles.assign(of.kinds.size(), 0);
  size_t count = below(of.begins, cycle), block = count / kBlock;
  if (count == 0) return;
  if (block * kBlock == of.spans.size()) --block;  // sums stand before a block
  std::ranges::copy_n(of.sums.begin() + std::ptrdiff_t(block * of.kinds.size()),
                      std::ptrdiff_t(of.kinds.size()), cycles.begin());
  for (size_t i = block * kBlock; i < count; ++i) {
    Timeline::Span const& span = timeline_->spans[size_t(of.spans[i])];
    auto place = size_t(std::ranges::find(of.kinds, span.kind) - of.kinds.begin());
    cycles[place] += std::min(span.end, cycle) - span.begin;
  }
}

int32_t TimelineIndex::span_at(int lane, int64_t cycle) const {
  for (int32_t i : seen(lane, cycle, cycle + 1))
    if (Timeline::Span const& span = timeline_->spans[size_t(i)];
        span.begin <= cycle && cycle < span.end)
      return i;
  return -1;
}

// ---- instructions ----------------------------------------------------------------------------

std::span<int32_t const> TimelineIndex::spans_of(int32_t instruction) const {
  return spans_.of(instruction);
}

int32_t TimelineIndex::stepped(int32_t instruction, int steps) const {
  if (order_.empty()) return -1;
  int64_t at = instruction < 0 ? (steps > 0 ? -1 : 0) : rank_[size_t(instruction)];
  return order_[size_t(std::clamp<int64_t>(at + steps, 0, int64_t(order_.size()) - 1))];
}

int32_t TimelineIndex::last_begun(int64_t cycle) const {
  auto end =
      std::ranges::upper_bound(order_, cycle, {}, [&](int32_t i) { return begins_[size_t(i)]; });
  return end == order_.begin() ? -1 : *(end - 1);
}

// ---- tokens ----------------------------------------------------------------------------------

std::vector<int32_t> TimelineIndex::tokens_between(int64_t from, int64_t to, size_t most) const {
  auto const& tokens = timeline_->tokens;
  size_t first = below(latest_pop_, from);
  std::vector<int32_t> found;
  for (size_t i = first; i < pushes_.size(); ++i) {
    Timeline::Token const& token = tokens[size_t(pushes_[i])];
    if (token.pushed >= to) break;
    if (token.popped < from) continue;
    if (found.size() == most) return {};
    found.push_back(pushes_[i]);
  }
  return found;
}

int32_t TimelineIndex::next_token(int queue, bool push, int64_t after) const {
  auto const& tokens = timeline_->tokens;
  auto time = [&](int32_t i) { return push ? tokens[size_t(i)].pushed : tokens[size_t(i)].popped; };
  auto const& order = push ? pushes_ : pops_;
  for (auto at = std::ranges::upper_bound(order, after, {}, time); at != order.end(); ++at)
    if (tokens[size_t(*at)].queue == queue) return *at;
  return -1;
}

// ---- counters --------------------------------------------------------------------------------

TimelineIndex::Extremes TimelineIndex::extremes(int counter, int64_t from, int64_t to) const {
  auto const& steps = timeline_->counters[size_t(counter)].steps;
  int64_t before = value_at(counter, from);
  Extremes all{before, before};
  auto take = [&](Extremes const& one) {
    all = {std::min(all.least, one.least), std::max(all.most, one.most)};
  };
  auto cycle = [](auto const& step) { return step.first; };
  size_t first = size_t(std::ranges::lower_bound(steps, from, {}, cycle) - steps.begin());
  size_t last = size_t(std::ranges::lower_bound(steps, to, {}, cycle) - steps.begin());
  while (first < last)
    if (first % kBlock == 0 && first + kBlock <= last) {
      take(steps_[size_t(counter)].blocks[first / kBlock]);
      first += kBlock;
    } else {
      take({steps[first].second, steps[first].second});
      ++first;
    }
  return all;
}

int64_t TimelineIndex::value_at(int counter, int64_t cycle) const {
  auto const& steps = timeline_->counters[size_t(counter)].steps;
  auto after =
      std::ranges::upper_bound(steps, cycle, {}, [](auto const& step) { return step.first; });
  return after == steps.begin() ? 0 : (after - 1)->second;
}

std::span<int32_t const> TimelineIndex::touches_until(int counter, int64_t cycle) const {
  Memory const& memory = memories_[size_t(counter)];
  return {memory.touches.data(), up_to(memory.begins, cycle)};
}

}  // namespace tw::session
