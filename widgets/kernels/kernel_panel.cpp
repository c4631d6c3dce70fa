// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/kernels/kernel_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <algorithm>

#include "widgets/paint/controls.h"

namespace tw {

using session::KernelKey;

KernelPanel::KernelPanel(QWidget* parent)
    : QWidget(parent),
      list_(new KernelList),
      scroll_(new QScrollArea),
      filter_(new QLineEdit),
      columns_(controls::button("Columns", "kernelColumns", "Choose the columns of the kernels")),
      summary_(new QLabel) {
  setObjectName("kernelPanel");
  filter_->setObjectName("kernelFilter");
  filter_->setAccessibleName("Filter the kernels");
  filter_->setPlaceholderText("Filter");
  filter_->setToolTip(
      "Filter by name, operator, shape, state or bottleneck; op:conv2d, state:hand and bound:DRAM "
      "search only that field");
  filter_->setClearButtonEnabled(true);
  columns_->setProperty("quiet", true);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(12, 4, 8, 0);
  row->setSpacing(4);
  row->addWidget(filter_, 1);
  row->addWidget(columns_);
  scroll_->setWidget(list_);
  scroll_->setWidgetResizable(true);
  scroll_->setFocusPolicy(Qt::NoFocus);  // what it shows has the focus
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  summary_->setMargin(12);
  summary_->setWordWrap(true);
  summary_->setProperty("role", "secondary");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(row);
  column->addWidget(scroll_, 1);
  column->addWidget(summary_);
  connect(filter_, &QLineEdit::textEdited, this, &KernelPanel::filter_asked);
  connect(filter_, &QLineEdit::returnPressed, this, [this] { list_->setFocus(); });
  connect(columns_, &QPushButton::clicked, this, [this] { show_columns(); });
  connect(list_, &KernelList::columns_asked, this, [this](QPoint at) { show_columns(at); });
  connect(list_, &KernelList::moved_to, this, [this](QRectF const& place) {
    QRect at = list_->pixels(place);
    QScrollBar* bar = scroll_->verticalScrollBar();
    int tall = scroll_->viewport()->height();
    if (at.top() < bar->value()) bar->setValue(at.top());
    if (at.bottom() > bar->value() + tall) bar->setValue(at.bottom() - tall);
  });
}

void KernelPanel::show_summary(QString const& words) { summary_->setText(words); }

void KernelPanel::filter(QString const& words) {
  if (filter_->text() != words) filter_->setText(words);
  list_->filter(words);
}

QString KernelPanel::words() const { return filter_->text(); }

void KernelPanel::focus_filter() {
  filter_->setFocus();
  filter_->selectAll();
}

void KernelPanel::show_columns(QPoint global) {
  auto* menu = new QMenu(this);
  menu->setObjectName("kernelColumnsMenu");
  menu->setAttribute(Qt::WA_DeleteOnClose);
  for (session::KernelKeyInfo const& one : session::kernel_keys()) {
    if (one.key == KernelKey::kModel || one.key == KernelKey::kName) continue;
    QString words = QString::fromStdString(one.title);
    words[0] = words[0].toUpper();
    QAction* action = menu->addAction(words);
    action->setToolTip(QString::fromStdString(one.doc));
    action->setCheckable(true);
    action->setChecked(std::ranges::count(list_->columns(), one.key) > 0);
    connect(action, &QAction::toggled, this, [this, key = one.key](bool on) { toggle(key, on); });
  }
  menu->popup(global.isNull() ? columns_->mapToGlobal(QPoint(0, columns_->height())) : global);
}

void KernelPanel::toggle(KernelKey key, bool on) {
  std::vector<KernelKey> columns = list_->columns();
  std::erase(columns, key);
  if (on) columns.push_back(key);
  emit columns_asked(columns);
}

}  // namespace tw
