// SPDX-License-Identifier: GPL-3.0-or-later
/// Signs of what a person marked: shapes, so that they need no colour.
#pragma once

#include <QPainter>

namespace tw::paint {

/// A flag on a pole, 9 wide and 12 high, for the baseline; `foot` is the pole's.
void flag(QPainter& painter, QPointF foot, QColor const& colour);
/// Of a tagged state.
void star(QPainter& painter, QPointF centre, double radius, QColor const& colour);
/// A triangle, 8 wide, that says which way a column is sorted.
void sort_sign(QPainter& painter, QPointF centre, bool down, QColor const& colour);

}  // namespace tw::paint
