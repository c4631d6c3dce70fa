// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/step_dialog/step_dialog.h"

#include <QCompleter>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "widgets/paint/chooser.h"

namespace tw {

StepDialog::StepDialog(session::PrimitiveView primitive, QStringList loops, QString selected,
                       WhyNot why_not, Theme const& theme, QWidget* parent)
    : QDialog(parent),
      primitive_(std::move(primitive)),
      why_not_(std::move(why_not)),
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
  // Several loops: those of the selected one's stage, in their order, ready to be rearranged.
  QString start = selected;
  bool names_block = !primitive_.target_kinds.empty();
  if (names_block) {
    start = selected.section('.', 0, 0);
    if (primitive_.targets == 2) start += ", ";
  } else if (primitive_.targets != 1) {
    QString stage = selected.section('.', 0, 0) + ".";
    QStringList same;
    for (QString const& loop : loops)
      if (loop.startsWith(stage)) same << loop;
    qsizetype at = same.indexOf(selected);
    start = primitive_.targets == 2 && at >= 0 ? same.mid(at, 2).join(", ") : same.join(", ");
  }
  targets_ = new QLineEdit(start);
  targets_->setObjectName("targets");
  targets_->setProperty("mono", true);
  if (primitive_.targets == 1) targets_->setCompleter(new QCompleter(loops, this));
  QStringList kinds;
  for (std::string const& kind : primitive_.target_kinds) kinds << QString::fromStdString(kind);
  form->addRow(names_block               ? kinds.join(", ")
               : primitive_.targets == 1 ? "loop"
                                         : "loops",
               targets_);
  for (session::ParameterView const& parameter : primitive_.parameters) {
    QWidget* value = parameter.choices.empty() ? number_field(parameter) : choice_field(parameter);
    value->setObjectName("value_" + QString::fromStdString(parameter.name));
    value->setProperty("mono", true);
    form->addRow(QString::fromStdString(parameter.name), value);
    values_.push_back(value);
  }
  column->addLayout(form);
  verdict_ = new QLabel;
  verdict_->setObjectName("verdict");
  verdict_->setProperty("mono", true);
  verdict_->setWordWrap(true);
  verdict_->setMinimumHeight(36);
  column->addWidget(verdict_);
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

QWidget* StepDialog::number_field(session::ParameterView const& parameter) {
  auto* field = new QLineEdit(parameter.preset > 0 ? QString::number(parameter.preset) : QString());
  field->setPlaceholderText(QString::fromStdString(parameter.doc));
  return field;
}

QWidget* StepDialog::choice_field(session::ParameterView const& parameter) {
  auto* field = new Chooser;
  if (parameter.optional) field->addItem("");
  for (std::string const& choice : parameter.choices)
    field->addItem(QString::fromStdString(choice));
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
  auto refusal = why_not_(line().toStdString());
  QColor colour = refusal ? theme_.error : theme_.ok;
  verdict_->setText(refusal ? QStringLiteral("✕ ") + QString::fromStdString(refusal->message)
                            : QStringLiteral("✓ legal: ") + line());
  verdict_->setStyleSheet(QString("color: %1").arg(colour.name()));
  apply_->setEnabled(!refusal);
}

}  // namespace tw
