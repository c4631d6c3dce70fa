// SPDX-License-Identifier: GPL-3.0-or-later
/// Two iterations that conflict, drawn: where they stand among the iterations, and the element of
/// the tensor to which both go.
#pragma once

#include <QRectF>

#include "engine/session/values.h"
#include "widgets/theme/theme.h"

class QPainter;

namespace tw {

/// Into `room`, from its top. `nest` says how often loops run; null: only what the conflict tells
/// is drawn.
void draw_conflict(QPainter& painter, QRectF const& room, session::ConflictView const& conflict,
                   session::NestView const* nest, int stage, Theme const& theme);

}  // namespace tw
