// SPDX-License-Identifier: GPL-3.0-or-later
/// Writing a kernel of one's own: the editor, examples to begin with, and what is wrong in words.
#pragma once

#include <QDialog>
#include <QFutureWatcher>
#include <functional>

#include "widgets/expression/expression_editor.h"

class QComboBox;
class QLabel;
class QPushButton;
class QTimer;

namespace tw {

class KernelDialog : public QDialog {
  Q_OBJECT
public:
  /// Called on other threads; must end in a moment, whatever the text is.
  using Check = std::function<std::vector<session::ExpressionProblem>(std::string const&)>;
  KernelDialog(std::vector<session::ExpressionExample> examples, Check check, Theme const& theme,
               QWidget* parent = nullptr);
  ~KernelDialog() override;
  /// The text to begin with; `rewrites`: of a kernel that is there already.
  void begin(QString const& text, bool rewrites);
  QString text() const { return editor_->text(); }
  ExpressionEditor& editor() { return *editor_; }
  /// No mistake was found in the text as it is now.
  bool is_kernel() const { return checked_ == text() && editor_->problems().empty(); }

signals:
  void save_asked(QString const& text);

private:
  QWidget* build_head();
  QWidget* build_foot();
  void start_check();
  void take_problems();

  std::vector<session::ExpressionExample> examples_;
  Check check_;
  Theme theme_;
  ExpressionEditor* editor_;
  QComboBox* choose_ = nullptr;
  QLabel* words_ = nullptr;
  QPushButton* open_ = nullptr;
  QTimer* pause_;
  QFutureWatcher<std::vector<session::ExpressionProblem>> running_;
  QString checked_;   ///< the text whose problems are shown
  QString in_check_;  ///< the text that is being looked at
};

}  // namespace tw
