// SPDX-License-Identifier: GPL-3.0-or-later
/// How a loop nest is drawn.
#pragma once

#include <QPainter>

#include "widgets/loop_nest/loop_nest_scene.h"

namespace tw {

/// Of a nest that is there.
void paint_nest(QPainter& painter, LoopNestScene const& scene);
/// Ticks at the divisors, and a triangle for each cache at the largest factor whose data fits.
void paint_fits(QPainter& painter, LoopNestScene const& scene, NestItem const& item);
/// What is dragged and what it would do, over the nest.
void paint_drag(QPainter& painter, LoopNestScene const& scene);

}  // namespace tw
