// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/records/records_view.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/paint/chooser.h"
#include "widgets/paint/controls.h"

namespace tw {
namespace {

using controls::button, controls::label, controls::Wrap;

constexpr int kTyping = 200;  // milliseconds after a letter

/// The first entry stands for any.
QString chosen(QComboBox const& box) {
  return box.currentIndex() <= 0 ? QString() : box.currentText();
}

void choose(QComboBox& box, QString const& word) {
  int at = word.isEmpty() ? 0 : box.findText(word);
  if (at < 0) {  // of a journal, before the store has said what there is
    box.addItem(word);
    at = box.count() - 1;
  }
  box.setCurrentIndex(at);
}

void fill(QComboBox& box, QStringList const& words) {
  QString before = chosen(box), any = box.itemText(0);
  box.clear();
  box.addItem(any);
  box.addItems(words);
  choose(box, before);
}

/// As a person writes it.
QString as_sentence(QString words) {
  if (words.isEmpty()) return words;
  words[0] = words[0].toUpper();
  return words.endsWith('.') ? words : words + ".";
}

}  // namespace

RecordsView::RecordsView(QWidget* parent) : QWidget(parent) {
  setObjectName("records");
  model_ = new RecordModel(this);
  details_ = new RecordDetails;
  soon_.setSingleShot(true);
  soon_.setInterval(kTyping);
  sentence_ = label("recordsSentence", "secondary", Wrap::kYes);
  sentence_->setContentsMargins(16, 4, 16, 4);
  sentence_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  sentence_->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Expanding);  // where the table was
  sentence_->hide();
  parts_ = new QSplitter(Qt::Vertical);
  parts_->setChildrenCollapsible(false);
  parts_->addWidget(build_table());
  parts_->addWidget(details_);
  parts_->setSizes({300, 240});  // shares, until the window has a size
  parts_->setStretchFactor(0, 3);
  parts_->setStretchFactor(1, 2);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(head_ = build_head());
  column->addWidget(sentence_);
  column->addWidget(empty_ = build_empty(), 1);
  column->addWidget(parts_, 1);
  connect_parts();
  show_sorting();
}

QComboBox* RecordsView::chooser(QString const& name, QString const& title) {
  auto* made = new Chooser;
  made->setObjectName(name);
  made->setAccessibleName(title);
  made->setToolTip(title);
  made->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  made->setMinimumContentsLength(8);
  return made;
}

QWidget* RecordsView::build_head() {
  text_ = new QLineEdit;
  text_->setObjectName("recordsText");
  text_->setAccessibleName("Find in trials");
  text_->setPlaceholderText("Find in names, knobs, steps and reasons");
  text_->setClearButtonEnabled(true);
  best_ = button("Best only", "recordsBest", "Only the fastest of each kernel on each device");
  best_->setCheckable(true);
  order_ = chooser("recordsOrder", "Order");
  order_->addItems({"newest", "oldest", "fastest", "slowest"});
  kernel_ = chooser("recordsKernel", "Kernel");
  device_ = chooser("recordsDevice", "Device");
  outcome_ = chooser("recordsOutcome", "Outcome");
  job_ = chooser("recordsJob", "Job");
  count_ = label("recordsCount", "secondary");
  kernel_->addItem("any kernel"), device_->addItem("any device");
  outcome_->addItem("any outcome"), job_->addItem("any job");
  auto* head = new QWidget;
  head->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  auto* rows = new QVBoxLayout(head);
  rows->setContentsMargins(16, 8, 16, 6);
  rows->setSpacing(6);
  auto *upper = new QHBoxLayout, *lower = new QHBoxLayout;
  upper->addWidget(text_, 1);
  upper->addWidget(best_);
  upper->addWidget(order_);
  for (QComboBox* one : {kernel_, device_, outcome_, job_}) lower->addWidget(one, 1);
  rows->addLayout(upper);
  rows->addLayout(lower);
  rows->addWidget(count_);
  return head;
}

QWidget* RecordsView::build_table() {
  table_ = new QTableView;
  table_->setObjectName("recordsTable");
  table_->setAccessibleName("Stored trials");
  table_->setModel(model_);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  table_->setTabKeyNavigation(false);
  table_->setShowGrid(false);
  table_->setWordWrap(false);
  table_->setTextElideMode(Qt::ElideMiddle);  // names of one model begin alike
  table_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  table_->horizontalHeader()->setStretchLastSection(true);
  table_->horizontalHeader()->setSectionsClickable(true);
  table_->horizontalHeader()->setHighlightSections(false);
  table_->installEventFilter(this);
  return table_;
}

QWidget* RecordsView::build_empty() {
  why_empty_ = label("recordsEmpty", "secondary", Wrap::kYes);
  why_empty_->setAlignment(Qt::AlignCenter);
  tune_ =
      button("Tune this kernel...", "recordsTune", "Search for a faster schedule of this kernel");
  tune_->setProperty("primary", true);
  tune_->hide();
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(16, 16, 16, 16);
  column->setSpacing(12);
  column->addStretch(2);
  column->addWidget(why_empty_);
  column->addWidget(tune_, 0, Qt::AlignHCenter);
  column->addStretch(3);
  page->hide();
  return page;
}

void RecordsView::connect_parts() {
  connect(tune_, &QPushButton::clicked, this, [this] { emit tune_asked(); });
  for (QComboBox* one : {kernel_, device_, outcome_, job_, order_})
    connect(one, &QComboBox::currentIndexChanged, this, &RecordsView::change);
  connect(best_, &QPushButton::toggled, this, &RecordsView::change);
  connect(text_, &QLineEdit::textChanged, this, [this] {
    if (!quiet_) soon_.start();
  });
  connect(text_, &QLineEdit::returnPressed, this, &RecordsView::change);
  connect(&soon_, &QTimer::timeout, this, &RecordsView::change);
  connect(table_->horizontalHeader(), &QHeaderView::sectionClicked, this, &RecordsView::sort_by);
  connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
          &RecordsView::take_selection);
  connect(table_, &QTableView::doubleClicked, this, &RecordsView::open_selected);
  connect(details_, &RecordDetails::open_asked, this, &RecordsView::open_selected);
}

void RecordsView::set_theme(Theme const& theme) {
  model_->set_theme(theme);
  details_->set_theme(theme);
  table_->verticalHeader()->setDefaultSectionSize(theme.px(26));
  static constexpr int kWidths[] = {64, 190, 126, 76, 116, 84, 142, 96, 320};
  for (int i = 0; i < RecordModel::kColumns; ++i) table_->setColumnWidth(i, theme.px(kWidths[i]));
}

RecordFilter RecordsView::filter() const {
  return {chosen(*kernel_), chosen(*device_),      chosen(*outcome_), chosen(*job_),
          text_->text(),    order_->currentText(), best_->isChecked()};
}

void RecordsView::set_filter(RecordFilter const& filter) {
  quiet_ = true;
  choose(*kernel_, filter.kernel);
  choose(*device_, filter.device);
  choose(*outcome_, filter.outcome);
  choose(*job_, filter.job);
  if (text_->text() != filter.text) text_->setText(filter.text);
  order_->setCurrentText(filter.order);
  best_->setChecked(filter.best);
  quiet_ = false;
  show_sorting();
}

void RecordsView::offer(RecordNames const& names) {
  if (names == names_) return;
  names_ = names;
  quiet_ = true;
  fill(*kernel_, names.kernels);
  fill(*device_, names.devices);
  fill(*outcome_, names.outcomes);
  fill(*job_, names.jobs);
  quiet_ = false;
}

void RecordsView::change() {
  if (quiet_) return;
  soon_.stop();
  show_sorting();
  emit filter_changed(filter());
}

/// A second click on a column turns it round.
void RecordsView::sort_by(int column) {
  QString order = order_->currentText();
  if (column == RecordModel::kTime)
    order_->setCurrentText(order == "fastest" ? "slowest" : "fastest");
  else if (column == RecordModel::kWhen || column == RecordModel::kNumber)
    order_->setCurrentText(order == "newest" ? "oldest" : "newest");
  show_sorting();
}

void RecordsView::show_sorting() {
  QString order = order_->currentText();
  bool by_time = order == "fastest" || order == "slowest";
  bool up = order == "fastest" || order == "oldest";
  table_->horizontalHeader()->setSortIndicatorShown(true);
  table_->horizontalHeader()->setSortIndicator(by_time ? RecordModel::kTime : RecordModel::kWhen,
                                               up ? Qt::AscendingOrder : Qt::DescendingOrder);
}

void RecordsView::begin(int rows, qint64 all) {
  quiet_ = true;
  model_->begin(rows);
  quiet_ = false;
  QLocale locale(QLocale::C);
  locale.setNumberOptions(QLocale::OmitGroupSeparator);
  count_->setText(rows == all ? QString("%1 trials").arg(locale.toString(all))
                              : QString("%1 of %2 trials").arg(rows).arg(locale.toString(all)));
  if (all == 0 && said_.isEmpty())
    say_empty("no trials are stored yet: tune a kernel to store its trials");
}

void RecordsView::say_working() { count_->setText(QStringLiteral("Looking…")); }

void RecordsView::say(QString const& sentence) {
  said_ = sentence;
  sentence_->setText(as_sentence(sentence));
  sentence_->setVisible(!sentence.isEmpty());
  parts_->setVisible(sentence.isEmpty());
  count_->setVisible(sentence.isEmpty());
  empty_->hide();
  head_->show();
}

/// There is nothing to filter either.
void RecordsView::say_empty(QString const& sentence) {
  said_ = sentence;
  why_empty_->setText(as_sentence(sentence));
  for (QWidget* one : std::initializer_list<QWidget*>{sentence_, parts_, head_}) one->hide();
  empty_->show();
}

void RecordsView::offer_tuning(bool possible) { tune_->setVisible(possible); }

void RecordsView::take_selection() {
  if (quiet_) return;
  std::vector<RecordRow> rows;
  for (QModelIndex const& at : table_->selectionModel()->selectedRows())
    if (RecordRow const* row = model_->row(at.row()); row && rows.size() < 2) rows.push_back(*row);
  std::ranges::sort(rows, {}, &RecordRow::id);
  show_trials(rows);
  emit selected_changed(selected());
}

void RecordsView::show_trials(std::vector<RecordRow> const& rows) {
  shown_ = rows;
  if (rows.empty()) return details_->show_none();
  rows.size() == 1 ? details_->show_one(rows[0]) : details_->show_two(rows[0], rows[1]);
}

std::vector<qint64> RecordsView::selected() const {
  std::vector<qint64> ids;
  for (RecordRow const& row : shown_) ids.push_back(row.id);
  return ids;
}

void RecordsView::open_selected() {
  if (can_open()) emit open_asked(shown_.front().id);
}

QWidget* RecordsView::focus_target() const {
  if (!empty_->isHidden()) return tune_;
  return model_->rowCount() > 0 && said_.isEmpty() ? static_cast<QWidget*>(table_) : text_;
}

void RecordsView::focus_search() {
  text_->setFocus(Qt::ShortcutFocusReason);
  text_->selectAll();
}

bool RecordsView::eventFilter(QObject* watched, QEvent* event) {
  if (watched == table_ && event->type() == QEvent::KeyPress) {
    auto* key = static_cast<QKeyEvent*>(event);
    if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) return open_selected(), true;
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace tw
