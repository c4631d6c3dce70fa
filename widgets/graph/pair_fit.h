// SPDX-License-Identifier: GPL-3.0-or-later
/// All of a graph, or of two beside each other, large enough to be read: in columns, then with
/// blocks folded, then with the width shared by what each needs.
#pragma once

#include <QList>

namespace tw {

class GraphPair;

class PairFit {
public:
  explicit PairFit(GraphPair& pair) : pair_(pair) {}
  void begin();
  /// After each layout.
  void go_on();
  void cancel() { stage_ = Stage::kNone; }
  bool runs() const { return stage_ != Stage::kNone; }
  /// In another size, if nobody has moved it since it was fitted.
  void begin_again();
  bool is_kept() const;  ///< of all that are shown

  /// Beside each other where there is more width, else one above the other.
  void turn();
  void share_in_half();
  /// For a picture of the whole of one, or of both; and back.
  void keep_shares();
  void share_for_wholes();
  void share_as_before();
  bool keeps_shares() const { return !sizes_.isEmpty(); }

private:
  double least_scale() const;
  /// Cards after fusion are wider than those before it. False: there is no room for both.
  bool share_by_need();
  void flow(bool in_columns);

  GraphPair& pair_;
  /// Looked at when all that is shown is laid out: in columns, or in one where those do not help.
  enum class Stage { kNone, kInColumns, kShared, kInOne } stage_ = Stage::kNone;
  QList<int> sizes_;  ///< as they were before a picture of the whole
};

}  // namespace tw
