// SPDX-License-Identifier: GPL-3.0-or-later
// What went wrong: said in the line at the bottom and on a card, until it is mended, closed or a
// thing of the past.
#include <QStackedWidget>

#include "app/window/error_advice.h"
#include "app/window/main_window.h"
#include "widgets/error_card/error_card.h"

namespace tw {

void MainWindow::build_error_card(QWidget* home) {
  error_card_ = new ErrorCard(home);
  connect(error_card_, &ErrorCard::dismissed, this, &MainWindow::dismiss_error);
  connect(error_card_, &ErrorCard::command_asked, this, &MainWindow::run_action);
}

/// A command's own mistake is past with the next command. A full disk or a lost device is not: it
/// stays until the same is done and goes well, or another model takes its place.
void MainWindow::forget_trouble(journal::Action const& next) {
  if (!trouble_ || journal::replaces(next, next)) return;
  if (trouble_->fault == Fault::kEnvironment && trouble_->action != next.kind()) return;
  trouble_.reset();
  show_errors();
}

void MainWindow::say(Error const& error, std::type_index action) {
  trouble_ = {error.code, QString::fromStdString(to_sentence(error)), error.fault, action};
  show_status(snapshot_);
  show_errors();
}

void MainWindow::say(QString const& sentence) {
  say(Error{"", sentence.toStdString(), {}, Fault::kBadInput}, typeid(void));
}

void MainWindow::show_errors() {
  ErrorWords words;
  if (trouble_)
    words = error_words(trouble_->code, "", trouble_->sentence);
  else if (auto const& error = snapshot_.error)
    words = error_words(error->code, error->job, QString::fromStdString(error->sentence));
  error_card_->show_words(words);
  place_error();
}

/// Above the line at the bottom; above a refusal's card where there is one.
void MainWindow::place_error() {
  QRect area(pages_->mapTo(centralWidget(), QPoint(0, 0)), pages_->size());
  if (card_->isVisible()) area.setBottom(card_->mapTo(centralWidget(), QPoint(0, 0)).y());
  error_card_->place(area);
}

void MainWindow::dismiss_error() {
  trouble_.reset();
  if (snapshot_.error) return execute(session::DismissRefusal{});
  show_status(snapshot_);
  show_errors();
}

}  // namespace tw
