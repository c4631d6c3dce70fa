// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/step_dialog/step_targets.h"

#include <QCompleter>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QVBoxLayout>

#include "widgets/paint/chooser.h"
#include "widgets/step_dialog/loop_order.h"

namespace tw {
namespace {

QStringList parts_of(QString const& text) {
  QStringList parts = text.split(',');
  for (QString& part : parts) part = part.trimmed();
  return parts;
}

}  // namespace

StepTargets::StepTargets(session::PrimitiveView const& primitive, StepNames const& names,
                         QString const& selected, QWidget* parent)
    : QWidget(parent),
      names_(names),
      selected_(selected),
      kinds_(primitive.target_kinds),
      line_(new QLineEdit) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(6);
  line_->setText(first_text(primitive));
  line_->setObjectName("targets");
  line_->setAccessibleName("Target of the step");
  line_->setProperty("mono", true);
  if (primitive.targets == 1) line_->setCompleter(new QCompleter(names.loops, this));
  column->addWidget(line_);
  setFocusProxy(line_);
  add_lists(primitive);
  show_in_lists();
  connect(line_, &QLineEdit::textChanged, this, [this] {
    show_in_lists();
    emit changed();
  });
}

QString StepTargets::text() const { return line_->text().trimmed(); }
void StepTargets::set_text(QString const& text) { line_->setText(text); }

QString StepTargets::block() const {
  for (QString const& part : parts_of(text())) {
    if (names_.blocks.contains(part)) return part;
    if (names_.loops.contains(part)) return part.section('.', 0, 0);
  }
  return {};
}

/// Several loops: those of the selected one's stage, in their order, ready to be rearranged.
QString StepTargets::first_text(session::PrimitiveView const& primitive) const {
  QString stage = selected_.section('.', 0, 0);
  QStringList same;
  for (QString const& loop : names_.loops)
    if (loop.startsWith(stage + ".")) same << loop;
  qsizetype wanted = primitive.targets, at = same.indexOf(selected_);
  if (kinds_.empty()) {
    if (wanted == 1) return selected_;
    if (wanted < 0 || at < 0) return same.join(", ");
    return same.mid(std::max<qsizetype>(0, std::min(at, same.size() - wanted)), wanted).join(", ");
  }
  if (kinds_.front() == "loop or block") return selected_;
  QStringList start;
  for (std::string const& kind : kinds_)
    start << (kind == "block" ? stage : same.isEmpty() ? QString() : same.takeFirst());
  return start.join(", ");
}

void StepTargets::add_lists(session::PrimitiveView const& primitive) {
  auto* column = static_cast<QVBoxLayout*>(layout());
  if (kinds_.empty() && primitive.targets < 0 && !primitive.macro) {
    order_ = new LoopOrder(parts_of(text()));
    order_->setFixedHeight(std::min(order_->count(), 10) * 28 + 6);
    column->addWidget(order_);
    connect(order_, &LoopOrder::order_changed, this,
            [this] { line_->setText(order_->order().join(", ")); });
    return;
  }
  if (kinds_.empty() || kinds_.front() == "loop or block") return;
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  for (size_t i = 0; i < kinds_.size(); ++i) {
    auto* list = new Chooser;
    bool block = kinds_[i] == "block";
    list->setObjectName(QString("target_%1").arg(i));
    list->setAccessibleName(block ? "Block" : "Loop");
    list->setProperty("mono", true);
    list->addItems(block ? names_.blocks : names_.loops);
    connect(list, &QComboBox::activated, this, [this] { take_lists(); });
    lists_.push_back(list);
    row->addWidget(list, 1);
  }
  column->addLayout(row);
  line_->hide();  // the lists say it, and the step stands below
  setFocusProxy(lists_.front());
}

void StepTargets::take_lists() {
  QStringList parts;
  for (QComboBox* list : lists_) parts << list->currentText();
  line_->setText(parts.join(", "));
}

void StepTargets::show_in_lists() {
  QStringList parts = parts_of(text());
  if (order_) order_->set_order(parts);
  for (size_t i = 0; i < lists_.size(); ++i) {
    QSignalBlocker quiet(lists_[i]);
    lists_[i]->setCurrentIndex(lists_[i]->findText(parts.value(qsizetype(i))));
  }
}

/// The selected loop with every other block, then the selected block with the loops of others.
QStringList StepTargets::candidates() const {
  if (kinds_ != std::vector<std::string>{"block", "loop"}) return {};
  QString stage = selected_.section('.', 0, 0);
  QStringList pairs;
  for (QString const& block : names_.blocks)
    if (block != stage) pairs << block + ", " + selected_;
  for (QString const& loop : names_.loops)
    if (!loop.startsWith(stage + ".")) pairs << stage + ", " + loop;
  return pairs;
}

}  // namespace tw
