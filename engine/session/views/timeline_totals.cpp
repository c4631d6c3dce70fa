#include <algorithm>
#include <map>

#include "engine/hardware/timeline_text.h"
#include "engine/session/timeline.h"
#include "engine/support/files.h"

namespace tw::session {
namespace {

bool is_work(Timeline const& timeline, TimelineTotal const& total) {
  return total.kind >= 0 && !timeline.kinds[size_t(total.kind)].stall;
}

}  // namespace

SimulatedState indexed(Timeline timeline) {
  SimulatedState state;
  state.timeline = std::make_shared<Timeline const>(std::move(timeline));
  state.index = std::make_shared<TimelineIndex const>(state.timeline);
  state.totals = totals_of(*state.timeline);
  return state;
}

Result<SimulatedState> read_timeline(std::string const& file) {
  TRY_ASSIGN(std::string text, read_text(file));
  TRY_ASSIGN(Timeline timeline, parse_timeline(text, file));
  return indexed(std::move(timeline));
}

std::vector<TimelineTotal> totals_of(Timeline const& timeline) {
  std::map<std::pair<int32_t, int32_t>, TimelineTotal> sums;
  std::vector<int64_t> worked(timeline.lanes.size()), left(timeline.lanes.size(), timeline.cycles);
  for (Timeline::Span const& span : timeline.spans) {
    TimelineTotal& sum = sums[{span.lane, span.kind}];
    sum.lane = span.lane;
    sum.kind = span.kind;
    sum.cycles += span.end - span.begin;
    ++sum.spans;
    left[size_t(span.lane)] -= span.end - span.begin;
    if (is_work(timeline, sum)) worked[size_t(span.lane)] += span.end - span.begin;
  }
  std::vector<TimelineTotal> rows;
  for (auto const& [key, sum] : sums) rows.push_back(sum);
  for (size_t lane = 0; lane < timeline.lanes.size(); ++lane)
    if (left[lane] > 0) rows.push_back({int32_t(lane), -1, left[lane], 0});
  std::ranges::stable_sort(rows, {}, [&](TimelineTotal const& row) {
    bool thin = timeline.lanes[size_t(row.lane)].share == 0;  // says little of who works
    return std::tuple(thin, -worked[size_t(row.lane)], row.lane, row.kind < 0, -row.cycles);
  });
  return rows;
}

std::optional<TimelineTotal> busiest_of(Timeline const& timeline) {
  std::optional<TimelineTotal> most;
  for (TimelineTotal const& row : totals_of(timeline))
    if (is_work(timeline, row) && timeline.lanes[size_t(row.lane)].share > 0 &&
        (!most || row.cycles > most->cycles))
      most = row;
  return most;
}

int64_t peak_of(Timeline::Counter const& counter) {
  int64_t peak = 0;
  for (auto const& [cycle, value] : counter.steps) peak = std::max(peak, value);
  return peak;
}

}  // namespace tw::session
