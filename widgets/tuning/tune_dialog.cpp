// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tuning/tune_dialog.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QSpinBox>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/support/base/quantities.h"
#include "widgets/paint/chooser.h"
#include "widgets/paint/controls.h"
#include "widgets/tuning/device_checks.h"

namespace tw {
namespace {

using controls::button, controls::label;

constexpr double kWritten = 1e6;  // more points are rounded

QTableWidgetItem* cell(QString const& text, Qt::Alignment side = Qt::AlignLeft) {
  auto* item = new QTableWidgetItem(text);
  item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
  item->setTextAlignment(side | Qt::AlignVCenter);
  return item;
}

}  // namespace

QString points_words(double points) {
  if (points <= 1) return "1 point";
  if (points < kWritten) return QLocale(QLocale::English).toString(qint64(points)) + " points";
  return QString::fromStdString(many_text(points)) + " points";
}

TuneDialog::TuneDialog(int from, std::vector<std::string> const& searches, QString const& device,
                       QString const& machine, QWidget* parent)
    : QDialog(parent), from_(from) {
  setObjectName("tuneDialog");
  setWindowTitle(from > 0 ? QString("Tune from step %1").arg(from) : "Tune the kernel");
  resize(560, 560);
  title_ = label("tuneTitle", "title");
  title_->setText(windowTitle());
  words_ = label("tuneWords", "secondary", controls::Wrap::kYes);
  words_->setText("Loading knobs…");
  start_ = button("Start", "tuneStart", "Search with this budget");
  start_->setProperty("primary", true);
  start_->setDefault(true);
  start_->setEnabled(false);
  auto* cancel = button("Cancel", "tuneCancel", "Cancel");
  cancel->setAutoDefault(false);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(20, 16, 20, 16);
  column->setSpacing(10);
  column->addWidget(title_);
  column->addWidget(words_);
  column->addWidget(build_table(), 1);
  devices_ = new DeviceChecks(device, machine);
  connect(devices_, &DeviceChecks::changed, this, &TuneDialog::show_size);
  column->addWidget(devices_);
  column->addWidget(build_budget(searches));
  auto* buttons = new QHBoxLayout;
  buttons->addStretch(1);
  buttons->addWidget(cancel);
  buttons->addWidget(start_);
  column->addLayout(buttons);
  connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
  connect(start_, &QPushButton::clicked, this, &TuneDialog::start);
}

QWidget* TuneDialog::build_table() {
  table_ = new QTableWidget(0, 3);
  table_->setObjectName("tuneKnobs");
  table_->setAccessibleName("Knobs (checked = fixed)");
  table_->setHorizontalHeaderLabels({"keep", "now", "values"});
  table_->verticalHeader()->hide();
  table_->setShowGrid(false);
  table_->setTabKeyNavigation(false);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  QHeaderView* head = table_->horizontalHeader();
  head->setHighlightSections(false);
  head->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  head->setSectionResizeMode(0, QHeaderView::Stretch);
  head->setSectionResizeMode(1, QHeaderView::ResizeToContents);
  head->setSectionResizeMode(2, QHeaderView::ResizeToContents);
  connect(table_, &QTableWidget::itemChanged, this, &TuneDialog::show_size);
  all_ = button("Fix all", "tuneKeepAll", "Fix every knob");
  none_ = button("Fix none", "tuneKeepNone", "Let the search choose every knob");
  for (QPushButton* one : {all_, none_}) one->setProperty("quiet", true);
  for (QPushButton* one : {all_, none_}) one->setAutoDefault(false);
  connect(all_, &QPushButton::clicked, this, [this] { keep_all(true); });
  connect(none_, &QPushButton::clicked, this, [this] { keep_all(false); });
  size_ = label("tuneSize", "section");
  auto* below = new QHBoxLayout;
  below->addWidget(size_, 1);
  below->addWidget(all_);
  below->addWidget(none_);
  auto* both = new QWidget;
  both->setProperty("role", "bare");
  auto* column = new QVBoxLayout(both);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(table_, 1);
  column->addLayout(below);
  return both;
}

QWidget* TuneDialog::build_budget(std::vector<std::string> const& searches) {
  search_ = new Chooser;
  search_->setObjectName("tuneSearch");
  search_->setAccessibleName("Search");
  for (std::string const& name : searches) search_->addItem(QString::fromStdString(name));
  trials_ = new QSpinBox;
  trials_->setObjectName("tuneTrials");
  trials_->setAccessibleName("Trials");
  trials_->setRange(1, 1'000'000);
  trials_->setSuffix(" trials");
  trials_->setValue(64);
  auto* both = new QWidget;
  both->setProperty("role", "bare");
  auto* row = new QHBoxLayout(both);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(search_);
  row->addWidget(trials_);
  row->addStretch(1);
  return both;
}

void TuneDialog::set_budget(QString const& search, int trials) {
  search_->setCurrentText(search);
  trials_->setValue(trials);
}

void TuneDialog::show_space(session::TuningSpace const& space) {
  if (known_) return;
  known_ = true;
  space_ = space;
  if (!space.of.empty()) title_->setText(windowTitle() + ", " + QString::fromStdString(space.of));
  if (!space.error.empty()) {
    QString sentence = QString::fromStdString(space.error);
    sentence[0] = sentence[0].toUpper();
    words_->setText(sentence + ".");
    return;
  }
  words_->setText(from_ > 0 ? "The steps stay as they are, and the search chooses their numbers. "
                              "Checked knobs stay fixed."
                            : "The search chooses what the target's template leaves open. Checked "
                              "knobs keep their default.");
  fill(space);
  show_size();
  table_->setFocus();
}

void TuneDialog::fill(session::TuningSpace const& space) {
  QSignalBlocker quiet(table_);
  table_->setRowCount(int(space.knobs.size()));
  for (int row = 0; row < table_->rowCount(); ++row) {
    session::SpaceKnob const& knob = space.knobs[size_t(row)];
    QTableWidgetItem* name = cell(QString::fromStdString(knob.name));
    name->setFlags(name->flags() | Qt::ItemIsUserCheckable);
    name->setCheckState(Qt::Unchecked);
    table_->setItem(row, 0, name);
    table_->setItem(row, 1, cell(QString::fromStdString(knob.value)));
    table_->setItem(row, 2, cell(QString::number(knob.values), Qt::AlignRight));
  }
  if (table_->rowCount() > 0) table_->setCurrentCell(0, 0);
}

void TuneDialog::keep_all(bool kept) {
  {
    QSignalBlocker quiet(table_);
    for (int row = 0; row < table_->rowCount(); ++row)
      table_->item(row, 0)->setCheckState(kept ? Qt::Checked : Qt::Unchecked);
  }
  show_size();
}

std::vector<std::string> TuneDialog::kept() const {
  std::vector<std::string> names;
  for (int row = 0; row < table_->rowCount(); ++row)
    if (table_->item(row, 0)->checkState() == Qt::Checked)
      names.push_back(space_.knobs[size_t(row)].name);
  return names;
}

void TuneDialog::show_size() {
  double points = space_.size(kept());
  if (!known_) return;
  size_->setText(points > 1 ? points_words(points) + " to choose from"
                            : QStringLiteral("Nothing is left to choose"));
  start_->setEnabled(points > 1 && !devices_->checked().empty());
}

void TuneDialog::start() {
  session::Tune wanted;
  wanted.trials = trials_->value();
  wanted.search = search_->currentText().toStdString();
  wanted.from = from_;
  for (std::string const& name : kept()) wanted.keep += (wanted.keep.empty() ? "" : " ") + name;
  wanted.on = devices_->words();
  emit start_asked(wanted);
  accept();
}

}  // namespace tw
