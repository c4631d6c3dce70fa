// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/access/place_rows.h"

#include <QGridLayout>
#include <QSignalBlocker>
#include <algorithm>

namespace tw {
namespace {

bool same(std::vector<AccessLoop> const& a, std::vector<AccessLoop> const& b) {
  return std::ranges::equal(a, b, [](AccessLoop const& x, AccessLoop const& y) {
    return x.name == y.name && x.extent == y.extent;
  });
}

}  // namespace

PlaceRows::PlaceRows(QWidget* parent) : QWidget(parent), grid_(new QGridLayout(this)) {
  setObjectName("accessPlace");
  grid_->setContentsMargins(14, 4, 14, 8);
  grid_->setHorizontalSpacing(12);
  grid_->setVerticalSpacing(2);
  grid_->setColumnStretch(1, 1);
}

void PlaceRows::show_place(int warps, std::vector<AccessLoop> const& loops) {
  if (warps == warps_ && same(loops, loops_)) return;
  warps_ = warps;
  loops_ = loops;
  warp_ = 0;
  at_.assign(loops.size(), 0);
  build();
}

void PlaceRows::build() {
  while (QLayoutItem* item = grid_->takeAt(0)) {
    if (QWidget* former = item->widget()) {
      former->hide();  // one of them may be what asked
      former->deleteLater();
    }
    delete item;
  }
  rows_.clear();
  for (AccessLoop const& loop : loops_) {
    QString words = QString::fromStdString(loop.name);
    if (loop.blocks) words += QStringLiteral(" · block");
    add_row(loop.name, words, loop.extent);
  }
  if (warps_ > 1) add_row("warp", "warp of the block", warps_);
  setVisible(!rows_.empty());
}

void PlaceRows::add_row(std::string const& name, QString const& words, int64_t extent) {
  int at = int(rows_.size());
  auto* label = new QLabel(words);
  auto* slider = new QSlider(Qt::Horizontal);
  slider->setObjectName(QString::fromStdString("accessAt_" + name));
  slider->setAccessibleName(words);
  slider->setRange(0, int(std::min<int64_t>(extent - 1, 1 << 30)));
  auto* value = new QLabel(QString("0 of %1").arg(extent));
  value->setMinimumWidth(value->fontMetrics().horizontalAdvance(
      QString("%1 of %1").arg(QString(QString::number(extent).size(), '0'))));
  value->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  grid_->addWidget(label, at, 0);
  grid_->addWidget(slider, at, 1);
  grid_->addWidget(value, at, 2);
  connect(slider, &QSlider::valueChanged, this,
          [this, name](int to) { emit moved(QString::fromStdString(name), to); });
  rows_.push_back({name, extent, slider, value});
}

int64_t PlaceRows::iterations() const {
  constexpr int64_t kMost = int64_t(1) << 40;
  int64_t all = loops_.empty() ? 0 : 1;
  for (AccessLoop const& loop : loops_)
    if (!loop.blocks) all *= std::min(loop.extent, kMost / all);
  return all;
}

int64_t PlaceRows::iteration() const {
  int64_t at = 0;
  for (size_t i = 0; i < loops_.size(); ++i)
    if (!loops_[i].blocks) at = at * loops_[i].extent + at_[i];
  return at;
}

std::vector<int64_t> PlaceRows::at_iteration(int64_t iteration) const {
  std::vector<int64_t> at = at_;
  for (size_t i = loops_.size(); i-- > 0;)
    if (!loops_[i].blocks) {
      at[i] = iteration % loops_[i].extent;
      iteration /= loops_[i].extent;
    }
  return at;
}

bool PlaceRows::go_to(int64_t iteration) {
  if (iteration < 0 || iteration >= iterations()) return false;
  std::vector<int64_t> at = at_iteration(iteration);
  for (size_t i = 0; i < loops_.size(); ++i)
    if (!loops_[i].blocks) put(loops_[i].name, at[i]);
  return true;
}

QString PlaceRows::words() const {
  QStringList words;
  for (size_t i = 0; i < loops_.size(); ++i)
    if (!loops_[i].blocks)
      words << QString("%1 %2").arg(QString::fromStdString(loops_[i].name)).arg(at_[i]);
  return words.join(", ");
}

bool PlaceRows::put(std::string const& name, int64_t value) {
  auto row = std::ranges::find(rows_, name, &Row::name);
  if (row == rows_.end() || value < 0 || value >= row->extent) return false;
  if (name == "warp" && size_t(row - rows_.begin()) == loops_.size())
    warp_ = int(value);
  else
    at_[size_t(row - rows_.begin())] = value;
  QSignalBlocker quiet(row->slider);
  row->slider->setValue(int(value));
  row->value->setText(QString("%1 of %2").arg(value).arg(row->extent));
  return true;
}

}  // namespace tw
