// SPDX-License-Identifier: GPL-3.0-or-later
/// Ratios read forward: "191× slower", never "0.005×".
#pragma once

#include <QString>

namespace tw::paint {

/// Of a speed against another one, where there is little room: "2.31×", "191× slower", "the same"
/// within what a time repeats to.
QString times_as_fast(double times);
/// The same against the baseline: "2.31× baseline", "191× slower than baseline".
QString against_baseline(double times);
/// After over before, of a time: "2.31× faster"; of anything else: "2.31× less".
QString change_words(double after_over_before, bool is_time);

}  // namespace tw::paint
