// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/expression/kernel_dialog.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QShortcut>
#include <QTimer>
#include <QtConcurrent>

#include "widgets/paint/chooser.h"

namespace tw {

KernelDialog::KernelDialog(std::vector<session::ExpressionExample> examples, Check check,
                           Theme const& theme, QWidget* parent)
    : QDialog(parent),
      examples_(std::move(examples)),
      check_(std::move(check)),
      theme_(theme),
      editor_(new ExpressionEditor),
      pause_(new QTimer(this)) {
  setObjectName("kernelDialog");
  setWindowTitle("New kernel");
  resize(860, 560);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 14, 16, 14);
  column->setSpacing(10);
  column->addWidget(build_head());
  column->addWidget(editor_, 1);
  column->addWidget(build_foot());
  editor_->set_theme(theme);
  pause_->setSingleShot(true);
  pause_->setInterval(120);
  connect(pause_, &QTimer::timeout, this, [this] { start_check(); });
  connect(editor_, &QPlainTextEdit::textChanged, this, [this] {
    open_->setEnabled(false);
    pause_->start();
  });
  connect(&running_, &QFutureWatcherBase::finished, this, [this] { take_problems(); });
  auto* enter = new QShortcut(QKeySequence("Ctrl+Return"), this);
  connect(enter, &QShortcut::activated, this, [this] {
    if (is_kernel()) accept();
  });
}

KernelDialog::~KernelDialog() { running_.waitForFinished(); }

QWidget* KernelDialog::build_head() {
  auto* head = new QWidget;
  head->setProperty("role", "bare");
  auto* row = new QHBoxLayout(head);
  row->setContentsMargins(0, 0, 0, 0);
  auto* words = new QLabel(
      "Each line defines a tensor: its axes, then the value of an element, which may be summed "
      "over further axes.");
  words->setProperty("role", "secondary");
  words->setWordWrap(true);
  choose_ = new Chooser;
  choose_->setObjectName("examples");
  choose_->setAccessibleName("Examples");
  choose_->addItem("Start from an example");
  for (session::ExpressionExample const& example : examples_)
    choose_->addItem(QString::fromStdString(example.title));
  choose_->setMinimumWidth(190);
  row->addWidget(words, 1);
  row->addWidget(choose_);
  // One undo brings back what stood there.
  connect(choose_, &QComboBox::activated, this, [this](int index) {
    if (index < 1) return;
    QTextCursor all(editor_->document());
    all.select(QTextCursor::Document);
    all.insertText(QString::fromStdString(examples_[size_t(index) - 1].text));
    choose_->setCurrentIndex(0);
    editor_->setFocus();
  });
  return head;
}

QWidget* KernelDialog::build_foot() {
  auto* foot = new QWidget;
  foot->setProperty("role", "bare");
  auto* column = new QVBoxLayout(foot);
  column->setContentsMargins(0, 0, 0, 0);
  words_ = new QLabel;
  words_->setObjectName("kernelProblem");
  words_->setWordWrap(true);
  words_->setMinimumHeight(36);
  words_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  words_->setTextFormat(Qt::PlainText);
  auto* row = new QHBoxLayout;
  auto* save = new QPushButton("Save as .te");
  save->setObjectName("saveKernel");
  auto* cancel = new QPushButton("Cancel");
  cancel->setObjectName("cancelKernel");
  open_ = new QPushButton("Open in the workbench");
  open_->setObjectName("openKernel");
  open_->setProperty("primary", true);
  open_->setToolTip("Ctrl+Enter");
  for (QPushButton* button : {save, cancel, open_}) button->setAutoDefault(false);
  row->addWidget(save);
  row->addStretch(1);
  row->addWidget(cancel);
  row->addWidget(open_);
  column->addWidget(words_);
  column->addLayout(row);
  connect(save, &QPushButton::clicked, this, [this] { emit save_asked(text()); });
  connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
  connect(open_, &QPushButton::clicked, this, &QDialog::accept);
  return foot;
}

void KernelDialog::begin(QString const& text, bool rewrites) {
  setWindowTitle(rewrites ? "Edit a kernel" : "New kernel");
  open_->setText(rewrites ? "Replace the kernel" : "Open in the workbench");
  editor_->setPlainText(text);
  editor_->moveCursor(QTextCursor::End);
  editor_->setFocus();
  start_check();
}

/// The newest text is looked at; one that was changed meanwhile waits for its turn.
void KernelDialog::start_check() {
  if (running_.isRunning()) return;
  in_check_ = text();
  running_.setFuture(
      QtConcurrent::run([check = check_, text = in_check_.toStdString()] { return check(text); }));
}

void KernelDialog::take_problems() {
  if (in_check_ != text()) return start_check();
  checked_ = in_check_;
  std::vector<session::ExpressionProblem> problems = running_.result();
  editor_->show_problems(problems);
  open_->setEnabled(problems.empty());
  QString words;
  if (problems.empty()) {
    words = QStringLiteral("✓ This is a valid kernel.");
  } else {
    session::ExpressionProblem const& first = problems.front();
    words = QStringLiteral("✕ ");
    if (first.line > 0) words += QString("Line %1").arg(first.line);
    if (first.column > 0) words += QString(", column %1").arg(first.column);
    words += (first.line > 0 ? ": " : "") + QString::fromStdString(first.message);
    if (problems.size() > 1) words += QString("  (and %1 more)").arg(problems.size() - 1);
  }
  words_->setText(words);
  words_->setStyleSheet(
      QString("color: %1").arg((problems.empty() ? theme_.ok : theme_.error).name()));
}

}  // namespace tw
