// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/records/record_details.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTableWidget>
#include <QTextBlock>
#include <QVBoxLayout>
#include <map>

#include "widgets/paint/controls.h"
#include "widgets/paint/paint.h"
#include "widgets/records/record_model.h"

namespace tw {
namespace {

using controls::button, controls::label, controls::Wrap;

QPlainTextEdit* script_view(QString const& name, QString const& title) {
  auto* made = new QPlainTextEdit;
  made->setObjectName(name);
  made->setAccessibleName(title);
  made->setReadOnly(true);
  made->setLineWrapMode(QPlainTextEdit::NoWrap);
  made->setTabChangesFocus(true);
  return made;
}

/// Lines that the other text does not have.
QList<QTextEdit::ExtraSelection> lines_not_in(QPlainTextEdit const& text,
                                              QPlainTextEdit const& other, QColor const& colour) {
  QStringList known = other.toPlainText().split('\n');
  QList<QTextEdit::ExtraSelection> marks;
  for (QTextBlock line = text.document()->begin(); line.isValid(); line = line.next()) {
    if (known.contains(line.text())) continue;
    QTextEdit::ExtraSelection mark;
    mark.cursor = QTextCursor(line);
    mark.format.setBackground(colour);
    mark.format.setProperty(QTextFormat::FullWidthSelection, true);
    marks << mark;
  }
  return marks;
}

QString whole_sentence(RecordRow const& row) {
  QStringList words{row.outcome};
  if (row.ms > 0) words[0] = time_words(row);
  if (row.ratio > 0) words << QString("%1 times the best").arg(row.ratio, 0, 'f', 2);
  words << "on " + row.device << row.when;
  if (!row.job.isEmpty()) words << "job " + row.job;
  QString all = words.join(QStringLiteral(" · "));
  return row.failure.isEmpty() ? all : all + "\n" + row.failure;
}

}  // namespace

std::vector<KnobDifference> knob_differences(RecordRow const& before, RecordRow const& after) {
  std::map<QString, KnobDifference> all;
  for (auto const& [name, value] : before.knobs) all[name] = {name, value, {}};
  for (auto const& [name, value] : after.knobs) all[name].knob = name, all[name].after = value;
  std::vector<KnobDifference> differ;
  for (auto const& [name, one] : all)
    if (one.before != one.after) differ.push_back(one);
  return differ;
}

QString comparison_words(RecordRow const& before, RecordRow const& after) {
  auto of = [](RecordRow const& row) { return QString("trial %1").arg(row.id); };
  if (before.ms <= 0 || after.ms <= 0) {
    RecordRow const& without = before.ms <= 0 ? before : after;
    return QString("There is nothing to compare: %1 has no time (%2).")
        .arg(of(without), without.outcome);
  }
  QString words = QString("Trial %1 takes %2, %3 %4: %5 times as long.")
                      .arg(before.id)
                      .arg(time_words(before), of(after), time_words(after))
                      .arg(after.ms / before.ms, 0, 'f', 2);
  if (before.machine != after.machine) words += " They ran on different machines.";
  if (before.kernel != after.kernel) words += " They are of different kernels.";
  return words;
}

RecordDetails::RecordDetails(QWidget* parent) : QWidget(parent) {
  setObjectName("recordDetails");
  title_ = label("recordTitle", "section");
  sentence_ = label("recordSentence", "secondary", Wrap::kYes);
  open_ = button("Open as steps", "recordOpen",
                 "The trial's steps as a branch of its kernel's history");
  knobs_ = new QTableWidget;
  knobs_->setObjectName("recordKnobs");
  knobs_->setAccessibleName("Knobs");
  knobs_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  knobs_->setTabKeyNavigation(false);
  knobs_->setShowGrid(false);
  knobs_->verticalHeader()->hide();
  left_ = script_view("recordScript", "Script");
  right_ = script_view("recordOtherScript", "Script of the other trial");
  auto* head = new QHBoxLayout;
  head->addWidget(title_, 1);
  head->addWidget(open_);
  auto* texts = new QHBoxLayout;
  texts->setSpacing(8);
  texts->addWidget(knobs_, 2);
  texts->addWidget(left_, 2);
  texts->addWidget(right_, 2);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 6, 16, 10);
  column->setSpacing(6);
  column->addLayout(head);
  column->addWidget(sentence_);
  column->addLayout(texts, 1);
  connect(open_, &QPushButton::clicked, this, &RecordDetails::open_asked);
  show_none();
}

void RecordDetails::set_theme(Theme const& theme) {
  theme_ = theme;
  knobs_->verticalHeader()->setDefaultSectionSize(theme.px(24));
  mark_differences();
}

void RecordDetails::show_none() {
  title_->setText("No trial is selected");
  sentence_->setText("Select a trial to see its steps, or two with Ctrl to compare them.");
  for (QWidget* one : std::initializer_list<QWidget*>{open_, knobs_, left_, right_}) one->hide();
}

void RecordDetails::show_one(RecordRow const& row) {
  title_->setText(QString("Trial %1 of %2").arg(row.id).arg(row.kernel));
  sentence_->setText(whole_sentence(row));
  std::vector<KnobDifference> rows;
  for (auto const& [name, value] : row.knobs) rows.push_back({name, value, {}});
  show_knobs({"Knob", "Value"}, rows);
  left_->setPlainText(row.script);
  right_->clear();
  for (QWidget* one : std::initializer_list<QWidget*>{open_, knobs_, left_}) one->show();
  right_->hide();
  mark_differences();
}

void RecordDetails::show_two(RecordRow const& before, RecordRow const& after) {
  title_->setText(QString("Trials %1 and %2").arg(before.id).arg(after.id));
  std::vector<KnobDifference> differ = knob_differences(before, after);
  QString knobs = differ.empty() ? " All knobs are the same." : "";
  sentence_->setText(comparison_words(before, after) + knobs);
  show_knobs({"Knob", QString::number(before.id), QString::number(after.id)}, differ);
  left_->setPlainText(before.script);
  right_->setPlainText(after.script);
  for (QWidget* one : std::initializer_list<QWidget*>{knobs_, left_, right_}) one->show();
  open_->hide();
  mark_differences();
}

void RecordDetails::show_knobs(QStringList const& titles, std::vector<KnobDifference> const& rows) {
  knobs_->clear();
  knobs_->setColumnCount(int(titles.size()));
  knobs_->setHorizontalHeaderLabels(titles);
  knobs_->setRowCount(int(rows.size()));
  for (int i = 0; i < int(rows.size()); ++i) {
    QString const cells[] = {rows[size_t(i)].knob, rows[size_t(i)].before, rows[size_t(i)].after};
    for (int column = 0; column < titles.size(); ++column)
      knobs_->setItem(
          i, column,
          new QTableWidgetItem(cells[column].isEmpty() ? QStringLiteral("–") : cells[column]));
  }
  knobs_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  knobs_->resizeColumnsToContents();
  knobs_->horizontalHeader()->setStretchLastSection(true);
}

void RecordDetails::mark_differences() {
  bool two = !right_->isHidden();
  auto tint = [&](QColor colour) { return colour.setAlphaF(0.18f), colour; };
  left_->setExtraSelections(two ? lines_not_in(*left_, *right_, tint(theme_.removed))
                                : QList<QTextEdit::ExtraSelection>());
  right_->setExtraSelections(two ? lines_not_in(*right_, *left_, tint(theme_.added))
                                 : QList<QTextEdit::ExtraSelection>());
}

}  // namespace tw
