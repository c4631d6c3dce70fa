// SPDX-License-Identifier: GPL-3.0-or-later
// All of a graph, or of two beside each other, large enough to be read: in columns, then with
// blocks folded, then with the width shared by what each needs.
#include <algorithm>

#include "widgets/graph/graph_pair.h"

namespace tw {
namespace {

constexpr double kReadable = 11.0 / 13;  // names of 13 px are of 11 then
constexpr double kAround = 48;           // of a fitted graph, at both sides together

}  // namespace

void GraphPair::fit() {
  for (GraphView* view : shown()) view->flow();
  fitting_ = Fitting::kInColumns;
  go_on_fitting();
}

double GraphPair::least_scale() const { return std::min(1.0, kReadable / main().unit()); }

/// Where two do not fit with all blocks folded either, each is seen from its beginning, in one
/// column: they stay in step. One alone is seen whole, however small.
void GraphPair::go_on_fitting() {
  if (fitting_ == Fitting::kNo || busy()) return;
  double scale = 1, least = least_scale();
  for (GraphView* view : shown()) scale = std::min(scale, view->fit_scale());
  bool fits = scale <= 0 || scale >= least || fitting_ == Fitting::kInOne;
  std::map<std::string, bool> folded = main().innermost_folded();
  if (folded.empty() && is_both()) folded = before_->innermost_folded();
  if (!fits && !folded.empty()) {
    for (GraphView* view : shown()) view->fold_as(folded);
    return;
  }
  if (!fits && is_both()) {
    bool again = fitting_ == Fitting::kInColumns && share_by_need();
    fitting_ = again ? Fitting::kShared : Fitting::kInOne;
    for (GraphView* view : shown()) view->flow(again);
    return busy() ? void() : go_on_fitting();
  }
  fitting_ = Fitting::kNo;
  if (scale <= 0) return;
  for (GraphView* view : shown()) view->look_from_above(is_both() ? std::max(scale, least) : scale);
}

/// Cards after fusion are wider than those before it. False: there is no room for both.
bool GraphPair::share_by_need() {
  if (orientation() != Qt::Horizontal || !both_laid_out()) return false;
  double unit = main().unit(), least = least_scale();
  double needs[] = {(before_->cards()->width * least + kAround) * unit,
                    (after_->cards()->width * least + kAround) * unit};
  double rest = width() - handleWidth() - needs[0] - needs[1];
  if (rest < 2) return false;
  setSizes({int(needs[0] + rest / 2), int(needs[1] + rest / 2)});
  return true;
}

void GraphPair::fit_again() {
  if (fitting_ != Fitting::kNo) return;
  if (std::ranges::all_of(shown(), [](GraphView* view) { return view->stays_fitted(); })) fit();
}

}  // namespace tw
