// SPDX-License-Identifier: GPL-3.0-or-later
/// Panes of which the last one, and the first, can give their room to their neighbours for a while.
#pragma once

#include <QSplitter>

namespace tw {

class FoldingPanes : public QSplitter {
public:
  explicit FoldingPanes(Qt::Orientation orientation, QWidget* parent = nullptr);
  /// The last pane is hidden and its neighbour has its room, or it gets it back; the first alike.
  void fold(bool last, bool first = false);
  bool folded() const { return folded_ || first_folded_; }
  bool last_folded() const { return folded_; }
  bool first_folded() const { return first_folded_; }
  /// All sizes as they are when nothing is folded: what is kept and recorded.
  QList<int> unfolded() const;
  /// Sizes as `unfolded` says them.
  void arrange(QList<int> const& sizes);

protected:
  /// As they are, or will be where nothing has been laid out yet.
  virtual QList<int> sizes_at_first() const;

private:
  /// What is folded has no room now, but a size for later.
  QList<int> folding(QList<int> sizes) const;

  bool folded_ = false, first_folded_ = false;
  int kept_ = 0, first_kept_ = 0;  ///< of the folded ones
  QList<int> asked_;  ///< by `arrange`, or as they were when it was folded; until they are pulled
};

/// The list, the loops, and the code beside them. What a resize brings or takes goes to the code
/// for the most part, which is what is cut first, and none of it to what stands left. (QSplitter
/// shares by the sizes that there are.)
class UpperPanes final : public FoldingPanes {
public:
  using FoldingPanes::FoldingPanes;
  /// Bars and their footprints need no more than 900 units, code does.
  static QList<int> by_rule(int width, double unit = 1);
  /// Now, and in the width that they are for once it is there.
  void want(QList<int> const& panes);

protected:
  void resizeEvent(QResizeEvent* event) override;
  QList<int> sizes_at_first() const override;

private:
  void share(int before, QList<int> panes);

  QList<int> wanted_;
};

/// "276 728 596": the sizes of any panes, folded ones as they will be.
QString sizes_text(QSplitter const& panes);

}  // namespace tw
