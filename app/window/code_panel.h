// SPDX-License-Identifier: GPL-3.0-or-later
/// Tabs of stages over one code view; the lowered stage has a pass chooser, assembly what its hot
/// loop costs.
#pragma once

#include <QWidget>
#include <optional>

#include "app/window/code_view_options.h"
#include "engine/session/code_report.h"
#include "engine/session/session.h"
#include "engine/session/time_shares.h"
#include "widgets/code/code_view.h"

class QBoxLayout;
class QComboBox;
class QLabel;
class QPushButton;
class QTabBar;

namespace tw {

class LoopCard;

/// Lines of a text that are marked.
struct ChangeCount {
  int added = 0, removed = 0, moved = 0;
  int all() const { return added + removed + moved; }
};
ChangeCount count_changes(session::CodeText const& text);
/// "+7 −1 ↕2"; where nothing is marked, how many lines there are.
QString change_words(session::CodeText const& text);

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
  /// A stage by its key; false when there is no such one.
  bool show_stage(QString const& key);
  /// The key of the next stage (`by` 1) or the one before (-1); the same one at an end.
  QString stage_beside(int by) const;
  void set_look(CodeViewOptions const& look);
  CodeViewOptions const& look() const { return look_; }
  void show_hot_loop();
  /// Says where the costs of the hot loop stand: beside the code or below it.
  bool loop_is_beside() const;
  /// Lines with a share of the modelled time beside them.
  int shared_lines() const;
  /// What the marks are changes to: "baseline", "before" (the step before) or "nothing".
  std::string against() const;

signals:
  void switched(QString name, bool on);
  void pass_chosen(QString pass);
  void changes_marked(bool marked);

protected:
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  void fill_stages(session::Snapshot const& snapshot);
  void update_text();
  int row_of(QString const& pass) const;
  bool show_outlook();
  // What is compared with what: code_panel_changes.cpp.
  void find_baseline();
  /// The marks are, or would be, of what differs from the baseline.
  bool to_baseline() const;
  std::shared_ptr<session::CodeText const> text_to_show();
  void say_changes(session::CodeText const& text);
  void say_title(QString const& words, QString const& explanation);
  void make_look_menu();
  void place_loop();
  void show_span();
  /// The text as it is shown, and what stands beside its lines.
  void show_assembly(std::shared_ptr<session::CodeText const> const& text);
  /// Of which `shown_` is made.
  struct Assembly {
    std::shared_ptr<session::CodeText const> text, before;  ///< before: that is compared with
    std::shared_ptr<session::AssemblyReport const> report, report_before;
    bool operator==(Assembly const&) const = default;
  };
  /// Nothing: a part of it is not there yet.
  std::optional<Assembly> assembly_of(std::shared_ptr<session::CodeText const> const& text);
  session::ShownAssembly shown_of(Assembly const& of) const;
  LineNotes line_notes() const;
  void mark_passes();
  QString explained(int line) const;
  bool shows_assembly() const { return stage() == "assembly"; }
  void show_shares();

  session::Session& session_;
  Selection& selection_;
  CodeView* view_;
  QTabBar* tabs_;
  QComboBox* passes_;
  QPushButton* changes_;
  QPushButton* looks_;
  QLabel* title_;
  LoopCard* loop_;
  QBoxLayout* body_;  ///< the code, and the costs of its hot loop
  double scale_ = 1;
  CodeViewOptions look_;
  session::ShownAssembly shown_;
  Assembly assembly_;  ///< of which `shown_` is made
  std::shared_ptr<session::TimeShares const> shares_;
  std::vector<double> line_shares_;  ///< of the text that is shown; empty: they are not
  std::shared_ptr<session::CodeText const> opened_;  ///< whose hot loop was brought into sight
  session::Snapshot snapshot_;
  struct Baseline {
    int node = -1;  ///< -1: there is none
    QString name;
  };
  Baseline baseline_;
  QString title_words_, title_explained_;
  bool looks_ahead_ = false;     ///< a program is shown that is not there yet
  bool leaves_outlook_ = false;  ///< the next text is what it is again
  int looked_at_ = 0;            ///< where the view stood before that
  std::shared_ptr<std::vector<session::CodeStage> const> stages_;  ///< that tabs and passes show
  std::shared_ptr<std::vector<session::PassChange> const> passes_marked_;
};

}  // namespace tw
