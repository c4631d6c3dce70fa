#include "engine/session/views/outlook_views.h"

#include <fmt/format.h>

#include <cmath>

#include "engine/compile/modelled_time.h"
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
  return fmt::format("{}, modelled: {}, {} bounds it", how, milliseconds_text(then_ms), bound);
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
  return view;
}

}  // namespace tw::session
