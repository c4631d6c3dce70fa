#include <algorithm>

#include "engine/hardware/timeline_check.h"
#include "engine/hardware/timeline_text.h"

namespace tw {
namespace {

using Checked = std::expected<void, TimelineFault>;

std::unexpected<TimelineFault> wrong(std::string_view word, size_t index, std::string sentence) {
  return std::unexpected(TimelineFault{word, index, std::move(sentence)});
}
/// "span 3 is ...".
std::unexpected<TimelineFault> wrong(std::string_view word, size_t index, char const* what) {
  return wrong(word, index, std::string(word) + " " + std::to_string(index) + what);
}

bool is_index(int64_t index, size_t count) { return index >= 0 && size_t(index) < count; }

Checked check_spans(Timeline const& timeline) {
  std::vector<int64_t> begun(timeline.lanes.size());
  for (size_t i = 0; i < timeline.spans.size(); ++i) {
    Timeline::Span const& span = timeline.spans[i];
    if (!is_index(span.lane, timeline.lanes.size()))
      return wrong("span", i, " is in a lane that does not exist");
    if (!is_index(span.kind, timeline.kinds.size()))
      return wrong("span", i, " is of a kind that does not exist");
    if (span.instruction != -1 && !is_index(span.instruction, timeline.instructions.size()))
      return wrong("span", i, " is of an instruction that does not exist");
    if (span.begin < 0 || span.end < span.begin || span.end > timeline.cycles)
      return wrong("span", i, " is not between cycle 0 and the last one");
    if (span.begin < begun[size_t(span.lane)])
      return wrong("span", i, " begins before its predecessor");
    begun[size_t(span.lane)] = span.begin;
  }
  return {};
}

Checked check_tokens(Timeline const& timeline) {
  for (size_t i = 0; i < timeline.tokens.size(); ++i) {
    Timeline::Token const& token = timeline.tokens[i];
    if (!is_index(token.queue, timeline.counters.size()))
      return wrong("token", i, " is of a queue that does not exist");
    for (int32_t end : {token.from, token.to})
      if (end != -1 && !is_index(end, timeline.instructions.size()))
        return wrong("token", i, " is of an instruction that does not exist");
    if (token.pushed < 0 || token.popped < token.pushed || token.popped > timeline.cycles)
      return wrong("token", i, " is not between cycle 0 and the last one");
  }
  return {};
}

Checked check_counters(Timeline const& timeline) {
  for (size_t i = 0; i < timeline.counters.size(); ++i) {
    Timeline::Counter const& counter = timeline.counters[i];
    if (counter.capacity < 0)
      return wrong("counter", i, "the capacity of " + counter.name + " is below 0");
    if (!std::ranges::is_sorted(counter.steps, {}, [](auto const& step) { return step.first; }))
      return wrong("counter", i, "the steps of " + counter.name + " are not in the order of time");
    for (auto const& [cycle, value] : counter.steps)
      if (cycle < 0 || cycle > timeline.cycles || value < 0)
        return wrong("counter", i,
                     "a step of " + counter.name + " is below 0 or after the last cycle");
  }
  for (size_t i = 0; i < timeline.touches.size(); ++i) {
    Timeline::Touch const& touch = timeline.touches[i];
    if (!is_index(touch.counter, timeline.counters.size()) ||
        !timeline.counters[size_t(touch.counter)].of_memory)
      return wrong("touch", i, " is of a memory that does not exist");
    if (!is_index(touch.instruction, timeline.instructions.size()))
      return wrong("touch", i, " is of an instruction that does not exist");
    if (touch.begin < 0 || touch.end < touch.begin)
      return wrong("touch", i, " ends before it begins");
  }
  return {};
}

Checked check_instructions(Timeline const& timeline) {
  for (size_t i = 0; i < timeline.instructions.size(); ++i)
    if (!is_index(timeline.instructions[i].lane, timeline.lanes.size()) ||
        timeline.instructions[i].line < 0)
      return wrong("instruction", i, " is in a lane that does not exist");
  for (size_t i = 0; i < timeline.findings.size(); ++i)
    for (int32_t instruction : timeline.findings[i].instructions)
      if (!is_index(instruction, timeline.instructions.size()))
        return wrong("finding", i,
                     "the finding " + timeline.findings[i].code +
                         " names an instruction that does not exist");
  return {};
}

Checked check_cuts(Timeline const& timeline) {
  int64_t before = 0;
  for (size_t i = 0; i < timeline.cuts.size(); ++i) {
    Timeline::Cut const& cut = timeline.cuts[i];
    if (cut.at < before || cut.at > timeline.cycles || cut.cycles < 0)
      return wrong("cut", i, " is not between its predecessor and the last cycle");
    before = cut.at;
  }
  return {};
}

Checked check_all(Timeline const& timeline) {
  if (timeline.cycles < 0)
    return wrong("cycles", 0, std::string("the number of cycles is below 0"));
  if (!(timeline.clock_mhz >= 0 && timeline.clock_mhz <= 1e6))
    return wrong("clock_mhz", 0, std::string("the clock is not between 0 and a million MHz"));
  for (size_t i = 0; i < timeline.lanes.size(); ++i)
    if (!(timeline.lanes[i].share >= 0 && timeline.lanes[i].share <= 100))
      return wrong("lane", i, " has a share of the height that is not between 0 and 100");
  TRY(check_cuts(timeline));
  TRY(check_instructions(timeline));
  TRY(check_spans(timeline));
  TRY(check_tokens(timeline));
  return check_counters(timeline);
}

}  // namespace

std::optional<TimelineFault> first_fault(Timeline const& timeline) {
  auto checked = check_all(timeline);
  return checked ? std::nullopt : std::optional(std::move(checked).error());
}

Status check(Timeline const& timeline) {
  auto fault = first_fault(timeline);
  return fault ? Status(bad_input("bad_timeline", fault->sentence)) : Status();
}

}  // namespace tw
