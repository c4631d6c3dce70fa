// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/pane_rail.h"

#include <QAbstractButton>
#include <QBoxLayout>
#include <QPainter>
#include <utility>

namespace tw {
namespace {

constexpr int kRail = 36, kAround = 14;

/// Words, turned where the rail is vertical.
class RailButton final : public QAbstractButton {
public:
  RailButton(QString const& name, Qt::Orientation orientation, Theme const& theme)
      : orientation_(orientation), theme_(theme) {
    setText(name);
    setAccessibleName(name);
    setToolTip("Brings the folded panes back");
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::PointingHandCursor);
    setAttribute(Qt::WA_Hover);
  }

  QSize sizeHint() const override {
    int words = QFontMetrics(font_now()).horizontalAdvance(text()) + 2 * theme_.px(kAround);
    QSize along(words, theme_.px(kRail) - 1);
    return orientation_ == Qt::Vertical ? along.transposed() : along;
  }

protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    painter.fillRect(rect(), underMouse() ? theme_.hover : theme_.panel);
    painter.setFont(font_now());
    painter.setPen(underMouse() || hasFocus() ? theme_.text1 : theme_.text2);
    QRect place = rect();
    if (orientation_ == Qt::Vertical) {
      painter.translate(0, height());
      painter.rotate(-90);
      place = QRect(0, 0, height(), width());
    }
    painter.drawText(place, Qt::AlignCenter, text());
  }

private:
  QFont font_now() const { return ui_font(theme_.px(12)); }

  Qt::Orientation orientation_;
  Theme theme_;
};

}  // namespace

PaneRail::PaneRail(Qt::Orientation orientation, char const* name) : orientation_(orientation) {
  setObjectName(name);
  setAccessibleName("Folded panes");
  setAttribute(Qt::WA_StyledBackground);
  auto* row = new QBoxLayout(
      orientation == Qt::Vertical ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight, this);
  // Its border is at all sides but the window's: the buttons leave it.
  row->setContentsMargins(1, 1, 1, 0);
  row->setSpacing(0);
  row->addStretch(1);
  hide();
}

void PaneRail::set_theme(Theme const& theme) {
  theme_ = theme;
  if (orientation_ == Qt::Vertical)
    setFixedWidth(theme.px(kRail));
  else
    setFixedHeight(theme.px(kRail));
  QStringList now = names();
  show_names({});
  show_names(now);
}

QStringList PaneRail::names() const {
  QStringList all;
  for (QAbstractButton* button : buttons_) all << button->text();
  return all;
}

void PaneRail::show_names(QStringList const& wanted) {
  if (wanted == names()) return;
  for (QAbstractButton* button : std::exchange(buttons_, {})) {
    button->hide();
    button->deleteLater();  // it may be what asked
  }
  auto* row = static_cast<QBoxLayout*>(layout());
  for (QString const& name : wanted) {
    auto* button = new RailButton(name, orientation_, theme_);
    connect(button, &QAbstractButton::clicked, this, [this, name] { emit asked(name); });
    row->insertWidget(row->count() - 1, button);
    buttons_ << button;
  }
}

}  // namespace tw
