// SPDX-License-Identifier: GPL-3.0-or-later
/// The one way in which anything happens in the window: an action is recorded and carried out.
/// Menus, keys, gestures, dialogs and journals all come here.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <typeindex>

#include "app/window/recorder.h"

namespace tw {

class Performer {
public:
  using Handler = std::function<Status(journal::Action const&)>;
  /// What others do around an action.
  struct Around {
    std::function<void(journal::Action const&)> before;
    std::function<void(Error const&, std::type_index action)> failed;
    /// The journal cannot be written any more; told once.
    std::function<void(Error const&)> unwritten;
  };

  /// Journals lie in that folder.
  explicit Performer(std::filesystem::path folder) : recorder_(std::move(folder)) {}
  void use(Around around) { around_ = std::move(around); }
  void set_handler(std::type_index kind, Handler run) { handlers_[kind] = std::move(run); }

  Status perform(journal::Action const& action);
  /// Carries it out and says nothing of what was wrong: nobody asked for it.
  Status try_to(journal::Action const& action);
  /// The same as `perform`, unless it follows from another one that is being carried out.
  void user_did(journal::Action const& action);
  /// Nothing is being carried out.
  bool rests() const { return depth_ == 0; }
  Recorder& recorder() { return recorder_; }

  /// What happens while one is alive was not asked for by the user and is not recorded.
  class Quiet {
  public:
    explicit Quiet(Performer& performer) : depth_(performer.depth_) { ++depth_; }
    ~Quiet() { --depth_; }
    Quiet(Quiet const&) = delete;
    Quiet& operator=(Quiet const&) = delete;

  private:
    int& depth_;
  };

private:
  Recorder recorder_;
  std::map<std::type_index, Handler> handlers_;
  Around around_;
  bool told_of_recorder_ = false;
  int depth_ = 0;  ///< of actions that are being carried out
};

}  // namespace tw
