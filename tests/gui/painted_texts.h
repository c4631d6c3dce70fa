/// Whether the texts that a window paints are whole and clear of each other.
#pragma once

#include <QLabel>
#include <QPixmap>
#include <QPushButton>

#include "widgets/paint/paint.h"

namespace tw::testing {

inline void look_at_label(QWidget const& widget, QStringList& wrong) {
  auto const* label = qobject_cast<QLabel const*>(&widget);
  auto const* button = qobject_cast<QPushButton const*>(&widget);
  QString words = label && !label->wordWrap() ? label->text() : button ? button->text() : "";
  if (!words.isEmpty() && widget.fontMetrics().horizontalAdvance(words) > widget.width())
    wrong << QString("'%1' has %2 pixels").arg(words).arg(widget.width());
}

/// Paints one view by itself and looks at its texts; returns how many there were.
inline int look_at_view(QWidget& view, double density, QStringList& wrong) {
  paint::TextLog log;
  QPixmap canvas(view.size() * density);
  canvas.setDevicePixelRatio(density);
  view.render(&canvas, {}, view.visibleRegion(), QWidget::RenderFlags());
  QString who = view.objectName().isEmpty() ? view.metaObject()->className() : view.objectName();
  auto ink = [](paint::PaintedText const& t) {
    // Boxes of letters include room for accents and descenders: a few pixels may be shared.
    QRectF box = t.box.boundingRect();
    return box.adjusted(1, 3, -1, -3);
  };
  for (size_t i = 0; i < log.texts.size(); ++i) {
    if (log.texts[i].cut) wrong << QString("%1 cuts '%2'").arg(who, log.texts[i].words);
    for (size_t j = 0; j < i; ++j)
      if (ink(log.texts[i]).intersects(ink(log.texts[j])))
        wrong << QString("%1: '%2' lies on '%3'").arg(who, log.texts[i].words, log.texts[j].words);
  }
  return int(log.texts.size());
}

/// Of all that can be seen; returns how many texts there were.
inline int painted_texts(QWidget const& window, double density, QStringList& wrong) {
  int texts = 0;
  for (QWidget* view : window.findChildren<QWidget*>())
    if (view->isVisible()) {
      texts += look_at_view(*view, density, wrong);
      look_at_label(*view, wrong);
    }
  return texts;
}

}  // namespace tw::testing
