// SPDX-License-Identifier: GPL-3.0-or-later
/// Letters as a painter should draw them.
#pragma once

#include <QPaintEngine>
#include <QPainter>

#include "widgets/paint/paint.h"

namespace tw::paint {

/// On a screen the letters of a fixed pitch stand apart; in a file of lines a word stays one word,
/// which can be found.
inline QString letters(QPainter const& painter, QString const& words) {
  QPaintEngine const* engine = painter.paintEngine();
  bool lines = engine && engine->type() == QPaintEngine::SVG;
  return lines || !painter.font().fixedPitch() ? words : unligated(words);
}

}  // namespace tw::paint
