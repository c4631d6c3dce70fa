// SPDX-License-Identifier: GPL-3.0-or-later
// Which memory holds what, and the kernel's accesses played through the caches.
#include <QEvent>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>

#include "app/window/pane.h"
#include "app/window/panes/memory/journal.h"
#include "app/window/panes/suggestions/journal.h"
#include "engine/session/memory.h"
#include "widgets/film/film_view.h"
#include "widgets/film/flow_row.h"
#include "widgets/film/playback_controls.h"
#include "widgets/film/reuse_chart.h"
#include "widgets/stages/lane_row.h"

namespace tw {
namespace {

class MemoryPane final : public Pane {
public:
  explicit MemoryPane(Workbench& bench)
      : Pane(bench),
        page_(new QScrollArea),
        lanes_(new LaneRow(bench.selection(),
                           [this](std::string const& line) { return live().preview(line); })),
        flow_(new FlowRow),
        film_(new FilmView),
        transport_(new PlaybackControls(film_)),
        reuse_(new ReuseChart) {
    lanes_->setObjectName("memoryPaneLanes");
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 6, 0, 0);
    column->setSpacing(0);
    column->addWidget(lanes_);
    column->addWidget(flow_);
    column->addWidget(transport_);
    column->addWidget(film_, 1);
    column->addWidget(reuse_);
    page_->setObjectName("memoryScroll");
    page_->setWidget(content);
    page_->setWidgetResizable(true);
    page_->setFocusPolicy(Qt::NoFocus);
    page_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    page_->installEventFilter(this);
    connect(lanes_, &LaneRow::step_asked, this,
            [this](QString const& line) { bench_.apply_line(line); });
    connect(lanes_, &LaneRow::menu_asked, this, [this](QPoint at) { show_menu(at); });
    connect(transport_, &PlaybackControls::from_chosen, this,
            [this](double share) { bench_.ask(journal::FilmFrom{share}); });
    connect(transport_, &PlaybackControls::cells_chosen, this,
            [this](bool misses, QString const& level) {
              bench_.ask(journal::FilmShows{misses ? "misses" : "places", level.toStdString()});
            });
    bench.on<journal::FilmShows>([this](auto const& action) { return show_cells(action); });
    bench.on<journal::FilmFrom>([this](auto const& action) {
      transport_->set_from(action.share);
      return look(), Status();
    });
    bench.on<journal::FilmFrame>([this](auto const& action) {
      film_->play(0);
      return film_->go_to(action.frame), Status();
    });
    bench.add_command({.section = "Views", .name = "Memory", .keys = "Ctrl+Shift+Y", .run = [this] {
                         bench_.ask(journal::ShowView{"memory"});
                         film_->setFocus();
                       }});
    for (auto [name, what] : {std::pair{"Cells of Memory: where lines are", "places"},
                              std::pair{"Cells of Memory: misses so far", "misses"}})
      bench.add_command({.section = "Views", .name = name, .run = [this, what] {
                           bench_.ask(journal::ShowView{"memory"});
                           bench_.ask(journal::FilmShows{what, {}});
                         }});
  }
  QWidget* widget() override { return page_; }
  QWidget* focus_target() override { return film_; }
  bool keeps_focus() const override {
    return film_->hasFocus() || lanes_->hasFocus() || reuse_->hasFocus();
  }
  bool busy() const override { return waits_; }
  void set_theme(Theme const& theme) override {
    lanes_->set_theme(theme);
    flow_->set_theme(theme);
    film_->set_theme(theme);
    reuse_->set_theme(theme);
  }
  void show(session::Snapshot const& next) override {
    if (next.kernel != kernel_) transport_->set_from(-1);
    kernel_ = next.kernel;
    look();
  }
  /// Nothing is played that nobody sees.
  bool eventFilter(QObject*, QEvent* event) override {
    if (event->type() == QEvent::Show) look();
    if (event->type() == QEvent::Hide) film_->play(0);
    return false;
  }
  std::optional<session::FactValue> fact(std::string const& name) const override {
    if (name == "memory.parts") return double(lanes_->pills().size());
    session::AccessFilm const* film = film_->shown();
    bool there = film && film->frames() > 0;
    if (name == "trace.frames") return double(there ? film->frames() : 0);
    if (name == "trace.frame") return double(film_->frame());
    if (name == "trace.most") return double(film_->most_misses());
    if (name == "trace.shows") return shows_words();
    if (name == "memory.links") return double(flow_->links().size());
    if (name == "trace.first")
      return there ? double(film->reuse.first) / double(film->reuse.total()) : 0.0;
    using session::MissKind;
    for (auto [word, kind] : {std::pair{"trace.cold", MissKind::kCold},
                              std::pair{"trace.capacity", MissKind::kCapacity},
                              std::pair{"trace.conflict", MissKind::kConflict}})
      if (name == word) return double(there ? film->missed_by(film_->frame(), kind) : 0);
    return {};
  }
  Layout layout() const override { return {{"film cells", shows_words()}}; }
  void apply_layout(Layout const& layout) override {
    auto kept = layout.find("film cells");
    if (kept == layout.end()) return;
    constexpr std::string_view kOf = "misses of ";
    bool of_one = kept->second.starts_with(kOf);
    film_->show_cells({kept->second.starts_with("misses"),
                       of_one ? kept->second.substr(kOf.size()) : std::string()});
    transport_->refresh();
  }
  std::vector<Key> keys() const override {
    QString const section = "Memory";
    return {{section, "Space, Backspace", "Play the accesses, or backwards; stop"},
            {section, "Left, Right", "Previous, next iteration (with Shift: 100)"},
            {section, "Home, End", "First, last iteration"},
            {section, "Enter", "Where a part of a tensor can be copied to"},
            {section, "Tab, then Left, Right", "Hit rate by cache size"}};
  }

private:
  Status show_cells(journal::FilmShows const& action) {
    if (session::AccessFilm const* film = film_->shown();
        film && !action.level.empty() &&
        !std::ranges::count(film->levels, action.level, &session::FilmLevel::name))
      return bad_input("unknown_cache", "this device has no cache '" + action.level + "'");
    film_->show_cells({action.what == "misses", action.level});
    return transport_->refresh(), Status();
  }
  std::string shows_words() const {
    FilmCells const& cells = film_->cells();
    if (!cells.misses) return "places";
    return cells.level.empty() ? "misses" : "misses of " + cells.level;
  }

  void look() {
    waits_ = false;
    if (!page_->isVisible()) return;
    if (!now().nest) {
      lanes_->forget();
      flow_->show_links({});
      reuse_->hide();
      film_->set_empty_words("Select a kernel to see its memories and accesses.");
      return transport_->refresh();
    }
    auto lanes = session::lanes(live());
    auto film = session::film(live(), transport_->from());
    waits_ = !lanes || !film;
    lanes_->show_lanes(lanes);
    flow_->show_links(now().roofline ? session::memory_flow(*now().roofline)
                                     : std::vector<session::FlowLink>());
    film_->show_film(film);
    reuse_->show_film(film);
    transport_->refresh();
  }

  void show_menu(QPoint at) {
    auto pill = lanes_->current();
    session::LanesView const* view = lanes_->shown();
    if (!pill || !view) return;
    std::string tensor = view->lanes[size_t(pill->lane)].parts[size_t(pill->part)].tensor;
    std::vector<Workbench::MenuEntry> entries{
        {"Suggestions for " + QString::fromStdString(tensor), true, [this, tensor] {
           bench_.ask(journal::ShowView{"suggestions"});
           bench_.ask(journal::NextOf{tensor});
         }}};
    for (session::MemoryLane const& lane : view->lanes) {
      std::string line = session::line_for_drop(*view, tensor, lane);
      if (line.empty()) continue;
      QString name = QString("Copy %1 to %2")
                         .arg(QString::fromStdString(tensor), QString::fromStdString(lane.name));
      if (!lane.reference.empty()) name += " at " + QString::fromStdString(lane.reference);
      entries.push_back({name, !live().preview(line).refusal,
                         [this, line] { bench_.apply_line(QString::fromStdString(line)); }});
    }
    bench_.show_menu({}, at, entries);
  }

  QScrollArea* page_;
  LaneRow* lanes_;
  FlowRow* flow_;
  FilmView* film_;
  PlaybackControls* transport_;
  ReuseChart* reuse_;
  int kernel_ = -1;
  bool waits_ = false;
};

}  // namespace

PaneRow const& pane_memory() {
  static PaneRow const row{.name = "memory",
                           .title = "Memory",
                           .place = PanePlace::kCentre,
                           .order = 11,
                           .make = &make_pane<MemoryPane>};
  return row;
}

}  // namespace tw
