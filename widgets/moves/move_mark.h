// SPDX-License-Identifier: GPL-3.0-or-later
/// The sign of a move where it begins: a ring, since what it brings is modelled, and how many times
/// as fast that is.
#pragma once

#include <QString>

#include "engine/session/moves.h"

class QPainter;
class QRectF;

namespace tw {
struct Theme;

/// What it brings is worth a sign.
bool is_worth_a_mark(session::MoveView const& move);
/// "2.3×"
QString mark_words(session::MoveView const& move);
/// For those who hear it.
QString mark_name(session::MoveView const& move);
double mark_width(session::MoveView const& move);
void draw_move_mark(QPainter& painter, QRectF const& mark, session::MoveView const& move, bool lit,
                    Theme const& theme);

}  // namespace tw
