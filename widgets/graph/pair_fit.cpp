// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/graph/pair_fit.h"

#include <algorithm>
#include <utility>

#include "widgets/graph/graph_pair.h"

namespace tw {
namespace {

constexpr double kReadable = 11.0 / 13;  // names of 13 px are of 11 then
constexpr double kAround = 48;           // of a fitted graph, at both sides together

bool stays_fitted(GraphView const* view) {
  return view->layout().flows() && !view->camera().is_moved();
}

}  // namespace

void PairFit::begin() {
  flow(true);
  stage_ = Stage::kInColumns;
  go_on();
}

void PairFit::flow(bool in_columns) {
  for (GraphView* view : pair_.shown())
    if (QSizeF room = view->camera().room(); room.isValid())
      view->layout().flow(in_columns ? room : QSizeF());
}

double PairFit::least_scale() const { return std::min(1.0, kReadable / pair_.main().unit()); }

/// Where two do not fit with all blocks folded either, each is seen from its beginning, in one
/// column: they stay in step. One alone is seen whole, however small.
void PairFit::go_on() {
  if (!runs() || pair_.busy()) return;
  double scale = 1, least = least_scale();
  for (GraphView* view : pair_.shown()) scale = std::min(scale, view->camera().fit_scale());
  bool fits = scale <= 0 || scale >= least || stage_ == Stage::kInOne;
  std::map<std::string, bool> folded = innermost_folded(pair_.main().cards());
  if (folded.empty() && pair_.is_both()) folded = innermost_folded(pair_.view(true).cards());
  if (!fits && !folded.empty()) {
    for (GraphView* view : pair_.shown()) view->layout().fold_as(folded);
    return;
  }
  if (!fits && pair_.is_both()) {
    bool again = stage_ == Stage::kInColumns && share_by_need();
    stage_ = again ? Stage::kShared : Stage::kInOne;
    flow(again);
    return pair_.busy() ? void() : go_on();
  }
  stage_ = Stage::kNone;
  if (scale <= 0) return;
  for (GraphView* view : pair_.shown())
    view->camera().look_from_above(pair_.is_both() ? std::max(scale, least) : scale);
}

bool PairFit::share_by_need() {
  graph::Cards const *before = pair_.view(true).cards(), *after = pair_.view(false).cards();
  if (pair_.orientation() != Qt::Horizontal || !before || !after) return false;
  double unit = pair_.main().unit(), least = least_scale();
  double needs[] = {(before->width * least + kAround) * unit,
                    (after->width * least + kAround) * unit};
  double rest = pair_.width() - pair_.handleWidth() - needs[0] - needs[1];
  if (rest < 2) return false;
  pair_.setSizes({int(needs[0] + rest / 2), int(needs[1] + rest / 2)});
  return true;
}

bool PairFit::is_kept() const { return std::ranges::all_of(pair_.shown(), stays_fitted); }

void PairFit::begin_again() {
  if (!runs() && is_kept()) begin();
}

// ---- shares of two -------------------------------------------------------------------------

void PairFit::turn() {
  Qt::Orientation wanted = pair_.width() >= pair_.height() ? Qt::Horizontal : Qt::Vertical;
  if (pair_.orientation() != wanted) pair_.setOrientation(wanted);
}

void PairFit::share_in_half() { pair_.setSizes({1000, 1000}); }

void PairFit::keep_shares() {
  if (!keeps_shares()) sizes_ = pair_.sizes();
}

/// What its picture of the whole needs, to each of which one is made; they are asked one by one.
void PairFit::share_for_wholes() {
  bool across = pair_.orientation() == Qt::Horizontal;
  int all = across ? pair_.width() : pair_.height();
  auto wanted = [&](GraphView const& view) {
    QSize size = view.pixels(view.whole_size());
    return across ? size.width() : size.height();
  };
  GraphView const &before = pair_.view(true), &after = pair_.view(false);
  if (before.is_whole() && after.is_whole())
    pair_.setSizes({wanted(before), wanted(after)});
  else if (before.is_whole())
    pair_.setSizes({wanted(before), std::max(1, all - wanted(before))});
  else
    pair_.setSizes({std::max(1, all - wanted(after)), wanted(after)});
}

void PairFit::share_as_before() {
  if (keeps_shares()) pair_.setSizes(std::exchange(sizes_, {}));
}

}  // namespace tw
