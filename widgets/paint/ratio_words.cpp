// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/paint/ratio_words.h"

#include <cmath>

#include "engine/support/base/quantities.h"
#include "widgets/paint/paint.h"

namespace tw::paint {
namespace {

constexpr double kNoise = 0.005;

QString count(double times) {
  return (times >= 1000 ? QString::fromStdString(many_text(times)) : number(times)) +
         QStringLiteral("×");
}

bool is_same(double times) { return !(times > 0) || std::abs(times - 1) < kNoise; }

}  // namespace

QString times_as_fast(double times) {
  if (is_same(times)) return "the same";
  return times > 1 ? count(times) : count(1 / times) + " slower";
}

QString against_baseline(double times) {
  if (is_same(times)) return "as fast as baseline";
  return times > 1 ? count(times) + " baseline" : count(1 / times) + " slower than baseline";
}

QString change_words(double after_over_before, bool is_time) {
  if (is_same(after_over_before)) return "the same";
  if (after_over_before < 1) return count(1 / after_over_before) + (is_time ? " faster" : " less");
  return count(after_over_before) + (is_time ? " slower" : " more");
}

}  // namespace tw::paint
