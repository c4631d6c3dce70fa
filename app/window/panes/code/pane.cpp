// SPDX-License-Identifier: GPL-3.0-or-later
// What becomes of the kernel: its expression, its program after each pass, its machine code.
#include <QSettings>
#include <QTabBar>

#include "app/window/cache_controller.h"
#include "app/window/code_panel.h"
#include "app/window/pane.h"
#include "app/window/panes/code/journal.h"
#include "app/window/settings_file.h"
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
    begin_in_syntax_of_settings();
    show_stages();
    perform_cache_actions();
    add_commands();
    QStringList menu{"Copy the code", "Next stage", "Previous stage"};
    for (Tab const& tab : tabs_) menu << tab.title;
    bench.add_menu(&panel_->view(), menu);
  }
  QWidget* widget() override { return panel_; }
  void set_theme(Theme const& theme) override { panel_->set_theme(theme); }
  bool hears_hidden() const override { return false; }
  void show(session::Snapshot const& next) override { panel_->refresh(next); }
  std::optional<session::FactValue> fact(std::string const& name) const override {
    session::CodeText const* code = panel_->view().text();
    if (name == "view.code.lines") return double(code ? code->lines.size() : 0);
    if (name == "view.code.top") return double(panel_->view().top_line() + 1);
    if (name == "view.code.against") return panel_->against();
    if (name == "view.code.changes") return double(code ? count_changes(*code).all() : 0);
    if (name == "view.code.shares") return double(panel_->shared_lines());
    if (name == "view.code.stage") return panel_->stage().toStdString();
    return {};
  }

  Layout layout() const override {
    Layout layout{{"code", shown_view()}};
    for (CodeSwitch const& one : code_switches())
      layout[std::string("code ") + one.name] = is_on(one, panel_->look()) ? "on" : "off";
    return layout;
  }
  void apply_layout(Layout const& layout) override {
    CodeViewOptions look = panel_->look();
    for (CodeSwitch const& one : code_switches())
      if (auto kept = layout.find(std::string("code ") + one.name); kept != layout.end())
        one.of(look) = kept->second == "on";
    panel_->set_look(look);
    if (auto tab = layout.find("code"); tab != layout.end()) (void)bench_.show_view(tab->second);
  }

private:
  /// A project brings its own.
  void begin_in_syntax_of_settings() {
    CodeViewOptions look = panel_->look();
    QSettings file(bench_.settings_file(), QSettings::IniFormat);
    look.assembly.intel = file.value(kSyntaxKey).toString() == "intel";
    panel_->set_look(look);
  }

  /// Of the code that is kept on the disk; settings_desk.cpp shows it.
  void perform_cache_actions() {
    auto desk = [this] { return panel_->window()->findChild<CacheController*>("cacheDesk"); };
    bench_.on<journal::EmptyCache>([desk](auto const&) {
      if (CacheController* there = desk()) there->empty();
      return Status();
    });
    bench_.on<journal::LimitCache>([desk](auto const& action) -> Status {
      int64_t bytes = int64_t(action.megabytes) << 20;
      if (bytes < kLeastCacheLimit || bytes > kMostCacheLimit)
        return bad_input("unusable_limit", "the cache's limit is 16 to 1048576 megabytes");
      if (CacheController* there = desk()) there->limit(bytes);
      return {};
    });
  }

  std::string shown_view() const {
    auto* tabs = panel_->findChild<QTabBar*>("codeTabs");
    return view_name(tabs->tabText(tabs->currentIndex())).toStdString();
  }

  void show_stages() {
    connect(panel_, &CodePanel::switched, this, [this](QString const& name, bool on) {
      bench_.ask(journal::SwitchCode{name.toStdString(), on ? "on" : "off"});
    });
    bench_.on<journal::ShowStage>([this](auto const& action) -> Status {
      if (panel_->show_stage(QString::fromStdString(action.stage)))
        return bench_.show_view(shown_view());
      return bad_input("unknown_stage", "there is no stage '" + action.stage + "'");
    });
    bench_.on<journal::SwitchCode>([this](auto const& action) -> Status {
      CodeSwitch const* one = code_switch(action.name);
      if (!one) return bad_input("unknown_switch", "code has no switch '" + action.name + "'");
      CodeViewOptions look = panel_->look();
      one->of(look) = action.state == "on";
      return panel_->set_look(look), Status();
    });
    bench_.on<journal::ShowHotLoop>([this](auto const&) -> Status {
      if (!panel_->show_stage("assembly"))
        return bad_input("unknown_stage", "the code of this target has no assembly");
      TRY(bench_.show_view(shown_view()));
      return panel_->show_hot_loop(), Status();
    });
  }

  void add_stage_commands() {
    auto add = [this](QString const& name, QString const& keys, std::function<void()> run) {
      bench_.add_command({.section = "Views", .name = name, .keys = keys, .run = std::move(run)});
    };
    for (auto [name, keys, by] :
         {std::tuple{"Next stage", "Alt+PgDown", 1}, std::tuple{"Previous stage", "Alt+PgUp", -1}})
      add(name, keys,
          [this, by] { bench_.ask(journal::ShowStage{panel_->stage_beside(by).toStdString()}); });
    add("Hot loop", "Alt+H", [this] { bench_.ask(journal::ShowHotLoop{}); });
    for (CodeSwitch const& one : code_switches())
      add(QString("Code: ") + one.title, one.keys, [this, &one] {
        bool on = is_on(one, panel_->look());
        bench_.ask(journal::SwitchCode{one.name, on ? "off" : "on"});
      });
  }

  void add_commands() {
    add_stage_commands();
    for (session::CodeStage const& stage : *live().snapshot().code_stages)
      if (QString title = QString::fromStdString(stage.title); is_of_target(stage.kind))
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
