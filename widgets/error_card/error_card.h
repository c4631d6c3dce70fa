// SPDX-License-Identifier: GPL-3.0-or-later
/// What went wrong, in sight until it is mended or closed: the sentence, what can be done, and one
/// command that does it.
#pragma once

#include <QFrame>

#include "widgets/theme/theme.h"

class QLabel;
class QPushButton;

namespace tw {

struct ErrorWords {
  QString title;     ///< "Not exported"
  QString sentence;  ///< the cause
  QString advice;    ///< what to do; may be empty
  QString command;   ///< of the palette, that does it; may be empty
  bool operator==(ErrorWords const&) const = default;
};

class ErrorCard : public QFrame {
  Q_OBJECT
public:
  explicit ErrorCard(QWidget* parent);
  void set_theme(Theme const& theme);
  /// Empty words: nothing is wrong, and the card is not there.
  void show_words(ErrorWords const& words);
  ErrorWords const& words() const { return shown_; }
  /// In the lower right corner of `area`, as tall as its words need.
  void place(QRect const& area);

signals:
  void command_asked(QString const& name);
  void dismissed();

private:
  ErrorWords shown_;
  Theme theme_;
  QLabel *title_, *sentence_, *advice_;
  QPushButton *command_, *copy_, *close_;
};

}  // namespace tw
