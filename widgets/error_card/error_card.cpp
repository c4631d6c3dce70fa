// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/error_card/error_card.h"

#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

namespace tw {

namespace {

QLabel* words_label(QString const& name) {
  auto* made = new QLabel;
  made->setObjectName(name);
  made->setWordWrap(true);
  made->setTextFormat(Qt::PlainText);  // a file may be called anything
  made->setTextInteractionFlags(Qt::TextSelectableByMouse);
  return made;
}

}  // namespace

ErrorCard::ErrorCard(QWidget* parent)
    : QFrame(parent),
      title_(new QLabel),
      sentence_(words_label("errorSentence")),
      advice_(words_label("errorAdvice")),
      command_(new QPushButton),
      copy_(new QPushButton("Copy")),
      close_(new QPushButton("Close  Esc")) {
  setObjectName("errorCard");
  setAccessibleName("Error");
  title_->setObjectName("errorTitle");
  title_->setProperty("role", "title");
  advice_->setProperty("role", "secondary");
  command_->setObjectName("errorCommand");
  copy_->setObjectName("errorCopy");
  close_->setObjectName("errorClose");
  copy_->setProperty("quiet", true);
  close_->setProperty("quiet", true);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(20, 16, 16, 12);
  column->setSpacing(8);
  for (QLabel* label : {title_, sentence_, advice_}) column->addWidget(label);
  auto* row = new QHBoxLayout;
  row->addWidget(command_);
  row->addStretch(1);
  row->addWidget(copy_);
  row->addWidget(close_);
  column->addLayout(row);
  connect(command_, &QPushButton::clicked, this, [this] { emit command_asked(shown_.command); });
  connect(copy_, &QPushButton::clicked, this,
          [this] { QApplication::clipboard()->setText(shown_.sentence); });
  connect(close_, &QPushButton::clicked, this, &ErrorCard::dismissed);
  hide();
}

void ErrorCard::set_theme(Theme const& theme) {
  theme_ = theme;
  setStyleSheet(
      theme.scaled(QString("#errorCard { background: %1; border: 1px solid %2; "
                           "border-top: 4px solid %3; border-radius: 8px; }")
                       .arg(theme.raised.name(), theme.line3.name(), theme.error.name())));
}

void ErrorCard::show_words(ErrorWords const& words) {
  if (words == shown_) return;
  shown_ = words;
  setVisible(!words.sentence.isEmpty());
  if (words.sentence.isEmpty()) return;
  title_->setText(QStringLiteral("✕  ") + words.title);
  sentence_->setText(words.sentence);
  advice_->setText(words.advice);
  advice_->setVisible(!words.advice.isEmpty());
  command_->setText(words.command);
  command_->setVisible(!words.command.isEmpty());
  setAccessibleDescription(words.title + ". " + words.sentence + ". " + words.advice);
  QAccessibleEvent alert(this, QAccessible::Alert);
  QAccessible::updateAccessibility(&alert);
}

void ErrorCard::place(QRect const& area) {
  if (isHidden()) return;
  int gap = theme_.px(16), wide = std::min(theme_.px(560), area.width() - 2 * gap);
  ensurePolished();
  layout()->activate();
  int tall = std::min(layout()->totalHeightForWidth(wide), area.height() - 2 * gap);
  setGeometry(area.right() - gap - wide, area.bottom() - gap - tall, wide, tall);
  raise();
}

}  // namespace tw
