// SPDX-License-Identifier: GPL-3.0-or-later
// The iterations of a block along two of its axes: tiles, what is left over, order, dependences.
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <algorithm>

#include "app/window/pane.h"
#include "app/window/panes/iterations/journal.h"
#include "engine/session/memory.h"
#include "widgets/paint/chooser.h"
#include "widgets/paint/controls.h"
#include "widgets/plane/iteration_plane.h"

namespace tw {
namespace {

class PlanePane final : public Pane {
public:
  explicit PlanePane(Workbench& bench)
      : Pane(bench),
        page_(new QWidget),
        block_(chooser("planeBlock", "Stage")),
        right_(chooser("planeRight", "Axis to the right")),
        down_(chooser("planeDown", "Axis down")),
        view_(new IterationPlane(
            bench.selection(), [this](std::string const& line) { return live().preview(line); })) {
    auto* column = new QVBoxLayout(page_);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(16, 8, 16, 8);
    row->setSpacing(8);
    for (Chooser* one : {block_, right_, down_}) {
      row->addWidget(one);
      connect(one, &QComboBox::activated, this, [this] { choose(); });
    }
    row->addStretch(1);
    column->addLayout(row);
    column->addWidget(view_, 1);
    page_->installEventFilter(this);
    connect(view_, &IterationPlane::step_asked, this,
            [this](QString const& line) { bench_.apply_line(line); });
    bench.on<journal::PlaneOf>([this](auto const& action) {
      asked_ = {action.block, action.right, action.down};
      return look(), Status();
    });
    bench.add_command(
        {.section = "Views", .name = "Iteration space", .keys = "Ctrl+Shift+I", .run = [this] {
           bench_.ask(journal::ShowView{"iterations"});
           view_->setFocus();
         }});
  }
  QWidget* widget() override { return page_; }
  QWidget* focus_target() override { return view_; }
  bool keeps_focus() const override { return view_->hasFocus(); }
  bool busy() const override { return waits_; }
  void set_theme(Theme const& theme) override { view_->set_theme(theme); }
  void show(session::Snapshot const& next) override {
    if (next.kernel != kernel_) asked_ = {};
    kernel_ = next.kernel;
    look();
  }
  /// No plane is made that nobody sees.
  bool eventFilter(QObject*, QEvent* event) override {
    if (event->type() == QEvent::Show) look();
    return false;
  }
  std::optional<session::FactValue> fact(std::string const& name) const override {
    session::PlaneView const* plane = view_->shown();
    if (name == "iterations")
      return plane ? plane->of.block + " " + plane->of.right + " " + plane->of.down
                   : std::string("nothing");
    if (name == "iterations.points") return double(plane ? plane->order.size() : 0);
    if (name == "iterations.arrows") return double(plane ? plane->arrows.size() : 0);
    return {};
  }
  std::vector<Key> keys() const override {
    QString const section = "Iteration space";
    return {{section, "Arrows", "Go to another iteration"},
            {section, "Shift+arrows", "Draw a tile"},
            {section, "Enter", "Tile the loops like this"},
            {section, "Esc", "Cancel the tile"}};
  }

private:
  static Chooser* chooser(QString const& name, QString const& what) {
    auto* made = new Chooser;
    made->setObjectName(name);
    made->setAccessibleName(what);
    made->setToolTip(what);
    made->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    made->setMinimumContentsLength(4);
    return made;
  }

  void choose() {
    std::string block = block_->currentText().toStdString();
    bool other = view_->shown() && block != view_->shown()->of.block;
    if (other) {
      // Its axes are known when its plane is there.
      asked_ = {block, "", ""};
      return look();
    }
    bench_.ask(journal::PlaneOf{block, right_->currentText().toStdString(),
                                down_->currentText().toStdString()});
  }

  void look() {
    waits_ = false;
    if (!page_->isVisible()) return;
    if (!now().nest) {
      view_->set_empty_words("Select a kernel to see its iterations.");
      filled_ = nullptr;
      return fill(nullptr);
    }
    auto plane = session::plane(live(), asked_);
    waits_ = !plane;
    view_->show_plane(plane);
    if (plane && plane != filled_) fill(plane.get());  // a list that is open stays open
    if (plane) filled_ = plane;
  }

  void fill(session::PlaneView const* plane) {
    auto set = [](Chooser* chooser, std::vector<std::string> const& names,
                  std::string const& current) {
      chooser->clear();
      for (std::string const& name : names) chooser->addItem(QString::fromStdString(name));
      chooser->setCurrentText(QString::fromStdString(current));
      chooser->setEnabled(chooser->count() > 1);
    };
    session::PlaneView const none;
    session::PlaneView const& of = plane ? *plane : none;
    set(block_, of.blocks, of.of.block);
    set(right_, of.axes, of.of.right);
    set(down_, of.axes, of.of.down);
  }

  QWidget* page_;
  Chooser *block_, *right_, *down_;
  IterationPlane* view_;
  session::PlaneAsked asked_;
  std::shared_ptr<session::PlaneView const> filled_;  ///< whose axes the lists have
  int kernel_ = -1;
  bool waits_ = false;
};

}  // namespace

PaneRow const& pane_iterations() {
  static PaneRow const row{.name = "iterations",
                           .title = "Iterations",
                           .place = PanePlace::kCentre,
                           .order = 12,
                           .make = &make_pane<PlanePane>};
  return row;
}

}  // namespace tw
