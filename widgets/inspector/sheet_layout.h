// SPDX-License-Identifier: GPL-3.0-or-later
/// How the rows of the inspector are measured and drawn.
#pragma once

#include <QPainter>

#include "widgets/inspector/inspector_rows.h"
#include "widgets/theme/theme.h"

namespace tw::sheet {

inline constexpr double kLeft = 16;

/// Words in lines of at most that width: broken behind a space or a sign of names, else anywhere.
QStringList broken(QFont const& font, QString const& words, double wide);

/// Of a row whose words have that width.
double height_of(SheetRow const& row, double room);
/// `box` is as wide as the view.
void draw(QPainter& painter, QRectF const& box, Theme const& theme, SheetRow const& row);

/// Of a bin, from the top of the chart to its axis.
QRectF bin_rect(QRectF const& box, int bin, int bins);
/// `words`: of the bin that is pointed at; empty: none is.
void draw_histogram(QPainter& painter, QRectF const& box, Theme const& theme,
                    session::ValueStatistics const& values, int bin, QString const& words);

}  // namespace tw::sheet
