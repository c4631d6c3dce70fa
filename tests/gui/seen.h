/// What is seen of a widget: kept as a picture for those who want to look, and checked for words
/// that are cut or lie on each other.
#pragma once

#include <QLabel>
#include <QtTest>

#include "widgets/paint/canvas.h"
#include "widgets/paint/paint.h"

namespace tw {

/// TW_PICTURES names a folder.
inline void keep_picture(QWidget& widget, QString const& name) {
  QString folder = qEnvironmentVariable("TW_PICTURES");
  if (!folder.isEmpty()) widget.grab().save(folder + "/" + name + ".png");
}

inline void check_words(QWidget& view, QStringList& wrong) {
  if (auto* label = qobject_cast<QLabel*>(&view); label && !label->wordWrap())
    if (label->fontMetrics().horizontalAdvance(label->text()) > label->width())
      wrong << "no room for " + label->text();
  if (!dynamic_cast<Canvas*>(&view) && !view.inherits("tw::Plot")) return;
  paint::TextLog log;
  QPixmap canvas(view.size());
  view.render(&canvas, {}, view.visibleRegion(), QWidget::RenderFlags());
  auto ink = [](paint::PaintedText const& t) {
    return t.box.boundingRect().adjusted(1, 3, -1, -3);
  };
  for (size_t i = 0; i < log.texts.size(); ++i) {
    if (log.texts[i].cut) wrong << view.objectName() + " cuts " + log.texts[i].words;
    for (size_t j = 0; j < i; ++j)
      if (ink(log.texts[i]).intersects(ink(log.texts[j])))
        wrong << view.objectName() + ": " + log.texts[i].words + " lies on " + log.texts[j].words;
  }
}

/// Of a widget and all that is visible in it.
inline QString wrong_words(QWidget& top) {
  for (int i = 0; i < 4; ++i) QApplication::processEvents();
  QStringList wrong;
  check_words(top, wrong);
  for (QWidget* one : top.findChildren<QWidget*>())
    if (one->isVisible()) check_words(*one, wrong);
  return wrong.mid(0, 10).join("\n");
}

}  // namespace tw
