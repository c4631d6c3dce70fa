// SPDX-License-Identifier: GPL-3.0-or-later
/// Widgets in a row, which goes on in another row below where there is no room: buttons keep their
/// words in narrow panes and with large text.
#pragma once

#include <QLayout>
#include <QList>

namespace tw {

class WrapLayout : public QLayout {
public:
  explicit WrapLayout(int spacing, QWidget* parent = nullptr);
  ~WrapLayout() override;
  void addItem(QLayoutItem* item) override { items_.append(item); }
  int count() const override { return int(items_.size()); }
  QLayoutItem* itemAt(int index) const override { return items_.value(index); }
  QLayoutItem* takeAt(int index) override;
  Qt::Orientations expandingDirections() const override { return {}; }
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override { return place(QRect(0, 0, width, 0), false); }
  QSize sizeHint() const override;
  QSize minimumSize() const override;
  void setGeometry(QRect const& rect) override;

private:
  /// The height that it takes in that width.
  int place(QRect const& rect, bool moves) const;

  QList<QLayoutItem*> items_;
};

}  // namespace tw
