// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/devices/team_view.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QStackedWidget>
#include <QTableWidget>
#include <QVBoxLayout>

#include "widgets/paint/controls.h"

namespace tw {
namespace {

using controls::button, controls::label, controls::Wrap;

constexpr char kNoTeam[] =
    "No team's store is attached: give the address of its PostgreSQL server above, "
    "postgresql://USER@HOST/DATABASE, to see its jobs and workers here.";

QTableWidget* table(QString const& name, QString const& title, QStringList const& columns) {
  auto* made = new QTableWidget(0, int(columns.size()));
  made->setObjectName(name);
  made->setAccessibleName(title);
  made->setHorizontalHeaderLabels(columns);
  made->verticalHeader()->hide();
  made->setShowGrid(false);
  made->setTabKeyNavigation(false);
  made->setWordWrap(false);
  made->setTextElideMode(Qt::ElideMiddle);  // names of one model's jobs begin alike
  made->setEditTriggers(QAbstractItemView::NoEditTriggers);
  made->setSelectionBehavior(QAbstractItemView::SelectRows);
  made->setSelectionMode(QAbstractItemView::SingleSelection);
  QHeaderView* head = made->horizontalHeader();
  head->setHighlightSections(false);
  head->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  head->setSectionResizeMode(QHeaderView::ResizeToContents);
  head->setSectionResizeMode(0, QHeaderView::Stretch);
  head->setSectionResizeMode(int(columns.size()) - 1, QHeaderView::Stretch);
  return made;
}

/// Rows in place: where one has scrolled to, and the selection, stay.
void fill(QTableWidget& table, std::vector<QStringList> const& rows) {
  int at = table.verticalScrollBar()->value();
  table.setRowCount(int(rows.size()));
  for (int row = 0; row < int(rows.size()); ++row)
    for (int column = 0; column < table.columnCount(); ++column) {
      QString const& text = rows[size_t(row)][column];
      if (!table.item(row, column)) table.setItem(row, column, new QTableWidgetItem);
      table.item(row, column)->setText(text);
      table.item(row, column)->setToolTip(text);
    }
  table.verticalScrollBar()->setValue(at);
}

QWidget* titled(QString const& title, QWidget* content) {
  auto* all = new QWidget;
  auto* column = new QVBoxLayout(all);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(4);
  auto* head = label({}, "label");
  head->setText(title);
  column->addWidget(head);
  column->addWidget(content, 1);
  return all;
}

}  // namespace

TeamView::TeamView(QWidget* parent) : QWidget(parent) {
  setObjectName("team");
  empty_ = label("teamEmpty", "secondary", Wrap::kYes);
  empty_->setText(kNoTeam);
  empty_->setAlignment(Qt::AlignCenter);
  empty_->setContentsMargins(32, 0, 32, 0);
  pages_ = new QStackedWidget;
  pages_->addWidget(empty_);
  pages_->addWidget(build_tables());
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 8, 16, 12);
  column->setSpacing(8);
  column->addWidget(build_head());
  column->addWidget(pages_, 1);
  show_store({});
}

QWidget* TeamView::build_head() {
  address_ = new QLineEdit;
  address_->setObjectName("teamStore");
  address_->setAccessibleName("Address of the team's store");
  address_->setPlaceholderText("postgresql://USER@HOST/DATABASE");
  attach_ = button("Attach", "teamAttach",
                   "Show the queue of this server; an empty address attaches none");
  refresh_ = button("Refresh", "teamRefresh", "Ask the server again; it is asked every 5 s anyway");
  sentence_ = label("teamSentence", "secondary", Wrap::kYes);
  auto* head = new QWidget;
  auto* column = new QVBoxLayout(head);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(4);
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  row->addWidget(address_, 1);
  row->addWidget(attach_);
  row->addWidget(refresh_);
  column->addLayout(row);
  column->addWidget(sentence_);
  auto attach = [this] { emit attach_asked(address_->text().trimmed()); };
  connect(attach_, &QPushButton::clicked, this, attach);
  connect(address_, &QLineEdit::returnPressed, this, attach);
  connect(refresh_, &QPushButton::clicked, this, &TeamView::refresh_asked);
  return head;
}

QWidget* TeamView::build_tables() {
  jobs_ = table("teamJobs", "Jobs of the team",
                {"job", "state", "slices done", "trials made", "priority", "held by"});
  workers_ = table("teamWorkers", "Workers of the team",
                   {"worker", "state", "heard of", "machine", "holds"});
  workers_->horizontalHeader()->setSectionResizeMode(3, QHeaderView::Stretch);
  auto* all = new QWidget;
  auto* column = new QVBoxLayout(all);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(8);
  column->addWidget(titled("Jobs", jobs_), 1);
  column->addWidget(titled("Workers", workers_), 1);
  return all;
}

void TeamView::set_theme(Theme const& theme) {
  bad_ = theme.error;
  for (QTableWidget* one : {jobs_, workers_})
    one->verticalHeader()->setDefaultSectionSize(theme.px(26));
  show_rows(rows_);
}

void TeamView::show_store(QString const& address) {
  attached_ = !address.isEmpty();
  if (!address_->hasFocus() || address_->text().trimmed() != address) address_->setText(address);
  refresh_->setEnabled(attached_);
  pages_->setCurrentIndex(attached_ ? 1 : 0);
  if (!attached_) show_rows({});
}

void TeamView::show_rows(TeamRows const& rows) {
  rows_ = rows;
  std::vector<QStringList> jobs, workers;
  for (TeamJobRow const& job : rows.jobs)
    jobs.push_back({job.name, job.state, job.slices, job.trials, job.priority,
                    job.held_by.isEmpty() ? QStringLiteral("nobody") : job.held_by});
  for (TeamWorkerRow const& worker : rows.workers)
    workers.push_back({worker.name,
                       worker.alive ? QStringLiteral("✓ alive") : QStringLiteral("✕ silent"),
                       worker.heard, worker.machine, worker.holds});
  fill(*jobs_, jobs);
  fill(*workers_, workers);
  for (int row = 0; row < int(rows.workers.size()); ++row)
    workers_->item(row, 1)->setForeground(
        rows.workers[size_t(row)].alive ? QBrush(palette().color(QPalette::Text)) : QBrush(bad_));
}

void TeamView::say(QString const& sentence) {
  sentence_->setText(sentence);
  sentence_->setVisible(!sentence.isEmpty());
}

QString TeamView::sentence() const { return sentence_->text(); }

QWidget* TeamView::focus_target() const {
  return attached_ ? static_cast<QWidget*>(jobs_) : address_;
}

}  // namespace tw
