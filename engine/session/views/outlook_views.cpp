#include "engine/session/views/outlook_views.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/compile/modelled_time.h"
#include "engine/ir/stmt.h"
#include "engine/session/views/schedule_views.h"
#include "engine/support/base/quantities.h"

namespace tw::session {
namespace {

/// Less is within what the model can say of a kernel.
constexpr double kNothing = 0.005;

std::string words_of(double now_ms, double then_ms, std::string const& bound) {
  double gain = now_ms / then_ms;
  std::string how = std::abs(gain - 1) < kNothing ? "as fast as now"
                    : gain > 1                    ? fmt::format("{}x as fast", number_text(gain))
                               : fmt::format("{}x as slow", number_text(1 / gain));
  return fmt::format("{}, modelled: {}, bottleneck: {}", how, milliseconds_text(then_ms), bound);
}

/// How often a block runs for each value of its iterators; nothing where guards take some away.
std::optional<double> runs_of(ir::Program const& program, ir::BlockId id) {
  for (ir::BlockSite const& site : ir::blocks_of(program.body)) {
    if (site.block->id != id || site.block->predicate) continue;
    double runs = 1;
    for (ir::For const* loop : site.loops) runs *= double(ir::as_int(loop->extent).value_or(0));
    for (ir::IterVar const& iter : site.block->iters)
      runs /= double(std::max<int64_t>(ir::as_int(iter.extent).value_or(1), 1));
    return runs;
  }
  return std::nullopt;
}

/// Blocks that would compute all of theirs several times: a recurrence in each of its steps, say.
std::string rematerialized(ir::Program const& now, ir::Program const& next) {
  std::string words;
  for (ir::BlockSite const& site : ir::blocks_of(next.body)) {
    auto before = runs_of(now, site.block->id), after = runs_of(next, site.block->id);
    if (!before || !after || *before <= 0 || *after < 2 * *before) continue;
    double times = *after / *before;
    words += fmt::format("{}{} is computed {:.{}f} times over", words.empty() ? "" : "; ",
                         site.block->name, times, times == std::floor(times) ? 0 : 1);
  }
  return words;
}

void model_both(Outlook& view, ir::Program const& now, ir::Program const& next,
                OutlookBase const& base) {
  auto before = modelled_time(now, *base.backend, *base.rates);
  auto after = modelled_time(next, *base.backend, *base.rates);
  if (!before || !after || before->seconds <= 0 || after->seconds <= 0) return;
  view.now_ms = before->seconds * 1e3;
  view.bound = after->bound;
  view.point = roofline_point(*after, base.flops);
  view.words = words_of(view.now_ms, after->seconds * 1e3, after->bound);
}

}  // namespace

Outlook outlook_of(std::string const& line, ir::Program const& now, ir::Program const& next,
                   OutlookBase const& base) {
  Outlook view;
  view.line = line;
  view.nest = std::make_shared<NestView const>(nest_view(next, base.cache_bytes, *base.backend));
  CodeText text = with_changes(text_of_program(next), text_of_program(now));
  text.stage = kProgramStage;
  view.program = std::make_shared<CodeText const>(std::move(text));
  if (base.rates) model_both(view, now, next, base);
  if (std::string again = rematerialized(now, next); !again.empty())
    view.words += (view.words.empty() ? "" : "; ") + again;
  return view;
}

}  // namespace tw::session
