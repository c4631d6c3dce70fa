// SPDX-License-Identifier: GPL-3.0-or-later
/// The focus stays in its pane when what has it goes. Qt would give it to the first button of the
/// window, which closes the model: the next key would do that.
#pragma once

#include <QPointer>
#include <QWidget>
#include <functional>

namespace tw {

/// A pane that is seen, and what one works with in it; null: nothing is chosen.
struct FocusPlace {
  QWidget* pane = nullptr;
  QWidget* target = nullptr;
};

bool can_have_focus(QWidget const* widget);

class FocusKeeper : public QObject {
  Q_OBJECT
public:
  /// `place_for`: what had the focus, or the pane around it; null: it is not known any more.
  FocusKeeper(QWidget& window, std::function<FocusPlace(QWidget* had)> place_for);
  /// What had the focus cannot have it any more.
  void stay(QWidget* had);
  /// It may have been hidden while a dialog was in front; Qt looks for the first button then.
  void before_activation();

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  void changed(QWidget* now);
  void look();

  QWidget& window_;
  std::function<FocusPlace(QWidget*)> place_for_;
  QPointer<QWidget> pane_;     ///< that had it last
  QPointer<QWidget> watched_;  ///< what has it: editors keep it, hidden or not
};

}  // namespace tw
