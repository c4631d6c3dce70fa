// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/folding_panes.h"

#include <QResizeEvent>
#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace tw {
namespace {

int sum_of(QList<int> const& sizes) { return std::accumulate(sizes.begin(), sizes.end(), 0); }

}  // namespace

FoldingPanes::FoldingPanes(Qt::Orientation orientation, QWidget* parent)
    : QSplitter(orientation, parent) {
  connect(this, &QSplitter::splitterMoved, this, [this] { asked_.clear(); });
}

QList<int> FoldingPanes::folding(QList<int> sizes) const {
  if (folded_) sizes[sizes.size() - 2] += sizes.last();
  if (first_folded_) sizes[1] += sizes.first();
  return sizes;
}

QList<int> FoldingPanes::sizes_at_first() const {
  return sizes().last() > 0 || asked_.size() != count() ? sizes() : asked_;
}

QList<int> FoldingPanes::unfolded() const {
  QList<int> all = sizes();
  if (!folded()) return all;
  int total = sum_of(all), kept = (folded_ ? kept_ : 0) + (first_folded_ ? first_kept_ : 0);
  // A page that is not shown has another size: what was asked for is of the one that comes.
  if (asked_.size() == all.size()) {
    constexpr int kRails = 80;  // of what is folded: the neighbour's as long as they stand
    int more = total - sum_of(asked_);
    QList<int> panes = asked_;
    if (total > kept && std::abs(more) < kRails) panes[folded_ ? panes.size() - 2 : 1] += more;
    if (total <= kept || std::abs(more) < kRails) return panes;
  }
  if (folded_) {
    all[all.size() - 2] = std::max(0, all[all.size() - 2] - kept_);
    all.last() = kept_;
  }
  if (first_folded_) {
    all[1] = std::max(0, all[1] - first_kept_);
    all.first() = first_kept_;
  }
  return all;
}

void FoldingPanes::arrange(QList<int> const& sizes) {
  asked_ = sizes;
  if (folded_) kept_ = sizes.last();
  if (first_folded_) first_kept_ = sizes.first();
  setSizes(folding(sizes));
}

void FoldingPanes::fold(bool last, bool first) {
  if (count() < 2 || (folded_ == last && first_folded_ == first)) return;
  QList<int> panes = folded() ? unfolded() : sizes_at_first();
  if (last) kept_ = panes.last();
  if (first) first_kept_ = panes.first();
  if ((last || first) && isVisible()) asked_ = panes;
  folded_ = last;
  first_folded_ = first;
  widget(0)->setVisible(!first);
  widget(count() - 1)->setVisible(!last);
  setSizes(folding(panes));
}

QString sizes_text(QSplitter const& panes) {
  auto const* folding = dynamic_cast<FoldingPanes const*>(&panes);
  QStringList sizes;
  for (int size : folding ? folding->unfolded() : panes.sizes()) sizes << QString::number(size);
  return sizes.join(' ');
}

QList<int> UpperPanes::by_rule(int width, double unit) {
  int list = int(288 * unit), rest = width - list;
  int loops = std::min(rest * 11 / 20, int(900 * unit));
  return {list, loops, rest - loops};
}

void UpperPanes::want(QList<int> const& panes) {
  setSizes(panes);
  wanted_ = panes;
}

QList<int> UpperPanes::sizes_at_first() const {
  if (!wanted_.isEmpty()) return wanted_;
  return sum_of(sizes()) > 0 ? sizes() : by_rule(width());
}

void UpperPanes::resizeEvent(QResizeEvent* event) {
  if (folded()) {
    QList<int> panes = unfolded();
    QSplitter::resizeEvent(event);
    panes[1] += width() - sum_of(panes);
    wanted_.clear();
    return arrange(panes);
  }
  if (!wanted_.isEmpty()) {
    QSplitter::resizeEvent(event);
    setSizes(wanted_);
    bool there = std::abs(width() - sum_of(wanted_)) < 8;
    if (there) wanted_.clear();  // a page that is not shown comes to its width in steps
    return;
  }
  if (!event->oldSize().isValid() && count() == 3) {
    QSplitter::resizeEvent(event);
    return setSizes(by_rule(width()));
  }
  QList<int> panes = sizes();
  int before = sum_of(panes);
  QSplitter::resizeEvent(event);
  share(before, std::move(panes));
}

/// `panes`: as they were, `before` wide together.
void UpperPanes::share(int before, QList<int> panes) {
  QList<int> now = sizes();
  int more = sum_of(now) - before;
  if (before <= 0 || more == 0 || panes.size() < 2) return;
  int code = panes.size() > 2 ? more * 5 / 7 : 0;
  panes[1] += more - code;
  if (panes.size() > 2) panes[2] += code;
  setSizes(panes);
}

}  // namespace tw
