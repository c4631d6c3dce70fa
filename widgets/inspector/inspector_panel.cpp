// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/inspector/inspector_panel.h"

#include <QAbstractTextDocumentLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QResizeEvent>
#include <QTextBlock>
#include <QVBoxLayout>

#include "widgets/paint/controls.h"

namespace tw {
namespace {

/// As high as its lines: the column around it scrolls.
class WholeText final : public QPlainTextEdit {
public:
  WholeText() {
    setReadOnly(true);
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    setTabChangesFocus(true);
    setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    connect(document()->documentLayout(), &QAbstractTextDocumentLayout::documentSizeChanged, this,
            [this] { fit(); });
  }
  void fit() {
    double high = 2 * (document()->documentMargin() + frameWidth());
    for (QTextBlock block = document()->begin(); block.isValid(); block = block.next())
      high += blockBoundingRect(block).height();
    setFixedHeight(int(high + 4));
  }

protected:
  void changeEvent(QEvent* event) override {
    QPlainTextEdit::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) fit();
  }
  void resizeEvent(QResizeEvent* event) override {
    QPlainTextEdit::resizeEvent(event);
    if (event->oldSize().width() != event->size().width()) fit();
  }
  void wheelEvent(QWheelEvent* event) override { event->ignore(); }
};

}  // namespace

InspectorPanel::InspectorPanel(QWidget* parent)
    : QScrollArea(parent),
      sheet_(new InspectorSheet),
      head_(new QWidget),
      reason_(controls::label("inspectorReason", "secondary", controls::Wrap::kYes)),
      copy_(controls::button("Copy", "inspectorCopy", "Copy the tensor expression")),
      text_(new WholeText) {
  setObjectName("inspectorScroll");
  text_->setObjectName("inspectorCompute");
  text_->setAccessibleName("What is computed");
  auto* title = controls::label("inspectorComputeTitle", "section");
  title->setText("Computes");
  auto* line = new QHBoxLayout(head_);
  line->setContentsMargins(0, 0, 0, 0);
  line->addWidget(title, 1);
  line->addWidget(copy_);
  auto* below = new QVBoxLayout;
  below->setContentsMargins(16, 8, 16, 16);
  below->setSpacing(6);
  below->addWidget(head_);
  below->addWidget(reason_);
  below->addWidget(text_);
  auto* content = new QWidget;
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(sheet_);
  column->addLayout(below);
  column->addStretch(1);
  setWidget(content);
  setWidgetResizable(true);
  setFocusPolicy(Qt::NoFocus);
  setFocusProxy(sheet_);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  connect(copy_, &QPushButton::clicked, this, [this] { emit copy_asked(compute()); });
  connect(sheet_, &InspectorSheet::moved_to, this, [this](QRectF const& rect) {
    QPoint at = sheet_->pixels(rect.center());
    ensureVisible(at.x(), at.y(), 0, sheet_->pixels(QSizeF(0, rect.height())).height());
  });
  show_compute(nullptr);
}

void InspectorPanel::show_values(SheetValues values) {
  session::InspectorView const* view = values.view.get();
  if (view) show_compute(view);
  sheet_->show_values(std::move(values));
}

void InspectorPanel::set_empty_words(QString const& words) {
  sheet_->set_empty_words(words);
  show_compute(nullptr);
}

void InspectorPanel::set_theme(Theme const& theme) {
  sheet_->set_theme(theme);
  static_cast<WholeText*>(text_)->fit();
}

QString InspectorPanel::compute() const { return text_->toPlainText(); }

void InspectorPanel::to_top() { ensureVisible(0, 0, 0, 0); }

void InspectorPanel::show_compute(session::InspectorView const* view) {
  QString text = view ? QString::fromStdString(view->compute).trimmed() : QString();
  QString reason = view ? QString::fromStdString(view->no_compute_because) : QString();
  if (text != text_->toPlainText()) text_->setPlainText(text);
  reason_->setText(reason);
  head_->setVisible(!text.isEmpty() || !reason.isEmpty());
  copy_->setVisible(!text.isEmpty());
  text_->setVisible(!text.isEmpty());
  reason_->setVisible(!reason.isEmpty());
}

}  // namespace tw
