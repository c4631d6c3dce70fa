// SPDX-License-Identifier: GPL-3.0-or-later
/// The line of a memory level's roof: its colour, and dashes so that it needs none.
#pragma once

#include <QPen>

#include "widgets/theme/theme.h"

namespace tw::paint {

/// `level` 0 is the nearest memory; from 3 on all are main memory.
QPen level_pen(Theme const& theme, int level);

}  // namespace tw::paint
