// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/step_dialog/step_dialog.h"

#include <QCompleter>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

#include "widgets/paint/chooser.h"

namespace tw {
namespace {

constexpr size_t kMostInAColumn = 7;  // more would be higher than a small window

}  // namespace

StepDialog::StepDialog(session::PrimitiveView primitive, QStringList loops, QString selected,
                       Preview preview, Theme const& theme, QWidget* parent)
    : QDialog(parent),
      primitive_(std::move(primitive)),
      preview_(std::move(preview)),
      theme_(theme) {
  setObjectName("stepDialog");
  setWindowTitle(QString::fromStdString(primitive_.title));
  setMinimumWidth(460);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(20, 18, 20, 16);
  column->setSpacing(10);
  auto* title = new QLabel(QString::fromStdString(primitive_.title));
  title->setProperty("role", "title");
  auto* doc = new QLabel(QString::fromStdString(primitive_.doc));
  doc->setWordWrap(true);
  doc->setProperty("role", "secondary");
  auto* rewrite = new QLabel(QString::fromStdString(primitive_.rewrite));
  rewrite->setProperty("mono", true);
  rewrite->setWordWrap(true);
  for (QWidget* w :
       {static_cast<QWidget*>(title), static_cast<QWidget*>(doc), static_cast<QWidget*>(rewrite)})
    column->addWidget(w);
  auto* form = new QFormLayout;
  form->setSpacing(8);
  bool names_block = !primitive_.target_kinds.empty();
  targets_ = new QLineEdit(first_targets(loops, selected));
  targets_->setObjectName("targets");
  targets_->setProperty("mono", true);
  if (primitive_.targets == 1) targets_->setCompleter(new QCompleter(loops, this));
  QStringList kinds;
  for (std::string const& kind : primitive_.target_kinds) kinds << QString::fromStdString(kind);
  bool many = primitive_.parameters.size() > kMostInAColumn;
  auto* first = many ? new QFormLayout : form;  // as wide as both columns
  first->addRow(names_block               ? kinds.join(", ")
                : primitive_.targets == 1 ? "loop"
                                          : "loops",
                targets_);
  auto* second = new QFormLayout;
  second->setSpacing(8);
  for (session::ParameterView const& parameter : primitive_.parameters) {
    QWidget* value = parameter.choices.empty() ? number_field(parameter) : choice_field(parameter);
    value->setObjectName("value_" + QString::fromStdString(parameter.name));
    value->setProperty("mono", true);
    bool left = !many || values_.size() < (primitive_.parameters.size() + 1) / 2;
    (left ? form : second)->addRow(QString::fromStdString(parameter.name), value);
    values_.push_back(value);
  }
  if (many) column->addLayout(first);
  if (many) setMinimumWidth(680);
  auto* forms = new QHBoxLayout;
  forms->setSpacing(20);
  forms->addLayout(form, 1);
  if (many) forms->addLayout(second, 1);
  column->addLayout(forms);
  verdict_ = new QLabel;
  verdict_->setObjectName("verdict");
  verdict_->setProperty("mono", true);
  verdict_->setWordWrap(true);
  verdict_->setMinimumHeight(many ? 72 : 36);  // a line of many arguments is long
  column->addWidget(verdict_);
  memories_ = new QLabel;
  memories_->setObjectName("memories");
  memories_->setProperty("mono", true);
  memories_->setWordWrap(true);
  column->addWidget(memories_);
  auto* buttons = new QHBoxLayout;
  auto* cancel = new QPushButton("Cancel");
  apply_ = new QPushButton("Apply");
  apply_->setObjectName("apply");
  apply_->setProperty("primary", true);
  apply_->setDefault(true);
  buttons->addStretch();
  buttons->addWidget(cancel);
  buttons->addWidget(apply_);
  column->addLayout(buttons);
  connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
  connect(apply_, &QPushButton::clicked, this, &QDialog::accept);
  for (QLineEdit* edit : findChildren<QLineEdit*>())
    connect(edit, &QLineEdit::textChanged, this, &StepDialog::check);
  (values_.empty() ? static_cast<QWidget*>(targets_) : values_.front())->setFocus();
  check();
}

/// Several loops: those of the selected one's stage, in their order, ready to be rearranged.
QString StepDialog::first_targets(QStringList const& loops, QString const& selected) const {
  QString stage = selected.section('.', 0, 0);
  QStringList same;
  for (QString const& loop : loops)
    if (loop.startsWith(stage + ".")) same << loop;
  qsizetype wanted = primitive_.targets, at = same.indexOf(selected);
  if (primitive_.target_kinds.empty()) {
    if (wanted == 1) return selected;
    if (wanted < 0 || at < 0) return same.join(", ");
    return same.mid(std::max<qsizetype>(0, std::min(at, same.size() - wanted)), wanted).join(", ");
  }
  if (primitive_.target_kinds.front() == "loop or block") return selected;
  if (!primitive_.macro) return wanted == 2 ? stage + ", " : stage;
  QStringList start;
  for (std::string const& kind : primitive_.target_kinds)
    start << (kind == "block" ? stage : same.isEmpty() ? QString() : same.takeFirst());
  return start.join(", ");
}

QWidget* StepDialog::number_field(session::ParameterView const& parameter) {
  QString preset = QString::fromStdString(parameter.word);
  auto* field = new QLineEdit(parameter.preset > 0 ? QString::number(parameter.preset) : preset);
  field->setToolTip(QString::fromStdString(parameter.doc));
  field->setPlaceholderText(QString::fromStdString(parameter.doc));
  return field;
}

QWidget* StepDialog::choice_field(session::ParameterView const& parameter) {
  auto* field = new Chooser;
  if (parameter.optional) field->addItem("");
  for (std::string const& choice : parameter.choices)
    field->addItem(QString::fromStdString(choice));
  if (!parameter.word.empty()) field->setCurrentText(QString::fromStdString(parameter.word));
  field->setToolTip(QString::fromStdString(parameter.doc));
  connect(field, &QComboBox::currentTextChanged, this, &StepDialog::check);
  return field;
}

QString StepDialog::value_of(size_t index) const {
  auto* choice = qobject_cast<QComboBox*>(values_[index]);
  return choice ? choice->currentText() : static_cast<QLineEdit*>(values_[index])->text().trimmed();
}

QString StepDialog::line() const {
  QStringList inside{targets_->text().trimmed()};
  for (size_t i = 0; i < values_.size(); ++i)
    if (!value_of(i).isEmpty())
      inside << QString::fromStdString(primitive_.parameters[i].name) + "=" + value_of(i);
  return QString::fromStdString(primitive_.name) + "(" + inside.join(", ") + ")";
}

void StepDialog::check() {
  session::StepPreview const preview = preview_(line().toStdString());
  auto const& refusal = preview.refusal;
  verdict_->setText(refusal ? QStringLiteral("✕ ") + QString::fromStdString(refusal->message)
                            : QStringLiteral("✓ legal: ") + line());
  verdict_->setStyleSheet(QString("color: %1").arg((refusal ? theme_.error : theme_.ok).name()));
  show_memories(preview.memories);
  apply_->setEnabled(!refusal);
}

void StepDialog::show_memories(std::vector<session::MemoryForecast> const& memories) {
  QStringList words;
  bool overflows = false;
  for (session::MemoryForecast const& memory : memories) {
    words << QString::fromStdString(memory.words);
    if (memory.overflows()) words.back() += ": " + QString::fromStdString(memory.parts);
    overflows = overflows || memory.overflows();
  }
  memories_->setText(words.join("\n"));
  memories_->setStyleSheet(
      QString("color: %1").arg((overflows ? theme_.error : theme_.text2).name()));
  memories_->setVisible(!words.isEmpty());
}

}  // namespace tw
