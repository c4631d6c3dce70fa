#include "engine/analysis/cache_model.h"

#include <bit>

namespace tw::analysis {
namespace {

constexpr int kLeastWays = 8, kMostWays = 32, kOtherwise = 16;

int ways_of(int64_t lines) {
  for (int ways = kLeastWays; ways <= kMostWays; ++ways)
    if (lines % ways == 0 && std::has_single_bit(uint64_t(lines / ways))) return ways;
  return kOtherwise;
}

}  // namespace

std::vector<CacheShape> cache_shapes(Hardware const& hardware) {
  std::vector<CacheShape> shapes;
  for (MemoryLevel const& level : hardware.caches()) {
    int64_t lines = level.bytes / std::max(level.line_bytes, 1);
    if (lines < kLeastWays) continue;
    shapes.push_back({level.name, level.bytes, level.line_bytes, ways_of(lines)});
  }
  return shapes;
}

int64_t CacheModel::Recent::use(int64_t line) {
  if (auto known = places.find(line); known != places.end()) {
    order.splice(order.begin(), order, known->second);
    return -1;
  }
  int64_t gone = -1;
  if (order.size() >= room) {
    gone = order.back();
    places.erase(gone);
    order.pop_back();
  }
  order.push_front(line);
  places[line] = order.begin();
  return gone;
}

CacheModel::CacheModel(std::vector<CacheShape> levels) : shapes_(std::move(levels)) {
  for (CacheShape const& shape : shapes_) {
    Level level;
    level.sets.assign(size_t(std::max<int64_t>(shape.sets(), 1)), Recent{size_t(shape.ways)});
    level.anywhere.room = size_t(shape.bytes / shape.line_bytes);
    levels_.push_back(std::move(level));
  }
}

int CacheModel::nearest(int64_t line) const {
  size_t level = 0;
  while (level < levels_.size() && !levels_[level].set_of(line).has(line)) ++level;
  return int(level);
}

CacheModel::Answer CacheModel::touch(int64_t line) {
  Answer answer{nearest(line), Miss::kNone};
  if (answer.level > 0) {
    Level const& missed = levels_[size_t(answer.level) - 1];
    answer.miss = !seen_.contains(line)       ? Miss::kCold
                  : missed.anywhere.has(line) ? Miss::kConflict
                                              : Miss::kCapacity;
  }
  seen_.insert(line);
  for (size_t i = 0; i < levels_.size(); ++i) {
    levels_[i].anywhere.use(line);
    // A level is asked for what the nearer ones do not have.
    if (int(i) > answer.level) continue;
    int64_t gone = levels_[i].set_of(line).use(line);
    if (gone >= 0 && dropped) dropped(gone);
  }
  return answer;
}

}  // namespace tw::analysis
