// SPDX-License-Identifier: GPL-3.0-or-later
/// Marks that all views share.
#pragma once

#include <QPainter>

#include "engine/session/values.h"
#include "widgets/theme/theme.h"

namespace tw::paint {

/// Fill of a loop's bar: full for outer loops, hatched for inner ones.
void bar(QPainter& painter, QRectF const& rect, Theme const& theme, int hue, int level,
         bool refused = false);
/// Three strokes, four boxes, shrinking lines, a square with a dot.
void loop_glyph(QPainter& painter, QPointF at, Theme const& theme, session::LoopMark mark,
                QColor const& colour);
/// Circle (plain or default: hollow), disc (by hand), triangle (tuned).
/// The sign of who runs a bound loop: blocks, threads, or one processor in turns.
void bound_glyph(QPainter& painter, QPointF at, session::BoundTo bound, QColor const& colour);
void kernel_state(QPainter& painter, QPointF centre, Theme const& theme,
                  session::KernelState state);
void class_glyph(QPainter& painter, QRectF const& rect, Theme const& theme,
                 session::PatternClass pattern);
QColor class_colour(Theme const& theme, session::PatternClass pattern);
void focus_ring(QPainter& painter, QRectF const& shape, Theme const& theme, double radius);
/// The colour for words in a hue.
QColor word_colour(Theme const& theme, int hue);

/// Text in a rectangle, cut with an ellipsis when it does not fit.
void text(QPainter& painter, QRectF const& rect, QFont const& font, QColor const& colour,
          QString const& text, int flags = Qt::AlignLeft | Qt::AlignVCenter);
/// Several lines, wrapped; the height that they take.
double paragraph(QPainter& painter, QRectF const& rect, QFont const& font, QColor const& colour,
                 QString const& text);

/// What was painted while a log was open, for the test that nothing overlaps or is cut.
struct PaintedText {
  QPolygonF
      box;  ///< the ink's box in the device's logical coordinates; turned text is a turned box
  QString words;
  bool cut = false;
};
class TextLog {
public:
  TextLog();
  ~TextLog();
  static bool is_open();
  std::vector<PaintedText> texts;

private:
  TextLog* outer_;
};

/// For the log, if one is open: words that a library paints into that box.
void log_words(QPainter const& painter, QRectF const& ink, QString const& words, bool cut);

/// The same letters without ligatures ("<=" stays two characters).
QString unligated(QString const& words);
/// "64×56×56": between numbers x is a sign, and looks like one in every typeface.
QString shape(std::string const& text);
QString bytes(int64_t count);  ///< "4.6 KB"
/// Lines of at most some hundred letters, for a tooltip that stays on the screen.
QString wrapped(QString const& words);
QString number(double value);                      ///< three significant digits
QString time(double ms);                           ///< "45.0 µs"
QString speed(double billions, char const* unit);  ///< "171 GFLOP/s"

}  // namespace tw::paint
