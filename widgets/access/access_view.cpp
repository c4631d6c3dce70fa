// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/access/access_view.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/paint/paint.h"

namespace tw {
namespace {

constexpr int kListWidth = 236;

QLabel* words_label(char const* name) {
  auto* label = new QLabel;
  label->setObjectName(name);
  label->setWordWrap(true);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  label->setContentsMargins(14, 4, 14, 4);
  return label;
}

/// "element 12", "elements 12 to 15"
QString elements_words(LaunchAccess const& access, int64_t address) {
  int64_t first = address / (access.bytes / access.elements);
  if (access.elements == 1) return QString("element %1").arg(first);
  return QString("elements %1 to %2").arg(first).arg(first + access.elements - 1);
}

bool alike(LaunchAccess const& a, LaunchAccess const& b) {
  return a.tensor == b.tensor && a.store == b.store && a.shared == b.shared;
}

}  // namespace

AccessView::AccessView(QWidget* parent)
    : QWidget(parent),
      sentence_(words_label("accessSentence")),
      page_(new QScrollArea),
      list_(new AccessList),
      statement_(words_label("accessStatement")),
      undecided_(words_label("accessUndecided")),
      current_(new AccessPicture("accessNow")),
      former_(new AccessPicture("accessBefore")),
      place_(new PlaceRows),
      player_(new AccessPlayer),
      paddings_(new PaddingTable),
      lane_label_(words_label("accessLane")) {
  setObjectName("accessView");
  auto* rows = new QVBoxLayout(this);
  rows->setContentsMargins(0, 6, 0, 0);
  rows->setSpacing(0);
  rows->addWidget(sentence_);
  auto* columns = new QHBoxLayout;
  columns->setSpacing(0);
  rows->addLayout(columns, 1);
  auto* left = new QScrollArea;
  left->setObjectName("accessListScroll");
  left->setWidget(list_);
  left->setWidgetResizable(true);
  left->setFocusPolicy(Qt::NoFocus);
  left->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  columns->addWidget(left);
  auto* content = new QWidget;
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  for (QWidget* one : std::initializer_list<QWidget*>{statement_, undecided_, former_, current_,
                                                      lane_label_, player_, place_, paddings_})
    column->addWidget(one);
  column->addStretch(1);
  page_->setObjectName("accessScroll");
  page_->setWidget(content);
  page_->setWidgetResizable(true);
  page_->setFocusPolicy(Qt::NoFocus);
  page_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  columns->addWidget(page_, 1);
  connect(list_, &AccessList::chosen, this, &AccessView::access_asked);
  connect(place_, &PlaceRows::moved, this, &AccessView::place_asked);
  connect(player_, &AccessPlayer::iteration_asked, this, &AccessView::iteration_asked);
  connect(player_, &AccessPlayer::play_asked, this, &AccessView::play_asked);
  connect(player_, &AccessPlayer::iteration_came, this, [this](qint64 to) { go_to(to); });
  for (AccessPicture* picture : {current_, former_})
    connect(picture, &AccessPicture::lane_asked, this, &AccessView::lane_asked);
  show_words("Select a kernel to see what its accesses cost.");
}

void AccessView::set_theme(Theme const& theme) {
  list_->set_theme(theme);
  list_->parentWidget()->parentWidget()->setFixedWidth(theme.px(kListWidth));
  current_->set_theme(theme);
  former_->set_theme(theme);
  player_->set_theme(theme);
  paddings_->set_theme(theme);
  statement_->setFont(mono_font(12 * theme.scale));
  sentence_->setFont(ui_font(13 * theme.scale, 600));
}

void AccessView::show_words(QString const& words) {
  now_ = before_ = nullptr;
  chosen_ = {};
  list_->show_launches({});
  sentence_->setText(words);
  refresh();
}

void AccessView::show_states(State now, State before, QString const& name_before) {
  LaunchAccess const* old = access();
  std::optional<LaunchAccess> former = old ? std::optional(*old) : std::nullopt;
  before_ = std::move(before);
  name_before_ = name_before;
  bool same = now == now_;
  now_ = std::move(now);
  if (!now_->failure.empty()) return show_words(QString::fromStdString(now_->failure));
  if (same) return refresh();
  list_->show_launches(now_->kernel.launches);
  sentence_->setText(QString::fromStdString(session::access_sentence(now_->kernel)));
  keep_choice(former ? &*former : nullptr);
  refresh();
}

/// The access that one looked at, if it is there still; else the one that costs most in vain.
void AccessView::keep_choice(LaunchAccess const* former) {
  auto const& launches = now_->kernel.launches;
  chosen_ = session::costliest_access(now_->kernel);
  for (size_t i = 0; i < launches.size(); ++i)
    for (size_t j = 0; j < launches[i].accesses.size(); ++j) {
      session::AccessPlace place{int(i), int(j)};
      if (chosen_.launch < 0) chosen_ = place;
      if (former && alike(*former, launches[i].accesses[j])) {
        chosen_ = place;
        former = nullptr;
      }
    }
}

LaunchAccess const* AccessView::access() const {
  if (!now_ || chosen_.launch < 0) return nullptr;
  return &now_->kernel.launches[size_t(chosen_.launch)].accesses[size_t(chosen_.access)];
}

WarpRequest const* AccessView::request() const {
  return current_->shown() ? &current_->shown()->request : nullptr;
}

LaunchAccess const* AccessView::same_before() const {
  LaunchAccess const* now = access();
  if (!now || !before_) return nullptr;
  for (LaunchReport const& launch : before_->kernel.launches)
    for (LaunchAccess const& one : launch.accesses)
      if (alike(one, *now) && one.request) return &one;
  return nullptr;
}

AccessPicture::Shown AccessView::shown(QString const& title, LaunchAccess const& access, int warp,
                                       std::vector<int64_t> const& at, bool past) {
  return {title, past, access, access.request(std::min(warp, access.warps - 1), at)};
}

void AccessView::refresh() {
  list_->choose(chosen_);
  LaunchAccess const* now = access();
  statement_->setVisible(now && !now->statement.empty());
  undecided_->setVisible(now && !now->request);
  lane_label_->setVisible(now && now->request);
  std::optional<AccessPicture::Shown> picture, past;
  if (now) {
    statement_->setText(paint::unligated(QString::fromStdString(now->statement)));
    undecided_->setText("Not decided: " + QString::fromStdString(now->undecided) +
                        ". A warp takes from 1 to 32 of them.");
    place_->show_place(now->request ? now->warps : 0,
                       now->request ? now->loops : std::vector<AccessLoop>());
    if (now->request) picture = shown("now", *now, place_->warp(), place_->at(), false);
    LaunchAccess const* former = same_before();
    if (former && now->request && former->statement != now->statement) {
      std::vector<int64_t> begin(former->loops.size(), 0);
      past = shown(name_before_ + ", at its begin", *former, 0, begin, true);
    }
  } else {
    place_->show_place(0, {});
  }
  if (picture && !picture->request.known) picture.reset();
  if (past && !past->request.known) past.reset();
  current_->show_request(std::move(picture));
  former_->show_request(std::move(past));
  if (current_->shown())
    lane_ = std::clamp(lane_, 0, std::max(0, int(request()->address.size()) - 1));
  current_->ring(lane_);
  former_->ring(lane_);
  lane_label_->setText(lane_words());
  refresh_player();
}

/// Costs are counted anew where they are others, not as one walks over them.
void AccessView::refresh_player() {
  LaunchAccess const* now = access();
  int64_t iterations = now && now->request ? place_->iterations() : 0;
  if (iterations < 2) {
    counted_ = {};
    return player_->show_costs({});
  }
  Counted wanted{now_, chosen_, place_->warp(), place_->at_iteration(0)};
  if (wanted != counted_) {
    counted_ = wanted;
    RequestStrip::Costs costs{{}, iterations, now->ideal, now->shared};
    auto bars = size_t(std::min<int64_t>(iterations, RequestStrip::kMostBars));
    for (size_t bar = 0; bar < bars; ++bar) {
      WarpRequest one = now->request(
          place_->warp(), place_->at_iteration(RequestStrip::iteration_of(bar, bars, iterations)));
      costs.of_bar.push_back(one.known ? one.cost : -1);
    }
    player_->show_costs(std::move(costs));
  }
  player_->stand_at(place_->iteration(), QString("Iteration %1 of %2: %3")
                                             .arg(place_->iteration())
                                             .arg(iterations)
                                             .arg(place_->words()));
}

bool AccessView::go_to(int64_t iteration) {
  if (!access() || !place_->go_to(iteration)) return false;
  refresh();
  return true;
}

void AccessView::keyPressEvent(QKeyEvent* event) {
  if (iterations() < 2) return QWidget::keyPressEvent(event);
  auto ask = [this](int64_t to) {
    emit iteration_asked(std::clamp<int64_t>(to, 0, iterations() - 1));
  };
  switch (event->key()) {
    case Qt::Key_Space:
      return emit play_asked(!player_->plays());
    case Qt::Key_Comma:
      return ask(iteration() - 1);
    case Qt::Key_Period:
      return ask(iteration() + 1);
    case Qt::Key_Home:
      return ask(0);
    default:
      return QWidget::keyPressEvent(event);
  }
}

QString AccessView::lane_words() const {
  if (!current_->shown()) return {};
  int64_t address = request()->address[size_t(lane_)];
  AccessCell const* cell = current_->cells().cell(lane_);
  QString who = QString("Lane %1 ").arg(lane_);
  if (!cell) return who + "takes no part here.";
  LaunchAccess const& one = current_->shown()->access;
  QString what = QString("%1 %2 of %3, byte %4: ")
                     .arg(one.store ? "writes" : "reads")
                     .arg(elements_words(one, address))
                     .arg(QString::fromStdString(one.tensor))
                     .arg(address);
  if (current_->cells().banks)
    return who + what + QString("bank %1, pass %2.").arg(cell->column).arg(cell->row + 1);
  return who + what + QString("sector %1 of its line.").arg(cell->row);
}

bool AccessView::choose(session::AccessPlace place) {
  if (!now_ || place.launch < 0 || size_t(place.launch) >= now_->kernel.launches.size())
    return false;
  auto const& accesses = now_->kernel.launches[size_t(place.launch)].accesses;
  if (place.access < 0 || size_t(place.access) >= accesses.size()) return false;
  chosen_ = place;
  refresh();
  return true;
}

bool AccessView::put(std::string const& name, int64_t value) {
  if (!access() || !place_->put(name, value)) return false;
  refresh();
  return true;
}

bool AccessView::ring(int lane) {
  if (!request() || lane < 0 || size_t(lane) >= request()->address.size()) return false;
  lane_ = lane;
  refresh();
  return true;
}

int AccessView::loop_of_chosen() const {
  size_t line = size_t(lowered_line());
  if (!now_ || line < 1 || line > now_->lines.size()) return -1;
  session::CodeLine const& of = now_->lines[line - 1];
  return of.loops.empty() ? -1 : of.loops.back();
}

}  // namespace tw
