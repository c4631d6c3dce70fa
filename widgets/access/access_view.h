// SPDX-License-Identifier: GPL-3.0-or-later
/// What each access of a warp costs memory: a list of them, and of the chosen one the lanes with
/// the sectors or banks that they touch, in this state and in the one before.
#pragma once

#include <QLabel>
#include <QScrollArea>
#include <memory>

#include "widgets/access/access_list.h"
#include "widgets/access/access_picture.h"
#include "widgets/access/access_player.h"
#include "widgets/access/padding_table.h"
#include "widgets/access/place_rows.h"

namespace tw {

class AccessView : public QWidget {
  Q_OBJECT
public:
  using State = std::shared_ptr<session::LaunchesView const>;
  explicit AccessView(QWidget* parent = nullptr);
  void set_theme(Theme const& theme);
  /// `before`: the state that it came of, by its name; null: there is none to compare with.
  void show_states(State now, State before, QString const& name_before);
  /// A sentence instead.
  void show_words(QString const& words);
  /// Of the chosen access' tensor; null: they are not there yet, or it is none of shared memory.
  void show_paddings(PaddingTable::View paddings) { paddings_->show_paddings(std::move(paddings)); }
  AccessList* list() { return list_; }
  PaddingTable* paddings() { return paddings_; }

  session::AccessPlace chosen() const { return chosen_; }
  LaunchAccess const* access() const;
  WarpRequest const* request() const;
  int lane() const { return lane_; }
  int lowered_line() const { return access() ? access()->source_line : 0; }
  State const& state() const { return now_; }
  // False: there is no such thing.
  bool choose(session::AccessPlace place);
  bool put(std::string const& name, int64_t value);
  bool ring(int lane);
  /// Of the loops around it that are none of blocks, together.
  int64_t iterations() const { return place_->iterations(); }
  int64_t iteration() const { return place_->iteration(); }
  bool go_to(int64_t iteration);
  AccessPlayer* player() { return player_; }
  /// The loops around the chosen access, innermost last, by the lowered program's line.
  int loop_of_chosen() const;

signals:
  void access_asked(int launch, int access);
  void place_asked(QString const& name, qint64 value);
  void lane_asked(int lane);
  void iteration_asked(qint64 iteration);
  void play_asked(bool on);

protected:
  void keyPressEvent(QKeyEvent*) override;

private:
  void keep_choice(LaunchAccess const* former);
  void refresh();
  void refresh_player();
  LaunchAccess const* same_before() const;
  QString lane_words() const;
  static AccessPicture::Shown shown(QString const& title, LaunchAccess const& access, int warp,
                                    std::vector<int64_t> const& at, bool past);

  State now_, before_;
  QString name_before_;
  session::AccessPlace chosen_;
  int lane_ = 0;
  /// What the player's costs are of.
  struct Counted {
    State state;
    session::AccessPlace place;
    int warp = 0;
    std::vector<int64_t> from;  ///< of the first iteration
    bool operator==(Counted const&) const = default;
  };
  Counted counted_;
  QLabel* sentence_;
  QScrollArea* page_;
  AccessList* list_;
  QLabel* statement_;
  QLabel* undecided_;
  AccessPicture* current_;
  AccessPicture* former_;
  PlaceRows* place_;
  AccessPlayer* player_;
  PaddingTable* paddings_;
  QLabel* lane_label_;
};

}  // namespace tw
