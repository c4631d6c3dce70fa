// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/graph/layout_notice.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

#include "engine/support/base/quantities.h"
#include "widgets/graph/layout_run.h"
#include "widgets/paint/controls.h"
#include "widgets/paint/floating.h"

namespace tw {
namespace {

constexpr int kBetweenMs = 200;

}  // namespace

LayoutNotice::LayoutNotice(LayoutRun const& run, QWidget* parent)
    : QWidget(parent),
      run_(run),
      words_(new QLabel),
      button_(controls::button("Cancel", "layoutButton", "")) {
  setObjectName("layoutNotice");
  setAccessibleName("Layout of the graph");
  words_->setObjectName("layoutWords");
  button_->setFocusPolicy(Qt::TabFocus);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(12, 8, 10, 8);
  row->setSpacing(12);
  row->addWidget(words_, 1);
  row->addWidget(button_);
  connect(&timer_, &QTimer::timeout, this, &LayoutNotice::show_progress);
  connect(button_, &QPushButton::clicked, this, [this] {
    if (offers_to_begin()) return emit begin_asked();
    emit cancel_asked();
  });
  hide();
}

void LayoutNotice::set_theme(Theme const& theme) {
  layout()->setSpacing(theme.px(12));
  adjustSize();
}

void LayoutNotice::wait_for(qsizetype nodes) {
  nodes_ = nodes;
  if (state_ == State::kWaits) return;  // one waits since the first of them
  hide();
  state_ = State::kWaits;
  timer_.start(patience_ms_);
}

void LayoutNotice::show_progress() {
  timer_.start(kBetweenMs);
  say(QString("Laying out %1: %2 %")
          .arg(QString::fromStdString(count_text(nodes_, "node")))
          .arg(run_.percent()),
      "Cancel");
}

void LayoutNotice::say_cancelled(QString const& sentence) {
  timer_.stop();
  state_ = State::kCancelled;
  say(sentence, "Lay out");
}

void LayoutNotice::end() {
  timer_.stop();
  state_ = State::kNothing;
  hide();
}

QString LayoutNotice::words() const { return isHidden() ? QString() : words_->text(); }

void LayoutNotice::say(QString const& words, QString const& button) {
  words_->setText(words);
  button_->setText(button);
  button_->setToolTip(offers_to_begin() ? "Restart the layout"
                                        : "Cancel the layout and keep the previous one (Esc)");
  setAccessibleDescription(words);
  adjustSize();
  show();
  raise();
  emit changed();
}

void LayoutNotice::paintEvent(QPaintEvent*) { paint::floating_ground(*this); }

}  // namespace tw
