// SPDX-License-Identifier: GPL-3.0-or-later
/// Tabs of stages over one code view; the lowered stage has a pass chooser.
#pragma once

#include <QWidget>

#include "engine/session/session.h"
#include "widgets/code/code_view.h"

class QComboBox;
class QLabel;
class QPushButton;
class QTabBar;

namespace tw {

class CodePanel : public QWidget {
  Q_OBJECT
public:
  CodePanel(session::Session& session, Selection& selection, QWidget* parent = nullptr);
  void set_theme(Theme const& theme);
  void refresh(session::Snapshot const& snapshot);
  CodeView& view() { return *view_; }
  /// Of the snapshot's `code_stages`.
  QString stage() const;
  /// False when there is no such pass.
  bool show_pass(QString const& pass);
  void mark_changes(bool marked);

signals:
  void pass_chosen(QString pass);
  void changes_marked(bool marked);

private:
  void fill_stages(session::Snapshot const& snapshot);
  void update_text();
  bool show_outlook();

  session::Session& session_;
  Selection& selection_;
  CodeView* view_;
  QTabBar* tabs_;
  QComboBox* passes_;
  QPushButton* changes_;
  QLabel* title_;
  session::Snapshot snapshot_;
  bool looks_ahead_ = false;     ///< a program is shown that is not there yet
  bool leaves_outlook_ = false;  ///< the next text is what it is again
  int looked_at_ = 0;            ///< where the view stood before that
  std::shared_ptr<std::vector<session::CodeStage> const> stages_;  ///< that tabs and passes show
};

}  // namespace tw
