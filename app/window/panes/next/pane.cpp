// SPDX-License-Identifier: GPL-3.0-or-later
// What could be done next: legal moves for the selected loop or for all, each taken by a click.
#include <QCheckBox>
#include <QScrollArea>
#include <QVBoxLayout>

#include "app/window/pane.h"
#include "app/window/panes/next/journal.h"
#include "engine/session/facts/facts.h"
#include "widgets/moves/move_list.h"

namespace tw {
namespace {

class NextPane final : public Pane {
public:
  explicit NextPane(Workbench& bench)
      : Pane(bench),
        page_(new QWidget),
        only_(new QCheckBox("Only of the selected loop")),
        scroll_(new QScrollArea),
        view_(new MoveList) {
    only_->setObjectName("nextOfSelection");
    only_->setContentsMargins(0, 0, 0, 0);
    auto* column = new QVBoxLayout(page_);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(16, 10, 16, 0);
    head->addWidget(only_);
    column->addLayout(head);
    column->addWidget(scroll_, 1);
    connect(view_, &MoveList::came_into_sight, this, [this] { look(); });
    connect(view_, &MoveList::went_out_of_sight, this, [this] { end_looking(); });
    connect(only_, &QCheckBox::toggled, this, [this](bool only) {
      bench_.user_did(journal::NextOf{only ? "selection" : "all"});
      look();
    });
    bench.on<journal::NextOf>([this](auto const& action) {
      return only_->setChecked(action.what == "selection"), Status();
    });
    bench.on<journal::PointAt>([this](auto const& action) {
      return bench_.selection().point_at(QString::fromStdString(action.line)), Status();
    });
    connect(view_, &MoveList::move_pointed, this,
            [this](QString const& line) { bench_.selection().point_at(line, view_); });
    scroll_->setObjectName("nextScroll");
    scroll_->setWidget(view_);
    scroll_->setWidgetResizable(true);
    scroll_->setFocusPolicy(Qt::NoFocus);
    scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    connect(view_, &MoveList::move_chosen, this,
            [this](QString const& line) { bench_.apply_line(line); });
    connect(&bench.selection(), &Selection::changed, this, [this] { look(); });
    bench.add_command(
        {.section = "Views", .name = "Next moves", .keys = "Ctrl+Shift+N", .run = [this] {
           bench_.ask(journal::ShowView{"next"});
           view_->setFocus();
         }});
  }
  QWidget* widget() override { return page_; }
  QWidget* focus_target() override { return view_; }
  bool keeps_focus() const override { return view_->hasFocus(); }
  void set_theme(Theme const& theme) override { view_->set_theme(theme); }
  void show(session::Snapshot const&) override { look(); }
  bool busy() const override { return waits_; }
  Layout layout() const override { return {{"next", only_->isChecked() ? "selection" : "all"}}; }
  void apply_layout(Layout const& layout) override {
    if (auto of = layout.find("next"); of != layout.end())
      only_->setChecked(of->second == "selection");
  }
  std::optional<session::FactValue> fact(std::string const& name) const override {
    if (name == "next.moves") return double(view_->shown() ? view_->shown()->moves.size() : 0);
    if (name == "next.of") return only_->isChecked() ? "selection" : "all";
    QString const& step = bench_.selection().step();
    auto outlook = step.isEmpty() ? nullptr : live().outlook(step.toStdString());
    if (name == "pointed") return step.isEmpty() ? "nothing" : step.toStdString();
    if (name == "pointed.gain") return outlook ? outlook->gain() : 0.0;
    return {};
  }
  std::vector<Key> keys() const override {
    return {{"Next moves", "Up, Down", "Select a move"}, {"Next moves", "Enter", "Take it"}};
  }

private:
  /// Nobody looks for moves that nobody sees.
  void look() {
    waits_ = false;
    if (!view_->isVisible()) return;
    if (!now().nest) return say_why_empty("Moves for a kernel appear here. Choose one.");
    if (!now().machine || !now().machine->rates)
      return say_why_empty(
          "Moves are ranked by a model that needs the machine's roofs: they are measured first.");
    std::string of = only_->isChecked() ? session::reference_of(now(), bench_.selection().loop())
                                        : std::string();
    auto moves = live().next_moves(of);
    waits_ = !moves;
    view_->show_moves(moves);
    bench_.selection().offer(moves);
  }

  void say_why_empty(QString const& words) {
    view_->set_empty_words(words);
    end_looking();
  }

  void end_looking() {
    waits_ = false;
    bench_.selection().point_at({}, view_);
    bench_.selection().offer(nullptr);
  }

  QWidget* page_;
  QCheckBox* only_;
  QScrollArea* scroll_;
  MoveList* view_;
  bool waits_ = false;  ///< for moves that are being looked for
};

}  // namespace

PaneRow const& pane_next() {
  static PaneRow const row{.name = "next",
                           .title = "Next",
                           .place = PanePlace::kLeft,
                           .order = 15,
                           .make = &make_pane<NextPane>};
  return row;
}

}  // namespace tw
