// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/step_dialog/step_dialog.h"

#include <QElapsedTimer>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

#include "engine/session/layouts.h"
#include "widgets/paint/chooser.h"
#include "widgets/step_dialog/layout_picture.h"
#include "widgets/step_dialog/step_targets.h"

namespace tw {
namespace {

constexpr size_t kMostInAColumn = 7;  // more would be higher than a small window
constexpr int kPatience = 150;        // milliseconds: for a beginning that is legal

}  // namespace

StepDialog::StepDialog(session::PrimitiveView primitive, StepNames names, QString selected,
                       Preview preview, Theme const& theme, QWidget* parent)
    : QDialog(parent),
      primitive_(std::move(primitive)),
      preview_(std::move(preview)),
      theme_(theme),
      names_(std::move(names)) {
  setObjectName("stepDialog");
  setWindowTitle(QString::fromStdString(primitive_.title));
  setMinimumWidth(460);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(20, 18, 20, 16);
  column->setSpacing(10);
  add_words(column);
  targets_ = new StepTargets(primitive_, names_, selected);
  add_fields(column);
  add_verdict(column, primitive_.parameters.size() > kMostInAColumn);
  add_buttons(column);
  begin_with_what_is_legal();
  connect(targets_, &StepTargets::changed, this, &StepDialog::check);
  for (QWidget* value : values_) {
    if (auto* edit = qobject_cast<QLineEdit*>(value))
      connect(edit, &QLineEdit::textChanged, this, &StepDialog::check);
    if (auto* list = qobject_cast<QComboBox*>(value))
      connect(list, &QComboBox::currentTextChanged, this, &StepDialog::check);
  }
  (values_.empty() ? targets_ : values_.front())->setFocus();
  check();
  touched_ = true;
}

void StepDialog::add_words(QVBoxLayout* column) {
  auto* title = new QLabel(QString::fromStdString(primitive_.title));
  title->setProperty("role", "title");
  auto* doc = new QLabel(QString::fromStdString(primitive_.doc));
  doc->setWordWrap(true);
  doc->setProperty("role", "secondary");
  auto* rewrite = new QLabel(QString::fromStdString(primitive_.rewrite));
  rewrite->setProperty("mono", true);
  rewrite->setWordWrap(true);
  for (QWidget* words : {title, doc, rewrite}) column->addWidget(words);
}

void StepDialog::add_fields(QVBoxLayout* column) {
  QStringList kinds;
  for (std::string const& kind : primitive_.target_kinds) kinds << QString::fromStdString(kind);
  bool many = primitive_.parameters.size() > kMostInAColumn;
  auto* form = new QFormLayout;
  form->setSpacing(8);
  auto* second = new QFormLayout;
  second->setSpacing(8);
  auto* first = many ? new QFormLayout : form;  // as wide as both columns
  first->addRow(!kinds.isEmpty()          ? kinds.join(", ")
                : primitive_.targets == 1 ? "loop"
                                          : "loops",
                targets_);
  for (session::ParameterView const& parameter : primitive_.parameters) {
    QWidget* value = field_of(parameter);
    value->setObjectName("value_" + QString::fromStdString(parameter.name));
    value->setProperty("mono", true);
    bool left = !many || values_.size() < (primitive_.parameters.size() + 1) / 2;
    (left ? form : second)->addRow(QString::fromStdString(parameter.name), value);
    values_.push_back(value);
  }
  if (layouts_) form->addRow("", picture_ = new LayoutPicture);
  if (picture_) picture_->set_theme(theme_);
  if (many) column->addLayout(first);
  if (many) setMinimumWidth(680);
  auto* forms = new QHBoxLayout;
  forms->setSpacing(20);
  forms->addLayout(form, 1);
  if (many) forms->addLayout(second, 1);
  column->addLayout(forms);
}

void StepDialog::add_verdict(QVBoxLayout* column, bool many) {
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
}

void StepDialog::add_buttons(QVBoxLayout* column) {
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
}

QWidget* StepDialog::field_of(session::ParameterView const& parameter) {
  if (!parameter.choices.empty()) return choice_field(parameter);
  if (parameter.name == "layout") {
    layouts_ = static_cast<QComboBox*>(list_field(parameter, {}));
    return layouts_;
  }
  if (parameter.name != "tensor") return number_field(parameter);
  QStringList tensors;
  for (session::TensorCard const& tensor : names_.read_by(targets_->block()))
    tensors << QString::fromStdString(tensor.name);
  QWidget* field = list_field(parameter, tensors);
  if (!tensors.isEmpty()) static_cast<QComboBox*>(field)->setCurrentIndex(0);
  return field;
}

/// What is listed, or anything else that is typed.
QWidget* StepDialog::list_field(session::ParameterView const& parameter,
                                QStringList const& choices) {
  auto* field = new Chooser;
  field->setEditable(true);
  field->setInsertPolicy(QComboBox::NoInsert);
  field->addItems(choices);
  field->setCurrentText(QString::fromStdString(parameter.word));
  field->setToolTip(QString::fromStdString(parameter.doc));
  field->lineEdit()->setPlaceholderText(QString::fromStdString(parameter.doc));
  return field;
}

/// That the step is about: the one it names, else the one that its block writes.
session::TensorCard const* StepDialog::named_tensor() const {
  std::string name = value_of("tensor").toStdString(), block = targets_->block().toStdString();
  for (session::TensorCard const& tensor : names_.tensors) {
    bool written = std::ranges::find(tensor.writers, block) != tensor.writers.end();
    if (name.empty() ? written : tensor.name == name) return &tensor;
  }
  return nullptr;
}

/// Those of another tensor, when another one is named.
void StepDialog::fill_layouts() {
  session::TensorCard const* tensor = named_tensor();
  QString of = tensor ? QString::fromStdString(tensor->name) : QString();
  if (of != layouts_of_) {
    QSignalBlocker quiet(layouts_);
    QString text = layouts_->currentText();
    layouts_->clear();
    for (std::string const& layout :
         session::layout_choices(tensor ? tensor->shape : std::vector<int64_t>()))
      layouts_->addItem(QString::fromStdString(layout));
    layouts_->setCurrentText(text);
    layouts_of_ = of;
  }
  std::string text = layouts_->currentText().toStdString();
  auto path = session::layout_path(text.empty() ? "plain" : text,
                                   tensor ? tensor->shape : std::vector<int64_t>());
  picture_->setVisible(path.has_value());
  if (path) picture_->show_path(*path);
}

/// No dialog opens with an error where another beginning is legal.
void StepDialog::begin_with_what_is_legal() {
  if (layouts_) fill_layouts();
  fill_numbers();
  if (!preview_(line().toStdString()).refusal) return;
  if (try_targets(targets_->candidates()) || !layouts_) return;
  (void)try_layouts();
}

/// Of the loop that is the step's target with this number: the largest divisor that is no more than
/// the lanes of a vector.
int64_t StepDialog::likely_number(qsizetype target) const {
  constexpr int64_t kLanes = 16;
  QStringList targets = targets_->text().split(',');
  QString name = targets.value(std::min(target, targets.size() - 1)).trimmed();
  qsizetype loop = names_.loops.indexOf(name);
  int64_t extent = loop < 0 ? 0 : names_.extents[size_t(loop)], divisor = 0;
  for (int64_t factor = 2; factor <= std::min(kLanes, extent - 1); ++factor)
    if (extent % factor == 0) divisor = factor;
  return divisor;
}

/// Numbers that are not known get a likely value, which typing replaces: all that must be given,
/// and the first that may be where that does not do.
void StepDialog::fill_numbers() {
  for (bool optional : {false, true}) {
    qsizetype target = 0;
    for (size_t i = 0; i < values_.size(); ++i) {
      session::ParameterView const& parameter = primitive_.parameters[i];
      auto* field = qobject_cast<QLineEdit*>(values_[i]);
      if (!field || parameter.type != "int") continue;
      int64_t number = likely_number(target++);
      if (parameter.optional != optional || !field->text().isEmpty() || number < parameter.low)
        continue;
      field->setText(QString::number(number));
      field->selectAll();
      if (optional) return;
    }
    if (!preview_(line().toStdString()).refusal) return;
  }
}

bool StepDialog::try_targets(QStringList const& candidates) {
  QString before = targets_->text();
  QElapsedTimer timer;
  timer.start();
  for (QString const& one : candidates) {
    if (timer.elapsed() > kPatience) break;
    targets_->set_text(one);
    if (!preview_(line().toStdString()).refusal) return true;
  }
  targets_->set_text(before);
  return false;
}

bool StepDialog::try_layouts() {
  QString before = layouts_->currentText();
  QSignalBlocker quiet(layouts_);
  QElapsedTimer timer;
  timer.start();
  for (int i = 0; i < layouts_->count() && timer.elapsed() < kPatience; ++i) {
    layouts_->setCurrentIndex(i);
    if (!preview_(line().toStdString()).refusal) return true;
  }
  layouts_->setCurrentText(before);
  return false;
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
  return field;
}

QString StepDialog::value_of(size_t index) const {
  auto* choice = qobject_cast<QComboBox*>(values_[index]);
  return choice ? choice->currentText().trimmed()
                : static_cast<QLineEdit*>(values_[index])->text().trimmed();
}

QString StepDialog::value_of(char const* name) const {
  for (size_t i = 0; i < values_.size(); ++i)
    if (primitive_.parameters[i].name == name) return value_of(i);
  return {};
}

QString StepDialog::line() const {
  QStringList inside{targets_->text()};
  for (size_t i = 0; i < values_.size(); ++i) {
    QString value = value_of(i);
    // Lists and maps stand in quotes, which nobody need type.
    if ((value.contains(',') || value.contains(' ')) && !value.startsWith('"'))
      value = '"' + value + '"';
    if (!value.isEmpty())
      inside << QString::fromStdString(primitive_.parameters[i].name) + "=" + value;
  }
  return QString::fromStdString(primitive_.name) + "(" + inside.join(", ") + ")";
}

void StepDialog::check() {
  if (layouts_) fill_layouts();
  session::StepPreview const preview = preview_(line().toStdString());
  auto const& refusal = preview.refusal;
  QString why = refusal ? QString::fromStdString(refusal->message) : QString();
  verdict_->setText(!refusal   ? QStringLiteral("✓ legal: ") + line()
                    : touched_ ? QStringLiteral("✕ ") + why
                               : QStringLiteral("○ not yet: ") + why);
  QColor colour = !refusal ? theme_.ok : touched_ ? theme_.error : theme_.text2;
  verdict_->setStyleSheet(QString("color: %1").arg(colour.name()));
  show_memories(preview.memories);
  apply_->setEnabled(!refusal);
  if (isVisible() && sizeHint().height() > height()) resize(width(), sizeHint().height());
  emit pointed(legal_line());
}

QSize StepDialog::sizeHint() const {
  int wide = std::max(isVisible() ? width() : minimumWidth(), layout()->minimumSize().width());
  return {wide, layout()->totalHeightForWidth(wide)};
}

QString StepDialog::legal_line() const { return apply_->isEnabled() ? line() : QString(); }

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
