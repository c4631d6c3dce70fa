// SPDX-License-Identifier: GPL-3.0-or-later
// What could be done next: legal moves for the selected loop, its block, a tensor or for all, each
// taken by a click.
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>

#include "app/window/pane.h"
#include "app/window/panes/suggestions/journal.h"
#include "engine/session/facts/facts.h"
#include "widgets/moves/move_list.h"
#include "widgets/paint/chooser.h"

namespace tw {
namespace {

class NextPane final : public Pane {
public:
  explicit NextPane(Workbench& bench)
      : Pane(bench),
        page_(new QWidget),
        of_(new Chooser),
        scroll_(new QScrollArea),
        view_(new MoveList) {
    of_->setObjectName("nextOf");
    of_->setAccessibleName("Suggestions for");
    of_->setMaxVisibleItems(20);
    of_->setSizeAdjustPolicy(Chooser::AdjustToMinimumContentsLengthWithIcon);
    list_subjects();
    auto* column = new QVBoxLayout(page_);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(16, 10, 16, 0);
    head->addWidget(of_, 1);
    column->addLayout(head);
    column->addWidget(scroll_, 1);
    connect(view_, &MoveList::came_into_sight, this, [this] { look(); });
    connect(view_, &MoveList::went_out_of_sight, this, [this] { end_looking(); });
    connect(of_, &Chooser::activated, this, [this](int row) {
      bench_.ask(journal::NextOf{of_->itemData(row).toString().toStdString()});
    });
    bench.on<journal::NextOf>([this](auto const& action) { return list_of(action.what); });
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
        {.section = "Views", .name = "Suggestions", .keys = "Ctrl+Shift+N", .run = [this] {
           bench_.ask(journal::ShowView{"suggestions"});
           view_->setFocus();
         }});
  }
  QWidget* widget() override { return page_; }
  QWidget* focus_target() override { return view_; }
  bool keeps_focus() const override { return view_->hasFocus(); }
  void set_theme(Theme const& theme) override { view_->set_theme(theme); }
  void show(session::Snapshot const&) override {
    list_subjects();
    look();
  }
  bool busy() const override { return waits_; }
  Layout layout() const override { return {{"suggestions", subject()}}; }
  void apply_layout(Layout const& layout) override {
    for (char const* key : {"next", "suggestions"})  // projects had "next" before
      if (auto of = layout.find(key); of != layout.end()) (void)list_of(of->second);
  }
  std::optional<session::FactValue> fact(std::string const& name) const override {
    if (name == "suggestions.count")
      return double(view_->shown() ? view_->shown()->moves.size() : 0);
    if (name == "suggestions.for") return subject();
    QString const& step = bench_.selection().step();
    auto outlook = step.isEmpty() ? nullptr : live().outlook(step.toStdString());
    if (name == "preview") return step.isEmpty() ? "nothing" : step.toStdString();
    if (name == "preview.speedup") return outlook ? outlook->gain() : 0.0;
    return {};
  }
  std::vector<Key> keys() const override {
    return {{"Suggestions", "Up, Down", "Select a suggestion"},
            {"Suggestions", "Enter", "Apply it"}};
  }

private:
  /// As a journal says it.
  std::string subject() const { return of_->currentData().toString().toStdString(); }

  /// Of the program as it is now.
  std::string name_of_subject() const {
    std::string what = subject();
    if (what == "all") return {};
    if (what != "selection" && what != "block") return what;
    int loop = bench_.selection().loop();
    if (what == "selection") return session::reference_of(now(), loop);
    auto bar = std::ranges::find(now().nest->bars, loop, &session::LoopBar::id);
    return bar == now().nest->bars.end() ? std::string()
                                         : now().nest->stages[size_t(bar->stage)].name;
  }

  /// All kernels have loops and blocks; each has tensors of its own. What was chosen stays where it
  /// still is.
  void list_subjects() {
    std::vector<QString> tensors;
    if (now().nest)
      for (session::TensorCard const& tensor : now().nest->tensors)
        tensors.push_back(QString::fromStdString(tensor.name));
    if (tensors == tensors_ && of_->count() > 0) return;
    QVariant chosen = of_->currentData();
    of_->clear();
    of_->addItem("All suggestions", "all");
    of_->addItem("For the selected loop", "selection");
    of_->addItem("For the block around it", "block");
    for (QString const& tensor : tensors) of_->addItem("For tensor " + tensor, tensor);
    of_->setCurrentIndex(std::max(0, of_->findData(chosen)));
    tensors_ = std::move(tensors);
  }

  Status list_of(std::string const& what) {
    int row = of_->findData(QString::fromStdString(what));
    if (row < 0) return bad_input("unknown_name", "the kernel has no tensor '" + what + "'");
    of_->setCurrentIndex(row);
    return look(), Status();
  }

  /// Nobody looks for moves that nobody sees.
  void look() {
    waits_ = false;
    if (!view_->isVisible()) return;
    if (!now().nest) return say_why_empty("Select a kernel to see suggestions.");
    if (!now().machine || !now().machine->rates)
      return say_why_empty(
          "Suggestions are ranked by a model that needs the machine's roofs; they are being "
          "measured.");
    auto moves = live().next_moves(name_of_subject());
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
  Chooser* of_;
  std::vector<QString> tensors_;  ///< that can be chosen
  QScrollArea* scroll_;
  MoveList* view_;
  bool waits_ = false;  ///< for moves that are being looked for
};

}  // namespace

PaneRow const& pane_suggestions() {
  static PaneRow const row{.name = "suggestions",
                           .title = "Suggestions",
                           .place = PanePlace::kLeft,
                           .order = 15,
                           .make = &make_pane<NextPane>};
  return row;
}

}  // namespace tw
