// SPDX-License-Identifier: GPL-3.0-or-later
/// What views of a tuning have in common: the unit of speed, how a search looks, the chosen trial.
#pragma once

#include <QPen>
#include <QString>

#include "engine/session/tuning.h"
#include "engine/session/values.h"
#include "widgets/theme/theme.h"

namespace tw {

/// A trial of a run; 0, 0: none.
struct ChosenTrial {
  int run = 0, trial = 0;
  bool operator==(ChosenTrial const&) const = default;
};

/// Times of one kernel as people compare them: in GFLOP/s or GOP/s where it does arithmetic, else
/// in ms.
struct TuningScale {
  double flops = 0;       ///< 0: hardly any
  bool integers = false;  ///< of them
  double roof = 0;        ///< at best, in this unit; 0: not known
  bool is_speed() const { return flops > 0; }
  double value(double ms) const { return is_speed() ? flops / ms * 1e-6 : ms; }
  QString unit() const { return !is_speed() ? "ms" : integers ? "GOP/s" : "GFLOP/s"; }
  QString words(double ms) const;
  bool better(double a, double b) const { return is_speed() ? a > b : a < b; }

  static TuningScale of(session::KernelRow const& row);
};

/// Of a search's line: hue and dash, never one alone.
QPen search_pen(Theme const& theme, std::string const& search);
/// Dots and words in a search's hue.
QColor search_colour(Theme const& theme, std::string const& search);
/// "genetic", "genetic on board" where there are runs on several kinds of devices, "genetic from 7"
/// where it searches a step's numbers, and with its number where several runs had that search.
QString name_of(session::TuningRun const& run, session::TuningView const& all);
/// "trial 12, 97.3 GFLOP/s, genetic search, conv2d.ow.i 28": for a search of that name.
QString words_of(session::TuningTrial const& trial, QString const& search, int from,
                 TuningScale const& scale);

}  // namespace tw
