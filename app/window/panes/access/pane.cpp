// SPDX-License-Identifier: GPL-3.0-or-later
// What each access of a warp costs memory.
#include <QEvent>
#include <algorithm>
#include <charconv>
#include <cmath>

#include "app/window/pane.h"
#include "app/window/panes/access/journal.h"
#include "widgets/access/access_view.h"

namespace tw {
namespace {

class AccessPane final : public Pane {
public:
  explicit AccessPane(Workbench& bench) : Pane(bench), view_(new AccessView) {
    view_->installEventFilter(this);
    perform_actions();
    watch();
    bench.add_command({.section = "Views",
                       .name = "Access of a warp",
                       .run = [this] { bench_.ask(journal::ShowView{"access"}); },
                       .possible = [this] { return offered(); }});
  }
  QWidget* widget() override { return view_; }
  QWidget* focus_target() override { return view_->list(); }
  bool keeps_focus() const override {
    return view_->list()->hasFocus() || view_->paddings()->hasFocus();
  }
  bool busy() const override { return waits_; }
  void set_theme(Theme const& theme) override { view_->set_theme(theme); }
  void show(session::Snapshot const& next) override {
    offer(next.has_launches && next.history);
    update();
  }
  /// Nothing is judged until somebody looks.
  bool eventFilter(QObject*, QEvent* event) override {
    if (event->type() == QEvent::Show) update();
    if (event->type() == QEvent::Hide) view_->player()->play(false);
    return false;
  }
  std::optional<session::FactValue> fact(std::string const& name) const override;
  std::vector<Key> keys() const override {
    return {{"Access of a warp", "Up, Down", "Previous, next access"},
            {"Access of a warp", "Space", "Play the loops around the access, pause"},
            {"Access of a warp", ", .", "Previous, next iteration"},
            {"Access of a warp", "Home", "First iteration"},
            {"Access of a warp", "Enter", "Take the layout of the table"}};
  }

private:
  void update();
  void update_paddings();
  void perform_actions();
  void watch();
  Status choose(journal::ChooseAccess const& action);

  AccessView* view_;
  bool waits_ = false;
};

void AccessPane::update() {
  waits_ = false;
  if (!view_->isVisible()) return;
  if (!now().history) return view_->show_words("Select a kernel to see what its accesses cost.");
  session::HistoryView const& history = *now().history;
  int parent = history.nodes[size_t(history.current)].parent;
  auto state = session::launches(live(), history.current, false);
  auto before = parent < 0 ? nullptr : session::launches(live(), parent, false);
  waits_ = !state || (parent >= 0 && !before);
  if (!state) return;  // the last one stays while the next is made
  QString name = parent < 0 ? QString()
                            : QString("step %1 · %2")
                                  .arg(parent)
                                  .arg(QString::fromStdString(history.nodes[size_t(parent)].label));
  view_->show_states(state, before, name);
  update_paddings();
}

/// Nothing is tried for what lies in main memory.
void AccessPane::update_paddings() {
  LaunchAccess const* access = view_->access();
  bool wanted = access && access->shared && access->undecided.empty();
  auto paddings = wanted ? session::paddings(live(), access->tensor) : nullptr;
  waits_ = waits_ || (wanted && !paddings);
  view_->show_paddings(paddings);
}

Status AccessPane::choose(journal::ChooseAccess const& action) {
  auto const& state = view_->state();
  if (!state) return bad_input("no_access", "no accesses are shown");
  int number = 1;
  char const* end = action.number.data() + action.number.size();
  auto read = std::from_chars(action.number.data(), end, number);
  if (!action.number.empty() && (read.ec != std::errc() || read.ptr != end || number < 1))
    return bad_input("no_access", "'" + action.number + "' is no number of an access");
  auto const& launches = state->kernel.launches;
  for (size_t i = 0; i < launches.size(); ++i)
    for (size_t j = 0; j < launches[i].accesses.size(); ++j) {
      LaunchAccess const& one = launches[i].accesses[j];
      if (one.tensor != action.tensor || one.store != (action.way == "store")) continue;
      if (--number == 0) {
        view_->choose({int(i), int(j)});
        update_paddings();
        bench_.selection().select(view_->loop_of_chosen());
        return {};
      }
    }
  return bad_input("no_access", "there is no such " + action.way + " of '" + action.tensor + "'");
}

void AccessPane::perform_actions() {
  bench_.on<journal::ChooseAccess>([this](auto const& action) { return choose(action); });
  bench_.on<journal::PutAccess>([this](auto const& action) -> Status {
    if (view_->put(action.loop, action.iteration)) return {};
    return bad_input("no_access", "the access has no such iteration of '" + action.loop + "'");
  });
  bench_.on<journal::PutIteration>([this](auto const& action) -> Status {
    if (std::floor(action.iteration) == action.iteration && view_->go_to(int64_t(action.iteration)))
      return {};
    return bad_input("no_access", "the loops around the access have no such iteration");
  });
  bench_.on<journal::PlayAccess>([this](auto const& action) -> Status {
    if (view_->iterations() < 2)
      return bad_input("no_access", "no loop around the access runs more than once");
    return view_->player()->play(action.how == "play"), Status();
  });
  bench_.on<journal::RingLane>([this](auto const& action) -> Status {
    if (view_->ring(action.lane)) return {};
    return bad_input("no_access", "there is no lane " + std::to_string(action.lane));
  });
}

void AccessPane::watch() {
  connect(view_, &AccessView::access_asked, this, [this](int launch, int access) {
    auto const& accesses = view_->state()->kernel.launches[size_t(launch)].accesses;
    LaunchAccess const& wanted = accesses[size_t(access)];
    int number = 0;
    auto const& launches = view_->state()->kernel.launches;
    for (int i = 0; i <= launch; ++i)
      for (int j = 0; j < int(launches[size_t(i)].accesses.size()); ++j) {
        LaunchAccess const& one = launches[size_t(i)].accesses[size_t(j)];
        bool before = i < launch || j <= access;
        number += before && one.tensor == wanted.tensor && one.store == wanted.store;
      }
    bench_.ask(journal::ChooseAccess{wanted.tensor, wanted.store ? "store" : "load",
                                     number > 1 ? std::to_string(number) : std::string()});
  });
  connect(view_, &AccessView::place_asked, this, [this](QString const& loop, qint64 value) {
    bench_.ask(journal::PutAccess{loop.toStdString(), int(value)});
  });
  connect(view_, &AccessView::iteration_asked, this, [this](qint64 iteration) {
    view_->player()->play(false);
    bench_.ask(journal::PutIteration{double(iteration)});
  });
  connect(view_, &AccessView::play_asked, this, [this](bool on) {
    bench_.ask(journal::PlayAccess{on ? "play" : "pause"});
    // Where one stopped to look is what a journal should come to.
    if (!on) bench_.ask(journal::PutIteration{double(view_->iteration())});
  });
  connect(view_->paddings(), &PaddingTable::step_asked, this,
          [this](QString const& line) { bench_.apply_line(line); });
  connect(view_, &AccessView::lane_asked, this,
          [this](int lane) { bench_.ask(journal::RingLane{lane}); });
}

std::optional<session::FactValue> AccessPane::fact(std::string const& name) const {
  if (!name.starts_with("access")) return {};
  LaunchAccess const* one = view_->isVisible() ? view_->access() : nullptr;
  if (name == "access")
    return one ? one->tensor + (one->store ? " store" : " load") : std::string("none");
  double count = 0, over = 0;
  if (view_->isVisible() && view_->state())
    for (LaunchReport const& launch : view_->state()->kernel.launches)
      for (LaunchAccess const& access : launch.accesses) {
        ++count;
        over += session::costs_more(access);
      }
  if (name == "access.count") return count;
  if (name == "access.over") return over;
  if (name == "access.cost") return one ? one->average : 0.0;
  if (name == "access.ideal") return double(one ? one->ideal : 0);
  if (name == "access.here") return double(view_->request() ? view_->request()->cost : 0);
  if (name == "access.iteration") return double(one ? view_->iteration() : 0);
  if (name == "access.iterations") return double(one ? view_->iterations() : 0);
  if (name == "access.plays") return std::string(view_->player()->plays() ? "yes" : "no");
  if (name == "access.lane") return double(view_->lane());
  return {};
}

}  // namespace

PaneRow const& pane_access() {
  static PaneRow const row{.name = "access",
                           .title = "Access",
                           .place = PanePlace::kCentre,
                           .order = 13,
                           .when_asked = true,
                           .needs = PaneNeeds::kWidthAndHeight,
                           .make = &make_pane<AccessPane>};
  return row;
}

}  // namespace tw
