// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/roofline/what_if_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <algorithm>
#include <cmath>

#include "widgets/paint/chooser.h"
#include "widgets/paint/controls.h"
#include "widgets/paint/wrap_layout.h"

namespace tw {
namespace {

using session::MachineQuantity;
using session::QuantityKind;

/// Whole machines to choose from: everything of a kind times this.
struct Choice {
  char const* words;
  QuantityKind kind;
  double factor;
};
constexpr Choice kChoices[] = {{"Arithmetic twice as fast", QuantityKind::kArithmetic, 2},
                               {"Memories twice as fast", QuantityKind::kBandwidth, 2},
                               {"Memories half as fast", QuantityKind::kBandwidth, 0.5},
                               {"Caches twice as large", QuantityKind::kCapacity, 2},
                               {"Caches half as large", QuantityKind::kCapacity, 0.5}};
constexpr int kOwn = 1 + int(std::size(kChoices));

QString title_of(MachineQuantity const& one) {
  QString name = QString::fromStdString(one.name);
  return one.kind == QuantityKind::kCapacity ? name + " holds" : name;
}

QString text_of(std::vector<MachineQuantity> const& changes) {
  return QString::fromStdString(to_text(session::WhatIf{changes}));
}

}  // namespace

QuantityField::QuantityField(MachineQuantity const& is, QWidget* parent)
    : QDoubleSpinBox(parent), is_(is) {
  bool cache = is.kind == QuantityKind::kCapacity;
  factor_ = !cache ? 1 : is.value >= (10 << 20) ? 1 << 20 : 1024;
  setDecimals(6);
  setRange(1e-3, 1e9);
  setSuffix(cache ? (factor_ > 1024 ? " MB" : " KB") : " " + QString::fromStdString(is.unit));
  setKeyboardTracking(false);
  setStepType(QAbstractSpinBox::DefaultStepType);
  QString kind = cache ? "cache" : is.kind == QuantityKind::kBandwidth ? "bandwidth" : "arithmetic";
  setObjectName("if_" + kind + "_" + QString::fromStdString(is.name).replace(' ', '_'));
  setAccessibleName("What if: " + kind + " of " + QString::fromStdString(is.name));
  set(is);
}

MachineQuantity QuantityField::quantity() const {
  MachineQuantity now = is_;
  // What is shown has fewer digits than what was measured.
  if (textFromValue(value()) != textFromValue(is_.value / factor_)) now.value = value() * factor_;
  return now;
}

void QuantityField::set(MachineQuantity const& to) {
  QSignalBlocker quiet(this);
  setValue(to.value / factor_);
  setProperty("changed", to.value != is_.value);
  setToolTip("As it is: " + textFromValue(is_.value / factor_) + suffix());
}

void QuantityField::stepBy(int steps) { setValue(value() * std::exp2(steps)); }

WhatIfBar::WhatIfBar(QWidget* parent) : QWidget(parent) {
  setObjectName("whatIfBar");
  auto* row = new WrapLayout(6, this);
  row->setContentsMargins(12, 4, 12, 4);
  choice_ = new Chooser;
  choice_->setObjectName("whatIfChoice");
  choice_->setAccessibleName("Hypothetical machine");
  choice_->addItem("As it is");
  for (Choice const& one : kChoices) choice_->addItem(one.words);
  choice_->addItem("Custom values");
  row->addWidget(choice_);
  reset_ = controls::button("Reset", "whatIfReset", "Roofs and caches as they are");
  row->addWidget(reset_);
  connect(choice_, &QComboBox::activated, this, &WhatIfBar::take_choice);
  connect(reset_, &QPushButton::clicked, this, [this] {
    own_ = false;
    emit asked({});
  });
}

void WhatIfBar::make_fields(std::vector<MachineQuantity> const& are) {
  are_ = are;
  for (QWidget* one : labels_) one->hide(), one->deleteLater();
  fields_.clear();
  labels_.clear();
  for (MachineQuantity const& one : are) {
    auto* both = new QWidget;
    auto* row = new QHBoxLayout(both);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(4);
    auto* name = controls::label("", "secondary");
    name->setText(title_of(one));
    auto* field = new QuantityField(one);
    name->setBuddy(field);
    row->addWidget(name);
    row->addWidget(field);
    layout()->addWidget(both);
    connect(field, &QDoubleSpinBox::valueChanged, this, &WhatIfBar::take_fields);
    fields_.push_back(field);
    labels_.push_back(both);
  }
  if (!labels_.empty()) updateGeometry();
}

void WhatIfBar::show_machine(std::vector<MachineQuantity> const& are, session::WhatIf const& what) {
  if (are != are_) make_fields(are);
  for (QuantityField* field : fields_) {
    MachineQuantity shown = field->is();
    for (MachineQuantity const& change : what.changes)
      if (change.is(shown)) shown = change;
    field->set(shown);
  }
  shown_ = text_of(what.changes);
  reset_->setEnabled(!what.changes.empty());
  show_choice();
}

/// The one that the fields stand at.
void WhatIfBar::show_choice() {
  std::vector<MachineQuantity> now;
  for (QuantityField* field : fields_) now.push_back(field->quantity());
  int found = now == are_ ? 0 : kOwn;
  for (size_t row = 0; row < std::size(kChoices) && found == kOwn; ++row) {
    std::vector<MachineQuantity> all = are_;
    for (MachineQuantity& one : all)
      if (one.kind == kChoices[row].kind) one.value *= kChoices[row].factor;
    bool same = std::ranges::equal(all, now, [](auto const& a, auto const& b) {
      return std::abs(a.value / b.value - 1) < 1e-4;
    });
    if (same) found = int(row) + 1;
  }
  choice_->setCurrentIndex(own_ ? kOwn : found);
  show_fields();
}

/// Numbers take rows from the chart: they are there for who asked for own ones.
void WhatIfBar::show_fields() {
  for (QWidget* one : labels_) one->setVisible(choice_->currentIndex() == kOwn);
  updateGeometry();
}

void WhatIfBar::take_choice(int row) {
  own_ = row == kOwn;
  show_fields();
  if (own_) return fields_.empty() ? void() : fields_.front()->setFocus();
  std::vector<MachineQuantity> changes;
  for (MachineQuantity one : are_)
    if (row > 0 && one.kind == kChoices[row - 1].kind) {
      one.value *= kChoices[row - 1].factor;
      changes.push_back(one);
    }
  emit asked(text_of(changes));
}

void WhatIfBar::take_fields() {
  std::vector<MachineQuantity> changes;
  for (QuantityField* field : fields_)
    if (MachineQuantity now = field->quantity(); now != field->is()) changes.push_back(now);
  // Digits that are not shown are lost where a field is only left.
  if (text_of(changes) != shown_) emit asked(text_of(changes));
}

QuantityField* WhatIfBar::field(QuantityKind kind, std::string const& name) const {
  for (QuantityField* field : fields_)
    if (field->is().kind == kind && field->is().name == name) return field;
  return nullptr;
}

}  // namespace tw
