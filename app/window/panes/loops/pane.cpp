// SPDX-License-Identifier: GPL-3.0-or-later
// The loops of the current step, and the steps that can be taken on them.
#include <QApplication>
#include <QEvent>
#include <QMenu>
#include <QScrollArea>
#include <QScrollBar>
#include <QTimer>
#include <QVBoxLayout>
#include <limits>

#include "app/window/dialogs/step.h"
#include "app/window/pane.h"
#include "app/window/panes/suggestions/journal.h"
#include "engine/session/facts/facts.h"
#include "engine/session/memory.h"
#include "widgets/loop_nest/loop_nest_view.h"
#include "widgets/loop_nest/step_row.h"
#include "widgets/stages/lane_row.h"
#include "widgets/stages/stage_row.h"

namespace tw {
namespace {

class LoopsPane final : public Pane {
public:
  explicit LoopsPane(Workbench& bench)
      : Pane(bench),
        page_(new QWidget),
        scroll_(new QScrollArea),
        view_(new LoopNestView(bench.selection(),
                               [this](std::string const& line) { return live().preview(line); })),
        stages_(new StageRow(bench.selection())),
        lanes_(new LaneRow(bench.selection(),
                           [this](std::string const& line) { return live().preview(line); })) {
    // What moves whole blocks and tensors has its dialog in the menu beside the chips, and its key.
    auto* row = new StepRow(live().primitives());
    chips_ = row->chips();
    scroll_->setWidget(view_);
    scroll_->setWidgetResizable(true);
    scroll_->setObjectName("loopNestScroll");
    scroll_->setFocusPolicy(Qt::NoFocus);
    auto* column = new QVBoxLayout(page_);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(row);
    column->addWidget(stages_);
    column->addWidget(scroll_, 1);
    column->addWidget(lanes_);
    stages_->hide();
    lanes_->hide();
    page_->installEventFilter(this);
    connect(lanes_, &LaneRow::step_asked, this,
            [this](QString const& line) { bench_.apply_line(line); });
    connect(lanes_, &LaneRow::menu_asked, this,
            [this](QPoint) { bench_.ask(journal::ShowView{"memory"}); });
    connect(lanes_, &LaneRow::came_into_sight, this, [this] { look_at_memories(); });
    connect(row, &StepRow::step_asked, this,
            [this](QString const& primitive) { ask_step(bench_, primitive); });
    connect(view_, &LoopNestView::step_asked, this,
            [this](QString const& line) { bench_.apply_line(line); });
    connect(view_, &LoopNestView::dragged, this, [this](QPoint at) { follow(at); });
    follower_.setInterval(30);
    connect(&follower_, &QTimer::timeout, this, [this] { scroll_on(); });
    connect(view_, &LoopNestView::menu_asked, this, [this](QPoint at) { show_menu(at); });
    connect(&bench.selection(), &Selection::step_changed, this, [this] { look_ahead(); });
    bench.add_command({.section = "Views", .name = "Loops", .keys = "Ctrl+1", .run = [this] {
                         bench_.ask(journal::ShowView{"loops"});
                       }});
  }
  QWidget* widget() override { return page_; }
  QWidget* focus_target() override { return view_; }
  void set_theme(Theme const& theme) override {
    view_->set_theme(theme);
    stages_->set_theme(theme);
    lanes_->set_theme(theme);
    for (StepChip* chip : chips_) chip->set_theme(theme);
  }

  void show(session::Snapshot const& next) override {
    say_why_empty(next);
    view_->show_nest(next.nest, next.machine ? next.machine->cache_bytes : std::vector<int64_t>());
    stages_->show_nest(next.nest);
    share_room();
    look_at_memories();
    if (next.model && next.model != model_) kernel_ = -1;
    model_ = next.model;
    if (next.kernel != kernel_ && next.nest) {
      kernel_ = next.kernel;
      bench_.offer_focus(view_);
      scroll_to_what_matters();
    } else if (next.nest && next.nest != nest_) {
      // A step may have taken the selected loop out of sight.
      QTimer::singleShot(0, this, [this] {
        bring_above(bench_.selection().loop(), std::numeric_limits<int>::max() / 2);
      });
    }
    nest_ = next.nest;
    look_ahead();
    view_->set_refused(next.refusal ? next.refusal->culprits : std::vector<int>());
  }

  void bring_above(int loop, int global_y) override {
    QRect bar = view_->pixels(view_->scene().layout.handle_of(loop));
    QWidget* port = scroll_->viewport();
    int room = std::min(port->height(), port->mapFromGlobal(QPoint(0, global_y)).y());
    QScrollBar* scroll = scroll_->verticalScrollBar();
    int y = bar.center().y() - scroll->value();
    if (!bar.isEmpty() && (y < 24 || y > room - 40))
      scroll->setValue(scroll->value() + y - room / 2);
  }

  std::vector<PaletteEntry> palette_entries() override {
    std::vector<PaletteEntry> entries;
    if (!now().nest) return entries;
    for (session::LoopBar const& bar : now().nest->bars)
      entries.push_back({"Loop " + QString::fromStdString(bar.reference),
                         {},
                         QString::fromStdString(bar.role).replace('_', ' '),
                         [this, name = bar.reference] {
                           bench_.ask(journal::SelectLoop{name});
                           view_->setFocus();
                         },
                         true});
    return entries;
  }
  std::vector<Key> keys() const override {
    QString const loops = "Loops";
    return {{loops, "Up, Down", "Select a loop"},
            {loops, "Alt+Up, Alt+Down", "Move the selected loop"},
            {loops, "1 2 3", "Apply a repair of a refused step"},
            {loops, "Esc", "Cancel a gesture, close the card of a refused step"},
            {loops, "Menu, Shift+F10", "Steps for the selected loop"}};
  }

  bool eventFilter(QObject*, QEvent* event) override {
    if (event->type() == QEvent::Resize) share_room();
    return false;
  }

private:
  /// Stages and memories stand beside the loops where those keep enough room.
  void share_room() {
    // By the place that the pane has: a picture of it is as high as it likes.
    int high = page_->parentWidget() ? page_->parentWidget()->height() : page_->height();
    stages_->setVisible(now().nest && stages_->stages() > 1 && high > bench_.theme().px(340));
    lanes_->setVisible(now().nest && high > bench_.theme().px(500));
  }

  void look_at_memories() {
    if (!now().nest) lanes_->forget();
    if (lanes_->isVisible() && now().nest) lanes_->show_lanes(session::lanes(live()));
  }

  /// What is dragged to an edge of the view goes on beyond it.
  void follow(QPoint at) {
    constexpr int kEdge = 28;
    QRect seen(QPoint(0, scroll_->verticalScrollBar()->value()), scroll_->viewport()->size());
    int above = seen.top() + bench_.theme().px(kEdge) - at.y();
    int below = at.y() - (seen.bottom() - bench_.theme().px(kEdge));
    speed_ = above > 0 ? -std::max(1, above / 3) : below > 0 ? std::max(1, below / 3) : 0;
    speed_ == 0 ? follower_.stop() : follower_.start();
  }

  void scroll_on() {
    QScrollBar* bar = scroll_->verticalScrollBar();
    int before = bar->value();
    bar->setValue(before + speed_);
    if (!view_->is_dragging() || bar->value() == before) return follower_.stop();
    // The pointer stands still on the screen, and is over another bar.
    QPoint at = view_->mapFromGlobal(QCursor::pos());
    if (QApplication::mouseButtons() & Qt::LeftButton) view_->drag_to(at);
  }

  void look_ahead() {
    QString const& step = bench_.selection().step();
    auto outlook = step.isEmpty() ? nullptr : live().outlook(step.toStdString());
    if (outlook || step.isEmpty()) view_->show_outlook(outlook);
  }

  void say_why_empty(session::Snapshot const& next) {
    bool open = next.model && !next.model->free_inputs.empty();
    view_->set_empty_words(!next.kernels || !next.kernels->rows.empty()
                               ? "Select a kernel to see its loops."
                           : open ? "Loops appear when the sizes above are set."
                                  : "This model has no kernels, so there are no loops to show.");
  }

  /// The stage that matters comes into view when another kernel is chosen.
  void scroll_to_what_matters() {
    QRectF bar = view_->scene().layout.handle_of(bench_.selection().loop());
    QTimer::singleShot(0, this, [this, bar] {
      int top = view_->pixels(bar).top() - bench_.theme().px(100);
      scroll_->verticalScrollBar()->setValue(std::max(0, top));
    });
  }

  void show_menu(QPoint at) {
    std::string loop = session::reference_of(now(), bench_.selection().loop());
    auto* menu = new QMenu(view_->window());
    menu->setObjectName("loopMenu");
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setAccessibleName("Steps on " + QString::fromStdString(loop));
    menu->addAction("Suggestions for the selected loop", this, [this] {
      bench_.ask(journal::ShowView{"suggestions"});
      bench_.ask(journal::NextOf{"selection"});
    });
    menu->addSeparator();
    for (session::PrimitiveView const& primitive : live().primitives()) {
      QString name = QString::fromStdString(primitive.name);
      menu->addAction(
          QString::fromStdString(primitive.title) + "\t" + QString::fromStdString(primitive.key),
          this, [this, name] { ask_step(bench_, name); });
    }
    menu->popup(at);
  }

  QWidget* page_;
  std::shared_ptr<session::NestView const> nest_;
  QScrollArea* scroll_;
  LoopNestView* view_;
  StageRow* stages_;
  LaneRow* lanes_;
  std::vector<StepChip*> chips_;
  std::shared_ptr<session::ModelView const> model_;
  int kernel_ = -1;  ///< that was scrolled to
  QTimer follower_;  ///< while something is dragged beyond an edge
  int speed_ = 0;    ///< pixels each time
};

}  // namespace

PaneRow const& pane_loops() {
  static PaneRow const row{.name = "loops",
                           .title = "Loops",
                           .place = PanePlace::kCentre,
                           .order = 10,
                           .is_home = true,
                           .make = &make_pane<LoopsPane>};
  return row;
}

}  // namespace tw
