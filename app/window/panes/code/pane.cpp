// SPDX-License-Identifier: GPL-3.0-or-later
// What becomes of the kernel: its expression, its program after each pass, its machine code.
#include <QTabBar>

#include "app/window/code_panel.h"
#include "app/window/pane.h"
#include "app/window/panes/code/journal.h"
#include "app/window/view_names.h"

namespace tw {
namespace {

class CodePane final : public Pane {
public:
  explicit CodePane(Workbench& bench)
      : Pane(bench), panel_(new CodePanel(live(), bench.selection())) {
    connect(panel_, &CodePanel::pass_chosen, this, [this](QString const& pass) {
      bench_.user_did(journal::ShowPass{pass.toStdString()});
    });
    connect(panel_, &CodePanel::changes_marked, this,
            [this](bool marked) { bench_.user_did(journal::MarkChanges{marked ? "on" : "off"}); });
    bench.on<journal::ShowPass>([this](auto const& action) -> Status {
      if (panel_->show_pass(QString::fromStdString(action.pass))) return {};
      return bad_input("unknown_pass", "there is no pass '" + action.pass + "'");
    });
    bench.on<journal::MarkChanges>([this](auto const& action) {
      return panel_->mark_changes(action.state == "on"), Status();
    });
    add_commands();
    QStringList menu{"Copy the code"};
    for (Tab const& tab : tabs_) menu << tab.title;
    bench.add_menu(&panel_->view(), menu);
  }
  QWidget* widget() override { return panel_; }
  void set_theme(Theme const& theme) override { panel_->set_theme(theme); }
  void show(session::Snapshot const& next) override { panel_->refresh(next); }
  std::optional<session::FactValue> fact(std::string const& name) const override {
    if (name != "view.code.lines") return {};
    session::CodeText const* code = panel_->view().text();
    return double(code ? code->lines.size() : 0);
  }

  Layout layout() const override {
    auto* tabs = panel_->findChild<QTabBar*>("codeTabs");
    return {{"code", view_name(tabs->tabText(tabs->currentIndex())).toStdString()}};
  }
  void apply_layout(Layout const& layout) override {
    if (auto tab = layout.find("code"); tab != layout.end()) (void)bench_.show_view(tab->second);
  }

private:
  void add_commands() {
    for (session::CodeStage const& stage : *live().snapshot().code_stages)
      if (QString title = QString::fromStdString(stage.title);
          stage.kind == session::CodeKind::kListing)
        tabs_.push_back({title, view_name(title)});
    for (size_t i = 0; i < tabs_.size(); ++i)
      bench_.add_command({.section = "Views",
                          .name = tabs_[i].title,
                          .keys = QString("Alt+%1").arg(i + 1),
                          .run = [this, view = tabs_[i].view.toStdString()] {
                            bench_.ask(journal::ShowView{view});
                          }});
    bench_.add_copy("Views", "Copy the code", [this] { return panel_->view().all_text(); });
  }

  struct Tab {
    QString title, view;  ///< as a command, and in journals
  };

  CodePanel* panel_;
  std::vector<Tab> tabs_ = {{"Expression", "expression"}, {"Lowered program", "lowered"}};
};

}  // namespace

PaneRow const& pane_code() {
  static PaneRow const row{.name = "code",
                           .title = "Code",
                           .place = PanePlace::kBeside,
                           .order = 25,
                           .make = &make_pane<CodePane>};
  return row;
}

}  // namespace tw
