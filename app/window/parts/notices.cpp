// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/parts/notices.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <algorithm>

#include "app/window/error_advice.h"
#include "widgets/error_card/error_card.h"
#include "widgets/paint/paint.h"

namespace tw {
namespace {

/// Why the current step has no time; empty: it has one, or is waited for.
QString why_not_measured(session::Snapshot const& now) {
  if (!now.history) return {};
  session::HistoryNodeView const& current = now.history->nodes[size_t(now.history->current)];
  if (current.failure.empty()) return {};
  return "▲ Not measured: " + QString::fromStdString(current.failure);
}

/// Beside an unscheduled nest that the target has no code for there may be a default schedule: its
/// step in the history, or -1.
int rule_instead_of_plain(session::Snapshot const& now) {
  if (!now.history) return -1;
  auto const& nodes = now.history->nodes;
  session::HistoryNodeView const& current = nodes[size_t(now.history->current)];
  auto rule = std::ranges::find_if(
      nodes, [](auto const& one) { return one.label == "default" && one.failure.empty(); });
  bool stuck = current.parent < 0 && !current.failure.empty();
  return stuck && rule != nodes.end() ? rule->id : -1;
}

QString job_words(session::JobView const& job) {
  QString words = QString::fromStdString(job.what);
  return job.total > 0 ? words + QString(", %1 of %2").arg(job.done).arg(job.total) : words;
}

}  // namespace

Notices::Notices(QWidget& window, Workbench& bench)
    : window_(window),
      bench_(bench),
      line_(new QWidget),
      status_(new QLabel),
      progress_(new QProgressBar),
      cancel_(new QPushButton("Cancel")),
      by_rule_(new QPushButton("Use the default schedule")) {
  progress_->setTextVisible(false);
  progress_->setFixedHeight(3);
  line_->setObjectName("statusBar");
  auto* row = new QHBoxLayout(line_);
  row->setContentsMargins(12, 3, 12, 3);
  status_->setObjectName("status");
  status_->setProperty("role", "label");
  cancel_->setObjectName("cancel");
  cancel_->setProperty("quiet", true);
  by_rule_->setObjectName("takeScheduleByRule");
  by_rule_->setToolTip("The unscheduled nest cannot be measured here; the default schedule can");
  by_rule_->hide();
  auto* keys = new QLabel("? keys    Ctrl+Shift+P commands");
  keys->setProperty("role", "label");
  row->addWidget(status_, 1);
  row->addWidget(by_rule_);
  row->addWidget(cancel_);
  row->addWidget(keys);
  for (QWidget* comes_and_goes :
       {static_cast<QWidget*>(progress_), static_cast<QWidget*>(cancel_)}) {
    QSizePolicy policy = comes_and_goes->sizePolicy();
    policy.setRetainSizeWhenHidden(true);  // nothing moves when a measurement starts
    comes_and_goes->setSizePolicy(policy);
  }
  connect(cancel_, &QPushButton::clicked, this, [this] { bench_.execute(session::CancelJob{}); });
  connect(by_rule_, &QPushButton::clicked, this, [this] {
    if (int step = rule_instead_of_plain(bench_.snapshot()); step >= 0)
      bench_.execute(session::JumpTo{step});
  });
}

QWidget* Notices::progress() const { return progress_; }

void Notices::build_card(QWidget* root, std::function<QRect()> area) {
  area_ = std::move(area);
  card_ = new ErrorCard(root);
  connect(card_, &ErrorCard::dismissed, this, &Notices::dismiss);
  connect(card_, &ErrorCard::command_asked, this,
          [this](QString const& command) { bench_.run_action(command); });
}

void Notices::set_theme(Theme const& theme) { card_->set_theme(theme); }

void Notices::say(Error const& error, std::type_index action) {
  trouble_ = {error.code, QString::fromStdString(to_sentence(error)), error.fault, action};
  show_line();
  show_card();
}

void Notices::note(QString const& sentence) {
  noted_ = sentence;
  show_line();
}

void Notices::begin(journal::Action const& action) {
  forget_trouble(action);
  if (!journal::replaces(action, action)) noted_.clear();
}

void Notices::forget_trouble(journal::Action const& next) {
  if (!trouble_ || journal::replaces(next, next)) return;
  if (trouble_->fault == Fault::kEnvironment && trouble_->action != next.kind()) return;
  trouble_.reset();
  show_card();
}

bool Notices::has_error() const { return trouble_ || bench_.snapshot().error; }

void Notices::dismiss() {
  trouble_.reset();
  if (bench_.snapshot().error) return bench_.execute(session::DismissRefusal{});
  show_line();
  show_card();
}

QString Notices::words_now() const {
  session::Snapshot const& now = bench_.snapshot();
  if (trouble_) return trouble_->sentence;
  if (now.error) return QString::fromStdString(now.error->sentence);
  if (!noted_.isEmpty()) return noted_;
  if (now.job) return job_words(*now.job);
  if (QString why = why_not_measured(now); !why.isEmpty()) return why;
  if (now.history && now.history->current > 0)
    return QString::fromStdString(now.history->nodes[size_t(now.history->current)].step)
        .replace("\n", "; ");
  return now.model ? QString::fromStdString(now.model->summary) : QString();
}

void Notices::show_line() {
  session::Snapshot const& now = bench_.snapshot();
  progress_->setVisible(now.job != nullptr);
  cancel_->setVisible(now.job != nullptr);
  if (now.job) {
    progress_->setRange(0, now.job->total > 0 ? int(now.job->total) : 0);
    progress_->setValue(int(now.job->done));
  }
  words_ = words_now();
  by_rule_->setVisible(rule_instead_of_plain(now) >= 0);
  Theme const& theme = bench_.theme();
  int taken = theme.px(420) + (by_rule_->isVisibleTo(&window_) ? by_rule_->sizeHint().width() : 0);
  status_->setText(QFontMetrics(status_->font())
                       .elidedText(words_, Qt::ElideRight, std::max(200, window_.width() - taken)));
  status_->setToolTip(paint::wrapped(words_));
  QColor colour = has_error() ? theme.error : words_.startsWith("▲") ? theme.warn : QColor();
  status_->setStyleSheet(colour.isValid() ? QString("color: %1").arg(colour.name()) : QString());
}

void Notices::show_card() {
  ErrorWords words;
  if (trouble_)
    words = error_words(trouble_->code, "", trouble_->sentence);
  else if (auto const& error = bench_.snapshot().error)
    words = error_words(error->code, error->job, QString::fromStdString(error->sentence));
  card_->show_words(words);
  place_card();
}

void Notices::place_card() { card_->place(area_()); }

}  // namespace tw
