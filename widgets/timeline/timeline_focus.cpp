// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/timeline_focus.h"

#include <algorithm>

#include "engine/support/base/quantities.h"

namespace tw {
namespace {

constexpr double kFewestCycles = 16;  ///< that one can come near to

}  // namespace

void TimelineFocus::show(std::vector<TimelineRun> runs) {
  bool saw_all = runs_.empty() || sees_all();
  bool same = !runs.empty() && !runs_.empty() && runs.back().state == runs_.back().state;
  runs_ = std::move(runs);
  cycles_ = 1;
  for (TimelineRun const& run : runs_) cycles_ = std::max(cycles_, run.timeline().cycles);
  if (!same) {
    int instructions = current() ? int(current()->timeline().instructions.size()) : 0;
    bool keep = chosen_run_ >= 0 && instruction_ < instructions;
    chosen_run_ = keep ? current_number() : -1;
    instruction_ = keep ? instruction_ : -1;
    marked_.clear();
    breaks_.clear();
  } else if (chosen_run_ >= 0) {
    chosen_run_ = current_number();
    int instructions = int(current()->timeline().instructions.size());
    if (instruction_ >= instructions) chosen_run_ = instruction_ = -1;
  }
  cursor_ = std::min(cursor_, cycles_);
  choose_memory();
  if (saw_all)
    from_ = 0, to_ = double(cycles_);
  else
    see(from_, to_);
  emit runs_changed();
  emit seen_changed();
  emit chosen_changed();
}

/// The one that is fullest at its peak, unless one was chosen.
void TimelineFocus::choose_memory() {
  auto const* counters = current() ? &current()->timeline().counters : nullptr;
  bool known = counters && memory_ >= 0 && size_t(memory_) < counters->size() &&
               (*counters)[size_t(memory_)].of_memory;
  if (known) return;
  memory_ = -1;
  double fullest = -1;
  for (size_t i = 0; counters && i < counters->size(); ++i) {
    Timeline::Counter const& one = (*counters)[i];
    double share = double(session::peak_of(one)) / double(std::max<int64_t>(one.capacity, 1));
    if (!one.of_memory || share <= fullest) continue;
    fullest = share;
    memory_ = int(i);
  }
}

int TimelineFocus::memory_in(TimelineRun const& run) const {
  if (memory_ < 0) return -1;
  auto const& counters = run.timeline().counters;
  auto found = std::ranges::find_if(counters, [&](Timeline::Counter const& one) {
    return one.of_memory && one.name == current()->timeline().counters[size_t(memory_)].name;
  });
  return found == counters.end() ? -1 : int(found - counters.begin());
}

// ---- what is seen ----------------------------------------------------------------------------

void TimelineFocus::see(double from, double to) {
  double all = double(cycles_), size = std::clamp(to - from, std::min(kFewestCycles, all), all);
  double begin = std::clamp(from + (to - from - size) / 2, 0.0, all - size);
  if (begin == from_ && begin + size == to_) return;
  from_ = begin;
  to_ = begin + size;
  emit seen_changed();
}

void TimelineFocus::zoom(double factor, double cycle) {
  double size =
      std::clamp((to_ - from_) * factor, std::min(kFewestCycles, double(cycles_)), double(cycles_));
  double share = (cycle - from_) / (to_ - from_);
  see(cycle - share * size, cycle + (1 - share) * size);
}

// ---- what is chosen --------------------------------------------------------------------------

void TimelineFocus::choose(int run, int instruction) {
  if (run < 0 || size_t(run) >= runs_.size()) run = instruction = -1;
  chosen_run_ = instruction < 0 ? -1 : run;
  instruction_ = instruction;
  marked_.clear();
  if (instruction >= 0)
    cursor_ = std::max<int64_t>(0, runs_[size_t(run)].index().begin_of(instruction));
  emit chosen_changed();
}

void TimelineFocus::put_cursor(int64_t cycle) {
  cursor_ = std::clamp<int64_t>(cycle, 0, cycles_);
  emit chosen_changed();
}

void TimelineFocus::step(int steps) {
  if (!current()) return;
  int run = chosen_run_ >= 0 ? chosen_run_ : current_number();
  session::TimelineIndex const& index = runs_[size_t(run)].index();
  int from = chosen_run_ >= 0 ? instruction_ : index.last_begun(cursor_);
  choose(run, index.stepped(from, steps));
  bring_into_sight();
}

void TimelineFocus::bring_into_sight() {
  double at = double(cursor_), size = to_ - from_;
  if (at >= from_ + size * 0.02 && at <= to_ - size * 0.08) return;
  see(at - size * 0.3, at + size * 0.7);
}

void TimelineFocus::mark(std::vector<int32_t> instructions) {
  if (!current() || instructions.empty()) return;
  choose(current_number(), instructions.front());
  marked_ = std::move(instructions);
  bring_into_sight();
  emit chosen_changed();
}

// ---- breakpoints, memories, loops ------------------------------------------------------------

void TimelineFocus::toggle(TimelineBreak one) {
  if (!breaks_.erase(one)) breaks_.insert(one);
  emit breaks_changed();
}

bool TimelineFocus::run_to_next() {
  if (!current()) return false;
  Timeline const& timeline = current()->timeline();
  int64_t nearest = -1;
  int instruction = -1;
  for (TimelineBreak const& one : breaks_) {
    int token = current()->index().next_token(one.queue, one.push, cursor_);
    if (token < 0) continue;
    Timeline::Token const& found = timeline.tokens[size_t(token)];
    int64_t at = one.push ? found.pushed : found.popped;
    if (nearest >= 0 && nearest <= at) continue;
    nearest = at;
    instruction = one.push ? found.from : found.to;
  }
  if (nearest < 0) return false;
  choose(current_number(), instruction);
  cursor_ = nearest;  // not where the instruction begins
  bring_into_sight();
  emit chosen_changed();
  return true;
}

void TimelineFocus::show_memory(int counter) {
  if (counter == memory_) return;
  memory_ = counter;
  choose_memory();
  emit memory_changed();
}

void TimelineFocus::light(int loop) {
  if (loop == lit_loop_) return;
  lit_loop_ = loop;
  emit light_changed();
}

QString grouped(int64_t number) {
  QString digits = QString::number(number);
  for (qsizetype at = digits.size() - 3; at > (number < 0 ? 1 : 0); at -= 3) digits.insert(at, ',');
  return digits;
}

QString cut_words(Timeline::Cut const& cut) {
  return QString::fromStdString(cut.words) +
         QStringLiteral(" · %1 cycles").arg(grouped(cut.cycles));
}

int64_t all_cycles(Timeline const& timeline) {
  int64_t all = timeline.cycles;
  for (Timeline::Cut const& cut : timeline.cuts) all += cut.cycles;
  return all;
}

QString cycles_words(Timeline const& timeline) {
  int64_t all = all_cycles(timeline);
  QString words = grouped(all) + " cycles";
  if (timeline.clock_mhz > 0)
    words += QStringLiteral(" · ") +
             QString::fromStdString(milliseconds_text(double(all) / timeline.clock_mhz / 1e3));
  return timeline.modelled ? QStringLiteral("○ ") + words + ", modelled" : words;
}

QString time_words(TimelineRun const& run) {
  Timeline const& timeline = run.timeline();
  QString words = cycles_words(timeline);
  if (timeline.clock_mhz <= 0) return words;
  if (timeline.modelled) return words;
  double launch = run.total_ms - double(timeline.cycles) / timeline.clock_mhz / 1e3;
  if (launch <= 0.005 * run.total_ms) return words;
  return words + QString(" + %1 launch = %2")
                     .arg(QString::fromStdString(milliseconds_text(launch)),
                          QString::fromStdString(milliseconds_text(run.total_ms)));
}

}  // namespace tw
