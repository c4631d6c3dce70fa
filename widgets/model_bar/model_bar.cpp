// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/model_bar/model_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>

#include "engine/support/base/quantities.h"

namespace tw {
namespace {

bool is_number(QString const& text) {
  static QRegularExpression const digits("^[0-9]{1,9}$");
  return digits.match(text).hasMatch();
}

/// An open dimension without a name is that of its input: "x.0".
QString name_of(session::FreeInput const& input, size_t dim) {
  QString text = QString::fromStdString(input.dims[dim]);
  QString of_input = QString::fromStdString(input.name);
  if (!input.rank_known) return of_input;
  return text == "?" ? QString("%1.%2").arg(of_input).arg(dim) : text;
}

bool is_open(session::FreeInput const& input, size_t dim) {
  return !input.rank_known || !is_number(QString::fromStdString(input.dims[dim]));
}

/// The first dimension of an input is nearly always the number of its examples.
QString likely(session::FreeInput const& input, size_t dim) {
  return input.rank_known && dim == 0 && input.dims.size() > 1 ? "1" : "";
}

}  // namespace

ModelBar::ModelBar(QWidget* parent)
    : QWidget(parent),
      words_(new QLabel),
      fields_(new QWidget),
      row_(new QHBoxLayout(fields_)),
      apply_(new QPushButton("Use these sizes")),
      notes_(new QPushButton("Show the list")) {
  setObjectName("modelBar");
  setAttribute(Qt::WA_StyledBackground);
  words_->setObjectName("modelBarWords");
  words_->setWordWrap(true);
  apply_->setObjectName("useSizes");
  apply_->setProperty("primary", true);
  notes_->setObjectName("listNotes");
  auto* line = new QHBoxLayout(this);
  line->setContentsMargins(16, 8, 16, 8);
  line->setSpacing(12);
  row_->setContentsMargins(0, 0, 0, 0);
  fields_->setProperty("role", "bare");
  line->addWidget(words_, 1);
  line->addWidget(fields_);
  line->addWidget(apply_);
  line->addWidget(notes_);
  connect(apply_, &QPushButton::clicked, this, [this] { emit shapes_chosen(shapes()); });
  connect(notes_, &QPushButton::clicked, this, &ModelBar::notes_asked);
  hide();
}

QString ModelBar::words() const { return isHidden() ? QString() : words_->text(); }

void ModelBar::show_model(std::shared_ptr<session::ModelView const> model,
                          std::map<QString, QString> const& remembered) {
  if (model == model_) return;
  model_ = std::move(model);
  edits_.clear();
  while (QLayoutItem* item = row_->takeAt(0)) {
    if (QWidget* widget = item->widget()) {
      widget->hide();
      widget->deleteLater();  // it may be the field whose key brought this about
    }
    delete item;
  }
  bool open = model_ && !model_->free_inputs.empty();
  bool partly = model_ && model_->opaque > 0;
  setVisible(open || partly);
  fields_->setVisible(open);
  apply_->setVisible(open);
  notes_->setVisible(partly);
  if (open) {
    ask_for(*model_, remembered);
  } else if (partly) {
    QString which = model_->kernels > 0
                        ? "the other operators have kernels, which can be scheduled one by one"
                        : "no kernel could be generated";
    words_->setText(QString("%1 of %2 not supported: %3. The model as a whole cannot run.")
                        .arg(model_->opaque)
                        .arg(QString::fromStdString(count_text(model_->operators, "operator")) +
                                 (model_->opaque == 1 ? " is" : " are"),
                             which));
  }
}

void ModelBar::ask_for(session::ModelView const& model,
                       std::map<QString, QString> const& remembered) {
  words_->setText(
      "Some input sizes of this model are not fixed. Kernels are compiled for fixed sizes: enter "
      "them to see the kernels.");
  for (session::FreeInput const& input : model.free_inputs)
    for (size_t dim = 0; dim < input.dims.size(); ++dim) {
      QString name = name_of(input, dim);
      if (!is_open(input, dim) || edits_.contains(name)) continue;
      auto known = remembered.find(name);
      QString value = known == remembered.end() ? likely(input, dim) : known->second;
      edits_[name] = add_field(name, value, !input.rank_known);
    }
  check();
}

QLineEdit* ModelBar::add_field(QString const& name, QString const& value, bool whole_shape) {
  auto* label = new QLabel(name);
  label->setProperty("role", "secondary");
  auto* edit = new QLineEdit(value);
  edit->setObjectName("size_" + name);
  edit->setAccessibleName(name);
  edit->setPlaceholderText(whole_shape ? "1x3x224x224" : "size");
  edit->setFixedWidth(whole_shape ? 130 : 64);
  label->setBuddy(edit);
  row_->addWidget(label);
  row_->addWidget(edit);
  connect(edit, &QLineEdit::textChanged, this, [this] { check(); });
  connect(edit, &QLineEdit::returnPressed, this, [this] {
    if (apply_->isEnabled()) emit shapes_chosen(shapes());
  });
  return edit;
}

void ModelBar::check() {
  bool usable = !shapes().isEmpty();
  apply_->setEnabled(usable);
  apply_->setToolTip(usable ? QString() : "Enter an integer in every field");
}

std::map<QString, QString> ModelBar::values() const {
  std::map<QString, QString> values;
  for (auto const& [name, edit] : edits_) values[name] = edit->text().trimmed();
  return values;
}

QString ModelBar::shapes() const {
  if (!model_) return {};
  static QRegularExpression const whole("^[0-9]{1,9}(x[0-9]{1,9})*$");
  QStringList all;
  for (session::FreeInput const& input : model_->free_inputs) {
    QStringList dims;
    for (size_t dim = 0; dim < input.dims.size(); ++dim) {
      QString text = QString::fromStdString(input.dims[dim]);
      if (is_open(input, dim)) text = edits_.at(name_of(input, dim))->text().trimmed();
      if (input.rank_known ? !is_number(text) : !whole.match(text).hasMatch()) return {};
      dims << text;
    }
    all << QString::fromStdString(input.name) + "=" + dims.join('x');
  }
  return all.join("; ");
}

}  // namespace tw
